// SPDX-License-Identifier: Apache-2.0
#pragma once

/// DeletionCosts: keeps the annotation `controller.kubernetes.io/pod-deletion-cost` of pods what
/// ResourcePolicies make it, so that what is scaled down goes from the least preferred units first.
///
/// 1. It is written where it differs, and taken away where no policy, or more than one, selects the
///    pod any more.
/// 2. What anybody else wrote stays. Server-side apply without force sees to it: the API server
///    knows who owns the field, and refuses a write (409) that came too late to know better. The
///    annotation is taken away by a patch that names it and the resource version that was seen,
///    because an apply without it would take along all annotations that nobody owns, such as those
///    that admission added.
/// 3. A write is for the pod of one uid, never for a successor of its name.
/// 4. A server that is not there is asked again later; a write that it refuses is not repeated
///    before something changes.

#include "../support/api_client.hpp"
#include "../support/metrics.hpp"
#include "cluster_view.hpp"

#include <chrono>
#include <thread>

namespace scheduler {

class DeletionCosts {
 public:
  /// All have to outlive it. It counts in `metrics` `schedpol_deletion_costs_total{result}`.
  DeletionCosts(support::ApiClient& client, ClusterView& view, support::Metrics& metrics);

  /// Begins; ends with the object.
  void start();

 private:
  enum class Written { done, refused, later };

  void run(const std::stop_token& stop);
  [[nodiscard]] Written write(const CostChange& change, const std::stop_token& stop);

  support::ApiClient& client_;
  ClusterView& view_;
  support::Family<support::Counter>& results_;
  std::chrono::seconds retry_after_{0};
  std::jthread thread_;
};

}  // namespace scheduler
