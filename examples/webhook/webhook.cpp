// SPDX-License-Identifier: Apache-2.0
// An admission webhook for the five systems: HTTPS around json::try_review, by policies that may
// change at any time.

#include "directory_source.hpp"
#include "rehearsal.hpp"
#include "reviews.hpp"

#include "../support/api_client.hpp"
#include "../support/api_flags.hpp"
#include "../support/cluster_source.hpp"
#include "../support/engine_source.hpp"
#include "../support/flags.hpp"
#include "../support/log.hpp"
#include "../support/metrics.hpp"
#include "../support/serve.hpp"
#include "../support/server.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace {

/// So that each of them may have more than a thousand, and what is read at once stays within what may
/// be in flight.
constexpr std::size_t most_bytes_of_needs = std::size_t{16} << 20U;

/// Where the policies come from: a directory or a cluster.
class Source {
 public:
  void add_to(support::Flags& flags) {
    flags.path("--policies", directory_,
               "without a cluster: the directory whose *.json files are the policies and the "
               "EngineConfiguration");
    api_server_.add_to(flags);
    flags.path("--configuration", cluster_.configuration,
               "in a cluster: the file with the EngineConfiguration");
    flags.text("--policy-group", cluster_.policy_group,
               "in a cluster: the API group of SchedulingPolicies and MetadataPolicies");
    for (const char* const other : {"--in-cluster", "--api-server", "--configuration"})
      flags.excludes("--policies", other);
  }

  /// What is wrong with the flags together; empty: nothing.
  [[nodiscard]] std::string check() {
    if (!directory_.empty()) return {};
    if (!api_server_.given()) return "--policies, --in-cluster or --api-server is required";
    if (cluster_.configuration.empty()) return "--configuration is required";
    std::string problem;
    server_ = api_server_.server(problem);
    return problem;
  }

  /// What is wrong with what the flags name; empty: nothing.
  [[nodiscard]] std::string open(support::Metrics& metrics) {
    if (!server_) {
      source_ = std::make_unique<webhook::DirectorySource>(directory_, metrics);
      source_->refresh();
      return {};
    }
    cluster_.stale_after = std::chrono::seconds(api_server_.stale_after);
    client_.emplace(*server_);
    auto watched = std::make_unique<support::ClusterSource>(*client_, cluster_, metrics);
    std::string problem = watched->start();
    source_ = std::move(watched);
    return problem;
  }

  /// Once it is open.
  [[nodiscard]] support::EngineSource& get() { return *source_; }

 private:
  std::filesystem::path directory_{};
  support::ApiServerFlags api_server_{};
  support::ClusterSourceOptions cluster_{};
  std::optional<support::ApiServer> server_{};
  std::optional<support::ApiClient> client_{};
  std::unique_ptr<support::EngineSource> source_{};
};

}  // namespace

int main(int argc, char** argv) {
  support::ServerOptions options;
  std::chrono::seconds drain(5);
  support::Metrics metrics;
  Source source;
  support::Flags flags(
      "Admission of pods by SchedulingPolicy, RuntimeClass, PodSchedulingPolicy, MetadataPolicy "
      "and ResourcePolicy.\n\n"
      "schedpol-webhook --policies DIR --cert FILE --key FILE --listen 0.0.0.0:8443\n"
      "schedpol-webhook --in-cluster --configuration FILE --cert FILE --key FILE");
  source.add_to(flags);
  long long wait_for_watch = options.wait_for_change.count();
  flags.number(
      "--wait-for-watch", wait_for_watch, 0, 60'000,
      "in a cluster: milliseconds that a denial waits for the watches if something is not known, "
      "such as a namespace that was just created; any other denial waits at most 200 milliseconds");
  std::string failure_policy = "Fail";
  flags.text(
      "--failure-policy", failure_policy,
      "what happens to a review that is not answered in time: Fail denies it, Ignore allows it");
  flags.server(options, drain);
  bool open_reviews = false;
  flags.toggle("--open-reviews", open_reviews,
               "answer reviews for all clients; --client-ca-file and --client-token-file then "
               "restrict only who may read /needs");
  flags.required("--cert");
  flags.required("--key");
  if (const std::optional<int> status = flags.parse(argc, argv)) return *status;
  std::string problem = source.check();
  if (failure_policy != "Fail" && failure_policy != "Ignore")
    problem = "--failure-policy has to be Fail or Ignore";
  const bool are_clients_known =
      !options.client_ca_file.empty() || !options.client_token_file.empty();
  if (open_reviews && !are_clients_known)
    problem = "--open-reviews needs --client-ca-file or --client-token-file";
  if (!problem.empty()) {
    support::log_error(problem);
    return 2;
  }

  options.wait_for_change = std::chrono::milliseconds(wait_for_watch);
  const support::EndSignals signals;
  if (const std::string wrong = source.open(metrics); !wrong.empty()) {
    support::log_error(wrong);
    return 1;
  }
  using webhook::FailurePolicy;
  std::optional<webhook::Rehearsal> rehearsal;
  if (are_clients_known)
    rehearsal.emplace(metrics, std::min(most_bytes_of_needs, options.max_bytes_in_flight / 4));
  webhook::Reviews reviews(source.get(), metrics,
                           failure_policy == "Ignore" ? FailurePolicy::ignore : FailurePolicy::fail,
                           rehearsal ? &*rehearsal : nullptr);
  std::optional<support::Server> server;
  const support::Access access = open_reviews ? support::Access::open : support::Access::usual;
  server.emplace(options, reviews.routes([&server] { return server->is_draining(); }, access),
                 metrics);
  if (const std::string wrong = server->start(); !wrong.empty()) {
    support::log_error(wrong);
    return 1;
  }
  support::serve_until_asked_to_end(*server, options, signals, drain,
                                    [&source] { source.get().refresh(); });
  return 0;
}
