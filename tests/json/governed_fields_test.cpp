// SPDX-License-Identifier: Apache-2.0
// What two policies permit together of the fields that the proposal does not have, and what they
// require of runtime classes and give by default, where each may write one as absent, null, any or
// listed.
#include <schedpol/json/evaluate.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace governed_fields_test {

using schedpol::testing::ask;
using schedpol::testing::Json;

/// A list, or the list of a pattern, as a policy writes it.
enum class Written { absent, null, any, listed };
constexpr Written all_written[] = {Written::absent, Written::null, Written::any, Written::listed};

constexpr std::string_view strategies[] = {"SmartDeepMerge", "FirstSeenWins", "SimpleMerge"};

/// A field of a policy that lists names, and how a pod asks for one.
struct Field {
  std::string_view in_policy;
  std::string pod;  ///< the name goes between the two parts
  std::string rest;
};
const Field fields[] = {
    {"runtimeClassNames", R"("runtimeClassName":")", R"(")"},
    {"schedulingGates", R"("schedulingGates":[{"name":")", R"("}])"},
    {"resourceClaims", R"("resourceClaims":[{"name":"r","resourceClaimName":")", R"("}])"},
    {"topologySpreadConstraints",
     R"("topologySpreadConstraints":[{"maxSkew":1,"whenUnsatisfiable":"DoNotSchedule","topologyKey":")",
     R"("}])"},
};

/// With a comma before it, unless it is absent.
std::string member(std::string_view name, Written written, const std::string& listed) {
  if (written == Written::absent) return "";
  const std::string value = written == Written::null  ? "null"
                            : written == Written::any ? "[]"
                                                      : "[" + listed + "]";
  return ",\"" + std::string(name) + "\":" + value;
}

bool is_written(Written written) {
  return written == Written::any || written == Written::listed;
}

bool permits(Written written, bool is_the_listed) {
  return written == Written::any || (written == Written::listed && is_the_listed);
}

/// The answer where two policies permit any scheduler, and say this besides.
std::string admitted(std::string_view strategy, const std::string& a, const std::string& b,
                     const std::string& pod) {
  const auto policy = [](const char* name, const std::string& spec) {
    return R"({"kind":"SchedulingPolicy","metadata":{"name":")" + std::string(name) +
           R"("},"spec":{"allowed":{"schedulerNames":[])" + spec + "}}";
  };
  return ask("schedulingPolicy.admit", R"({"pod":{"spec":{)" + pod + R"(}},"policies":[)" +
                                           policy("b", b) + "," + policy("a", a) +
                                           R"(],"strategy":")" + std::string(strategy) +
                                           R"(","options":{"governs":"All"}})");
}

bool is_allowed(std::string_view strategy, const std::string& a, const std::string& b,
                const std::string& pod) {
  const Json reply(admitted(strategy, a + "}", b + "}", pod));
  REQUIRE(reply.at("/error") == "absent");
  return reply.at("/result/allowed") == "true";
}

TEST_CASE("two policies permit of a field what both, the first, or the first that has it permit") {
  for (const Field& field : fields) {
    const bool has_patterns = field.in_policy == "topologySpreadConstraints";
    const auto listing = [&](const std::string& name) {
      return has_patterns ? R"({"whenUnsatisfiable":[],"topologyKeys":[")" + name + R"("]})"
                          : "\"" + name + "\"";
    };
    for (const Written a : all_written)
      for (const Written b : all_written)
        for (const std::string_view strategy : strategies)
          for (const std::string name : {"of-a", "of-b", "of-none"}) {
            CAPTURE(field.in_policy);
            CAPTURE(int(a));
            CAPTURE(int(b));
            CAPTURE(strategy);
            CAPTURE(name);
            const bool by_a = permits(a, name == "of-a");
            const bool by_b = permits(b, name == "of-b");
            const bool expected = strategy == "SmartDeepMerge"  ? by_a || by_b
                                  : strategy == "FirstSeenWins" ? by_a
                                  : is_written(a)               ? by_a
                                                                : by_b;
            CHECK(is_allowed(strategy, member(field.in_policy, a, listing("of-a")),
                             member(field.in_policy, b, listing("of-b")),
                             field.pod + name + field.rest) == expected);
          }
  }
}

TEST_CASE("a pattern of topology spread constraints permits what both its lists match") {
  const auto pattern = [](Written keys, Written words) {
    std::string lists = member("topologyKeys", keys, R"("zone")") +
                        member("whenUnsatisfiable", words, R"("ScheduleAnyway")");
    if (!lists.empty()) lists.erase(0, 1);
    return ",\"topologySpreadConstraints\":[{" + lists + "}]";
  };
  const std::string other = R"(,"topologySpreadConstraints":[{"topologyKeys":["host"],)"
                            R"("whenUnsatisfiable":["DoNotSchedule"]}])";
  for (const Written keys : all_written)
    for (const Written words : all_written)
      for (const std::string_view strategy : strategies)
        for (const std::string key : {"zone", "host"})
          for (const std::string word : {"ScheduleAnyway", "DoNotSchedule"}) {
            CAPTURE(int(keys));
            CAPTURE(int(words));
            CAPTURE(strategy);
            CAPTURE(key);
            CAPTURE(word);
            const std::string pod =
                R"("topologySpreadConstraints":[{"maxSkew":1,"whenUnsatisfiable":")" + word +
                R"(","topologyKey":")" + key + R"("}])";
            const bool by_pattern =
                permits(keys, key == "zone") && permits(words, word == "ScheduleAnyway");
            const bool by_other = key == "host" && word == "DoNotSchedule";
            CHECK(is_allowed(strategy, pattern(keys, words), "", pod) == by_pattern);
            // Lists of two policies are no pattern together: each pattern matches by itself.
            CHECK(is_allowed(strategy, pattern(keys, words), other, pod) ==
                  (by_pattern || (strategy == "SmartDeepMerge" && by_other)));
            CHECK(is_allowed(strategy, other, pattern(keys, words), pod) ==
                  (by_other || (strategy == "SmartDeepMerge" && by_pattern)));
          }
}

TEST_CASE("of two policies that require runtime classes the first that lists some counts") {
  for (const Written a : all_written)
    for (const Written b : all_written)
      for (const std::string_view strategy : strategies)
        for (const std::string name : {"", "of-a", "of-b", "of-none"}) {
          CAPTURE(int(a));
          CAPTURE(int(b));
          CAPTURE(strategy);
          CAPTURE(name);
          // Any class, which cannot be required, counts as absent.
          const bool first_counts = a == Written::listed;
          const bool second_counts =
              !first_counts && b == Written::listed && strategy != "FirstSeenWins";
          const std::string required = first_counts ? "of-a" : second_counts ? "of-b" : "";
          const auto says = [](Written written, const std::string& listed) {
            const std::string names = member("runtimeClassNames", written, "\"" + listed + "\"");
            return R"(},"required":{)" + (names.empty() ? "" : names.substr(1)) + "}";
          };
          const Json reply(admitted(strategy, says(a, "of-a"), says(b, "of-b"),
                                    name.empty() ? "" : R"("runtimeClassName":")" + name + "\""));
          REQUIRE(reply.at("/error") == "absent");
          CHECK(reply.at("/result/allowed") == (name == required ? "true" : "false"));
          CHECK(reply.string_at("/result/violations/0/code") == (name == required ? "absent"
                                                                 : required.empty()
                                                                     ? "RuntimeClassNameNotAllowed"
                                                                     : "RuntimeClassNameRequired"));
        }
}

TEST_CASE("a pod without a runtime class gets that of the first policy that gives one") {
  const Written without_any[] = {Written::absent, Written::null, Written::listed};
  for (const Written a : without_any)
    for (const Written b : without_any)
      for (const std::string_view strategy : strategies)
        for (const std::string name : {"", "of-a", "of-b", "of-none"}) {
          CAPTURE(int(a));
          CAPTURE(int(b));
          CAPTURE(strategy);
          CAPTURE(name);
          const std::string given = a == Written::listed                                  ? "of-a"
                                    : b == Written::listed && strategy != "FirstSeenWins" ? "of-b"
                                                                                          : "";
          const auto says = [](Written written, const std::string& listed) {
            return R"(},"default":{)" +
                   std::string(written == Written::absent ? ""
                               : written == Written::null
                                   ? R"("runtimeClassName":null)"
                                   : R"("runtimeClassName":")" + listed + "\"") +
                   "}";
          };
          const Json reply(admitted(strategy, says(a, "of-a"), says(b, "of-b"),
                                    name.empty() ? "" : R"("runtimeClassName":")" + name + "\""));
          REQUIRE(reply.at("/error") == "absent");
          // What a policy gives it permits, and nothing else does.
          const bool allowed = name.empty() || name == given;
          CHECK(reply.at("/result/allowed") == (allowed ? "true" : "false"));
          const std::string expected = !name.empty() ? name : given;
          CHECK(reply.string_at("/result/object/spec/runtimeClassName") ==
                (expected.empty() ? "absent" : expected));
        }
}

TEST_CASE("answers in JSON list what nothing governs") {
  const std::string pod = R"({"kind":"Pod","spec":{"schedulingGates":[{"name":"quota"}]}})";
  const std::string policy =
      R"({"kind":"SchedulingPolicy","metadata":{"name":"p"},"spec":{"allowed":{"schedulerNames":[]}}})";
  const std::string said =
      R"("ungoverned":[{"field":"spec.schedulingGates[0].name","value":"quota"}])";
  const auto holds = [&](const std::string& request) {
    return schedpol::json::evaluate(request).find(said) != std::string::npos;
  };
  CHECK(holds(R"({"op":"schedulingPolicy.admit","input":{"pod":)" + pod + R"(,"policies":[)" +
              policy + "]}}"));
  CHECK_FALSE(holds(R"({"op":"schedulingPolicy.admit","input":{"pod":)" + pod + R"(,"policies":[)" +
                    policy + R"(],"options":{"governs":"All"}}})"));
  const std::string engine =
      R"({"kind":"EngineConfiguration","systems":[{"system":"SchedulingPolicy"}],"policyUse":"Every")";
  CHECK(holds(R"({"op":"engine.decide","input":{"object":)" + pod + R"(,"configuration":[)" +
              engine + "}," + policy + "]}}"));
  CHECK_FALSE(holds(R"({"op":"engine.decide","input":{"object":)" + pod + R"(,"configuration":[)" +
                    engine + R"(,"options":{"governs":["schedulingGates"]}},)" + policy + "]}}"));
}

}  // namespace governed_fields_test
