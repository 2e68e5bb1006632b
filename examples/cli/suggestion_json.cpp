// SPDX-License-Identifier: Apache-2.0
#include "suggestion_json.hpp"

#include "report.hpp"

#include <schedpol/json/encode.hpp>

#include <utility>
#include <vector>

namespace cli {

namespace {

namespace engine = schedpol::engine;
using schedpol::json::encode;
using Members = std::vector<std::pair<std::string, std::string>>;

/// A list, an item a line.
class JsonList {
 public:
  void add(const std::string& json) { text_ += (text_.empty() ? "\n" : ",\n") + json; }
  template <class T, class F>
  JsonList& add_each(const std::vector<T>& all, F&& json_of) {
    for (const T& each : all) add(json_of(each));
    return *this;
  }
  [[nodiscard]] std::string text() const { return "[" + text_ + "]"; }

 private:
  std::string text_;
};
template <class T, class F>
std::string list_of(const std::vector<T>& all, F&& json_of) {
  return JsonList().add_each(all, json_of).text();
}

std::string json_owner(const engine::Owner& owner) {
  return json_object({{"kind", json_text(owner.kind)},
                      {"namespace", json_text(owner.namespace_)},
                      {"name", json_text(owner.name)}});
}

std::string json_count(const engine::OpenedCount& opened) {
  return json_object(
      {{"count", std::to_string(opened.count)}, {"all", std::to_string(opened.all)}});
}

std::string json_entry(const engine::SuggestedEntry& entry) {
  Members members = {{"policy", json_text(entry.policy)},
                     {"entry", json_text(to_string(entry.entry))},
                     {"value", json_text(entry.value)},
                     {"pods", std::to_string(entry.pods)},
                     {"others", std::to_string(entry.others)},
                     {"heard", std::to_string(entry.heard)},
                     {"accounts", std::to_string(entry.accounts)},
                     {"example", json_owner(entry.example)}};
  if (entry.nodes) members.emplace_back("nodes", json_count(*entry.nodes));
  if (entry.preempted) members.emplace_back("preempted", json_count(*entry.preempted));
  return json_object(members);
}

std::string json_need(const engine::UnmetNeed& need) {
  Members members = {{"owner", json_owner(need.owner)}, {"pods", std::to_string(need.pods)}};
  if (!need.reason.empty()) members.emplace_back("reason", json_text(need.reason));
  if (!need.violations.empty()) members.emplace_back("violations", encode(need.violations));
  return json_object(members);
}

}  // namespace

std::string json_proof(const engine::Proof& proof) {
  return json_object(
      {{"allowed", std::to_string(proof.allowed)},
       {"denied", list_of(proof.denied, json_need)},
       {"undecided", list_of(proof.undecided, json_need)},
       {"entries", std::to_string(proof.entries)},
       {"subjects", std::to_string(proof.subjects)},
       {"needlessEntries", list_of(proof.needless_entries,
                                   [](const auto& entry) {
                                     return json_object(
                                         {{"policy", json_text(entry.policy)},
                                          {"entry", json_text(to_string(entry.entry))}});
                                   })},
       {"needlessSubjects", list_of(proof.needless_subjects, [](const auto& subject) {
          return json_object({{"namespace", json_text(subject.namespace_)},
                              {"binding", json_text(subject.binding)},
                              {"subject", json_text(subject.subject)}});
        })}});
}

std::string json_suggestion(const engine::Suggestion& suggestion) {
  const engine::Objects& objects = suggestion.objects;
  const auto whole = [](const auto& object) { return encode(object); };
  JsonList bindings;
  bindings.add_each(objects.rbac.cluster_role_bindings, whole)
      .add_each(objects.rbac.role_bindings, whole);
  return json_object(
      {{"policies", list_of(objects.scheduling_policies, whole)},
       {"roles", list_of(objects.rbac.cluster_roles, whole)},
       {"bindings", bindings.text()},
       {"entries", list_of(suggestion.entries, json_entry)},
       {"undecided", list_of(suggestion.undecided, json_need)},
       {"unsatisfiable", list_of(suggestion.unsatisfiable, json_need)},
       {"excess", std::to_string(suggestion.excess)},
       {"fragile", json_object({{"owners", std::to_string(suggestion.fragile.owners)},
                                {"denied", std::to_string(suggestion.fragile.denied)}})},
       {"proof", json_proof(suggestion.proof)}});
}

}  // namespace cli
