// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Lists of tolerations as the taints they tolerate, whatever their spelling, decided exactly over
/// all taints that could be: of every key but the empty one, every value and the three effects.
///
/// 1. What one toleration tolerates is what `tolerates` says; an unknown effect tolerates no taint.
/// 2. A NoExecute taint is tolerated for as long as the longest of the tolerations that tolerate it
///    says, as `merge` reads them; `toleration_seconds` counts where NoExecute is named, and less
///    than zero is zero.

#include <schedpol/base/optional.hpp>
#include <schedpol/core/toleration.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Whether `a` together tolerate every taint that one of `b` tolerates, and for as long.
[[nodiscard]] bool covers(std::span<const Toleration> a, std::span<const Toleration> b);
[[nodiscard]] bool equivalent(std::span<const Toleration> a, std::span<const Toleration> b);

/// A taint that one of them tolerates; none where they tolerate nothing at all.
[[nodiscard]] Optional<Taint> witness(std::span<const Toleration> tolerations);

/// What tolerates the taints that both tolerate. None where that takes more than `max_tolerations`:
/// the numbers between a Gt and an Lt are listed one by one.
[[nodiscard]] Optional<std::vector<Toleration>> intersect(std::span<const Toleration> a,
                                                          std::span<const Toleration> b);

/// The smallest equivalent list, in order of first mention. Where none compares by Lt or Gt, no
/// list is shorter; where one does, nothing can be left out of it.
[[nodiscard]] std::vector<Toleration> smallest(std::span<const Toleration> tolerations);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/toleration_algebra.ipp>
#endif
