// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Labels, and Kubernetes' other maps from text to text (annotations, nodeSelector). `validation.hpp`
/// says which keys and values are valid.

#include <schedpol/base/text_map.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Labels or annotations, by key.
using Labels = TextMap<std::string>;

/// The value of a label, or null if there is no such label. A label may have an empty value.
[[nodiscard]] const std::string* find_label(const Labels& labels, std::string_view key) noexcept;
const std::string* find_label(const Labels&& labels, std::string_view key) = delete;

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/labels.ipp>
#endif
