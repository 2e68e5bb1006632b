// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Labels, and every other map from text to text of Kubernetes (annotations, nodeSelector). What may
/// stand in them is in `validation.hpp`.

#include <schedpol/base/text_map.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Labels or annotations, by key.
using Labels = TextMap<std::string>;

/// The value of a label, or null when there is none (a label with an empty value has one).
[[nodiscard]] const std::string* find_label(const Labels& labels, std::string_view key) noexcept;
const std::string* find_label(const Labels&& labels, std::string_view key) = delete;

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/labels.ipp>
#endif
