// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What RuntimeClasses add to pods, which needs no permission, as literals: the API server's RuntimeClass plugin has added
/// it to a pod when policies see the pod, and will add it to the pods of a template.

#include "model.hpp"
#include "variables.hpp"

#include <schedpol/runtime_class/policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cli {

class Classes {
 public:
  Classes() = default;
  /// Those that add something.
  explicit Classes(const std::vector<schedpol::runtime_class::RuntimeClass>& all);

  [[nodiscard]] bool empty() const noexcept { return classes_.empty(); }
  /// For the first lines; `date` may be empty.
  [[nodiscard]] std::string comment(const std::string& date) const;

  /// The variables of those who judge an object.
  void add_to(std::vector<Variable>& variables) const;
  /// The variables of those who give defaults: a pod that is given this class gets what the class adds when they are asked
  /// again.
  void add_to(std::vector<Variable>& variables, const std::optional<std::string>& by_default) const;

  /// The node selector of the pod, or of the pods of the template.
  [[nodiscard]] std::string node_selector_of_pods(Of of = Of::object) const;
  /// Whether a class adds the pair of this key that the pod has.
  [[nodiscard]] std::string adds_pair(const std::string& key) const;
  /// Whether a class adds the toleration `t` of the pod, or, `i` being its place, whether another one covers it once both are
  /// merged: in the pods of a template, and in a pod that is given the class only now.
  [[nodiscard]] std::string adds_toleration() const;
  /// Whether a class adds this toleration to the pods of the template.
  [[nodiscard]] std::string adds_to_pods(const schedpol::Toleration& toleration) const;

  /// Whether this one adds something.
  [[nodiscard]] bool contain(const std::string& name) const;

  /// What of a merged policy is not told beside them. `gives`: defaults are given.
  void refuse(const schedpol::engine::EffectivePolicy& effective,
              const schedpol::scheduling_policy::Options& options, bool gives,
              Refusals& refusals) const;

 private:
  void add_pairs(std::vector<Variable>& variables, bool to_pods) const;

  std::vector<schedpol::runtime_class::RuntimeClass> classes_{};
};

}  // namespace cli
