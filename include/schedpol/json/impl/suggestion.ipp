// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/impl/values.hpp>
#include <schedpol/json/suggestion.hpp>

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

inline void write(Writer& out, const engine::Owner& owner) {
  ObjectWriter(out)
      .member("kind", owner.kind)
      .member("namespace", owner.namespace_)
      .member("name", owner.name);
}

inline void write(Writer& out, const engine::OpenedCount& opened) {
  ObjectWriter(out).member("count", opened.count).member("all", opened.all);
}

inline void write(Writer& out, const engine::SuggestedEntry& entry) {
  ObjectWriter written(out);
  written.member("policy", entry.policy)
      .member("entry", entry.entry)
      .member("value", entry.value)
      .member("pods", entry.pods)
      .member("others", entry.others)
      .member("accounts", entry.accounts)
      .member("example", entry.example);
  if (entry.heard != 0) written.member("heard", entry.heard);
  if (entry.nodes) written.member("nodes", *entry.nodes);
  if (entry.preempted) written.member("preempted", *entry.preempted);
}

inline void write(Writer& out, const engine::BoundSubject& subject) {
  ObjectWriter(out)
      .member("namespace", subject.namespace_)
      .member("binding", subject.binding)
      .member("subject", subject.subject);
}

/// Writes suggestions and proofs. What it wrote of violations counts for all of one document.
class SuggestionWriter {
 public:
  void write_members(ObjectWriter& out, const engine::Suggestion& suggestion) {
    const engine::Objects& objects = suggestion.objects;
    out.member("policies", objects.scheduling_policies).member("roles", objects.rbac.cluster_roles);
    {
      ListWriter bindings(out.key("bindings"));
      for (const auto& each : objects.rbac.cluster_role_bindings) write(bindings.item(), each);
      for (const auto& each : objects.rbac.role_bindings) write(bindings.item(), each);
    }
    out.member("entries", suggestion.entries);
    write_needs(out, "undecided", suggestion.undecided);
    write_needs(out, "unsatisfiable", suggestion.unsatisfiable);
    out.member("excess", suggestion.excess);
    ObjectWriter(out.key("fragile"))
        .member("owners", suggestion.fragile.owners)
        .member("denied", suggestion.fragile.denied);
    ObjectWriter proof(out.key("proof"));
    write_members(proof, suggestion.proof);
  }
  void write_members(ObjectWriter& out, const engine::Proof& proof) {
    out.member("allowed", proof.allowed);
    write_needs(out, "denied", proof.denied);
    write_needs(out, "undecided", proof.undecided);
    out.member("entries", proof.entries).member("subjects", proof.subjects);
    {
      ListWriter needless(out.key("needlessEntries"));
      for (const auto& each : proof.needless_entries)
        ObjectWriter(needless.item()).member("policy", each.policy).member("entry", each.entry);
    }
    out.member("needlessSubjects", proof.needless_subjects);
  }

 private:
  void write_needs(ObjectWriter& out, std::string_view name,
                   const std::vector<engine::UnmetNeed>& needs) {
    ListWriter list(out.key(name));
    for (const engine::UnmetNeed& need : needs) {
      ObjectWriter written(list.item());
      written.member("owner", need.owner).member("pods", need.pods);
      if (!need.reason.empty()) written.member("reason", need.reason);
      if (need.violations.empty()) continue;
      write_first(written, "violations", "moreViolations", need.violations, violations_left_);
      violations_left_ -= std::min(need.violations.size(), violations_left_);
    }
  }

  std::size_t violations_left_ = max_reported_violations;
};

template <class T>
std::string encode_alone(const T& value) {
  Writer out;
  {
    ObjectWriter written(out);
    SuggestionWriter().write_members(written, value);
  }
  return std::move(out).take();
}

}  // namespace detail

SCHEDPOL_INLINE std::string encode(const engine::Suggestion& suggestion) {
  return detail::encode_alone(suggestion);
}

SCHEDPOL_INLINE std::string encode(const engine::Proof& proof) {
  return detail::encode_alone(proof);
}

}  // namespace SCHEDPOL_NAMESPACE::json
