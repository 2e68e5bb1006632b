// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the server counts, as Prometheus reads it.

#include "policies.hpp"

#include <schedpol/engine/engine.hpp>
#include <schedpol/json/review.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>

namespace webhook {

class Metrics {
 public:
  void count_review(schedpol::engine::Phase phase, schedpol::json::Outcome outcome,
                    std::chrono::steady_clock::duration took) {
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
    std::size_t bucket = 0;
    while (bucket < bounds.size() && nanoseconds > bounds[bucket].first * 1000) ++bucket;
    const std::lock_guard lock(mutex_);
    ++reviews_[{phase, outcome}];
    ++durations_[bucket];
    nanoseconds_ += static_cast<std::uint64_t>(nanoseconds);
  }

  /// A request that was answered with an HTTP error instead of a review.
  void count_refusal(int status) {
    const std::lock_guard lock(mutex_);
    ++refusals_[status];
  }

  /// Counts a request for a review as long as it lives.
  class InFlight {
   public:
    explicit InFlight(Metrics& metrics) : metrics_(metrics) { ++metrics_.in_flight_; }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;
    ~InFlight() { --metrics_.in_flight_; }

   private:
    Metrics& metrics_;
  };

  /// The text exposition format, version 0.0.4.
  [[nodiscard]] std::string text(const Policies::State& policies) const {
    using schedpol::engine::Phase;
    using schedpol::json::Outcome;
    std::ostringstream out;
    out.precision(15);
    const auto begin = [&](const char* name, const char* type, const char* help) {
      out << "# HELP schedpol_" << name << ' ' << help << "\n# TYPE schedpol_" << name << ' '
          << type << '\n';
    };
    const std::lock_guard lock(mutex_);
    begin("reviews_total", "counter", "Admission reviews that were answered.");
    for (const auto phase : {Phase::mutating, Phase::validating}) {
      for (const auto outcome :
           {Outcome::malformed, Outcome::denied, Outcome::allowed, Outcome::passed}) {
        const auto counted = reviews_.find({phase, outcome});
        out << "schedpol_reviews_total{phase=\""
            << (phase == Phase::mutating ? "Mutating" : "Validating") << "\",outcome=\""
            << to_string(outcome) << "\"} " << (counted == reviews_.end() ? 0 : counted->second)
            << '\n';
      }
    }
    begin("review_duration_seconds", "histogram", "Time from the bytes of a review to its answer.");
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < durations_.size(); ++i) {
      count += durations_[i];
      out << "schedpol_review_duration_seconds_bucket{le=\""
          << (i < bounds.size() ? bounds[i].second : "+Inf") << "\"} " << count << '\n';
    }
    out << "schedpol_review_duration_seconds_sum " << static_cast<double>(nanoseconds_) / 1e9
        << "\nschedpol_review_duration_seconds_count " << count << '\n';
    begin("refusals_total", "counter", "Requests that were answered with an HTTP error alone.");
    for (const auto& [status, refused] : refusals_)
      out << "schedpol_refusals_total{code=\"" << status << "\"} " << refused << '\n';
    begin("reviews_in_flight", "gauge", "Requests for a review that are being read or answered.");
    out << "schedpol_reviews_in_flight " << in_flight_ << '\n';
    begin("policy_reloads_total", "counter", "Policy sets that were read.");
    out << "schedpol_policy_reloads_total{result=\"good\"} " << policies.generation
        << "\nschedpol_policy_reloads_total{result=\"bad\"} " << policies.bad << '\n';
    begin("policy_generation", "gauge", "Number of the policy set in force; 0: none.");
    out << "schedpol_policy_generation " << policies.generation << '\n';
    begin("policy_files_bad", "gauge", "1 while the policy files are not the set in force.");
    out << "schedpol_policy_files_bad " << !policies.problem.empty() << '\n';
    return std::move(out).str();
  }

 private:
  /// In microseconds, and in seconds as the label says it.
  static constexpr std::array<std::pair<std::int64_t, const char*>, 10> bounds = {
      {{10, "0.00001"},
       {25, "0.000025"},
       {50, "0.00005"},
       {100, "0.0001"},
       {250, "0.00025"},
       {500, "0.0005"},
       {1000, "0.001"},
       {5000, "0.005"},
       {25000, "0.025"},
       {100000, "0.1"}}};

  mutable std::mutex mutex_;
  std::map<std::pair<schedpol::engine::Phase, schedpol::json::Outcome>, std::uint64_t> reviews_;
  std::array<std::uint64_t, bounds.size() + 1> durations_{};
  std::uint64_t nanoseconds_ = 0;
  std::map<int, std::uint64_t> refusals_;
  std::atomic<std::int64_t> in_flight_ = 0;
};

}  // namespace webhook
