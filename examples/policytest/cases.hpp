// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The cases of a file: an object each, and what is expected of the decision on it.
///
///     {"cases": [{"name": "the web gets its scheduler", "namespace": "shop",
///                 "pod": {"metadata": {"name": "web"}, "spec": {}},
///                 "expect": {"allowed": true,
///                            "changes": [{"field": "spec.schedulerName", "to":
///                            "web-scheduler"}]}}]}
///
/// 1. `pod` is a Pod or a workload with a pod template. `old`, of the same kind, makes it an
/// update.
///    `namespace` stands in for that of the metadata.
/// 2. `reasons` are those of a denial, `warnings` those of the systems in mode Warn: `code`,
/// `field`
///    and `policy`, of which each that is given has to match. Every listed one has to occur and,
///    unless `moreReasons` is true, no other may. A list that is absent is not compared.
/// 3. `changes` have `field`, `from`, `to` and `policy`. Every listed one has to occur, others may;
///    an empty list says that nothing is changed.
/// An unknown member is an error, because a misspelt expectation would expect nothing; but in `pod`
/// and `old` there is much that does not matter here.

#include <schedpol/json/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
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

/// What a case decides on. Read apart from the rest, because its unknown members are ignored.
struct Subject {
  std::optional<schedpol::Pod> pod{};
  std::optional<schedpol::Pod> old{};
};
struct Subjects {
  std::vector<Subject> cases{};
};

struct Case {
  std::string name{};
  std::string namespace_{};
  Expectation expect{};
  Subject subject{};
};
struct Cases {
  std::vector<Case> cases{};
};

}  // namespace policytest

namespace schedpol::json::detail {

/// Every code there is: beyond the last one there is no text.
template <>
struct Words<ViolationCode> {
  static constexpr bool needed = true;
  static constexpr std::size_t count = [] {
    std::size_t n = 0;
    while (!to_string(static_cast<ViolationCode>(n)).empty()) ++n;
    return n;
  }();
  static constexpr std::array<ViolationCode, count> all = [] {
    std::array<ViolationCode, count> codes{};
    for (std::size_t i = 0; i < count; ++i) codes[i] = static_cast<ViolationCode>(i);
    return codes;
  }();
};

template <>
struct Schema<policytest::Reason> {
  using T = policytest::Reason;
  static constexpr auto fields =
      std::tuple(field("code", &T::code), field("field", &T::field), field("policy", &T::policy));
};

template <>
struct Schema<policytest::ExpectedChange> {
  using T = policytest::ExpectedChange;
  static constexpr auto fields = std::tuple(field("field", &T::field), field("from", &T::from),
                                            field("to", &T::to), field("policy", &T::policy));
};

template <>
struct Schema<policytest::Expectation> {
  using T = policytest::Expectation;
  static constexpr auto fields =
      std::tuple(field("allowed", &T::allowed), field("reasons", &T::reasons),
                 field("moreReasons", &T::more_reasons), field("changes", &T::changes),
                 field("warnings", &T::warnings));
};

template <>
struct Schema<policytest::Case> {
  using T = policytest::Case;
  static constexpr std::array<std::string_view, 2> ignored = {"pod", "old"};
  static constexpr auto fields = std::tuple(
      field("name", &T::name), field("namespace", &T::namespace_), field("expect", &T::expect));
};

template <>
struct Schema<policytest::Cases> {
  static constexpr auto unknown = Unknown::refuse;
  static constexpr auto fields = std::tuple(field("cases", &policytest::Cases::cases));
};

template <>
struct Schema<policytest::Subject> {
  using T = policytest::Subject;
  static constexpr auto fields = std::tuple(field("pod", &T::pod), field("old", &T::old));
};

template <>
struct Schema<policytest::Subjects> {
  static constexpr auto fields = std::tuple(field("cases", &policytest::Subjects::cases));
};

}  // namespace schedpol::json::detail

namespace policytest {

/// Checks what a schema cannot say, and puts the namespaces where the engine looks for them.
class CaseChecker {
 public:
  void check(Case& one, const std::string& path) {
    if (one.name.empty()) {
      required(path + ".name", "a case is told by its name");
    } else if (!names_.insert(one.name).second) {
      report(schedpol::ErrorType::duplicate, path + ".name", one.name, "another case has it");
    }
    check_subject(one, path);
    check_expectation(one, path + ".expect");
  }

  [[nodiscard]] std::vector<schedpol::FieldError> take_errors() && { return std::move(errors_); }

 private:
  void report(schedpol::ErrorType type, std::string field, std::string value, std::string detail) {
    errors_.push_back({type, std::move(field), std::move(value), std::move(detail)});
  }
  void required(std::string field, std::string why) {
    report(schedpol::ErrorType::required, std::move(field), "", std::move(why));
  }
  void forbidden(std::string field, std::string why) {
    report(schedpol::ErrorType::forbidden, std::move(field), "", std::move(why));
  }

  void check_subject(Case& one, const std::string& path) {
    auto& [pod, old] = one.subject;
    if (!pod) return required(path + ".pod", "there is nothing to decide on");
    if (old && old->kind != pod->kind) {
      report(schedpol::ErrorType::invalid, path + ".old.kind", std::string(to_string(old->kind)),
             "is not the kind of the pod");
    }
    for (auto* object : {&pod, &old}) {
      if (!*object) continue;
      std::string& in = (*object)->metadata.namespace_;
      if (in.empty()) in = one.namespace_;
      if (!one.namespace_.empty() && in != one.namespace_) {
        report(schedpol::ErrorType::invalid, path + ".namespace", one.namespace_,
               "the metadata says " + schedpol::in_backticks(in));
      }
    }
  }

  void check_expectation(const Case& one, const std::string& path) {
    const Expectation& expect = one.expect;
    if (!expect.allowed) required(path + ".allowed", "a case expects a decision");
    if (expect.allowed == true && expect.reasons && !expect.reasons->empty())
      forbidden(path + ".reasons", "an allowed pod has none");
    if (expect.changes && !expect.changes->empty()) {
      if (expect.allowed == false) forbidden(path + ".changes", "a denied pod has none");
      if (one.subject.old) forbidden(path + ".changes", "an update is never changed");
    }
    check_filled(path + ".reasons", expect.reasons);
    check_filled(path + ".changes", expect.changes);
    check_filled(path + ".warnings", expect.warnings);
  }

  template <class T>
  void check_filled(const std::string& path, const std::optional<std::vector<T>>& list) {
    for (std::size_t i = 0; list && i < list->size(); ++i) {
      if ((*list)[i] == T{})
        required(path + "[" + std::to_string(i) + "]", "must say what is expected");
    }
  }

  std::set<std::string> names_;
  std::vector<schedpol::FieldError> errors_;
};

/// The cases of a file, or everything that is wrong with it.
[[nodiscard]] inline schedpol::Result<std::vector<Case>> read_cases(std::string_view bytes) {
  auto read = schedpol::json::decode<Cases>(bytes);
  auto subjects = schedpol::json::decode<Subjects>(bytes);
  std::vector<schedpol::FieldError> errors = read.errors();
  for (const schedpol::FieldError& error : subjects.errors()) {
    if (std::find(errors.begin(), errors.end(), error) == errors.end()) errors.push_back(error);
  }
  if (!errors.empty()) return errors;
  std::vector<Case> cases = std::move((*read).cases);
  if (cases.empty()) {
    return std::vector<schedpol::FieldError>{
        {schedpol::ErrorType::required, "cases", "", "there is nothing to test"}};
  }
  CaseChecker checker;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].subject = std::move((*subjects).cases[i]);
    checker.check(cases[i], "cases[" + std::to_string(i) + "]");
  }
  errors = std::move(checker).take_errors();
  if (!errors.empty()) return errors;
  return cases;
}

}  // namespace policytest
