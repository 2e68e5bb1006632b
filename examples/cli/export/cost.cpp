// SPDX-License-Identifier: Apache-2.0
#include "cost.hpp"

#include "variables.hpp"

#include <algorithm>
#include <cctype>

namespace cli {

namespace {

// What a step costs at most, for texts of at most 63 bytes, as labels have them.
constexpr std::uint64_t per_name = 1;
constexpr std::uint64_t per_sign = 2;  // `==` has two
constexpr std::uint64_t per_list = 10;
constexpr std::uint64_t per_map = 30;
constexpr std::uint64_t per_call = 2;
constexpr std::uint64_t per_round = 4;

struct Size {
  std::string_view of;
  std::uint64_t most;
};
constexpr Size sizes[] = {
    {"matchExpressions.orValue([])", 5},
    {"matchFields.orValue([])", 1},
    {"values", 10},
    {"mergedTolerations", 20 + most_added},
    {"eysOfPods", 20 + most_added},
    {"addedPairs", most_added},
    {"olerations", 20},
    {"odeSelector", 20},
    {"erms", 5},
    {"ffinity", 5},
    {"pins", 5},
    {"p", 1},
};
constexpr std::uint64_t size_of_others = 10;

/// How often a macro goes round, told by the text before it.
std::uint64_t size_of(std::string_view list) {
  for (const Size& size : sizes)
    if (list.ends_with(size.of)) return size.most;
  return size_of_others;
}

/// Reads an expression from left to right, up to the end of a bracket.
class Estimate {
 public:
  explicit Estimate(std::string_view text) : text_(text) {}

  std::uint64_t run() {
    std::uint64_t cost = 0;
    char before = ' ';
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ')' || c == ']' || c == '}') break;
      if (c == '\'') {
        skip_quoted();
      } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
        cost += name();
      } else if (c == '(') {
        cost += bracket();
      } else if (c == '[') {
        // An index where something stands before it.
        const bool is_index =
            std::isalnum(static_cast<unsigned char>(before)) != 0 || before == ']' || before == ')';
        cost += bracket() + (is_index ? per_call : per_list);
      } else if (c == '{') {
        cost += bracket() + per_map;
      } else {
        if (c == '=' || c == '!' || c == '+') cost += per_sign;
        if (c == ',') cost += per_name;
        ++at_;
      }
      if (at_ > 0) before = text_[at_ - 1];
    }
    return cost;
  }

 private:
  void skip_quoted() {
    for (++at_; at_ < text_.size() && text_[at_] != '\''; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
  }
  std::uint64_t bracket() {
    ++at_;
    const std::uint64_t inside = run();
    ++at_;
    return inside;
  }
  std::uint64_t name() {
    const std::size_t from = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::string_view name = text_.substr(from, at_ - from);
    if (at_ == text_.size() || text_[at_] != '(') return per_name;
    std::uint64_t rounds = 1;
    for (const std::string_view macro :
         {"all", "exists", "filter", "map", "transformList", "transformMapEntry"})
      if (name == macro && from > 0) rounds = size_of(text_.substr(0, from - 1));
    const std::uint64_t made =
        name == "map" || name == "filter" || name.starts_with("transform") ? per_list : 0;
    const std::uint64_t length =
        name == "matches" || name == "join" ? size_of_others * per_list : 0;
    if (name == "check") return check_cost + bracket();
    return per_call + length + rounds * (bracket() + per_round + made);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Of the variables that some expressions use.
std::uint64_t cost_of_variables(const std::vector<Variable>& variables,
                                const std::vector<std::string_view>& expressions) {
  const auto used = used_by(variables, expressions);
  std::uint64_t cost = 0;
  for (const Variable& each : variables)
    if (used.contains(each.name)) cost += cost_of(each.expression);
  return cost;
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::uint64_t cost_of(std::string_view expression) {
  return Estimate(expression).run();
}

std::uint64_t cost_of(const Rules& rules) {
  // Variables are worked out once for the validations, and once more for the messages.
  std::uint64_t cost = 0;
  std::vector<std::string_view> conditions;
  std::vector<std::string_view> messages;
  for (const Validation& each : rules.validations) {
    cost += cost_of(each.expression) + cost_of(each.message);
    conditions.push_back(each.expression);
    messages.push_back(each.message);
  }
  return cost + cost_of_variables(rules.variables, conditions) +
         cost_of_variables(rules.variables, messages);
}

std::string cost_text(const Rules& rules) {
  return grouped(cost_of(rules)) + " of " + grouped(max_policy_cost);
}

void refuse_costs(const Rules& rules, const std::vector<MatchCondition>& conditions,
                  const std::string& policies, Refusals& refusals) {
  const std::string of_pod = " for a pod of " + std::string(size_of_pod);
  const auto refuse = [&](const std::string& what, std::uint64_t cost, std::uint64_t most) {
    if (cost > most)
      refusals.push_back({policies, what + " may cost an API server " + grouped(cost) + " of " +
                                        grouped(most) + of_pod});
  };
  const auto refuse_one = [&](const std::string& what, const std::string& expression) {
    refuse(what, cost_of(expression), max_expression_cost);
    if (expression.size() > max_expression_length)
      refusals.push_back({policies, what + " has " + grouped(expression.size()) + " of " +
                                        grouped(max_expression_length) + " characters"});
  };
  for (const Variable& each : rules.variables)
    refuse_one("the variable " + each.name, each.expression);
  for (const Validation& each : rules.validations)
    refuse_one("the validation of " + each.comment, each.expression);
  for (const Mutation& each : rules.mutations) {
    refuse_one("the mutation of " + each.comment, each.expression);
    // Each has a budget of its own, and its own values of the variables.
    refuse("the mutation of " + each.comment + " with its variables",
           cost_of(each.expression) + cost_of_variables(rules.variables, {each.expression}),
           max_policy_cost);
  }
  for (const MatchCondition& each : conditions)
    refuse_one("the condition " + each.name, each.expression);
  refuse("all expressions", cost_of(rules), max_policy_cost);
}

void refuse_size(std::string_view manifest, const std::string& policies, Refusals& refusals) {
  // A new line of YAML is indented, and one of JSON is two characters.
  const auto escaped =
      std::count_if(manifest.begin(), manifest.end(), [](char c) { return c == '"' || c == '\\'; });
  const std::uint64_t size = manifest.size() + static_cast<std::uint64_t>(escaped);
  if (size > max_object_size)
    refusals.push_back({policies, "the object may have " + grouped(size) + " of " +
                                      grouped(max_object_size) +
                                      " bytes that kubectl apply keeps in an annotation"});
}

}  // namespace cli
