// SPDX-License-Identifier: Apache-2.0
#include "waker.hpp"

#include "../support/backoff.hpp"
#include "../support/log.hpp"
#include "each_second.hpp"
#include "pod_reader.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace scheduler {

Waker::Waker(support::ApiClient& client, ClusterView& view, support::ObjectKey pod,
             support::Metrics& metrics)
    : client_(client),
      view_(view),
      pod_(std::move(pod)),
      results_(metrics.counters("schedpol_extender_wakes_total",
                                "Times that the scheduler was to look at waiting pods again.",
                                {"result"})) {}

void Waker::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Waker::run(const std::stop_token& stop) {
  const support::Collection pods = {.version = "v1", .resource = "pods", .kind = "Pod"};
  const std::string target = path_of(pods, pod_) + "?fieldManager=" + std::string(field_manager);
  support::Backoff pause(std::chrono::seconds(30));
  each_second(stop, [&] {
    if (!view_.has_to_wake()) return;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const support::Answer answer =
        client_.patch(target, support::PatchType::merge_patch,
                      R"({"metadata":{"annotations":{")" + std::string(wake_annotation) + R"(":")" +
                          std::to_string(now / std::chrono::milliseconds(1)) + R"("}}})",
                      stop);
    results_.with({answer.error ? "failed" : "done"}).add();
    if (!answer.error) return pause.reset();
    support::log_warning("waiting pods were not woken", {{"error", answer.error->text}});
    view_.wake_again();
    pause.wait(stop, answer.error->retry_after);
  });
}

}  // namespace scheduler
