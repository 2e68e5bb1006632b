// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Waker: has kube-scheduler look again at pods that were told of no node, once one could take them.
///
/// 1. kube-scheduler does so by itself when a pod or a node changes. It watches no ResourcePolicies,
///    though, and it may ask before this program has seen the change that made it ask.
/// 2. It looks at every pod that an extender has kept from a node when a pod that runs is updated, in
///    the order of their priorities, each after its back-off. So an annotation of one pod is written,
///    whatever the number of those that wait, at most once a second.
///
/// Source: kubernetes, `pkg/scheduler`: `schedule_one.go` (`findNodesThatFitPod`),
/// `eventhandlers.go` (`updateAssignedPodInCache`).

#include "../support/api_client.hpp"
#include "../support/api_object.hpp"
#include "../support/metrics.hpp"
#include "cluster_view.hpp"

#include <thread>

namespace scheduler {

class Waker {
 public:
  /// `pod` is the one that is annotated: this program's own. All others have to outlive it. It
  /// counts in `metrics` `schedpol_extender_wakes_total{result}`.
  Waker(support::ApiClient& client, ClusterView& view, support::ObjectKey pod,
        support::Metrics& metrics);

  /// Begins; ends with the object.
  void start();

 private:
  void run(const std::stop_token& stop);

  support::ApiClient& client_;
  ClusterView& view_;
  const support::ObjectKey pod_;
  support::Family<support::Counter>& results_;
  std::jthread thread_;
};

}  // namespace scheduler
