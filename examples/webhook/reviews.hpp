// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the webhook serves: reviews at /admit and /validate, answered by the engine of a source;
/// /healthz, /readyz and /metrics; what would have been denied at /needs, for clients that are known.
///
/// 1. A review of a policy that is written is decided on like any other. What the policy means
///    beside those that are stored takes longer: it is looked for in the background, and where there
///    is no time for it the answer has a warning that says so.
/// 2. In a cluster, a review that a system denies is decided on again when the watches have told more
///    (`Response::may_differ`): for up to a second where something is not known, such as the namespace
///    that was created a moment ago (`Decision::unknown`), else for 200 ms, because a binding that is
///    not known yet looks like none.
/// 3. A review that could not be answered in time is denied with code 504, or allowed with a warning,
///    as the failure policy says.

#include "rehearsal.hpp"

#include "../support/engine_source.hpp"
#include "../support/metrics.hpp"
#include "../support/server.hpp"

#include <schedpol/engine/engine.hpp>

#include <functional>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json {
struct ReviewResult;
}

namespace webhook {

/// As in Kubernetes' webhook configurations.
enum class FailurePolicy { fail, ignore };

class Reviews {
 public:
  /// All have to outlive it. Without a rehearsal nothing is heard; nobody may read it then.
  Reviews(const support::EngineSource& source, support::Metrics& metrics,
          FailurePolicy failure_policy, Rehearsal* rehearsal);

  /// `is_draining` is asked for /readyz; reviews are answered for whom `access` says.
  [[nodiscard]] std::vector<support::Route> routes(std::function<bool()> is_draining,
                                                   support::Access access);

 private:
  [[nodiscard]] support::Response review(schedpol::engine::Phase phase,
                                         const support::Request& request);
  /// The same of a policy, with what it means beside those that are stored.
  [[nodiscard]] support::Response analyze(schedpol::engine::Phase phase,
                                          const support::Request& request) const;
  [[nodiscard]] support::Response answer_too_late(schedpol::engine::Phase phase,
                                                  const support::Request& request);
  [[nodiscard]] support::Response answer_ready(bool is_draining, bool is_verbose) const;
  void count(schedpol::engine::Phase phase, const schedpol::json::ReviewResult& reviewed,
             double seconds);

  const support::EngineSource& source_;
  const FailurePolicy failure_policy_;
  support::Metrics& metrics_;
  Rehearsal* const rehearsal_;
  support::Family<support::Counter>& reviews_;
  support::Family<support::Histogram>& durations_;
  support::Family<support::Counter>& decisions_;
  support::Family<support::Counter>& denials_;
};

}  // namespace webhook
