// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A file of cases: objects, and what is expected of the decisions on them.
///
///     apiVersion: schedpol.io/v1alpha1
///     kind: PolicyTest
///     policies: [policies/]
///     objects: {web: {file: web.yaml}}
///     cases:
///     - name: the gpu pool is not for the shop
///       object: web
///       with: {spec.template.spec.tolerations: [{key: gpu, operator: Exists}]}
///       namespace: shop
///       expect:
///         allowed: false
///         reasons: [{code: TolerationNotAllowed, field: "spec.template.spec.tolerations[0]"}]
///
/// 1. Files and folders are named from where the file of cases stands.
/// 2. `objects` have names: `{file: F}` is the one object in a file, of several the one of this
///    `kind` and `name`; anything else is the object itself. A case names one of them as its
///    `object`, or writes it; `old`, written alike, makes it an update.
/// 3. `with` replaces fields of the object, each by its path: those that a decision looks at.
///    `namespace` stands in for that of the metadata.
/// 4. `expect.reasons` are those of a denial, `expect.warnings` those of systems in mode Warn:
///    `code`, `field` and `policy`, of which each that is given has to match. Every listed one has to
///    occur and, unless `moreReasons` is true, no other may. A list that is absent is not compared.
///    `expect.lookedAt: false` says that no system that runs decides on the object: then it is neither
///    allowed nor denied.
/// 5. `expect.changes` have `field`, `from`, `to` and `policy`. Every listed one has to occur, others
///    may; an empty list says that nothing is changed.
/// 6. With `replicas` and the file of `nodes` it is planned where the replicas go; `expect.units` are
///    how many go to each unit of the ResourcePolicy.
/// 7. With `before`, files and folders of other policies, `expect.relation` lists what may become of
///    the pods that are allowed: Equivalent, Stricter, Looser, Incomparable.
///
/// An unknown member, policy, field or code is an error, because a misspelt expectation would expect
/// nothing.

#include "case_reader.hpp"
#include "input.hpp"
#include "policies.hpp"

#include <schedpol/core/admission.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

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
  std::optional<bool> looked_at{};
  std::optional<std::vector<Reason>> reasons{};
  bool more_reasons = false;
  std::optional<std::vector<ExpectedChange>> changes{};
  std::optional<std::vector<Reason>> warnings{};
  std::optional<std::vector<std::int64_t>> units{};
  std::optional<std::vector<std::string>> relation{};
};

struct Case {
  std::string name{};
  std::string namespace_{};
  Expectation expect{};
  std::string object{};  ///< JSON, with what replaces parts of it; empty: there is none
  std::string old{};
  std::int64_t replicas = 0;
  std::string nodes{};
  std::vector<std::string> before{};
  schedpol::FieldPath path{};  ///< in its file
};

/// One document of kind PolicyTest.
struct CaseFile {
  Source source{};
  PolicySet policies{};
  std::vector<Case> cases{};
  std::vector<Finding> warnings{};  ///< of the objects, wherever they are written
};

/// The files of cases, with their policies and objects. What is wrong with one is a problem.
[[nodiscard]] std::vector<CaseFile> read_cases(const std::vector<std::string>& paths,
                                               Selection& selection, Problems& problems);

}  // namespace cli
