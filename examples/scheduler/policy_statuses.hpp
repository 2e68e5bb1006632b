// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PolicyStatuses: keeps in the status of each ResourcePolicy what its units hold and which pods
/// wait, by server-side apply, at most every five seconds for one policy. What could not be written
/// is tried again, after a pause that grows. The conditions there are the webhook's.

#include "../support/api_client.hpp"
#include "../support/metrics.hpp"
#include "cluster_view.hpp"

#include <thread>

namespace scheduler {

class PolicyStatuses {
 public:
  /// All have to outlive it. It counts in `metrics` `schedpol_policy_statuses_total{result}`.
  PolicyStatuses(support::ApiClient& client, ClusterView& view, support::Metrics& metrics);

  /// Begins; ends with the object.
  void start();

 private:
  void run(const std::stop_token& stop);

  support::ApiClient& client_;
  ClusterView& view_;
  support::Family<support::Counter>& results_;
  std::jthread thread_;
};

}  // namespace scheduler
