// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/finding.hpp>

#include "../support/print.hpp"

#include <set>
#include <string>
#include <type_traits>

namespace finding_test {

using schedpol::FieldPath;
using schedpol::Finding;
using schedpol::FindingCode;
using schedpol::Severity;

static_assert(std::is_aggregate_v<Finding>);
static_assert(std::equality_comparable<Finding>);

TEST_CASE("each finding has a name and a text of its own") {
  std::set<std::string> names;
  std::set<std::string> texts;
  const int last = static_cast<int>(FindingCode::not_decided);
  for (int code = 0; code <= last; ++code) {
    const auto word = static_cast<FindingCode>(code);
    names.emplace(to_string(word));
    texts.insert(message(Finding{.code = word}));
  }
  CHECK(names.size() == static_cast<std::size_t>(last) + 1);
  CHECK(texts.size() == static_cast<std::size_t>(last) + 1);
  CHECK_FALSE(names.contains(""));
}

TEST_CASE("the text of a finding says whose and where it is, and stays on one line") {
  const Finding finding{.code = FindingCode::requirement_unmet,
                        .severity = Severity::error,
                        .policies = {"team-a", "team-b"},
                        .field = FieldPath{"required", "tolerations"}.index(2),
                        .detail = "{keys: [a\nb]}"};
  CHECK(message(finding) ==
        "`team-a` and `team-b`: `required.tolerations[2]`: nothing can meet the requirement "
        "`{keys: [a\\x0ab]}`");
  CHECK(to_string(finding.severity) == "Error");
}

TEST_CASE("a finding without a detail says no more than what was found") {
  CHECK(message(Finding{.code = FindingCode::requirement_unmet}) ==
        "nothing can meet the requirement");
  CHECK(message(Finding{.code = FindingCode::not_decided}) == "too much to compare");
}

}  // namespace finding_test
