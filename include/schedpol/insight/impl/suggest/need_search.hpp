// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Finds what each object needs, and whose needs these are.

#include <schedpol/insight/impl/decision_steps.hpp>
#include <schedpol/insight/impl/suggest/needs.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Whom something can be granted to: a service account, or all of a namespace; both empty where all
/// objects are one subject, and of the accounts that may use every policy anyway.
struct GrantedSubject {
  std::string namespace_{};
  std::string account{};  ///< empty: all of the namespace

  friend auto operator<=>(const GrantedSubject&, const GrantedSubject&) = default;
};

/// The objects, by who runs them and who owns them.
struct NeededPermissions {
  explicit NeededPermissions(const SuggestOptions& options) : entries(options) {}

  NeededEntries entries;
  std::vector<RunningAccount> accounts{};
  std::vector<GrantedSubject> subjects{};
  /// The subject of accounts that roles let use every policy, whoever it is for. Nothing is bound to it.
  std::optional<std::size_t> unbound{};
  std::vector<Owner> owners{};
  std::vector<JudgedObject> objects{};  ///< those that SchedulingPolicy decides on
  std::vector<UnmetNeed> undecided{};
  std::vector<UnmetNeed> unsatisfiable{};
  std::set<std::size_t> unmet{};  ///< the places of objects of these two
  /// The owners with objects that are decided on, unmet ones too, of each subject.
  std::vector<Numbers> owners_of_subject{};
  /// The owner and the subject of each object that was given, where it is decided on.
  std::vector<std::pair<std::size_t, std::size_t>> origins{};
};

inline std::tuple<const std::string&, const std::string&, const std::string&> order_of(
    const Owner& owner) noexcept {
  return {owner.namespace_, owner.kind, owner.name};
}

/// Into an order that does not depend on that of the objects.
inline void put_in_order(std::vector<UnmetNeed>& needs) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::vector<UnmetNeed>>
      ordered;
  for (UnmetNeed& need : needs) {
    std::string text = need.reason + '\n' + std::to_string(need.pods);
    for (const Violation& violation : need.violations) text += '\n' + message(violation);
    const auto& [namespace_, kind, name] = order_of(need.owner);
    std::vector<UnmetNeed>& alike = ordered[{namespace_, kind, name, text}];
    alike.push_back(std::move(need));
  }
  needs.clear();
  for (auto& [key, alike] : ordered) schedpol::detail::append(needs, std::move(alike));
}

class NeedSearch {
 public:
  NeedSearch(const Engine& engine, const Settings& settings, const SuggestOptions& options,
             std::span<const RunningObject> objects, Budget& budget)
      : engine_(engine),
        settings_(settings),
        options_(options),
        objects_(objects),
        judge_(engine, settings, budget),
        budget_(budget),
        steps_(engine),
        found_(options) {
    found_.origins.resize(objects.size(), {nowhere, nowhere});
    for (std::size_t place = 0; place < objects.size() && !stops(); ++place) look_at(place);
    put_in_order();
  }

  /// A subject that needs more than `max_suggested_entries`, where one does: nothing is looked for then.
  [[nodiscard]] const std::optional<GrantedSubject>& needs_too_much() const noexcept {
    return needs_too_much_;
  }

  [[nodiscard]] const NeededPermissions& found() const noexcept { return found_; }

  /// Looks again at objects that are denied by an engine which has all that was found: another system
  /// has its say once they are permitted, and may have changed them. What needs nothing more then is
  /// unsatisfiable. Looks, too, at all that SchedulingPolicy was asked about those that are allowed, where
  /// it was asked more than once: what an object needs does not depend on what others are granted. False
  /// where nothing else is found.
  bool look_again(const Engine& engine, const std::vector<std::size_t>& denied,
                  std::map<std::size_t, std::vector<Pod>>&& asked_again) {
    std::set<std::size_t> again;
    for (const std::size_t place : denied)
      if (!found_.unmet.contains(place)) again.insert(place);
    bool finds_else = !again.empty();
    schedpol::detail::erase_if(found_.objects, [&](JudgedObject& object) {
      if (stops()) return false;
      if (again.contains(object.place)) return !look_again_at(object, engine);
      const auto asked = asked_again.find(object.place);
      if (asked == asked_again.end() || object.needs.empty()) return false;
      const Numbers before = object.needs;
      const bool is_met = find_needs_of_all(object, std::move(asked->second));
      finds_else = finds_else || !is_met || object.needs != before;
      return !is_met;
    });
    if (finds_else) put_in_order();
    return finds_else;
  }

 private:
  [[nodiscard]] bool stops() const noexcept { return budget_.used_up() || needs_too_much_; }

  void look_at(std::size_t place) {
    const RunningObject& running = objects_[place];
    if (!budget_.spend(steps_.of(running.request.object))) return;
    DecisionTrace trace{.watched = System::scheduling_policy};
    const Decision decision = EngineAccess::decide(engine_, running.request, trace);
    if (decision.allowed && decision.steps.empty()) return;
    JudgedObject object{.place = place,
                        .account = account_of(running.request.object),
                        .owner = owner_of(running.owner),
                        .writer = EngineAccess::of(engine_)->writer_of(running.request)};
    const std::size_t subject = found_.accounts[object.account].subject;
    found_.origins[place] = {object.owner, subject};
    insert_number(found_.owners_of_subject[subject], object.owner);
    if (decision.allowed || add_needs(object, trace, decision))
      found_.objects.push_back(std::move(object));
  }

  bool look_again_at(JudgedObject& object, const Engine& engine) {
    const Request& request = objects_[object.place].request;
    if (!budget_.spend(steps_.of(request.object))) return true;
    DecisionTrace trace{.watched = System::scheduling_policy};
    const Decision decision = EngineAccess::decide(engine, request, trace);
    return decision.allowed || add_needs(object, trace, decision);
  }

  /// Of a denial. False where nothing is granted to the object, which is told.
  bool add_needs(JudgedObject& object, DecisionTrace& trace, const Decision& denial) {
    const std::vector<Violation>& violations = denial.steps.back().violations;
    const bool is_of_policies = denial.steps.back().step.system == System::scheduling_policy &&
                                schedpol::detail::all_of(violations, is_of_permission);
    std::string_view reason = "no permission is missing";
    if (is_of_policies) {
      const std::size_t before = object.needs.size();
      object.questions.push_back(std::move(trace.questions.back().object));
      reason = add_needs_of(object, object.questions.back());
      // A policy without entries is none that anybody writes.
      if (reason.empty() && object.needs.size() == before && !stops())
        reason = "it needs a policy, and nothing in it";
    }
    return is_met(object, reason, violations);
  }

  /// By all questions about it in their order, whatever was found before. The same.
  bool find_needs_of_all(JudgedObject& object, std::vector<Pod>&& questions) {
    object.questions = std::move(questions);
    object.needs.clear();
    std::string_view reason;
    for (const Pod& question : object.questions)
      if (reason.empty() && !stops()) reason = add_needs_of(object, question);
    std::sort(object.needs.begin(), object.needs.end());
    return is_met(object, reason, {});
  }

  /// Unless there is a reason that it is not, which is told.
  bool is_met(const JudgedObject& object, std::string_view reason,
              const std::vector<Violation>& violations) {
    if (reason.empty()) count_needs(object);
    if (reason.empty() || stops()) return true;
    const RunningObject& running = objects_[object.place];
    found_.unmet.insert(object.place);
    (reason == hidden || reason == hidden_by_others ? found_.undecided : found_.unsatisfiable)
        .push_back({running.owner, running.pods, std::string(reason), violations});
    return false;
  }

  /// Of the subject of an object.
  void count_needs(const JudgedObject& object) {
    const std::size_t subject = found_.accounts[object.account].subject;
    std::set<std::size_t>& needs = needs_of_[subject];
    needs.insert(object.needs.begin(), object.needs.end());
    if (needs.size() > max_suggested_entries) needs_too_much_ = found_.subjects[subject];
  }

  /// Of a denial that a permission may help.
  static bool is_of_permission(const Violation& violation) {
    bool is_of_row = violation.code == ViolationCode::no_usable_policy;
    scheduling_policy::for_each_row([&](const auto& row) {
      is_of_row = is_of_row || violation.code == row.codes.not_permitted ||
                  violation.code == row.codes.missing;
    });
    return is_of_row;
  }

  static constexpr std::string_view hidden =
      "a policy that it may use already would hide another one";
  static constexpr std::string_view hidden_by_others =
      "it may use every policy, and those of others would hide one for it";

  /// Of one question about it. Why it is not helped by them; empty where it is.
  std::string_view add_needs_of(JudgedObject& object, const Pod& question) {
    const RunningAccount& account = found_.accounts[object.account];
    if (account.subject == found_.unbound && !adds_up()) return hidden_by_others;
    EffectivePolicy effective = account.usable->effective;
    if (!object.needs.empty()) {
      effective = with_needs(object);
    } else if (effective.policies().empty()) {
      // Nothing is told of a pod without any policy, and one of no entries denies all that there
      // is.
      const std::vector<SchedulingPolicy> nothing = {{.metadata = {.name = "~"}}};
      effective = judge_.merged(nothing);
    }
    for (int round = 0; round < most_rounds; ++round) {
      const std::size_t so_far = object.needs.size();
      bool can_say = true;
      bool is_hidden = false;
      scheduling_policy::detail::MissingPermissions listener([&](PolicySection&& section) {
        if (object.needs.size() > max_needs_of_object) return;
        is_hidden = is_hidden || hides(account.usable->effective, section);
        const auto number = found_.entries.number_of(std::move(section));
        can_say = can_say && number;
        if (number) insert_number(object.needs, *number);
      });
      judge_.judge(question, object.writer, effective, listener);
      if (object.needs.size() > max_needs_of_object)
        return "it asks for too many things that nothing permits";
      if (listener.lacks_requirement()) return "a requirement is not met";
      if (!can_say) return "it asks for what no valid policy can permit";
      if (is_hidden) return hidden;
      if (!listener.denies()) break;
      if (stops()) break;
      if (object.needs.size() == so_far) return "no entry permits it";
      effective = with_needs(object);
    }
    return "";
  }

  [[nodiscard]] EffectivePolicy with_needs(const JudgedObject& object) const {
    return judge_.with(found_.accounts[object.account], found_.entries.section_of(object.needs),
                       object.needs.size());
  }

  /// Whether a policy that is there says something of a field, and so hides what another one says.
  [[nodiscard]] bool hides(const EffectivePolicy& there, const PolicySection& section) const {
    if (adds_up() || there.policies().empty()) return false;
    if (settings_.strategy != scheduling_policy::MergeStrategy::simple_merge) return true;
    bool is_hidden = false;
    scheduling_policy::for_each_section_field([&](const auto& row) {
      is_hidden = is_hidden || (!(section.*row.rules).is_absent() &&
                                !(there.spec().allowed.*row.rules).is_absent());
    });
    return is_hidden;
  }

  /// Whether no policy hides another one.
  [[nodiscard]] bool adds_up() const noexcept {
    return settings_.strategy == scheduling_policy::MergeStrategy::smart_deep_merge;
  }

  void put_in_order() {
    const std::vector<std::size_t> renumbered = found_.entries.put_in_order();
    for (JudgedObject& object : found_.objects) {
      for (std::size_t& number : object.needs) number = renumbered[number];
      std::sort(object.needs.begin(), object.needs.end());
    }
  }

  std::size_t account_of(const Pod& pod) {
    const std::string in(namespace_of(pod.metadata));
    const std::string name(rbac::account_of(pod));
    const auto [found, is_new] =
        account_numbers_.try_emplace(std::pair(in, name), found_.accounts.size());
    if (is_new) {
      RunningAccount account{.namespace_ = in, .name = name, .usable = usable_by(pod)};
      account.subject = subject_of(account);
      found_.accounts.push_back(std::move(account));
    }
    return found->second;
  }
  /// Accounts of one grant share what they may use.
  Shared<UsablePolicies> usable_by(const Pod& pod) {
    const rbac::Grant grant = judge_.system().grants().granted(pod);
    const auto [found, is_new] = usable_.try_emplace({grant.all, grant.names});
    if (is_new) found->second = Shared<UsablePolicies>(judge_.usable(grant));
    return found->second;
  }
  std::size_t subject_of(const RunningAccount& account) {
    GrantedSubject subject;
    if (!account.usable->are_all) {
      subject.namespace_ = account.namespace_;
      if (options_.subject == SuggestedSubject::service_account) subject.account = account.name;
    }
    const auto [found, is_new] = subject_numbers_.try_emplace(subject, found_.subjects.size());
    if (is_new) {
      if (account.usable->are_all && settings_.policy_use == PolicyUse::rbac)
        found_.unbound = found_.subjects.size();
      found_.subjects.push_back(std::move(subject));
      found_.owners_of_subject.emplace_back();
    }
    return found->second;
  }
  std::size_t owner_of(const Owner& owner) {
    const auto [found, is_new] = owner_numbers_.try_emplace(
        {owner.namespace_, owner.kind, owner.name}, found_.owners.size());
    if (is_new) found_.owners.push_back(owner);
    return found->second;
  }

  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  /// What stands in a kind of affinity is only told once something of the kind is permitted.
  static constexpr int most_rounds = 8;

  const Engine& engine_;
  const Settings& settings_;
  const SuggestOptions& options_;
  std::span<const RunningObject> objects_;
  SchedulingJudge judge_;
  Budget& budget_;
  DecisionSteps steps_;
  NeededPermissions found_;
  std::map<std::size_t, std::set<std::size_t>> needs_of_;  ///< of each subject
  std::optional<GrantedSubject> needs_too_much_;
  std::map<std::pair<bool, std::vector<std::string>>, Shared<UsablePolicies>>
      usable_;  ///< by what is granted
  std::map<std::pair<std::string, std::string>, std::size_t> account_numbers_;
  std::map<GrantedSubject, std::size_t> subject_numbers_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> owner_numbers_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
