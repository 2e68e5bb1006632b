// SPDX-License-Identifier: Apache-2.0
// The main() of unit tests on headers with mutants. Without arguments it prints for each test the
// mutants that it reaches, `INDEX MICROSECONDS MUTANT...`, each test in a process of its own; with
// `INDEX SECONDS...` it runs these tests, prints the index of each before it, and fails with the
// first one that fails, crashes or takes longer.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>

namespace {

unsigned tests = 0;

struct CountTests : doctest::IReporter {
  explicit CountTests(const doctest::ContextOptions&) {}

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& run) override { tests = run.numTestCases; }
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

/// Whether the test of that index passes; index 0 is no test.
bool passes(int index) {
  std::ostringstream out;
  doctest::Context context;
  context.setCout(&out);
  context.setOption("order-by", "file");
  context.setOption("abort-after", 1);
  context.setOption("first", index);
  context.setOption("last", index);
  if (context.run() == 0) return true;
  if (std::getenv("SCHEDPOL_MUTANT") == nullptr) std::fputs(out.str().c_str(), stderr);
  return false;
}

int record() {
  static_cast<void>(passes(1));
  for (int index = 1; index <= static_cast<int>(tests); ++index) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      const std::clock_t began = std::clock();
      if (!passes(index)) _exit(1);
      std::printf("%d %lld", index,
                  static_cast<long long>(std::clock() - began) * 1'000'000 / CLOCKS_PER_SEC);
      for (int n = 1; n <= schedpol_mutants::count; ++n) {
        if (schedpol_mutants::reached[n] != 0) std::printf(" %d", n);
      }
      std::printf("\n");
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) {
      std::fprintf(stderr, "test %d fails with nothing broken and is left out\n", index);
    }
  }
  return 0;
}

}  // namespace

DOCTEST_REGISTER_LISTENER("count_tests", 1, CountTests);

int main(int argc, char** argv) {
  if (argc == 1) return record();
  for (int i = 1; i + 1 < argc; i += 2) {
    const itimerval longest{{}, {std::atoi(argv[i + 1]), 0}};
    setitimer(ITIMER_PROF, &longest, nullptr);  // whose signal ends the process
    std::printf("%s\n", argv[i]);
    std::fflush(stdout);
    if (!passes(std::atoi(argv[i]))) return 1;
  }
  return 0;
}
