// SPDX-License-Identifier: Apache-2.0
#pragma once

/// ClusterView: the nodes, pods and ResourcePolicies of a cluster, followed by watches, and the
/// answers to its scheduler.
///
/// 1. Nothing fits before the first list of all three is whole, nor when the API server has said
///    nothing of one of them for `stale_after`.
/// 2. An answer and what it makes assumed are one step. The scheduler asks for one pod after
///    another, so requests wait for each other. A pod that it knows a moment before this program
///    does is waited for, a second at most.
/// 3. What is assumed is given up when it is older than `assume_for`, and the watch of pods has said
///    something since it was: had the pod been bound by then, it would have said that first.
/// 4. A pod that was told of no node, and that one of those nodes could take by now, is to be woken,
///    once for each time that it was asked for.
/// 5. A policy that cannot be read keeps the pods that its podSelector selects from all nodes, or
///    those of its whole namespace where that cannot be read either.
/// 6. What the deletion cost of a pod has to be is looked at when the pod changes, and for all pods
///    when a node or a policy does.

#include "../support/api_client.hpp"
#include "../support/api_object.hpp"
#include "../support/metrics.hpp"
#include "pod_reader.hpp"

#include <schedpol/json/extend.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace scheduler {

inline const support::Collection resource_policies = {.group = "scheduling.sigs.x-k8s.io",
                                                      .version = "v1alpha1",
                                                      .resource = "resourcepolicies",
                                                      .kind = "ResourcePolicy"};

struct ViewOptions {
  /// Without a word of the server for so long, what it said of a kind is stale.
  std::chrono::seconds stale_after{300};
  /// How long a pod is assumed at most: more than a binding takes.
  std::chrono::seconds assume_for{30};
};

/// What there is of one ResourcePolicy, as the API server has it: JSON.
struct PolicyStatus {
  support::ObjectKey key{};
  std::string status{};
};

/// A pod whose annotation has to be another one.
struct CostChange {
  std::string namespace_{};
  std::string name{};
  std::string uid{};
  std::string resource_version{};      ///< of the pod that it is about
  std::optional<std::int32_t> cost{};  ///< none: it has to go
};

class ClusterView {
 public:
  /// Both have to outlive it. It counts in `metrics` what `README.md` lists.
  ClusterView(support::ApiClient& client, ViewOptions options, support::Metrics& metrics);
  ~ClusterView();
  ClusterView(const ClusterView&) = delete;
  ClusterView& operator=(const ClusterView&) = delete;

  /// Begins to watch.
  void start();

  /// Answers the scheduler.
  [[nodiscard]] schedpol::json::ExtenderResponse answer(std::string_view path,
                                                        std::string_view body);

  /// Why nothing fits, one a kind; none: it is ready.
  [[nodiscard]] std::vector<std::string> problems() const;

  /// The kinds that the API server does not know, or not any more. What they were still counts.
  [[nodiscard]] std::vector<std::string> missing() const;

  /// How far behind the API server it may be, one a kind.
  [[nodiscard]] std::vector<std::string> ages() const;

  /// Forgets what was assumed for too long.
  void expire();

  /// The next pod whose annotation is not what it has to be, once there is one; nothing when it is
  /// stopped. Each is told once, until the pod, a node or a policy changes.
  [[nodiscard]] std::optional<CostChange> next_cost(std::stop_token stop);

  /// Whether a pod is to be woken that was not before.
  [[nodiscard]] bool has_to_wake();

  /// Those that were to be woken by now were not.
  void wake_again();

  /// Of the policies whose status is not what was returned before, each at most every five seconds.
  [[nodiscard]] std::vector<PolicyStatus> changed_statuses();

  /// A status could not be written.
  void tell_again(const support::ObjectKey& policy);

  /// Has a pod looked at again.
  void look_again(const CostChange& change);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scheduler
