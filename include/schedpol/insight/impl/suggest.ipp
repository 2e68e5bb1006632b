// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/impl/suggest/entry_descriptions.hpp>
#include <schedpol/insight/impl/suggest/fragility.hpp>
#include <schedpol/insight/impl/suggest/proof_by_deciding.hpp>
#include <schedpol/insight/impl/suggest/written_objects.hpp>
#include <schedpol/insight/suggest.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// The configuration with SchedulingPolicy enforcing, whatever it says of that.
inline Configuration enforcing(Configuration configuration) {
  bool runs = false;
  for (Step& step : configuration.systems) {
    if (step.system != System::scheduling_policy) continue;
    step.mode = Mode::enforce;
    runs = true;
  }
  if (!runs) configuration.systems.push_back({.system = System::scheduling_policy});
  return configuration;
}

}  // namespace detail

SCHEDPOL_INLINE Result<Suggestion> suggest(const Configuration& surroundings,
                                           std::span<const RunningObject> objects,
                                           const SuggestOptions& options) {
  const Configuration configuration = detail::enforcing(surroundings);
  const Result<Engine> engine = compile(configuration);
  if (!engine) return engine.errors();
  detail::NeedSearch search(*engine, configuration.settings, options, objects);
  for (;;) {
    const detail::NeededPermissions& needed = search.found();
    detail::GrantPlan plan(*engine, configuration.settings, options, needed);
    const std::vector<detail::GrantedPolicy> policies = plan.run();
    Suggestion suggestion;
    suggestion.objects = detail::SuggestionWriter(configuration, needed).write(policies);
    if (auto errors = validate_each(suggestion.objects); !errors.empty()) return errors;
    detail::ProofByDeciding proof(*engine, suggestion.objects, objects);
    if (search.look_again(proof.engine(), proof.denied())) continue;
    suggestion.excess = plan.excess(policies);
    suggestion.fragile = detail::FragilitySearch(needed, plan).run();
    suggestion.entries = detail::EntryDescriptions(needed, objects, options)
                             .of(suggestion.objects.scheduling_policies);
    suggestion.proof = std::move(proof).run();
    suggestion.undecided = needed.undecided;
    schedpol::detail::append(suggestion.undecided, suggestion.proof.undecided);
    suggestion.unsatisfiable = needed.unsatisfiable;
    detail::put_in_order(suggestion.undecided);
    detail::put_in_order(suggestion.unsatisfiable);
    return suggestion;
  }
}

SCHEDPOL_INLINE Result<Proof> prove(const Configuration& surroundings, const Objects& added,
                                    std::span<const RunningObject> objects) {
  const Result<Engine> engine = compile(detail::enforcing(surroundings));
  if (!engine) return engine.errors();
  return detail::ProofByDeciding(*engine, added, objects).run();
}

}  // namespace SCHEDPOL_NAMESPACE::engine
