// SPDX-License-Identifier: Apache-2.0
// What the programs of examples/ share and no program shows well: metrics as Prometheus reads them,
// and logs that stay one line whatever is in them. Prints what is wrong.

#include "support/log.hpp"
#include "support/metrics.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

int failures = 0;

void check(bool good, std::string_view what, std::string_view got) {
  if (good) return;
  ++failures;
  std::printf("%.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
              static_cast<int>(got.size()), got.data());
}

void metrics_are_read_by_prometheus() {
  support::Metrics metrics;
  auto& denials = metrics.counters("b_denials_total", "Denials\nof \\ pods.", {"policy"}, 2);
  denials.with({"gpu"}).add();
  denials.with({"a \"b\"\\\n"}).add(2);
  // What comes after the bound is one series, and those that are there go on.
  for (int i = 0; i < 10; ++i) denials.with({"p" + std::to_string(i)}).add();
  denials.with({"gpu"}).add();
  metrics.gauges("c_age_seconds", "Age.").only().set(0.5);
  auto& times = metrics.histograms("a_seconds", "Times.", {}, {0.1, 1}).only();
  for (const double time : {0.1, 0.2, 5.0}) times.observe(time);
  auto& looked_up = metrics.gauges("d", "Looked up.", {"of"});
  metrics.before_reading([&looked_up] {
    looked_up.clear();
    looked_up.with({"x"}).set(3);
  });
  looked_up.with({"gone"}).set(1);
  check(&metrics.counters("b_denials_total", "again") == &denials, "a family of one name", "two");
  const std::string text = metrics.text();
  check(text ==
            "# HELP a_seconds Times.\n# TYPE a_seconds histogram\n"
            "a_seconds_bucket{le=\"0.1\"} 1\na_seconds_bucket{le=\"1\"} 2\n"
            "a_seconds_bucket{le=\"+Inf\"} 3\na_seconds_sum 5.3\na_seconds_count 3\n"
            "# HELP b_denials_total Denials\\nof \\\\ pods.\n# TYPE b_denials_total counter\n"
            "b_denials_total{policy=\"a \\\"b\\\"\\\\\\n\"} 2\nb_denials_total{policy=\"gpu\"} 2\n"
            "b_denials_total{policy=\"other\"} 10\n"
            "# HELP c_age_seconds Age.\n# TYPE c_age_seconds gauge\nc_age_seconds 0.5\n"
            "# HELP d Looked up.\n# TYPE d gauge\nd{of=\"x\"} 3\n",
        "metrics", text);
}

/// What is logged, without its time.
template <class Log>
std::string logged(Log&& log) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const int before = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  log();
  dup2(before, STDERR_FILENO);
  close(before);
  close(ends[1]);
  std::string text(65536, '\0');
  const ssize_t size = read(ends[0], text.data(), text.size());
  close(ends[0]);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  constexpr std::size_t time = std::string_view("time=2026-01-31T12:00:00.000Z ").size();
  return text.size() < time ? text : text.substr(time);
}

void logs_stay_one_line() {
  const std::string line = logged([] {
    support::log_warning("a policy",
                         {{"name", "a-b/c.d"}, {"empty", ""}, {"why", "\"x\"\n\x1b[0m \\"}});
  });
  check(line ==
            "level=warning msg=\"a policy\" name=a-b/c.d empty=\"\" why=\"\\\"x\\\"\\n\\x1b[0m "
            "\\\\\"\n",
        "a log", line);
  const std::string longest = logged([] { support::log_error(std::string(100'000, 'x')); });
  check(longest == "level=error msg=\"" + std::string(2048, 'x') + "...\"\n", "a long log",
        longest);
}

}  // namespace

int main() {
  metrics_are_read_by_prometheus();
  logs_stay_one_line();
  return failures == 0 ? 0 : 1;
}
