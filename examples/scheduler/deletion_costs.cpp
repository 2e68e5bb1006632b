// SPDX-License-Identifier: Apache-2.0
#include "deletion_costs.hpp"

#include "../support/api_object.hpp"
#include "../support/backoff.hpp"
#include "../support/log.hpp"

#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace scheduler {

using support::CallError;

DeletionCosts::DeletionCosts(support::ApiClient& client, ClusterView& view,
                             support::Metrics& metrics)
    : client_(client),
      view_(view),
      results_(metrics.counters("schedpol_deletion_costs_total",
                                "Deletion costs that were written, and what became of it.",
                                {"result"})) {}

void DeletionCosts::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void DeletionCosts::run(const std::stop_token& stop) {
  support::Backoff backoff(std::chrono::seconds(30));
  while (const std::optional<CostChange> change = view_.next_cost(stop)) {
    if (write(*change, stop) != Written::later) {
      backoff.reset();
      continue;
    }
    backoff.wait(stop, retry_after_);
    view_.look_again(*change);
  }
}

DeletionCosts::Written DeletionCosts::write(const CostChange& change, const std::stop_token& stop) {
  using schedpol::json::encode;
  const support::Collection pods = {.version = "v1", .resource = "pods", .kind = "Pod"};
  const std::string target = path_of(pods, {change.namespace_, change.name}) +
                             "?fieldManager=" + std::string(field_manager);
  const std::string written =
      R"("annotations":{")" + std::string(deletion_cost_annotation) +
      "\":" + (change.cost ? encode(std::to_string(*change.cost)) : "null") + "}}}";
  const std::string uid = R"("uid":)" + encode(change.uid) + ',';
  const std::string apply = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":)" +
                            encode(change.name) + R"(,"namespace":)" + encode(change.namespace_) +
                            ',' + uid + written;
  const std::string removal =
      R"({"metadata":{"resourceVersion":)" + encode(change.resource_version) + ',' + uid + written;
  const support::Answer answer =
      change.cost ? client_.patch(target, support::PatchType::apply, apply, stop)
                  : client_.patch(target, support::PatchType::merge_patch, removal, stop);
  if (!answer.error) {
    results_.with({change.cost ? "written" : "removed"}).add();
    return Written::done;
  }
  const CallError& error = *answer.error;
  retry_after_ = std::min(error.retry_after, std::chrono::seconds(300));
  if (error.reason == CallError::Reason::stopped) return Written::refused;
  if (error.status == 404) return Written::done;
  if (error.status == 409) {
    results_.with({"conflict"}).add();
    return Written::refused;
  }
  results_.with({"failed"}).add();
  support::log_warning(
      "a deletion cost was not written",
      {{"namespace", change.namespace_}, {"name", change.name}, {"error", error.text}});
  const bool is_refused = error.status >= 400 && error.status < 500 && error.status != 429;
  return is_refused ? Written::refused : Written::later;
}

}  // namespace scheduler
