// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Rehearsal: what `schedpol suggest --from` asks the webhook for before policies are enforced.
///
/// 1. A review is heard where a system that only warns or audits would have denied it, and it was
///    allowed. What is denied is told to whoever asked, and is none. A dry run is none either, nor is
///    an object without a pod in it.
/// 2. Of what asks there is kept what policies look at, as it would be created anew: an update is heard
///    as the creation of what it makes; of a DaemonSet's pod neither its node nor the tolerations that
///    its controller adds are kept (`engine/as_created.hpp`). Labels are kept where a system that runs
///    selects by them, but for those that differ from pod to pod; where MetadataPolicy runs, the annotations
///    about scheduling, and of containers that one which gives the pod its quality of service.
/// 3. Hearing costs a review the copy of its bytes. The rest is done by a thread of its own, with the
///    least of a processor; of what waits for it there are at most `most_waiting_bytes`, and what is
///    beyond that is not heard.
///
/// It counts in `schedpol_needs`, `schedpol_needs_heard_total` and `schedpol_needs_dropped_total{reason}`.

#include "needs.hpp"

#include "../support/metrics.hpp"

#include <schedpol/engine/engine.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace SCHEDPOL_NAMESPACE::json {
struct ReviewResult;
}

namespace webhook {

inline constexpr std::size_t most_waiting_bytes = std::size_t{4} << 20U;

class Rehearsal {
 public:
  /// `metrics` has to outlive it; `most_bytes` are those of the lines together.
  Rehearsal(support::Metrics& metrics, std::size_t most_bytes);
  /// Forgets what waits.
  ~Rehearsal();
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  /// Hears what became of a review. The bytes may go afterwards.
  void hear(schedpol::engine::Phase phase, std::string_view review,
            const schedpol::json::ReviewResult& reviewed,
            const std::shared_ptr<const schedpol::engine::Engine>& engine);

  /// What was heard, as JSON lines (`Needs::lines`).
  [[nodiscard]] std::string lines() const { return needs_.lines(); }

 private:
  struct Heard {
    Asked by = Asked::admit;
    std::string review{};
    std::string denied{};  ///< JSON
    std::shared_ptr<const schedpol::engine::Engine> engine{};
  };

  void serve();
  void keep(const Heard& heard);

  Needs needs_;
  support::Counter& heard_;
  support::Family<support::Counter>& dropped_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Heard> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace webhook
