// SPDX-License-Identifier: Apache-2.0
#include "metrics.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <utility>
#include <variant>

namespace support {

namespace {

/// Values of labels, in whichever way they are held.
struct LessTexts {
  using is_transparent = void;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(),
        [](std::string_view x, std::string_view y) { return x < y; });
  }
};

struct Description {
  std::string help;
  std::vector<std::string> labels;
  std::size_t most_series;
  std::vector<double> bounds;  ///< of histograms
};

std::string text_of(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

void append_escaped(std::string& out, std::string_view text, bool quotes) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\' || (quotes && c == '"')) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
}

/// `{a="x",b="y"}`, with one label more where there is a bound.
std::string labels_of(const std::vector<std::string>& names, const std::vector<std::string>& values,
                      std::string_view bound = {}) {
  std::string out;
  const auto add = [&](std::string_view name, std::string_view value) {
    out += out.empty() ? '{' : ',';
    out.append(name).append("=\"");
    append_escaped(out, value, true);
    out += '"';
  };
  for (std::size_t i = 0; i < names.size(); ++i) add(names[i], values[i]);
  if (!bound.empty()) add("le", bound);
  if (!out.empty()) out += '}';
  return out;
}

void append_sample(std::string& out, std::string_view name, const std::string& labels,
                   const std::string& value) {
  out.append(name).append(labels).append(" ").append(value).append("\n");
}

}  // namespace

Histogram::Histogram(const std::vector<double>& bounds)
    : bounds_(bounds), counts_(new std::atomic<std::uint64_t>[bounds.size() + 1]()) {}

void Histogram::observe(double value) noexcept {
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  counts_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

std::uint64_t Histogram::count(std::size_t bucket) const noexcept {
  return counts_[bucket].load(std::memory_order_relaxed);
}

std::vector<double> durations_in_seconds() {
  return {0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025,
          0.005,   0.01,     0.025,   0.05,   0.1,     0.25,   1,     10};
}

template <class Metric>
struct Family<Metric>::Impl {
  Description description;
  mutable std::mutex mutex{};
  std::map<std::vector<std::string>, std::unique_ptr<Metric>, LessTexts> series{};

  std::unique_ptr<Metric> make() const {
    if constexpr (std::is_same_v<Metric, Histogram>) {
      return std::make_unique<Metric>(description.bounds);
    } else {
      return std::make_unique<Metric>();
    }
  }

  Metric& with(const std::vector<std::string_view>& values) {
    const std::lock_guard lock(mutex);
    auto found = series.find(values);
    if (found == series.end()) {
      std::vector<std::string> key(values.begin(), values.end());
      key.resize(description.labels.size());
      if (!key.empty() && series.size() >= description.most_series) key.assign(key.size(), "other");
      found = series.try_emplace(std::move(key)).first;
      if (found->second == nullptr) found->second = make();
    }
    return *found->second;
  }

  void append(std::string& out, std::string_view name) const {
    constexpr std::string_view type = std::is_same_v<Metric, Counter> ? "counter"
                                      : std::is_same_v<Metric, Gauge> ? "gauge"
                                                                      : "histogram";
    out.append("# HELP ").append(name).append(" ");
    append_escaped(out, description.help, false);
    out.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
    const std::lock_guard lock(mutex);
    for (const auto& [values, metric] : series) {
      const std::string labels = labels_of(description.labels, values);
      if constexpr (std::is_same_v<Metric, Counter>) {
        append_sample(out, name, labels, std::to_string(metric->value()));
      } else if constexpr (std::is_same_v<Metric, Gauge>) {
        append_sample(out, name, labels, text_of(metric->value()));
      } else {
        const std::vector<double>& bounds = metric->bounds();
        std::uint64_t count = 0;
        for (std::size_t i = 0; i <= bounds.size(); ++i) {
          count += metric->count(i);
          const std::string bound = i < bounds.size() ? text_of(bounds[i]) : "+Inf";
          append_sample(out, std::string(name) + "_bucket",
                        labels_of(description.labels, values, bound), std::to_string(count));
        }
        append_sample(out, std::string(name) + "_sum", labels, text_of(metric->sum()));
        append_sample(out, std::string(name) + "_count", labels, std::to_string(count));
      }
    }
  }
};

template <class Metric>
Family<Metric>::Family() : impl_(std::make_unique<Impl>()) {}

template <class Metric>
Family<Metric>::~Family() = default;

template <class Metric>
Metric& Family<Metric>::with(const std::vector<std::string_view>& values) {
  return impl_->with(values);
}

template <class Metric>
void Family<Metric>::clear() {
  const std::lock_guard lock(impl_->mutex);
  impl_->series.clear();
}

struct Metrics::Impl {
  using AnyFamily = std::variant<std::shared_ptr<Family<Counter>>, std::shared_ptr<Family<Gauge>>,
                                 std::shared_ptr<Family<Histogram>>>;

  std::mutex mutex{};
  std::map<std::string, AnyFamily, std::less<>> families{};
  std::vector<std::function<void()>> updates{};
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

template <class Metric>
Family<Metric>& Metrics::family(std::string_view name, std::string_view help,
                                std::vector<std::string>&& labels, std::vector<double>&& bounds,
                                std::size_t series) {
  const std::lock_guard lock(impl_->mutex);
  if (const auto found = impl_->families.find(name); found != impl_->families.end())
    return *std::get<std::shared_ptr<Family<Metric>>>(found->second);
  const std::shared_ptr<Family<Metric>> made(new Family<Metric>);
  made->impl_->description = {std::string(help), std::move(labels), series, std::move(bounds)};
  if (made->impl_->description.labels.empty()) static_cast<void>(made->only());
  impl_->families.emplace(name, made);
  return *made;
}

Family<Counter>& Metrics::counters(std::string_view name, std::string_view help,
                                   std::vector<std::string> labels, std::size_t series) {
  return family<Counter>(name, help, std::move(labels), {}, series);
}

Family<Gauge>& Metrics::gauges(std::string_view name, std::string_view help,
                               std::vector<std::string> labels, std::size_t series) {
  return family<Gauge>(name, help, std::move(labels), {}, series);
}

Family<Histogram>& Metrics::histograms(std::string_view name, std::string_view help,
                                       std::vector<std::string> labels, std::vector<double> bounds,
                                       std::size_t series) {
  return family<Histogram>(name, help, std::move(labels), std::move(bounds), series);
}

void Metrics::gauge(std::string_view name, std::string_view help, std::function<double()> value) {
  Gauge& gauge = gauges(name, help).only();
  before_reading([&gauge, look_up = std::move(value)] { gauge.set(look_up()); });
}

void Metrics::before_reading(std::function<void()> update) {
  const std::lock_guard lock(impl_->mutex);
  impl_->updates.push_back(std::move(update));
}

std::string Metrics::text() const {
  std::vector<std::function<void()>> updates;
  decltype(impl_->families) families;
  {
    const std::lock_guard lock(impl_->mutex);
    updates = impl_->updates;
  }
  for (const auto& update : updates) update();
  {
    const std::lock_guard lock(impl_->mutex);
    families = impl_->families;
  }
  std::string out;
  for (const auto& [name, family] : families)
    std::visit([&](const auto& each) { each->impl_->append(out, name); }, family);
  return out;
}

template class Family<Counter>;
template class Family<Gauge>;
template class Family<Histogram>;

}  // namespace support
