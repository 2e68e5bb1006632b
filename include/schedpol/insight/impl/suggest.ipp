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

inline std::vector<FieldError> too_many_entries(const std::string& whose) {
  return {{ErrorType::too_many,
           {},
           "",
           in_backticks(whose) + " has or needs more than " +
               std::to_string(max_suggested_entries) +
               " entries: any values of their keys can be permitted instead"}};
}
inline std::vector<FieldError> too_many_steps(std::size_t most) {
  return {{ErrorType::too_many,
           {},
           "",
           "takes more than " + std::to_string(most) + " steps, or the memory of as many"}};
}
inline std::vector<FieldError> too_many_entries(const std::vector<SchedulingPolicy>& policies) {
  for (const SchedulingPolicy& policy : policies) {
    std::size_t count = 0;
    scheduling_policy::detail::for_each_allowed_entry(
        policy.spec.allowed,
        [&](const FieldPath&, const std::string&, const PolicySection&) { ++count; });
    if (count > max_suggested_entries) return too_many_entries(policy.metadata.name);
  }
  return {};
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
  using schedpol::detail::Budget;
  Budget budget = options.max_steps == 0 ? Budget::unlimited() : Budget(options.max_steps);
  detail::NeedSearch search(*engine, configuration.settings, options, objects, budget);
  for (;;) {
    if (const auto& subject = search.needs_too_much())
      return detail::too_many_entries(subject->namespace_ + "/" + subject->account);
    if (budget.used_up()) return detail::too_many_steps(options.max_steps);
    const detail::NeededPermissions& needed = search.found();
    detail::GrantPlan plan(*engine, configuration.settings, options, needed, budget);
    const std::vector<detail::GrantedPolicy> policies = plan.run();
    if (budget.used_up()) return detail::too_many_steps(options.max_steps);
    Suggestion suggestion;
    suggestion.objects = detail::SuggestionWriter(configuration, needed).write(policies);
    const auto& suggested = suggestion.objects.scheduling_policies;
    if (auto errors = detail::too_many_entries(suggested); !errors.empty()) return errors;
    if (auto errors = validate_each(suggestion.objects); !errors.empty()) return errors;
    detail::ProofByDeciding proof(*engine, configuration.settings, suggestion.objects, objects,
                                  budget);
    if (search.look_again(proof.engine(), proof.denied())) continue;
    suggestion.excess = plan.excess(policies);
    suggestion.fragile = detail::FragilitySearch(needed, plan).run();
    suggestion.entries = detail::EntryDescriptions(needed, objects, options, budget).of(suggested);
    suggestion.proof = std::move(proof).run();
    if (budget.used_up()) return detail::too_many_steps(options.max_steps);
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
  const Configuration configuration = detail::enforcing(surroundings);
  const Result<Engine> engine = compile(configuration);
  if (!engine) return engine.errors();
  if (auto errors = detail::too_many_entries(added.scheduling_policies); !errors.empty())
    return errors;
  auto budget = schedpol::detail::Budget::unlimited();
  return detail::ProofByDeciding(*engine, configuration.settings, added, objects, budget).run();
}

}  // namespace SCHEDPOL_NAMESPACE::engine
