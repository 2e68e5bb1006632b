// SPDX-License-Identifier: Apache-2.0
// ResourcePolicies for the real kube-scheduler: its extender, around json::answer_extender, by what
// watches show of a cluster; and the deletion costs of the pods that they select.

#include "cluster_view.hpp"
#include "deletion_costs.hpp"
#include "policy_statuses.hpp"
#include "waker.hpp"

#include "../support/api_flags.hpp"
#include "../support/flags.hpp"
#include "../support/log.hpp"
#include "../support/metrics.hpp"
#include "../support/serve.hpp"
#include "../support/server.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace {

support::Response ready(const scheduler::ClusterView& view, bool is_draining, bool is_verbose) {
  std::string text = is_draining ? "draining\n" : "";
  for (const std::string& problem : view.problems()) text += problem + "\n";
  const bool is_ready = text.empty();
  if (is_ready) text = "ok\n";
  for (const std::string& kind : view.missing()) text += "missing: " + kind + "\n";
  if (is_verbose) {
    for (const std::string& age : view.ages()) text += "watched: " + age + "\n";
  }
  return {.status = is_ready ? 200 : 503, .body = text};
}

}  // namespace

int main(int argc, char** argv) {
  support::ServerOptions options;
  std::chrono::seconds drain(5);
  support::ApiServerFlags api;
  long long assume_for = 30;
  std::string own_pod;
  bool no_deletion_costs = false;
  bool no_statuses = false;
  support::Flags flags(
      "The kube-scheduler extender for ResourcePolicies.\n\n"
      "schedpol-scheduler --in-cluster --listen 0.0.0.0:8443 --cert FILE --key FILE");
  api.add_to(flags);
  flags.number("--assume-for", assume_for, 2, 86'400,
               "seconds after which a pod that was not bound no longer holds the places where it "
               "could have gone; set more than a binding takes");
  flags.text("--own-pod", own_pod,
             "NAMESPACE/NAME of the pod that this program runs in; the program annotates this pod "
             "so that kube-scheduler looks at waiting pods again; without --own-pod, "
             "kube-scheduler does so by itself, later");
  flags.toggle("--no-deletion-costs", no_deletion_costs,
               "do not write the annotation controller.kubernetes.io/pod-deletion-cost");
  flags.toggle("--no-statuses", no_statuses, "write nothing into the status of ResourcePolicies");
  flags.server(options, drain);
  if (const std::optional<int> status = flags.parse(argc, argv)) return *status;
  std::string problem;
  if (!api.given()) problem = "one of --in-cluster and --api-server has to be given";
  const std::size_t slash = own_pod.find('/');
  const bool names_no_pod = slash == 0 || slash >= own_pod.size() - 1;
  if (!own_pod.empty() && names_no_pod) problem = "--own-pod has to be NAMESPACE/NAME";
  std::optional<support::ApiServer> where;
  if (problem.empty()) where = api.server(problem);
  if (!where) {
    support::log_error(problem);
    return 2;
  }

  const support::EndSignals signals;
  support::Metrics metrics;
  support::ApiClient client(*where);
  scheduler::ClusterView view(client,
                              {.stale_after = std::chrono::seconds(api.stale_after),
                               .assume_for = std::chrono::seconds(assume_for)},
                              metrics);
  view.start();
  scheduler::DeletionCosts costs(client, view, metrics);
  if (!no_deletion_costs) costs.start();
  scheduler::PolicyStatuses statuses(client, view, metrics);
  if (!no_statuses) statuses.start();
  scheduler::Waker waker(client, view, {own_pod.substr(0, slash), own_pod.substr(slash + 1)},
                         metrics);
  if (!own_pod.empty()) waker.start();

  using support::Method;
  using support::Request;
  using support::Response;
  std::optional<support::Server> server;
  const auto answer = [&view](const Request& request) {
    schedpol::json::ExtenderResponse said = view.answer(request.path, request.body);
    return Response{.status = said.status,
                    .body = std::move(said.response),
                    .content_type = "application/json"};
  };
  server.emplace(
      options,
      std::vector<support::Route>{
          {Method::post, "/filter", answer},
          {Method::post, "/prioritize", answer},
          {Method::post, "/preempt", answer},
          {Method::get, "/healthz", [](const Request&) { return Response{.body = "ok\n"}; }},
          {Method::get, "/readyz",
           [&](const Request& request) {
             return ready(view, server->is_draining(), request.query == "verbose");
           }},
          {Method::get, "/metrics",
           [&metrics](const Request&) {
             return Response{.body = metrics.text(), .content_type = "text/plain; version=0.0.4"};
           }},
      },
      metrics);
  if (const std::string wrong = server->start(); !wrong.empty()) {
    support::log_error(wrong);
    return 1;
  }
  support::serve_until_asked_to_end(*server, options, signals, drain, [&view] { view.expire(); });
  return 0;
}
