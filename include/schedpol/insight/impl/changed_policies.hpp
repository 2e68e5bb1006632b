// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the analysis of each system asks of objects that are written, and of those that an engine has.

#include <schedpol/engine/impl/engine_impl.hpp>
#include <schedpol/insight/finding.hpp>
#include <schedpol/insight/impl/budget.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

using schedpol::detail::append;
using schedpol::detail::Budget;

/// What whoever writes objects has to be told of them, among those of an engine. Only what is stored
/// and can matter to what is written is looked at; stored objects are neither copied nor compiled
/// before that is known.
class ChangedPolicies {
 public:
  /// `written` are objects that can be used, of so many texts.
  ChangedPolicies(const EngineAccess::Impl& engine, const Objects& written, std::size_t texts)
      : engine_(engine),
        written_(written),
        budget_(max_written_policy_steps + written_policy_steps_a_text * texts) {}

  [[nodiscard]] const Objects& written() const noexcept { return written_; }
  [[nodiscard]] const Settings& settings() const noexcept { return engine_.settings; }
  [[nodiscard]] Budget& budget() noexcept { return budget_; }

  template <class T>
  [[nodiscard]] const T& compiled(System system) const {
    return static_cast<const T&>(engine_.compiled(system));
  }

  /// Whether one of a list is called like a stored object, which it takes the place of.
  template <class T>
  [[nodiscard]] bool is_replaced(const T& stored, const std::vector<T>& list) {
    budget_.spend(list.size());
    return schedpol::detail::any_of(list, [&](const T& each) {
      return each.metadata.name == stored.metadata.name &&
             each.metadata.namespace_ == stored.metadata.namespace_;
    });
  }

 private:
  const EngineAccess::Impl& engine_;
  const Objects& written_;
  Budget budget_;
};

template <class T>
std::set<std::string> namespaces_of(const std::vector<T>& list) {
  std::set<std::string> namespaces;
  for (const T& each : list) namespaces.insert(each.metadata.namespace_);
  return namespaces;
}

/// A stored policy that is sorted among the written ones.
inline constexpr std::size_t steps_of_neighbour = 60;

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
