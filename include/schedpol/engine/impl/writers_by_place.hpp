// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The policies or classes that added what is denied, by path.

#include <schedpol/base/impl/text_key.hpp>
#include <schedpol/core/admission.hpp>

#include <algorithm>
#include <iterator>
#include <set>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Who wrote what into an object, by place, wherever in its lists it stands.
class WritersByPlace {
 public:
  void add(const std::string& policy, const Change& change) {
    const bool takes_away = change.from && !change.to;
    if (policy.empty() || takes_away) return;
    Writers& writers = places_[change.field.without_indices()];
    writers.all.insert(policy);
    if (change.to) writers.of_value[*change.to].insert(policy);
  }

  /// Those who wrote the value of a violation there; where the changes do not say so, those who wrote
  /// to its place or to what holds it.
  [[nodiscard]] Names of(const Violation& violation) const {
    for (FieldPath place = violation.field.without_indices(); !place.empty();
         place = place.parent()) {
      const auto found = places_.find(place);
      if (found == places_.end()) continue;
      const auto exact = found->second.of_value.find(violation.value);
      const std::set<std::string>& names =
          exact == found->second.of_value.end() ? found->second.all : exact->second;
      const std::size_t shown = std::min(names.size(), max_shown_names);
      return {
          std::vector<std::string>(names.begin(), std::next(names.begin(), std::ptrdiff_t(shown))),
          names.size() - shown};
    }
    return {};
  }

 private:
  struct Writers {
    std::set<std::string> all;
    std::map<std::string, std::set<std::string>> of_value;
  };

  std::map<FieldPath, Writers> places_;
};

/// What tells the violations of an object apart, wherever in its lists they stand.
inline std::string identity_of(const Violation& violation) {
  schedpol::detail::TextKey key;
  key.add(to_string(violation.code)).add(to_string(violation.field.without_indices()));
  key.add(violation.value);
  return std::move(key).text();
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
