// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What every analysis does: it looks for one sort of finding after the other, as far as its budget
/// goes, and names the sorts that it did not look for everywhere.

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/insight/finding.hpp>
#include <schedpol/insight/impl/budget.hpp>

#include <set>

namespace SCHEDPOL_NAMESPACE::detail {

/// The name of an object that others of its kind cannot have.
inline std::string qualified_name(const ObjectMeta& metadata) {
  return metadata.namespace_.empty() ? metadata.name : metadata.namespace_ + '/' + metadata.name;
}

/// Of a text that is shown beside another as much as both together show of it.
inline std::string_view start_of(std::string_view text) noexcept {
  return text.substr(0, max_shown_bytes + 1);
}

class Analysis {
 public:
  explicit Analysis(Budget& budget) noexcept : budget_(budget) {}

  /// The last says what was not looked for, if there is such.
  [[nodiscard]] std::vector<Finding> take() && {
    if (missed_.empty()) return std::move(findings_);
    std::string names;
    for (const FindingCode code : missed_)
      names.append(names.empty() ? "" : ", ").append(to_string(code));
    findings_.push_back({.detail = std::move(names)});
    return std::move(findings_);
  }

  /// Lets `look()` find what is of this sort.
  template <class Look>
  void look_for(FindingCode code, Look&& look) {
    if (!budget_.used_up()) look();
    if (budget_.used_up()) missed_.insert(code);
  }

  /// Adds what a part of this analysis found where `is_new(finding)`, which may change it.
  template <class IsNew>
  void take_over(Analysis&& part, IsNew&& is_new) {
    for (Finding& finding : part.findings_)
      if (is_new(finding)) findings_.push_back(std::move(finding));
    missed_.insert(part.missed_.begin(), part.missed_.end());
  }

  /// Nothing more is found once the budget is used up.
  void add(Finding finding) {
    std::size_t bytes = 2 * sizeof(Finding) + finding.detail.size();
    if (finding.witness)
      for (const Labels* labels :
           {&finding.witness->metadata.labels, &finding.witness->metadata.annotations})
        for (const auto& [key, value] : *labels) bytes += 128 + key.size() + value.size();
    if (budget_.keep(bytes)) findings_.push_back(std::move(finding));
  }

 protected:
  Budget& budget_;

 private:
  std::vector<Finding> findings_;
  std::set<FindingCode> missed_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail
