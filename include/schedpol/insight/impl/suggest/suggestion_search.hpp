// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Finds what is suggested, without telling why.

#include <schedpol/insight/impl/suggest/proof_by_deciding.hpp>
#include <schedpol/insight/impl/suggest/written_objects.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

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

/// What stands around the objects, for all that is asked of them.
struct SuggestSurroundings {
  const Configuration& configuration;
  const Engine& engine;  ///< compiled from it
  const SuggestOptions& options;
  Budget& budget;
};

/// Policies, roles and bindings for some objects.
class SuggestionSearch {
 public:
  SuggestionSearch(const SuggestSurroundings& around, std::span<const RunningObject> objects)
      : around_(around),
        objects_(objects),
        search_(around.engine, around.configuration.settings, around.options, objects,
                around.budget) {}
  SuggestionSearch(const SuggestionSearch&) = delete;
  SuggestionSearch& operator=(const SuggestionSearch&) = delete;

  /// Errors, where there is no answer. To be called once, before anything else.
  std::vector<FieldError> run() {
    const auto& [configuration, engine, options, budget] = around_;
    const Settings& settings = configuration.settings;
    do {
      if (const auto& subject = search_.needs_too_much())
        return too_many_entries(subject->namespace_ + "/" + subject->account);
      if (budget.used_up()) return too_many_steps(options.max_steps);
      plan_.emplace(engine, settings, options, needed(), budget);
      policies_ = plan_->run();
      if (budget.used_up()) return too_many_steps(options.max_steps);
      suggested_ =
          SuggestionWriter(configuration, plan_->judge().system(), needed()).write(policies_);
      if (auto errors = too_many_entries(suggested_.scheduling_policies); !errors.empty())
        return errors;
      if (auto errors = validate_each(suggested_); !errors.empty()) return errors;
      proof_.emplace(engine, settings, suggested_, objects_, budget);
    } while (search_.look_again(proof_->engine(), proof_->denied(), proof_->take_asked_again()));
    return {};
  }

  [[nodiscard]] const NeededPermissions& needed() const noexcept { return search_.found(); }
  [[nodiscard]] const GrantPlan& plan() const noexcept { return *plan_; }
  [[nodiscard]] const std::vector<GrantedPolicy>& policies() const noexcept { return policies_; }
  [[nodiscard]] const Objects& suggested() const noexcept { return suggested_; }
  [[nodiscard]] const Engine& engine_with_all() const noexcept { return proof_->engine(); }
  /// To be called last.
  [[nodiscard]] Proof prove() { return std::move(*proof_).run(); }

 private:
  const SuggestSurroundings& around_;
  std::span<const RunningObject> objects_;
  NeedSearch search_;
  std::optional<GrantPlan> plan_;
  std::vector<GrantedPolicy> policies_;
  Objects suggested_;
  std::optional<ProofByDeciding> proof_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
