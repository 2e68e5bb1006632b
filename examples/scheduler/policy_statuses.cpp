// SPDX-License-Identifier: Apache-2.0
#include "policy_statuses.hpp"

#include "../support/api_object.hpp"
#include "../support/backoff.hpp"
#include "../support/log.hpp"
#include "each_second.hpp"
#include "pod_reader.hpp"

#include <schedpol/json/encode.hpp>

#include <chrono>
#include <string>

namespace scheduler {

PolicyStatuses::PolicyStatuses(support::ApiClient& client, ClusterView& view,
                               support::Metrics& metrics)
    : client_(client),
      view_(view),
      results_(metrics.counters("schedpol_policy_statuses_total",
                                "Statuses of ResourcePolicies, and what became of them.",
                                {"result"})) {}

void PolicyStatuses::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void PolicyStatuses::run(const std::stop_token& stop) {
  using schedpol::json::encode;
  support::Backoff pause(std::chrono::seconds(30));
  each_second(stop, [&] {
    for (const PolicyStatus& policy : view_.changed_statuses()) {
      const std::string target = path_of(resource_policies, policy.key) +
                                 "/status?force=true&fieldManager=" + std::string(field_manager);
      const support::Answer answer = client_.patch(
          target, support::PatchType::apply,
          R"({"apiVersion":)" + encode(resource_policies.group + '/' + resource_policies.version) +
              R"(,"kind":)" + encode(resource_policies.kind) + R"(,"metadata":{"name":)" +
              encode(policy.key.name) + R"(,"namespace":)" + encode(policy.key.namespace_) +
              R"(},"status":)" + policy.status + '}',
          stop);
      if (stop.stop_requested()) return;
      results_.with({answer.error ? "failed" : "written"}).add();
      if (!answer.error) {
        pause.reset();
        continue;
      }
      if (answer.error->status == 404) continue;  // it is gone
      support::log_warning("a status was not written", {{"error", answer.error->text}});
      view_.tell_again(policy.key);
      pause.wait(stop, answer.error->retry_after);
    }
  });
}

}  // namespace scheduler
