// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Advice for the users of an engine, besides its decisions. Pass an adviser to `json::review`, or ask it
/// directly.

#include <schedpol/engine/engine.hpp>
#include <schedpol/insight/explain.hpp>
#include <schedpol/insight/nearest_fix.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// A fix has the fewest edits of the object as the user creates it (`scheduling_policy::nearest_fix`), if
/// it is found within `max_denial_fix_steps`. Warnings are the findings of `analyze` except those of
/// severity info: the first `max_finding_warnings`, the number of the rest, and what was not analyzed.
/// Thread-safe.
class InsightAdviser final : public Adviser {
 public:
  [[nodiscard]] std::vector<Change> nearest_fix(const Engine& engine, const Request& request,
                                                const Decision& denial) const override {
    return find_fix(engine, request, denial);
  }
  [[nodiscard]] std::vector<std::string> warnings(const Engine& engine,
                                                  const Objects& written) const override {
    return warnings_of(engine, written);
  }

  /// Why SchedulingPolicy decides as it does on the pod of the request, with the changes of the systems
  /// before it.
  /// 1. The items with a denying ruling are SchedulingPolicy's violations in the decision, one to one and
  ///    in order. For an update, violations of the old pod are left out.
  /// 2. The Defaulted items are SchedulingPolicy's changes in the decision. For a denied object, they are
  ///    what it would have got; for an updated pod there are none.
  /// 3. What the cluster adds is exempt, in whichever round a system added it.
  /// If the system does not run, or an earlier system denied the object, this is a denial without
  /// items. An object that passes unchecked is allowed without items.
  [[nodiscard]] scheduling_policy::Explanation explain(const Engine& engine,
                                                       const Request& request) const;

  /// The items of the same pod that no policy permits and nothing denies, because `Options::governs` does
  /// not have them. Costs almost nothing if the pod has no such items.
  [[nodiscard]] std::vector<scheduling_policy::ExplainedItem> find_ungoverned(
      const Engine& engine, const Request& request) const;

 private:
  // Separate functions, because g++ compiles all virtual functions of a class wherever one of them
  // has no body in the class.
  [[nodiscard]] static std::vector<Change> find_fix(const Engine& engine, const Request& request,
                                                    const Decision& denial);
  [[nodiscard]] static std::vector<std::string> warnings_of(const Engine& engine,
                                                            const Objects& written);
};

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/adviser.ipp>
#endif
