// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/impl/default_toleration_seconds.hpp>

#include "../support/print.hpp"

namespace default_toleration_seconds_test {

using schedpol::TaintEffect;
using schedpol::Toleration;
using schedpol::TolerationOperator;
using schedpol::detail::existing;
using schedpol::detail::not_ready_taint;
using schedpol::detail::replaces;
using schedpol::detail::unreachable_taint;

TEST_CASE("a policy's toleration replaces one that the API server added for the same taint") {
  const Toleration added = existing(not_ready_taint, TaintEffect::no_execute, 300);
  const Toleration by_value{.key = std::string(not_ready_taint),
                            .operator_ = TolerationOperator::equal,
                            .value = "x",
                            .effect = TaintEffect::no_execute};
  struct Case {
    const char* name;
    Toleration of_policy;
    Toleration of_pod;
    bool does;
  };
  const Case cases[] = {
      {"for another time", existing(not_ready_taint, TaintEffect::no_execute, 60), added, true},
      {"for ever", existing(not_ready_taint, TaintEffect::no_execute), added, true},
      {"the same", added, added, false},
      {"of another taint", existing(unreachable_taint, TaintEffect::no_execute, 60), added, false},
      {"of another effect", existing(not_ready_taint, TaintEffect::no_schedule), added, false},
      {"of a value that the taint does not have", by_value, added, false},
      {"what the pod says itself", existing(not_ready_taint, TaintEffect::no_execute, 60),
       existing(not_ready_taint, TaintEffect::no_execute, 30), false},
      {"of another key for 300 s", existing("gpu", TaintEffect::no_execute, 60),
       existing("gpu", TaintEffect::no_execute, 300), false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(replaces(c.of_policy, c.of_pod) == c.does);
  }
}

}  // namespace default_toleration_seconds_test
