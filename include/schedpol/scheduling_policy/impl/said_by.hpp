// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which policies are behind each entry of a merge, as they are written down while it goes on. What
/// comes of it shares one list of names among all entries that have the same policies behind them.

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/names.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

class SaidBy {
 public:
  /// The names outlive this object, and one policy's is always the same text.
  using Policies = std::vector<const std::string*>;
  using Entries = std::map<FieldPath, Policies>;

  Entries entries{};
  Entries lost{};

  [[nodiscard]] Sources sources() && {
    std::map<Policies, Names> lists;
    return {shared(std::move(entries), lists), shared(std::move(lost), lists)};
  }

 private:
  static PolicyNames shared(Entries entries, std::map<Policies, Names>& lists) {
    PolicyNames names;
    while (!entries.empty()) {
      const auto entry = entries.extract(entries.begin());
      const auto [list, added] = lists.try_emplace(std::move(entry.mapped()));
      if (added) list->second = names_of(list->first);
      names.emplace_hint(names.end(), std::move(entry.key()), list->second);
    }
    return names;
  }
  static Names names_of(const Policies& policies) {
    std::vector<std::string> names;
    names.reserve(policies.size());
    for (const std::string* name : policies) names.push_back(*name);
    return names;
  }
};

}  // namespace schedpol::scheduling_policy::detail
