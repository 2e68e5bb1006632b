// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Metrics: what a program counts, as Prometheus reads it (text exposition format 0.0.4).
///
/// 1. A family has a name, a help text, names of labels, and a series for each list of their
///    values. Without labels its one series is there from the beginning, at 0.
/// 2. The series of a family are bounded. What comes after them is counted in one series more, all
///    of whose labels are `other`, so that no client can make memory grow by what it sends.
/// 3. Any thread may use any of it. A reference to a series stays good as long as the registry,
///    those of gauges until `clear`.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace support {

/// A number that only grows.
class Counter {
 public:
  void add(std::uint64_t more = 1) noexcept { value_.fetch_add(more, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

/// A number that goes up and down.
class Gauge {
 public:
  void set(double value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void add(double more) noexcept { value_.fetch_add(more, std::memory_order_relaxed); }
  [[nodiscard]] double value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

/// Values by size: how many were at most as large as each bound, and their sum.
class Histogram {
 public:
  explicit Histogram(const std::vector<double>& bounds);
  void observe(double value) noexcept;
  [[nodiscard]] const std::vector<double>& bounds() const noexcept { return bounds_; }
  /// How many lie above the bound before and not above this one; the last is of no bound.
  [[nodiscard]] std::uint64_t count(std::size_t bucket) const noexcept;
  [[nodiscard]] double sum() const noexcept { return sum_.load(std::memory_order_relaxed); }

 private:
  std::vector<double> bounds_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> counts_;
  std::atomic<double> sum_ = 0;
};

/// Bounds for the time of something that takes from 10 microseconds to 10 seconds.
[[nodiscard]] std::vector<double> durations_in_seconds();

/// The series of one name.
template <class Metric>
class Family {
 public:
  /// The series with these values of the labels, in their order.
  [[nodiscard]] Metric& with(const std::vector<std::string_view>& values);
  /// The one of a family without labels.
  [[nodiscard]] Metric& only() { return with({}); }
  /// Forgets all series: for gauges of what may be gone.
  void clear();

  ~Family();
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

 private:
  friend class Metrics;
  struct Impl;
  Family();
  std::unique_ptr<Impl> impl_;
};

class Metrics {
 public:
  static constexpr std::size_t most_series = 1000;

  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// A new family, or the one that has this name already. `name` ends in `_total` for counters and
  /// in the unit for the others.
  Family<Counter>& counters(std::string_view name, std::string_view help,
                            std::vector<std::string> labels = {}, std::size_t series = most_series);
  Family<Gauge>& gauges(std::string_view name, std::string_view help,
                        std::vector<std::string> labels = {}, std::size_t series = most_series);
  Family<Histogram>& histograms(std::string_view name, std::string_view help,
                                std::vector<std::string> labels = {},
                                std::vector<double> bounds = durations_in_seconds(),
                                std::size_t series = most_series);

  /// A gauge without labels, which is looked up before each reading, by the thread that reads.
  void gauge(std::string_view name, std::string_view help, std::function<double()> value);

  /// Has `update` called before each reading, by the thread that reads: for gauges that are looked
  /// up rather than kept.
  void before_reading(std::function<void()> update);

  /// All families in the order of their names.
  [[nodiscard]] std::string text() const;

 private:
  template <class Metric>
  Family<Metric>& family(std::string_view name, std::string_view help,
                         std::vector<std::string>&& labels, std::vector<double>&& bounds,
                         std::size_t series);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace support
