// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Syntax of names, label keys and label values (apimachinery, `util/validation`). Each function
/// returns one entry for each broken rule, and nothing if the text is well formed. The limits are
/// those of `core/limits.hpp`.

#include <schedpol/version.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {

/// A DNS-1123 subdomain: the names of most objects, and the prefix of a label key. At most
/// `max_subdomain_bytes`; lower-case alphanumerics, `-` and `.`, alphanumeric around each dot and
/// at both ends.
[[nodiscard]] std::vector<std::string> subdomain_problems(std::string_view text);

/// A DNS-1123 label: the names of namespaces. At most `max_label_name_bytes`; lower-case
/// alphanumerics and `-`, alphanumeric at both ends.
[[nodiscard]] std::vector<std::string> dns_label_problems(std::string_view text);

/// A label key: a name of at most `max_label_name_bytes` alphanumerics, dashes, dots and
/// underscores, alphanumeric at both ends, after an optional subdomain and a slash.
[[nodiscard]] std::vector<std::string> label_key_problems(std::string_view key);

/// A label value: empty, or like the name of a key, of at most `max_label_value_bytes`.
[[nodiscard]] std::vector<std::string> label_value_problems(std::string_view value);

}  // namespace SCHEDPOL_NAMESPACE::detail

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/syntax.ipp>
#endif
