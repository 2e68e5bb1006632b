// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the webhook serves: reviews at /admit and /validate, answered by the engine of a source;
/// /healthz, /readyz and /metrics.

#include "../support/engine_source.hpp"
#include "../support/metrics.hpp"
#include "../support/server.hpp"

#include <schedpol/engine/engine.hpp>

#include <functional>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json {
struct Reviewed;
}

namespace webhook {

class Reviews {
 public:
  /// Both have to outlive it.
  Reviews(const support::EngineSource& source, support::Metrics& metrics);

  /// `is_draining` is asked for /readyz.
  [[nodiscard]] std::vector<support::Route> routes(std::function<bool()> is_draining);

 private:
  [[nodiscard]] support::Response review(schedpol::engine::Phase phase,
                                         const support::Request& request);
  [[nodiscard]] support::Response answer_ready(bool is_draining) const;
  void count(std::string_view phase, const schedpol::json::Reviewed& reviewed, double seconds);

  const support::EngineSource& source_;
  support::Metrics& metrics_;
  support::Family<support::Counter>& reviews_;
  support::Family<support::Histogram>& durations_;
  support::Family<support::Counter>& decisions_;
  support::Family<support::Counter>& denials_;
};

}  // namespace webhook
