// SPDX-License-Identifier: Apache-2.0
#pragma once

/// ResourcePolicy: which units of nodes the pods of a workload may use, how many of them each may
/// hold, and which are preferred. This header has the values, what is wrong with them, and the form
/// in which they are matched. Source: the Resource Policy proposal, "CRD API".

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/open_enum.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/validation.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::resource_policy {

/// What becomes of nodes outside all units; `unset` is `required`.
enum class Strategy { unset, required, prefer, unknown };

constexpr std::array<std::string_view, 3> spellings(Strategy) noexcept {
  return {"", "required", "prefer"};
}

/// A set of nodes. An absent selector is `{}`, all nodes.
struct Unit {
  std::string name{};
  std::optional<std::int32_t> priority{};   ///< absent: 0; higher is better
  std::optional<std::int32_t> max_count{};  ///< pods the unit may hold; absent: any number
  std::optional<LabelSelector> node_selector{};

  friend bool operator==(const Unit&, const Unit&) = default;
};

struct MatchPolicy {
  bool ignore_terminating_pod = false;  ///< whether pods that are being deleted are not counted

  friend bool operator==(const MatchPolicy&, const MatchPolicy&) = default;
};

/// An absent pod selector is `{}`, all pods of the namespace. Pods are counted apart by their
/// values of `match_label_keys`, such as `pod-template-hash`.
struct ResourcePolicySpec {
  std::vector<std::string> match_label_keys{};
  MatchPolicy match_policy{};
  std::optional<LabelSelector> pod_selector{};
  OpenEnum<Strategy> strategy{};
  std::vector<Unit> units{};

  friend bool operator==(const ResourcePolicySpec&, const ResourcePolicySpec&) = default;
};

struct ResourcePolicy {
  ObjectMeta metadata{};
  ResourcePolicySpec spec{};

  friend bool operator==(const ResourcePolicy&, const ResourcePolicy&) = default;
};

/// What `validate` finds: errors make a policy unfit, warnings are legal and probably not meant.
struct Validation {
  std::vector<FieldError> errors{};
  std::vector<FieldError> warnings{};

  friend bool operator==(const Validation&, const Validation&) = default;
};

/// Policies made for matching.
class Policies {
 public:
  struct Compiled {
    ResourcePolicy policy;
    LabelMatcher pods;
    std::vector<LabelMatcher> units;

    /// Whether the pod is the policy's to place: of its namespace and selected.
    [[nodiscard]] bool matches(const Pod& pod) const noexcept {
      return pod.metadata.namespace_ == policy.metadata.namespace_ &&
             pods.matches(pod.metadata.labels);
    }
    [[nodiscard]] bool prefers() const noexcept { return policy.spec.strategy == Strategy::prefer; }
  };

  Policies() = default;
  [[nodiscard]] const std::vector<Compiled>& all() const noexcept { return policies_; }

 private:
  friend Result<Policies> compile(std::span<const ResourcePolicy>);
  std::vector<Compiled> policies_;
};

/// Builds the policies, or reports every unknown strategy and every selector that cannot be used,
/// naming its policy: nothing is evaluated then. Paths begin with `policies[i]`.
[[nodiscard]] inline Result<Policies> compile(std::span<const ResourcePolicy> policies) {
  Policies compiled;
  std::vector<FieldError> errors;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const ResourcePolicy& policy = policies[i];
    const std::string field = "policies[" + std::to_string(i) + "].spec";
    const auto take = [&](const std::optional<LabelSelector>& selector, const std::string& path) {
      return schedpol::detail::compile_for(policy.metadata.name, selector.value_or(LabelSelector{}),
                                           path, errors);
    };
    if (!policy.spec.strategy.known()) {
      errors.push_back(
          {ErrorType::not_supported, field + ".strategy", std::string(policy.spec.strategy.text()),
           "supported are required and prefer (in " + in_backticks(policy.metadata.name) + ")"});
    }
    Policies::Compiled& made = compiled.policies_.emplace_back(
        Policies::Compiled{policy, take(policy.spec.pod_selector, field + ".podSelector"), {}});
    for (std::size_t j = 0; j < policy.spec.units.size(); ++j) {
      made.units.push_back(take(policy.spec.units[j].node_selector,
                                field + ".units[" + std::to_string(j) + "].nodeSelector"));
    }
  }
  if (!errors.empty()) return errors;
  return compiled;
}

/// Errors: the name, the strategy, selectors, label keys, a negative maxCount or priority.
/// Warnings: units of one name, and units that select the same nodes word for word; whether two
/// selectors can match one node is only known of a cluster's nodes.
[[nodiscard]] inline Validation validate(const ResourcePolicy& policy) {
  schedpol::detail::FieldErrors errors;
  schedpol::detail::FieldErrors warnings;
  const ResourcePolicySpec& spec = policy.spec;
  schedpol::detail::validate_name(errors, policy.metadata.name);
  for (std::size_t i = 0; i < spec.match_label_keys.size(); ++i) {
    errors.add_all("spec.matchLabelKeys[" + std::to_string(i) + "]", spec.match_label_keys[i],
                   label_key_problems(spec.match_label_keys[i]));
  }
  errors.add_compiled(schedpol::compile(spec.pod_selector, "spec.podSelector"));
  if (!spec.strategy.known()) {
    errors.add(ErrorType::not_supported, "spec.strategy", spec.strategy.text(),
               "supported are required and prefer");
  }
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < spec.units.size(); ++i) {
    const Unit& unit = spec.units[i];
    const std::string field = "spec.units[" + std::to_string(i) + "]";
    const auto not_negative = [&](std::string_view name,
                                  const std::optional<std::int32_t>& number) {
      if (!number || *number >= 0) return;
      errors.add(ErrorType::invalid, field + "." + std::string(name), std::to_string(*number),
                 "must not be negative");
    };
    not_negative("priority", unit.priority);
    not_negative("maxCount", unit.max_count);
    errors.add_compiled(schedpol::compile(unit.node_selector, field + ".nodeSelector"));
    if (!unit.name.empty() && !names.insert(unit.name).second) {
      warnings.add(ErrorType::duplicate, field + ".name", unit.name, "another unit has this name");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (spec.units[j].node_selector.value_or(LabelSelector{}) !=
          unit.node_selector.value_or(LabelSelector{}))
        continue;
      warnings.add(ErrorType::duplicate, field + ".nodeSelector", "",
                   "unit " + std::to_string(j) + " selects the same nodes");
      break;
    }
  }
  return {std::move(errors).take(), std::move(warnings).take()};
}

}  // namespace schedpol::resource_policy
