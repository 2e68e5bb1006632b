// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/did_you_mean.hpp>

#include <schedpol/base/impl/did_you_mean.hpp>

#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/core/validation.hpp>

#include "../support/print.hpp"

#include <array>
#include <string>
#include <string_view>

namespace did_you_mean_test {

using schedpol::OpenEnum;
using schedpol::detail::did_you_mean;
using schedpol::detail::unknown_word;
using NodeOp = schedpol::NodeSelectorOperator;

TEST_CASE("a word that is nearly a known one is taken for it") {
  struct Case {
    const char* name;
    std::string_view word;
    std::string_view meant;
  };
  constexpr std::array<std::string_view, 10> known = {
      "In", "NotIn", "Exists", "DoesNotExist", "Gt", "schedulerName", "NotAny", "A", "Z", "a_b_c_"};
  const Case cases[] = {
      {"itself", "Exists", "Exists"},
      {"another case", "EXISTS", "Exists"},
      {"a letter left out", "Exist", "Exists"},
      {"two letters left out", "Exit", "Exists"},
      {"a letter too many", "Existss", "Exists"},
      {"another letter", "Existz", "Exists"},
      {"two other letters", "Exizzs", "Exists"},
      {"two letters swapped", "Exsits", "Exists"},
      {"both letters of a short word swapped", "tg", "Gt"},
      {"no swap: only the first comes back as the last", "tx", ""},
      {"no swap: only the last comes back as the first", "xg", ""},
      {"the first letter in another case", "a", "A"},
      {"the last letter in another case", "z", "Z"},
      {"signs have no case", "a?b?c?", ""},
      {"three letters away", "Exi", ""},
      {"three letters away at the beginning", "xxIn", ""},
      {"a letter at the end of a long word", "DoesNotExists", "DoesNotExist"},
      {"another case and a letter", "schedulername", "schedulerName"},
      {"a short word one letter away", "Gte", "Gt"},
      {"a short word two letters away", "Gtee", ""},
      {"a letter", "I", ""},
      {"nothing", "", ""},
      {"another word", "Matches", ""},
      {"the nearer of two", "NotInn", "NotIn"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const std::string wanted =
        c.meant.empty() ? "" : ", did you mean `" + std::string(c.meant) + "`";
    CHECK(did_you_mean(c.word, known) == wanted);
    CHECK(schedpol::did_you_mean(c.word, known) == wanted);
  }
}

TEST_CASE("words of any length are compared with none that is longer than words are") {
  const std::string long_word(100'000, 'x');
  CHECK(did_you_mean(long_word, std::array<std::string_view, 1>{"Exists"}) == "");
  CHECK(did_you_mean("Exists", std::array<std::string_view, 1>{long_word}) == "");
  CHECK(did_you_mean(long_word, std::array<std::string_view, 1>{long_word}) == "");
  const std::string longest(48, 'x');
  CHECK(did_you_mean(longest, std::array<std::string_view, 1>{longest}) != "");
  CHECK(did_you_mean(longest + "x", std::array<std::string_view, 1>{longest}) == "");
  CHECK(did_you_mean("Exists", std::array<std::string_view, 1>{""}) == "");
}

TEST_CASE("an unknown operator is called so") {
  CHECK(unknown_word("operator", OpenEnum<NodeOp>("exists")) ==
        "unknown operator `exists`, did you mean `Exists`");
  CHECK(unknown_word("operator", OpenEnum<NodeOp>("Regex")) == "unknown operator `Regex`");
  CHECK(did_you_mean(OpenEnum<NodeOp>(NodeOp::in)) == "");
}

TEST_CASE("validation says what was meant") {
  using schedpol::LabelSelectorOperator;
  using schedpol::TaintEffect;
  using schedpol::Toleration;
  using schedpol::TolerationOperator;
  const std::array tolerations = {
      Toleration{.key = "gpu", .operator_ = OpenEnum<TolerationOperator>("Exist")},
      Toleration{.key = "gpu", .effect = OpenEnum<TaintEffect>("noExecute")},
      Toleration{.key = "gpu", .operator_ = TolerationOperator::lt}};
  const auto errors = schedpol::validate(tolerations);
  REQUIRE(errors.size() == 3);
  CHECK(message(errors[0]) ==
        "`spec.tolerations[0].operator`: unsupported value `Exist`: supported are Equal and "
        "Exists, did you mean `Exists`");
  CHECK(errors[1].detail ==
        "supported are NoSchedule, PreferNoSchedule and NoExecute, did you mean `NoExecute`");
  CHECK(errors[2].detail == "supported are Equal and Exists");
  const schedpol::LabelSelector selector{
      .match_expressions = {{"app", OpenEnum<LabelSelectorOperator>("DoesNotExists"), {}}}};
  const auto compiled = schedpol::compile(selector);
  REQUIRE(!compiled);
  CHECK(compiled.errors()[0].detail ==
        "must be In, NotIn, Exists or DoesNotExist, did you mean `DoesNotExist`");
}

}  // namespace did_you_mean_test
