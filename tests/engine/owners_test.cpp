// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/owners.hpp>

#include "../support/print.hpp"

#include <string>
#include <utility>
#include <vector>

namespace owners_test {

using namespace schedpol;
using engine::Owner;
using engine::Owners;

OwnerReference controller(std::string kind, std::string name) {
  const auto known = pod_kind(kind);
  return {.api_version = known ? std::string(api_version(*known)) : "example.com/v1",
          .kind = std::move(kind),
          .name = std::move(name),
          .controller = true};
}

Pod pod_of(OwnerReference owner) {
  return {.metadata = {.name = "web-5d4f8-x2x",
                       .namespace_ = "shop",
                       .labels = {{"pod-template-hash", "5d4f8"}},
                       .owner_references = {{.kind = "Node", .name = "n"}, std::move(owner)}}};
}

Pod workload(PodKind kind, std::string name, std::vector<OwnerReference> owners = {}) {
  return {
      .kind = kind,
      .metadata = {
          .name = std::move(name), .namespace_ = "shop", .owner_references = std::move(owners)}};
}

TEST_CASE("objects belong to the outermost controller that is known") {
  const auto owner = [](const Pod& object, const std::vector<Pod>& workloads) {
    return Owners(workloads).outermost_of(object);
  };
  const Pod pod = pod_of(controller("ReplicaSet", "web-5d4f8"));
  const std::vector<Pod> listed = {
      workload(PodKind::replica_set, "web-5d4f8", {controller("Deployment", "front")})};
  CHECK(owner(pod, listed) == Owner{"Deployment", "shop", "front"});
  CHECK(owner(pod, {}) == Owner{"Deployment", "shop", "web"});
  Pod by_hand = pod;
  by_hand.metadata.labels = {{"pod-template-hash", "f8"}};
  CHECK(owner(by_hand, {}) == Owner{"ReplicaSet", "shop", "web-5d4f8"});
  by_hand.metadata.labels = {{"pod-template-hash", "9c7b6"}};
  CHECK(owner(by_hand, {}) == Owner{"ReplicaSet", "shop", "web-5d4f8"});
  Pod bare = pod;
  bare.metadata.owner_references.pop_back();
  CHECK(owner(bare, {}) == Owner{"Pod", "shop", "web-5d4f8-x2x"});
  const Pod of_job = pod_of(controller("Job", "night-1"));
  CHECK(owner(of_job, {workload(PodKind::job, "night-1", {controller("CronJob", "night")})}) ==
        Owner{"CronJob", "shop", "night"});
  // A Job of another group is another Job.
  Pod of_volcano = of_job;
  of_volcano.metadata.owner_references.back().api_version = "batch.volcano.sh/v1alpha1";
  const std::vector<Pod> job = {workload(PodKind::job, "night-1")};
  CHECK(Owners(job).template_of(of_job) == &job[0]);
  CHECK(Owners(job).template_of(of_volcano) == nullptr);
  // Another namespace's is another one.
  Pod elsewhere = of_job;
  elsewhere.metadata.namespace_ = "other";
  CHECK(Owners(job).template_of(elsewhere) == nullptr);
}

TEST_CASE("a workload that controls itself comes to an end") {
  const std::vector<Pod> workloads = {workload(PodKind::job, "a", {controller("Job", "b")}),
                                      workload(PodKind::job, "b", {controller("Job", "a")})};
  CHECK(Owners(workloads).outermost_of(workloads[0]).kind == "Job");
}

}  // namespace owners_test
