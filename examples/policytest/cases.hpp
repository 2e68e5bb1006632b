// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The cases of a file: an object each, and what is expected of the decision on it.
///
///     {"cases": [{"name": "the web gets its scheduler", "namespace": "shop",
///                 "pod": {"metadata": {"name": "web"}, "spec": {}},
///                 "expect": {"allowed": true,
///                            "changes": [{"field": "spec.schedulerName", "to": "web"}]}}]}
///
/// 1. `pod` is a Pod or a workload with a pod template. `old`, of the same kind, makes it an
///    update. `namespace` stands in for that of the metadata.
/// 2. `reasons` are those of a denial, `warnings` those of the systems in mode Warn: `code`,
///    `field` and `policy`, of which each that is given has to match. Every listed one has to
///    occur and, unless `moreReasons` is true, no other may. A list that is absent is not compared.
/// 3. `changes` have `field`, `from`, `to` and `policy`. Every listed one has to occur, others may;
///    an empty list says that nothing is changed.
/// An unknown member is an error, because a misspelt expectation would expect nothing; but in `pod`
/// and `old` there is much that does not matter here.

#include "case_reader.hpp"

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/text.hpp>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace policytest {

struct Reason {
  std::optional<schedpol::ViolationCode> code{};
  std::optional<std::string> field{};
  std::optional<std::string> policy{};

  friend bool operator==(const Reason&, const Reason&) = default;
};

struct ExpectedChange {
  std::optional<std::string> field{};
  std::optional<std::string> from{};
  std::optional<std::string> to{};
  std::optional<std::string> policy{};

  friend bool operator==(const ExpectedChange&, const ExpectedChange&) = default;
};

struct Expectation {
  std::optional<bool> allowed{};
  std::optional<std::vector<Reason>> reasons{};
  bool more_reasons = false;
  std::optional<std::vector<ExpectedChange>> changes{};
  std::optional<std::vector<Reason>> warnings{};
};

struct Case {
  std::string name{};
  std::string namespace_{};
  Expectation expect{};
  std::optional<schedpol::Pod> pod{};
  std::optional<schedpol::Pod> old{};
};

// What the members of each are called. A member that none of these names is an error.

inline void read_members(CaseReader& reader, const CaseReader::Object& from, Reason& into) {
  reader.members(from, {"code", "field", "policy"});
  reader.read(from, "code", into.code);
  reader.read(from, "field", into.field);
  reader.read(from, "policy", into.policy);
}
inline void read_members(CaseReader& reader, const CaseReader::Object& from, ExpectedChange& into) {
  reader.members(from, {"field", "from", "to", "policy"});
  reader.read(from, "field", into.field);
  reader.read(from, "from", into.from);
  reader.read(from, "to", into.to);
  reader.read(from, "policy", into.policy);
}
inline void read_members(CaseReader& reader, const CaseReader::Object& from, Expectation& into) {
  reader.members(from, {"allowed", "reasons", "moreReasons", "changes", "warnings"});
  reader.read(from, "allowed", into.allowed);
  reader.read(from, "reasons", into.reasons);
  reader.read(from, "moreReasons", into.more_reasons);
  reader.read(from, "changes", into.changes);
  reader.read(from, "warnings", into.warnings);
}
inline void read_members(CaseReader& reader, const CaseReader::Object& from, Case& into) {
  reader.members(from, {"name", "namespace", "pod", "old", "expect"});
  reader.read(from, "name", into.name);
  reader.read(from, "namespace", into.namespace_);
  reader.read(from, "pod", into.pod);
  reader.read(from, "old", into.old);
  reader.read(from, "expect", into.expect);
}

/// Checks what reading does not, and puts the namespaces where the engine looks for them.
class CaseChecker {
 public:
  void check(Case& one, const schedpol::FieldPath& path) {
    if (one.name.empty()) {
      required(path.child("name"), "a case is told by its name");
    } else if (!names_.insert(one.name).second) {
      report(schedpol::ErrorType::duplicate, path.child("name"), one.name, "another case has it");
    }
    check_subject(one, path);
    check_expectation(one, path.child("expect"));
  }

  [[nodiscard]] std::vector<schedpol::FieldError> take_errors() && { return std::move(errors_); }

 private:
  void report(schedpol::ErrorType type, schedpol::FieldPath field, std::string value,
              std::string detail) {
    errors_.push_back({type, std::move(field), std::move(value), std::move(detail)});
  }
  void required(schedpol::FieldPath field, std::string why) {
    report(schedpol::ErrorType::required, std::move(field), "", std::move(why));
  }
  void forbidden(schedpol::FieldPath field, std::string why) {
    report(schedpol::ErrorType::forbidden, std::move(field), "", std::move(why));
  }

  void check_subject(Case& one, const schedpol::FieldPath& path) {
    if (!one.pod) return required(path.child("pod"), "there is nothing to decide on");
    if (one.old && one.old->kind != one.pod->kind) {
      report(schedpol::ErrorType::invalid, path.child("old").child("kind"),
             std::string(to_string(one.old->kind)), "is not the kind of the pod");
    }
    for (auto* object : {&one.pod, &one.old}) {
      if (!*object) continue;
      std::string& in = (*object)->metadata.namespace_;
      if (in.empty()) in = one.namespace_;
      if (!one.namespace_.empty() && in != one.namespace_) {
        report(schedpol::ErrorType::invalid, path.child("namespace"), one.namespace_,
               "the metadata says " + schedpol::in_backticks(in));
      }
    }
  }

  void check_expectation(const Case& one, const schedpol::FieldPath& path) {
    const Expectation& expect = one.expect;
    if (!expect.allowed) required(path.child("allowed"), "a case expects a decision");
    if (expect.allowed == true && expect.reasons && !expect.reasons->empty())
      forbidden(path.child("reasons"), "an allowed pod has none");
    if (expect.changes && !expect.changes->empty()) {
      if (expect.allowed == false) forbidden(path.child("changes"), "a denied pod has none");
      if (one.old) forbidden(path.child("changes"), "an update is never changed");
    }
    check_filled(path.child("reasons"), expect.reasons);
    check_filled(path.child("changes"), expect.changes);
    check_filled(path.child("warnings"), expect.warnings);
  }

  template <class T>
  void check_filled(const schedpol::FieldPath& path, const std::optional<std::vector<T>>& list) {
    for (std::size_t i = 0; list && i < list->size(); ++i) {
      if ((*list)[i] == T{}) required(path.index(i), "must say what is expected");
    }
  }

  std::set<std::string> names_;
  std::vector<schedpol::FieldError> errors_;
};

/// The cases of a file, or everything that is wrong with it.
[[nodiscard]] inline schedpol::Result<std::vector<Case>> read_cases(std::string_view bytes) {
  CaseReader reader;
  std::vector<Case> cases;
  if (const auto root = reader.parse(bytes)) {
    reader.members(*root, {"cases"});
    reader.read(*root, "cases", cases);
  }
  std::vector<schedpol::FieldError> errors = std::move(reader).take_errors();
  if (!errors.empty()) return errors;
  const schedpol::FieldPath path{"cases"};
  if (cases.empty()) {
    return std::vector<schedpol::FieldError>{
        {schedpol::ErrorType::required, path, "", "there is nothing to test"}};
  }
  CaseChecker checker;
  for (std::size_t i = 0; i < cases.size(); ++i) checker.check(cases[i], path.index(i));
  errors = std::move(checker).take_errors();
  if (!errors.empty()) return errors;
  return cases;
}

}  // namespace policytest
