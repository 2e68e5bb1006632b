// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What each object needs that policies do not permit yet, and who runs it.

#include <schedpol/engine/impl/engine_impl.hpp>
#include <schedpol/engine/impl/systems/scheduling_policy.hpp>
#include <schedpol/insight/impl/compared.hpp>
#include <schedpol/insight/impl/suggest/allowed_entries.hpp>
#include <schedpol/insight/impl/suggest/missing_permissions.hpp>
#include <schedpol/insight/suggest.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

using scheduling_policy::PolicySection;
using scheduling_policy::SchedulingPolicy;

using schedpol::detail::Budget;

/// Steps that an entry takes where it is merged with others, and bytes of policies that take one.
inline constexpr std::size_t steps_of_entry = 16;
inline constexpr std::size_t bytes_merged_a_step = 2;
/// Bytes that are kept of each byte of a policy, which is merged.
inline constexpr std::size_t bytes_kept = 16;

/// Numbers in order, each once.
using Numbers = std::vector<std::size_t>;

inline void insert_number(Numbers& into, std::size_t number) {
  const auto at = std::lower_bound(into.begin(), into.end(), number);
  if (at == into.end() || *at != number) into.insert(at, number);
}
inline bool has_number(const Numbers& numbers, std::size_t number) noexcept {
  return std::binary_search(numbers.begin(), numbers.end(), number);
}
inline Numbers without_number(Numbers numbers, std::size_t number) {
  schedpol::detail::erase_if(numbers, [&](std::size_t each) { return each == number; });
  return numbers;
}

/// What tells entries apart, in the order of the fields of a section.
struct EntryIdentity {
  FieldPath place{};  ///< without the indices of lists
  std::string value{};

  friend auto operator<=>(const EntryIdentity&, const EntryIdentity&) = default;
};

/// Entries that somebody needs, by number.
class NeededEntries {
 public:
  explicit NeededEntries(const SuggestOptions& options) : generalised_(options.generalise) {
    if (options.node_names == SuggestedNodeNames::listed) return;
    generalised_.push_back("metadata.name");
    generalised_.push_back("kubernetes.io/hostname");
  }

  /// The number of a section of one entry; none where no valid policy can say that.
  std::optional<std::size_t> number_of(PolicySection&& section) {
    generalise(section);
    const EntryIdentity identity = identity_of(section);
    const auto [found, is_new] = numbers_.try_emplace(identity, std::nullopt);
    if (!is_new) return found->second;
    const SchedulingPolicy policy{{.name = "p"}, {.allowed = section}};
    if (!validate(policy).empty()) return std::nullopt;
    found->second = sections_.size();
    sections_.push_back(std::move(section));
    return found->second;
  }

  /// The number of an entry of some policy, where somebody needs it.
  [[nodiscard]] std::optional<std::size_t> find(const EntryIdentity& identity) const {
    const auto found = numbers_.find(identity);
    return found == numbers_.end() ? std::nullopt : found->second;
  }

  [[nodiscard]] static EntryIdentity identity_of(const PolicySection& of_one_entry) {
    EntryIdentity identity;
    scheduling_policy::detail::for_each_allowed_entry(
        of_one_entry, [&](const FieldPath& place, std::string value, const PolicySection&) {
          identity = {place.without_indices(), std::move(value)};
        });
    return identity;
  }

  [[nodiscard]] std::size_t size() const noexcept { return sections_.size(); }
  [[nodiscard]] const PolicySection& operator[](std::size_t number) const noexcept {
    return sections_[number];
  }

  /// What some of them permit together.
  [[nodiscard]] PolicySection section_of(const Numbers& numbers) const {
    PolicySection section;
    for (const std::size_t number : numbers)
      scheduling_policy::detail::add_allowed_entries(section, sections_[number]);
    return section;
  }

  /// Their numbers in the order of the fields, which does not depend on who needs them.
  [[nodiscard]] Numbers in_order() const {
    std::map<std::pair<std::size_t, const EntryIdentity*>, std::size_t, ByRow> ordered;
    for (const auto& [identity, number] : numbers_)
      if (number) ordered.emplace(std::pair(row_of(identity.place), &identity), *number);
    Numbers numbers;
    for (const auto& [key, number] : ordered) numbers.push_back(number);
    return numbers;
  }

  /// Renumbers them in that order: `renumbered[old]` is the new number.
  [[nodiscard]] std::vector<std::size_t> put_in_order() {
    const Numbers ordered = in_order();
    std::vector<std::size_t> renumbered(sections_.size());
    std::vector<PolicySection> sections;
    for (const std::size_t old : ordered) {
      renumbered[old] = sections.size();
      sections.push_back(std::move(sections_[old]));
    }
    sections_ = std::move(sections);
    for (auto& [identity, number] : numbers_)
      if (number) number = renumbered[*number];
    return renumbered;
  }

 private:
  struct ByRow {
    bool operator()(const std::pair<std::size_t, const EntryIdentity*>& a,
                    const std::pair<std::size_t, const EntryIdentity*>& b) const {
      return a.first != b.first ? a.first < b.first : *a.second < *b.second;
    }
  };
  static std::size_t row_of(const FieldPath& place) {
    const std::vector<FieldPath::Step> steps = place.steps();
    const auto& names = scheduling_policy::component_names;
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), steps[1].name) -
                                    names.begin());
  }

  void generalise(PolicySection& section) const {
    if (generalised_.empty()) return;
    for (auto& [key, values] :
         section.node_selectors.is_listed() ? section.node_selectors.list() : no_selectors())
      if (generalised_.contains(key)) values = any;
    generalise(section.tolerations);
    if (!section.affinities.is_listed()) return;
    auto& kind = section.affinities.list().node_affinities;
    if (!kind.is_listed()) return;
    scheduling_policy::for_each_field<scheduling_policy::NodeAffinityRules>(
        [&](std::string_view, auto member) {
          if (!(kind.list().*member).is_listed()) return;
          for (scheduling_policy::TermPattern& term :
               (kind.list().*member).list().node_selector_terms) {
            generalise(term.match_expressions);
            generalise(term.match_fields);
          }
        });
  }
  template <class Pattern>
  void generalise(AnyOr<std::vector<Pattern>>& patterns) const {
    if (!patterns.is_listed()) return;
    for (Pattern& pattern : patterns.list())
      if (pattern.values.is_listed() && pattern.keys.is_listed() &&
          generalised_.contains(pattern.keys.listed().front()))
        pattern.values = any;
  }
  static scheduling_policy::NodeSelectors& no_selectors() {
    static scheduling_policy::NodeSelectors none;
    return none;
  }

  Texts generalised_;
  std::map<EntryIdentity, std::optional<std::size_t>> numbers_;
  std::vector<PolicySection> sections_;
};

/// The policies that some service accounts may use so far.
struct UsablePolicies {
  std::vector<SchedulingPolicy> policies{};
  EffectivePolicy effective{};
  std::size_t bytes = 0;
  bool are_all = false;  ///< that there are and will be, by a role that names none
};

struct RunningAccount {
  std::string namespace_{};
  std::string name{};
  std::size_t subject = 0;
  Shared<UsablePolicies> usable{};
};

/// An object that SchedulingPolicy decides on.
struct JudgedObject {
  std::size_t place = 0;  ///< among the objects that were given
  std::size_t account = 0;
  std::size_t owner = 0;
  PodWriter writer = PodWriter::user;
  /// The object as SchedulingPolicy is asked about it, where it needs anything; several where another
  /// system changes it once it is permitted.
  std::vector<Pod> questions{};
  Numbers needs{};
};

/// Judges by other policies than those of an engine.
class SchedulingJudge {
 public:
  SchedulingJudge(const Engine& engine, const Settings& settings, Budget& budget)
      : impl_(*EngineAccess::of(engine)),
        system_(
            static_cast<const SchedulingPolicySystem&>(impl_.compiled(System::scheduling_policy))),
        settings_(settings),
        budget_(budget) {}

  [[nodiscard]] const SchedulingPolicySystem& system() const noexcept { return system_; }
  /// Once it is used up nothing is judged, and nobody denied.
  [[nodiscard]] Budget& budget() const noexcept { return budget_; }

  /// The policies that an account may use already. Those that cannot be used are left out.
  [[nodiscard]] UsablePolicies usable(const rbac::Grant& grant) const {
    UsablePolicies usable{.are_all = grant.all};
    const auto add = [&](const SchedulingPolicy& policy) {
      const std::size_t bytes = scheduling_policy::policy_bytes(policy.spec);
      usable.bytes += bytes;
      if (budget_.keep(bytes_kept * bytes)) usable.policies.push_back(policy);
      return !budget_.used_up();
    };
    if (grant.all) system_.for_each_policy(add);
    for (const std::string& name : grant.names)
      if (const SchedulingPolicy* policy = system_.policy(name)) add(*policy);
    budget_.spend(usable.bytes / bytes_merged_a_step);
    if (!budget_.used_up()) usable.effective = merged(usable.policies);
    return usable;
  }

  /// The policies of an account with one more that permits so many entries.
  [[nodiscard]] EffectivePolicy with(const RunningAccount& account, PolicySection&& allowed,
                                     std::size_t entries) const {
    const UsablePolicies& usable = *account.usable;
    if (allowed == PolicySection{} ||
        !budget_.spend(steps_of_entry * entries + usable.bytes / bytes_merged_a_step))
      return usable.effective;
    std::vector<SchedulingPolicy> policies = usable.policies;
    // No policy is called so, and it comes after all others.
    policies.push_back({{.name = "~"}, {.allowed = std::move(allowed)}});
    return merged(policies);
  }
  [[nodiscard]] EffectivePolicy merged(const std::vector<SchedulingPolicy>& policies) const {
    return merge(policies, settings_.strategy);
  }

  /// Of a decision on a pod by a policy, without what other systems take.
  [[nodiscard]] std::size_t steps_of(const Pod& pod, const EffectivePolicy& effective) const {
    return scheduling_policy::detail::CheckSteps({effective, &settings_.options}).of(pod.spec);
  }

  /// Tells what is denied of an object by a policy.
  void judge(const Pod& question, PodWriter writer, const EffectivePolicy& effective,
             scheduling_policy::detail::CheckListener& listener) const {
    if (!budget_.spend(steps_of(question, effective))) return;
    Pod pod = unpinned(question, writer);
    auto options =
        system_.options_for(question, impl_.context_of(namespace_of(question.metadata), writer));
    if (pod.kind == PodKind::pod) {
      pod = apply_defaults(std::move(pod), effective, *options).pod;
      return run_checks(pod, effective, *options, listener);
    }
    CoveredTolerations covered(pod, options.merged);
    pod = apply_defaults(std::move(pod), effective, options.without(covered)).pod;
    covered.restore(pod);
    const CoveredTolerations of_pods(pod, options.merged, options.added_to(pod));
    run_checks(pod, effective, options.without(of_pods), listener);
  }

  /// Whether nothing is denied.
  [[nodiscard]] bool allows(const JudgedObject& object, const EffectivePolicy& effective) const {
    using scheduling_policy::EffectivePolicyAccess;
    if (budget_.used_up()) return true;
    if (!EffectivePolicyAccess::of(effective).decides) return false;
    scheduling_policy::detail::MissingPermissions listener([](PolicySection&&) {});
    for (const Pod& question : object.questions) {
      judge(question, object.writer, effective, listener);
      if (listener.denies()) return false;
    }
    return true;
  }

 private:
  static void run_checks(const Pod& pod, const EffectivePolicy& effective,
                         const scheduling_policy::Options& options,
                         scheduling_policy::detail::CheckListener& listener) {
    const auto& rules = scheduling_policy::EffectivePolicyAccess::of(effective);
    rules.checks.run(scheduling_policy::detail::EffectivePod(pod, options, rules.spec.defaults),
                     listener);
  }

  const EngineAccess::Impl& impl_;
  const SchedulingPolicySystem& system_;
  const Settings& settings_;
  Budget& budget_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
