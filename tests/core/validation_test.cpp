// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/validation.hpp>

#include "validated.hpp"

#include <string>
#include <type_traits>
#include <vector>

namespace validation_test {

using namespace validated;

using schedpol::ErrorType;
using schedpol::Labels;
using schedpol::TaintEffect;
using schedpol::Toleration;
using Op = schedpol::TolerationOperator;
using Tolerations = std::vector<Toleration>;

static_assert(std::is_same_v<decltype(validate(Labels())), Errors>);
static_assert(std::is_same_v<decltype(validate(Tolerations())), Errors>);
static_assert(std::is_same_v<decltype(validate(Affinity())), Errors>);

constexpr auto no_schedule = TaintEffect::no_schedule;
constexpr auto no_execute = TaintEffect::no_execute;

TEST_CASE("labels have well-formed keys and values") {
  struct Case {
    std::string name;
    Labels labels;
    Strings bad_values;  ///< one of each error, in order
  };
  const std::string long_name(64, 'a');
  const Case cases[] = {
      {"none", {}, {}},
      {"a pair", {{"app", "web"}}, {}},
      {"an empty value", {{"app", ""}}, {}},
      {"a prefix", {{"example.com/app", "Web_1.x"}}, {}},
      {"as long as can be",
       {{std::string(253, 'a') + "/" + std::string(63, 'b'), std::string(63, 'c')}},
       {}},
      {"a malformed key", {{"-app", "web"}}, {"-app"}},
      {"a malformed value", {{"app", "a b"}}, {"a b"}},
      {"both", {{"a b", "-"}}, {"a b", "-"}},
      {"an empty key breaks two rules", {{"", "x"}}, {"", ""}},
      {"a slash without a prefix", {{"/app", "x"}}, {"/app"}},
      {"a slash without a name", {{"example.com/", "x"}}, {"example.com/", "example.com/"}},
      {"two slashes", {{"a/b/c", "x"}}, {"a/b/c"}},
      {"an upper-case prefix", {{"Example.com/app", "x"}}, {"Example.com/app"}},
      {"a long key", {{long_name, "x"}}, {long_name}},
      {"a long value", {{"app", long_name}}, {long_name}},
      {"a long and malformed value",
       {{"app", std::string(64, '-')}},
       {std::string(64, '-'), std::string(64, '-')}},
      {"several pairs, in byte order",
       {{"c", "-3"}, {"-b", "2"}, {"a", "-1"}, {"d", "4"}},
       {"-b", "-1", "-3"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    for (const FieldPath& root : {"metadata.labels"_path, "spec.template.metadata.labels"_path}) {
      Strings bad_values;
      for (const FieldError& error : validate(c.labels, root)) {
        CHECK(error.type == ErrorType::invalid);
        CHECK(error.field == root);
        CHECK(!error.detail.empty());
        bad_values.push_back(error.bad_value);
      }
      CHECK(bad_values == c.bad_values);
    }
    CHECK(validate(c.labels) == validate(c.labels, "metadata.labels"_path));
  }
}

TEST_CASE("a toleration has a well-formed key, a supported operator and effect, and what fits") {
  using OpenOp = OpenEnum<Op>;
  using OpenEffect = OpenEnum<TaintEffect>;
  struct Case {
    std::string name;
    Toleration toleration;
    Strings errors;  ///< below the toleration
  };
  const std::string long_value(64, 'a');
  const Case cases[] = {
      {"Equal", {.key = "a", .operator_ = Op::equal, .value = "x", .effect = no_schedule}, {}},
      {"no operator", {.key = "a", .value = "x"}, {}},
      {"no value", {.key = "a", .operator_ = Op::equal}, {}},
      {"Exists", {.key = "a", .operator_ = Op::exists}, {}},
      {"Exists without key", {.operator_ = Op::exists}, {}},
      {"Exists without key, an effect", {.operator_ = Op::exists, .effect = no_execute}, {}},
      {"PreferNoSchedule", {.key = "a", .effect = TaintEffect::prefer_no_schedule}, {}},
      {"a prefix of the key", {.key = "node.kubernetes.io/not-ready", .operator_ = Op::exists}, {}},
      {"seconds with NoExecute", {.key = "a", .effect = no_execute, .toleration_seconds = 300}, {}},
      {"negative seconds", {.key = "a", .effect = no_execute, .toleration_seconds = -1}, {}},

      {"a malformed key", {.key = "-a", .operator_ = Op::exists}, {"Invalid .key"}},
      {"a key with two slashes", {.key = "a/b/c", .operator_ = Op::exists}, {"Invalid .key"}},
      {"a key of two broken rules",
       {.key = std::string(64, '-'), .operator_ = Op::exists},
       {"Invalid .key", "Invalid .key"}},
      {"nothing at all", {}, {"Invalid .operator"}},
      {"no key with Equal", {.operator_ = Op::equal, .value = "x"}, {"Invalid .operator"}},
      {"no key with an unknown operator",
       {.operator_ = OpenOp("Is")},
       {"Invalid .operator", "NotSupported .operator"}},
      {"seconds without effect",
       {.key = "a", .operator_ = Op::exists, .toleration_seconds = 1},
       {"Invalid .effect"}},
      {"seconds with NoSchedule",
       {.key = "a", .operator_ = Op::exists, .effect = no_schedule, .toleration_seconds = 0},
       {"Invalid .effect"}},
      {"a malformed value",
       {.key = "a", .operator_ = Op::equal, .value = "a b"},
       {"Invalid .operator"}},
      {"a malformed value without operator", {.key = "a", .value = "-"}, {"Invalid .operator"}},
      {"a long value", {.key = "a", .value = long_value}, {"Invalid .operator"}},
      {"a value of two broken rules is one error",
       {.key = "a", .value = std::string(64, '-')},
       {"Invalid .operator"}},
      {"a value with Exists",
       {.key = "a", .operator_ = Op::exists, .value = "x"},
       {"Invalid .operator"}},
      {"a malformed value with Exists",
       {.key = "a", .operator_ = Op::exists, .value = "-"},
       {"Invalid .operator"}},
      {"Lt", {.key = "a", .operator_ = Op::lt, .value = "5"}, {"NotSupported .operator"}},
      {"Gt", {.key = "a", .operator_ = Op::gt, .value = "5"}, {"NotSupported .operator"}},
      {"an unknown operator", {.key = "a", .operator_ = OpenOp("In")}, {"NotSupported .operator"}},
      {"another case", {.key = "a", .operator_ = OpenOp("exists")}, {"NotSupported .operator"}},
      {"an unknown effect", {.key = "a", .effect = OpenEffect("Never")}, {"NotSupported .effect"}},
      {"an unknown effect and seconds",
       {.key = "a", .effect = OpenEffect("noExecute"), .toleration_seconds = 5},
       {"Invalid .effect", "NotSupported .effect"}},
      {"all of it",
       {.key = "-a",
        .operator_ = OpenOp("Is"),
        .value = "-",
        .effect = OpenEffect("Never"),
        .toleration_seconds = 5},
       {"Invalid .key", "Invalid .effect", "NotSupported .operator", "NotSupported .effect"}},
      {"no key, a malformed value",
       {.value = "-", .effect = no_schedule, .toleration_seconds = 5},
       {"Invalid .operator", "Invalid .effect", "Invalid .operator"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Tolerations one = {c.toleration};
    CHECK(said(validate(one)) == below("spec.tolerations[0]", c.errors));
    CHECK(said(validate(one, "scheduling.tolerations"_path)) ==
          below("scheduling.tolerations[0]", c.errors));
    const Tolerations third = {{.operator_ = Op::exists}, {.key = "a"}, c.toleration};
    CHECK(said(validate(third)) == below("spec.tolerations[2]", c.errors));
  }
  CHECK(validate(Tolerations()).empty());
}

TEST_CASE("the errors of all tolerations come in their order, with what stands there") {
  const Tolerations tolerations = {
      {.key = "-a", .operator_ = Op::exists},
      {.key = "b", .operator_ = Op::exists, .value = "x"},
      {.key = "c", .operator_ = OpenEnum<Op>("Is")},
      {.key = "d", .effect = no_schedule, .toleration_seconds = 1},
  };
  const Errors errors = validate(tolerations);
  CHECK(said(errors) ==
        Strings{"Invalid spec.tolerations[0].key", "Invalid spec.tolerations[1].operator",
                "NotSupported spec.tolerations[2].operator", "Invalid spec.tolerations[3].effect"});
  Strings bad_values;
  for (const FieldError& error : errors) bad_values.push_back(error.bad_value);
  CHECK(bad_values == Strings{"-a", "x", "Is", "NoSchedule"});
}

}  // namespace validation_test
