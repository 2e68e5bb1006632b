// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/impl/suggest/entry_descriptions.hpp>
#include <schedpol/insight/impl/suggest/fragility.hpp>
#include <schedpol/insight/suggest.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// The configuration with SchedulingPolicy enforcing, whatever it or a namespace says of that.
inline Configuration enforcing(Configuration configuration) {
  configuration.settings.namespace_modes.reset();
  bool runs = false;
  for (Step& step : configuration.systems) {
    if (step.system != System::scheduling_policy) continue;
    step.mode = Mode::enforce;
    runs = true;
  }
  if (!runs) configuration.systems.push_back({.system = System::scheduling_policy});
  return configuration;
}

inline schedpol::detail::Budget budget_of(std::size_t max_steps) noexcept {
  if (max_steps == 0) return schedpol::detail::Budget::unlimited();
  return schedpol::detail::Budget(max_steps, std::max(max_insight_bytes, max_steps));
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(SuggestedSubject subject) noexcept {
  switch (subject) {
    case SuggestedSubject::service_account: return "ServiceAccount";
    case SuggestedSubject::namespace_: return "Namespace";
  }
  return "";
}

SCHEDPOL_INLINE std::string_view to_string(SuggestedNodeNames names) noexcept {
  switch (names) {
    case SuggestedNodeNames::listed: return "Listed";
    case SuggestedNodeNames::any: return "Any";
  }
  return "";
}

SCHEDPOL_INLINE Result<Suggestion> suggest(const Configuration& surroundings,
                                           std::span<const RunningObject> objects,
                                           const SuggestOptions& options) {
  const Configuration configuration = detail::enforcing(surroundings);
  const Result<Engine> engine = compile(configuration);
  if (!engine) return engine.errors();
  schedpol::detail::Budget budget = detail::budget_of(options.max_steps);
  const detail::SuggestSurroundings around{configuration, *engine, options, budget};
  detail::SuggestionSearch search(around, objects);
  if (auto errors = search.run(); !errors.empty()) return errors;
  const detail::NeededPermissions& needed = search.needed();
  Suggestion suggestion;
  suggestion.objects = search.suggested();
  suggestion.excess = search.plan().excess(search.policies());
  suggestion.fragile = detail::FragilitySearch(around, objects, search).run();
  suggestion.entries = detail::EntryDescriptions(needed, objects, options, budget)
                           .of(suggestion.objects.scheduling_policies);
  suggestion.proof = search.prove();
  if (budget.used_up()) return detail::too_many_steps(options.max_steps);
  suggestion.undecided = needed.undecided;
  schedpol::detail::append(suggestion.undecided, suggestion.proof.undecided);
  suggestion.unsatisfiable = needed.unsatisfiable;
  detail::put_in_order(suggestion.undecided);
  detail::put_in_order(suggestion.unsatisfiable);
  return suggestion;
}

SCHEDPOL_INLINE Result<Proof> prove(const Configuration& surroundings, const Objects& added,
                                    std::span<const RunningObject> objects, std::size_t max_steps) {
  const Configuration configuration = detail::enforcing(surroundings);
  const Result<Engine> engine = compile(configuration);
  if (!engine) return engine.errors();
  if (auto errors = detail::too_many_entries(added.scheduling_policies); !errors.empty())
    return errors;
  schedpol::detail::Budget budget = detail::budget_of(max_steps);
  Proof proof =
      detail::ProofByDeciding(*engine, configuration.settings, added, objects, budget).run();
  if (budget.used_up()) return detail::too_many_steps(max_steps);
  return proof;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
