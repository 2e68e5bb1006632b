// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What an engine's users are told besides its decisions: handed to `json::review`, or asked by
/// itself.

#include <schedpol/engine/engine.hpp>
#include <schedpol/insight/explain.hpp>
#include <schedpol/insight/nearest_fix.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// A fix has the fewest edits of what a user creates, those of `scheduling_policy::nearest_fix`, where
/// it is found within `max_denial_fix_steps`. Warnings are what `analyze` finds, but for mere
/// information: the first `max_finding_warnings`, how many more there are, and what was not looked
/// at. Any number of threads may ask one.
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

  /// Why SchedulingPolicy decides as it does on the pod that the systems before it have made of the
  /// one of the request.
  /// 1. The items with a denying ruling are the violations that the decision has of SchedulingPolicy,
  ///    one to one and in order; of an update what the old pod has as well is left out.
  /// 2. The Defaulted items are the changes that the decision has of it; of a denied object, what it
  ///    would have been given; of an updated pod there are none.
  /// 3. What the cluster adds is exempt, whichever round of the systems has added it.
  /// It is a denial without items where the system does not run, or was not asked, because another
  /// one denied the object before. What passes unread is allowed without items.
  [[nodiscard]] scheduling_policy::Explanation explain(const Engine& engine,
                                                       const Request& request) const;

  /// What of the same pod no policy permits and nothing denies, because `Options::governs` does not
  /// have it. Costs next to nothing where the pod has none of that.
  [[nodiscard]] std::vector<scheduling_policy::ExplainedItem> find_ungoverned(
      const Engine& engine, const Request& request) const;

 private:
  // Apart, because g++ compiles the virtual functions of a class wherever one of them has no body
  // in it.
  [[nodiscard]] static std::vector<Change> find_fix(const Engine& engine, const Request& request,
                                                    const Decision& denial);
  [[nodiscard]] static std::vector<std::string> warnings_of(const Engine& engine,
                                                            const Objects& written);
};

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/adviser.ipp>
#endif
