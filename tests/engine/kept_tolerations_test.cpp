// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/engine.hpp>

#include "updates.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kept_tolerations_test {

using namespace updated_pods;

TEST_CASE("tolerations that a pod was given come back when its manifest is applied again") {
  const auto engine = compile(changing());
  REQUIRE(engine);
  const Pod author = manifest(PodKind::pod);
  const Pod stored = created(*engine, author).pod;
  REQUIRE(stored.spec.tolerations.size() == 2);
  Pod again = stored;
  again.spec.tolerations = author.spec.tolerations;
  const Decision decision = updated(*engine, stored, again);
  REQUIRE(decision.allowed);
  CHECK(decision.pod.spec.tolerations == stored.spec.tolerations);
  REQUIRE(decision.steps[2].changes.size() == 1);
  CHECK(message(decision.steps[2].changes[0]) ==
        "`spec.tolerations[1]` set to `injected Exists` by `inject`");
  CHECK(updated(*engine, stored, decision.pod).pod == decision.pod);
  const Decision without_values = engine->decide({.operation = Operation::update,
                                                  .object = again,
                                                  .old = Old(stored),
                                                  .values = ChangeValues::omitted});
  REQUIRE(without_values.steps[2].changes.size() == 1);
  CHECK(without_values.steps[2].changes[0].to == std::nullopt);
  // So they do where the first of them is lost, or the manifest has none.
  Pod reversed = stored;
  std::swap(reversed.spec.tolerations[0], reversed.spec.tolerations[1]);
  CHECK(updated(*engine, reversed, again).pod.spec.tolerations == stored.spec.tolerations);
  Pod bare = stored;
  bare.spec.tolerations.clear();
  CHECK(updated(*engine, stored, bare).pod.spec.tolerations ==
        std::vector{stored.spec.tolerations[1]});
  // One that no policy gives any more is not put back, nor one that is there for another time.
  const auto without = compile([] {
    Configuration configuration = changing();
    configuration.objects.pod_scheduling_policies.clear();
    return configuration;
  }());
  REQUIRE(without);
  CHECK(updated(*without, stored, again).pod == again);
  Pod timed = stored;
  timed.spec.tolerations[1].toleration_seconds = 5;
  CHECK(updated(*engine, stored, timed).pod == timed);
  // Of two that differ in their seconds alone one comes back, which is what the API server asks
  // for.
  Configuration timed_defaults = changing();
  timed_defaults.systems = {{System::scheduling_policy}};
  Toleration minute{.key = "injected",
                    .operator_ = TolerationOperator::exists,
                    .effect = TaintEffect::no_execute,
                    .toleration_seconds = 60};
  Toleration hour = minute;
  hour.toleration_seconds = 3600;
  timed_defaults.objects.scheduling_policies[0].spec.defaults.tolerations = {{.toleration = minute},
                                                                             {.toleration = hour}};
  const auto timing = compile(timed_defaults);
  REQUIRE(timing);
  Pod bare_author = author;
  bare_author.spec.tolerations.clear();
  const Pod given = created(*timing, bare_author).pod;
  REQUIRE(given.spec.tolerations == std::vector{minute, hour});
  Pod bare_again = given;
  bare_again.spec.tolerations.clear();
  CHECK(updated(*timing, given, bare_again).pod.spec.tolerations == std::vector{minute});
  // Nothing else that a pod was given comes back.
  Pod other = stored;
  other.spec.node_selector.clear();
  other.spec.scheduler_name = "batch";
  const Decision kept = updated(*engine, other, other);
  CHECK(kept.allowed);
  CHECK(kept.pod == other);
}

TEST_CASE("a required toleration that a pod was given comes back before the update is judged") {
  struct Case {
    const char* name;
    std::vector<Toleration> added;
    bool allowed;
  };
  const Toleration given{.key = "spot", .value = "yes"};
  const Case cases[] = {
      {"the author's manifest again", {}, true},
      {"with one that is not permitted", {{.key = "gpu"}}, false},
  };
  Configuration configuration;
  configuration.settings.policy_use = PolicyUse::every;
  configuration.systems = {{System::scheduling_policy}};
  scheduling_policy::SchedulingPolicy spot{.metadata = {.name = "spot"}};
  spot.spec.required.tolerations = {
      {.keys = {"spot"}, .operators = any, .values = any, .effects = any}};
  spot.spec.allowed.scheduler_names = any;
  spot.spec.defaults.tolerations = {{.toleration = given}};
  configuration.objects.scheduling_policies = {spot};
  const auto engine = compile(configuration);
  REQUIRE(engine);
  const Pod author{.metadata = {.name = "web", .namespace_ = "n"}};
  const Pod stored = created(*engine, author).pod;
  REQUIRE(stored.spec.tolerations == std::vector{given});
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Pod again = stored;
    again.spec.tolerations = c.added;
    const Decision decision = updated(*engine, stored, again);
    CHECK(decision.allowed == c.allowed);
    CHECK(decision.pod.spec.tolerations == (c.allowed ? std::vector{given} : c.added));
    REQUIRE(decision.steps.size() == 1);
    CHECK(decision.steps[0].changes.size() == (c.allowed ? 1 : 0));
  }
}

TEST_CASE("tolerations of one key come back one by one, each by its policy") {
  const Toleration own{.key = "ab"};
  const std::vector<Toleration> given = {
      {.key = "a", .value = "b"},
      {.key = "a", .value = "c"},
      {.key = "a", .operator_ = TolerationOperator::exists},
      {.key = "a", .operator_ = TolerationOperator::exists, .effect = TaintEffect::no_schedule},
      {.key = "a", .operator_ = TolerationOperator::exists, .effect = TaintEffect::no_execute}};
  Configuration configuration;
  configuration.systems = {{System::pod_scheduling_policy}};
  for (std::size_t i = 0; i < given.size(); ++i) {
    configuration.objects.pod_scheduling_policies.push_back(
        {.metadata = {.name = "p" + std::to_string(i), .namespace_ = "n"},
         .spec = {.pod_selector = LabelSelector{}, .tolerations = {given[i]}}});
  }
  const auto engine = compile(configuration);
  REQUIRE(engine);
  Pod author{.metadata = {.name = "web", .namespace_ = "n"}};
  author.spec.tolerations = {own};
  const Pod stored = created(*engine, author).pod;
  REQUIRE(stored.spec.tolerations.size() == 6);
  Pod again = stored;
  again.spec.tolerations = {own};
  const auto messages_of = [](const Decision& decision) {
    std::vector<std::string> messages;
    for (const Change& change : decision.steps.at(0).changes) messages.push_back(message(change));
    return messages;
  };
  const Decision decision = updated(*engine, stored, again);
  CHECK(decision.pod.spec.tolerations == stored.spec.tolerations);
  CHECK(messages_of(decision) ==
        std::vector<std::string>{"`spec.tolerations[1]` set to `a=b` by `p0`",
                                 "`spec.tolerations[2]` set to `a=c` by `p1`",
                                 "`spec.tolerations[3]` set to `a Exists` by `p2`",
                                 "`spec.tolerations[4]` set to `a Exists:NoSchedule` "
                                 "by `p3`",
                                 "`spec.tolerations[5]` set to `a Exists:NoExecute` "
                                 "by `p4`"});
  // Of those that a pod was given before there were others, where they stand now, with its seconds.
  Pod older = stored;
  older.spec.tolerations = {own, given[1], given[4]};
  older.spec.tolerations[2].toleration_seconds = 5;
  const Decision of_older = updated(*engine, older, again);
  CHECK(of_older.pod.spec.tolerations == older.spec.tolerations);
  CHECK(
      messages_of(of_older) ==
      std::vector<std::string>{"`spec.tolerations[1]` set to `a=c` by `p1`",
                               "`spec.tolerations[2]` set to `a Exists:NoExecute for 5s` by `p4`"});
}

}  // namespace kept_tolerations_test
