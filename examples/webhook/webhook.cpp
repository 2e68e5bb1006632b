// SPDX-License-Identifier: Apache-2.0
// An admission webhook for the five systems: HTTPS around json::try_review, by policies that may
// change at any time.

#include "directory_source.hpp"
#include "reviews.hpp"

#include "../support/engine_source.hpp"
#include "../support/flags.hpp"
#include "../support/log.hpp"
#include "../support/metrics.hpp"
#include "../support/serve.hpp"
#include "../support/server.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

int main(int argc, char** argv) {
  support::ServerOptions options;
  std::chrono::seconds drain(5);
  std::filesystem::path policies;
  support::Flags flags(
      "Admission of pods by SchedulingPolicy, RuntimeClass, PodSchedulingPolicy, MetadataPolicy "
      "and "
      "ResourcePolicy.\n\n"
      "schedpol-webhook --policies DIR --cert FILE --key FILE --listen 0.0.0.0:8443");
  flags.path("--policies", policies,
             "the *.json files in it are the policies and the EngineConfiguration");
  flags.required("--policies");
  flags.server(options, drain);
  flags.required("--cert");
  flags.required("--key");
  if (const std::optional<int> status = flags.parse(argc, argv)) return *status;

  const support::EndSignals signals;
  support::Metrics metrics;
  const auto source = std::make_unique<webhook::DirectorySource>(policies, metrics);
  source->refresh();
  webhook::Reviews reviews(*source, metrics);
  std::optional<support::Server> server;
  server.emplace(options, reviews.routes([&server] { return server->is_draining(); }), metrics);
  if (const std::string wrong = server->start(); !wrong.empty()) {
    support::log_error(wrong);
    return 1;
  }
  support::serve_until_asked_to_end(*server, options, signals, drain,
                                    [&source] { source->refresh(); });
  return 0;
}
