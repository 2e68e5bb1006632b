// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/engine/templates.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// Gives what is said of a template the fields that it has in the object.
template <class T>
void relocate(std::vector<T>& said, const TemplateRequest& of) {
  for (T& one : said) one.field = of.in_object(one.field);
}

/// Adds what the systems said of a template to what they said of those before it.
inline void add_steps(std::vector<StepDecision>& to, std::vector<StepDecision>&& from,
                      const TemplateRequest& of) {
  for (StepDecision& decided : from) {
    relocate(decided.violations, of);
    relocate(decided.changes, of);
    relocate(decided.warnings, of);
    const auto same = std::find_if(to.begin(), to.end(), [&](const StepDecision& step) {
      return step.step.system == decided.step.system;
    });
    if (same == to.end()) {
      to.push_back(std::move(decided));
      continue;
    }
    schedpol::detail::append(same->violations, std::move(decided.violations));
    schedpol::detail::append(same->changes, std::move(decided.changes));
    schedpol::detail::append(same->warnings, std::move(decided.warnings));
  }
}

}  // namespace detail

SCHEDPOL_INLINE FieldPath TemplateRequest::in_object(const FieldPath& field) const {
  return place.join(field.below(template_steps(PodKind::pod_template).size()));
}

SCHEDPOL_INLINE TemplatesDecision decide_templates(const Engine& engine,
                                                   std::span<const TemplateRequest> templates,
                                                   const Adviser& adviser) {
  TemplatesDecision all;
  all.allowed = true;
  bool is_fixed = true;
  for (const TemplateRequest& one : templates) {
    Decision decision = engine.decide(one.request);
    if (!decision.allowed) {
      std::vector<Change> edits = adviser.nearest_fix(engine, one.request, decision);
      detail::relocate(edits, one);
      is_fixed = is_fixed && !edits.empty();
      schedpol::detail::append(all.nearest_fix, std::move(edits));
      if (all.allowed) {
        all.steps.clear();
        all.unknown = std::move(decision.unknown);
      }
      all.allowed = false;
      detail::add_steps(all.steps, std::move(decision.steps), one);
    } else if (all.allowed) {
      detail::add_steps(all.steps, std::move(decision.steps), one);
    }
    detail::relocate(decision.warnings, one);
    schedpol::detail::append(all.warnings, std::move(decision.warnings));
    all.templates.push_back(std::move(decision.pod));
  }
  if (all.allowed) return all;
  // Nothing is half-applied.
  for (std::size_t i = 0; i < templates.size(); ++i) all.templates[i] = templates[i].request.object;
  all.warnings.clear();
  if (!is_fixed) all.nearest_fix.clear();
  return all;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
