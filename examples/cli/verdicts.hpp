// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How many objects were decided on, and how: what the reports of commands that decide end with.

#include "decide.hpp"
#include "input.hpp"
#include "inventory.hpp"
#include "policies.hpp"
#include "report.hpp"

#include <array>
#include <cstddef>
#include <iterator>

namespace cli {

class Verdicts {
 public:
  void add(const Subject& subject, const AdmissionResponse& response);

  [[nodiscard]] std::size_t count(Verdict verdict) const {
    return counts_[static_cast<std::size_t>(verdict)];
  }
  [[nodiscard]] std::size_t objects() const;
  /// Whether a command that decides fails: something is denied, or may be.
  [[nodiscard]] bool is_bad() const {
    return count(Verdict::denied) > 0 || count(Verdict::undecided) > 0;
  }

  /// That nobody looked at any object is a problem: it is no pass.
  [[nodiscard]] Summary summary(const PolicySet& policies, const Selection& selection,
                                Problems& problems) const;

 private:
  std::array<std::size_t, std::size(all_verdicts)> counts_{};
  std::size_t warnings_ = 0;
  std::size_t without_template_ = 0;  ///< pods whose template is not among the objects
};

/// That a pod may have named its node.
[[nodiscard]] Finding undecided_finding(const AdmissionRequest& asked, const Place& place);

/// Adds to an entry what may have been meant otherwise.
void append_warnings(Entry& entry, const Subject& subject);

/// The beginning of an entry: the object, and what became of it.
[[nodiscard]] Entry entry_of(const AdmissionRequest& asked, const AdmissionResponse& response,
                             const Source& source);

}  // namespace cli
