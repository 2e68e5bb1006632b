// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Findings as operations answer them: code, severity, policy, field, message, the policies where
/// they are two, and where there is one a witness, with its namespace.

#include <schedpol/core/limits.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/insight/finding.hpp>
#include <schedpol/json/impl/object_writer.hpp>
#include <schedpol/json/impl/schema/core.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json::detail {

inline void write_finding(ObjectWriter& object, const Finding& finding) {
  // What is said of all of them names none.
  std::optional<std::string> policy;
  if (!finding.policies.empty() && (finding.policies.size() == 1 || !finding.field.empty()))
    policy = finding.policies.vector()[0];
  object.member("code", to_string(finding.code))
      .member("severity", to_string(finding.severity))
      .member("policy", policy)
      .member("field", finding.field)
      .member("message", message(finding));
  if (finding.policies.size() == 2) object.member("policies", finding.policies);
  if (finding.witness) object.member("witness", *finding.witness);
  if (finding.namespace_) object.member("namespace", finding.namespace_->metadata);
}

inline void write(Writer& out, const Finding& finding) {
  ObjectWriter object(out);
  write_finding(object, finding);
}
inline void write(Writer& out, const engine::SystemFinding& finding) {
  ObjectWriter object(out);
  object.member("system", to_string(finding.system));
  write_finding(object, finding.finding);
}

/// The first ones, and how many more there are, if any.
template <class T>
void write_findings(ObjectWriter& result, const std::vector<T>& findings) {
  const std::size_t written = std::min(findings.size(), max_reported_violations);
  write(result.key("findings"), std::span(findings).first(written));
  if (written < findings.size()) result.member("moreFindings", findings.size() - written);
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
