// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The rules of `validation.hpp`, one function each, for validating an object that has such a part.
/// Each adds errors to `errors`, with paths below the path that it is given.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/impl/selector_rules.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/toleration.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// Of labels, where nothing else is said.
void validate_selector(FieldErrors& errors, const PathBuilder& place, const LabelSelector& selector,
                       SelectedValues selected = SelectedValues::labels);

/// The metadata of an object: a name, which is a subdomain, and a namespace that is not too long.
void validate_metadata(FieldErrors& errors, const PathBuilder& place, const ObjectMeta& metadata);

/// The same of an object of a kind that stands in no namespace, and so has none.
void validate_cluster_metadata(FieldErrors& errors, const PathBuilder& place, std::string_view kind,
                               const ObjectMeta& metadata);

/// A text that has at most so many bytes.
void validate_length(FieldErrors& errors, const PathBuilder& place, std::string_view text,
                     std::size_t most);

/// The name of an object, which is a subdomain; empty where nothing is named.
void validate_name(FieldErrors& errors, const PathBuilder& place, std::string_view name);

void validate_toleration(FieldErrors& errors, const PathBuilder& place,
                         const Toleration& toleration);
void validate_tolerations(FieldErrors& errors, const PathBuilder& place,
                          std::span<const Toleration> tolerations);

void validate_affinity(FieldErrors& errors, const PathBuilder& place, const Affinity& affinity);

/// Adds what was found wrong with a policy, naming it.
void add_of_policy(FieldErrors& errors, std::string_view policy, std::vector<FieldError> found);

/// The matcher of a policy's selector. What is wrong with it goes to `errors`, naming the policy,
/// and it then selects nothing.
[[nodiscard]] LabelMatcher compile_for(std::string_view policy,
                                       const std::optional<LabelSelector>& selector,
                                       const PathBuilder& place, FieldErrors& errors,
                                       SelectedValues selected = SelectedValues::labels);

}  // namespace SCHEDPOL_NAMESPACE::detail

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/validators.ipp>
#endif
