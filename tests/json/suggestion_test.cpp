// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/suggestion.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <schedpol/core/limits.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace suggestion_test {

// What engine.suggest answers to is a vector, in tests/conformance/engine.suggest.jsonl.

using namespace schedpol;
using engine::Suggestion;
using engine::UnmetNeed;
using testing::Json;
using testing::result_or_error;

UnmetNeed need(std::size_t violations) {
  UnmetNeed need{.owner = {"Deployment", "shop", "web"}, .pods = 2, .reason = "why"};
  for (std::size_t i = 0; i < violations; ++i)
    need.violations.push_back({.code = ViolationCode::toleration_not_allowed,
                               .field = FieldPath{"spec", "tolerations"}.index(i),
                               .value = "gpu"});
  return need;
}

TEST_CASE("a suggestion is one document, with its proof") {
  Suggestion suggestion;
  suggestion.objects.scheduling_policies = {
      {{.name = "p"}, {.allowed = {.scheduler_names = {"default-scheduler"}}}}};
  suggestion.objects.rbac.role_bindings = {{.metadata = {.name = "b", .namespace_ = "shop"}}};
  suggestion.objects.rbac.cluster_role_bindings = {{.metadata = {.name = "c"}}};
  suggestion.entries = {{.policy = "p",
                         .entry = FieldPath{"allowed", "schedulerNames"}.index(0),
                         .value = "default-scheduler",
                         .pods = 2,
                         .others = 1,
                         .accounts = 1,
                         .example = {"Deployment", "shop", "web"},
                         .nodes = engine::OpenedCount{1, 3}}};
  suggestion.excess = 4;
  suggestion.fragile = {5, 2};
  suggestion.proof.allowed = 3;
  suggestion.proof.needless_entries = {{"p", FieldPath{"allowed", "tolerations"}.index(1), {}}};
  suggestion.proof.needless_subjects = {{"shop", "b", "shop/web"}};
  const std::string proof =
      R"({"allowed":3,"denied":[],"undecided":[],"entries":0,"subjects":0,"needlessEntries":)"
      R"([{"policy":"p","entry":"allowed.tolerations[1]"}],"needlessSubjects":)"
      R"([{"namespace":"shop","binding":"b","subject":"shop/web"}]})";
  const Json written(json::encode(suggestion));
  REQUIRE(written.valid());
  CHECK(written.string_at("/policies/0/metadata/name") == "p");
  CHECK(written.at("/roles") == "[]");
  CHECK(written.string_at("/bindings/0/kind") == "ClusterRoleBinding");
  CHECK(written.string_at("/bindings/1/kind") == "RoleBinding");
  CHECK(written.at("/entries") ==
        R"([{"policy":"p","entry":"allowed.schedulerNames[0]","value":"default-scheduler",)"
        R"("pods":2,"others":1,"accounts":1,"example":{"kind":"Deployment","namespace":"shop",)"
        R"("name":"web"},"nodes":{"count":1,"all":3}}])");
  CHECK(written.at("/excess") == "4");
  CHECK(written.at("/fragile") == R"({"owners":5,"denied":2})");
  CHECK(written.at("/proof") == proof);
  CHECK(json::encode(suggestion.proof) == proof);
}

TEST_CASE("all needs of a document together have as many violations as one pod may have") {
  Suggestion suggestion;
  suggestion.undecided = {need(0), need(max_reported_violations - 1)};
  suggestion.unsatisfiable = {need(3), need(1)};
  suggestion.proof.denied = {need(2)};
  const Json written(json::encode(suggestion));
  REQUIRE(written.valid());
  CHECK(
      written.at("/undecided/0") ==
      R"({"owner":{"kind":"Deployment","namespace":"shop","name":"web"},"pods":2,"reason":"why"})");
  CHECK(written.at("/undecided/1/moreViolations") == "absent");
  CHECK(written.at("/unsatisfiable/0/moreViolations") == "2");
  CHECK(written.string_at("/unsatisfiable/0/violations/0/field") == "spec.tolerations[0]");
  CHECK(written.at("/unsatisfiable/1/violations") == "[]");
  CHECK(written.at("/unsatisfiable/1/moreViolations") == "1");
  CHECK(written.at("/proof/denied/0/moreViolations") == "2");
}

std::string suggest(const std::string& objects, const std::string& rest = "") {
  return result_or_error("engine.suggest", R"({"objects":[)" + objects + "]" + rest + "}");
}

TEST_CASE("pods of one owner that are alike are one object of the proof") {
  const auto pod = [](const std::string& name, const std::string& label, const std::string& spec) {
    return R"({"kind":"Pod","metadata":{"name":")" + name +
           R"(","uid":"1","creationTimestamp":"t","labels":{"pod":")" + label +
           R"("},"ownerReferences":[{"kind":"StatefulSet","name":"s","controller":true}]},)"
           R"("spec":{)" +
           spec + "}}";
  };
  const std::string two = pod("s-0", "0", R"("nodeName":"n1")") + "," + pod("s-1", "1", "");
  const std::string third = "," + pod("s-2", "1", R"("priorityClassName":"gold")");
  const auto objects_of = [](const std::string& suggestion) {
    return Json(suggestion).at("/proof/allowed");
  };
  CHECK(objects_of(suggest(two)) == "1");
  CHECK(Json(suggest(two)).at("/entries/0/pods") == "2");
  CHECK(objects_of(suggest(two + third)) == "2");
  // A system that selects pods by their labels tells them apart.
  const std::string selecting = R"(,"configuration":{"kind":"EngineConfiguration","systems":)"
                                R"([{"system":"MetadataPolicy"},{"system":"SchedulingPolicy"}]})";
  CHECK(objects_of(suggest(two, selecting)) == "2");
}

TEST_CASE("steps grow with the bytes of a request; what would take more is beyond a limit") {
  const auto pod_on = [](int node) {
    return R"({"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeSelector":{"node":"n)" +
           std::to_string(node) + R"("}}})";
  };
  const auto pods_on = [&](int nodes, const std::string& blanks = "") {
    std::string pods = pod_on(0);
    for (int i = 1; i < nodes; ++i) pods.append(",").append(pod_on(i));
    return suggest(pods + blanks);
  };
  // One more is of their scheduler.
  CHECK(Json(pods_on(10)).at("/proof/entries") == "11");
  // Each entry of one subject is tried without.
  CHECK(pods_on(200) == "LimitExceeded at objects");
  CHECK(Json(pods_on(200, std::string(1'000'000, ' '))).at("/proof/entries") == "201");
  CHECK(pods_on(1000) == "LimitExceeded at objects");
}

TEST_CASE("a pod that asks for more than any needs is told, and the rest suggested") {
  std::string tolerations = R"({"key":"k","operator":"Exists"})";
  for (int i = 0; i < 1100; ++i)
    tolerations.append(R"(,{"key":"k)")
        .append(std::to_string(i))
        .append(R"(","operator":"Exists"})");
  const Json reply(suggest(R"({"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[)" +
                           tolerations + R"(]}},{"kind":"Pod","metadata":{"name":"q"},"spec":)" +
                           R"({"schedulerName":"batch"}})"));
  CHECK(reply.string_at("/unsatisfiable/0/owner/name") == "p");
  CHECK(reply.string_at("/unsatisfiable/0/reason") ==
        "it asks for too many things that nothing permits");
  CHECK(reply.string_at("/entries/0/value") == "batch");
  CHECK(reply.at("/entries/1") == "absent");
}

}  // namespace suggestion_test
