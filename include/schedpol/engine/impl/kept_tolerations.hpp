// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Puts back tolerations that a pod got when it was created and that an update lacks. A client that applies
/// its manifest again lists only its own tolerations, and the API server lets nobody remove one from a
/// pod. Source: Kubernetes, `pkg/apis/core/validation`, ValidatePodUpdate.

#include <schedpol/base/impl/text_key.hpp>
#include <schedpol/core/admission.hpp>
#include <schedpol/core/impl/default_toleration_seconds.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// What tells tolerations apart on an update, which may change their tolerationSeconds.
[[nodiscard]] inline std::string identity_of(const Toleration& toleration) {
  schedpol::detail::TextKey key;
  key.add(toleration.key).add(toleration.operator_.text());
  key.add(toleration.value).add(toleration.effect.text());
  return std::move(key).text();
}

/// The places of tolerations in their list by what tells them apart, of equal ones the first.
using PlacesByIdentity = std::map<std::string, std::size_t, std::less<>>;

/// Those of the tolerations of the old pod that the updated one lacks, or that the API server has
/// put the usual one of DefaultTolerationSeconds in the place of.
[[nodiscard]] inline PlacesByIdentity lost_tolerations(const Pod& old, const Pod& updated) {
  PlacesByIdentity lost;
  for (std::size_t i = 0; i < old.spec.tolerations.size(); ++i)
    lost.try_emplace(identity_of(old.spec.tolerations[i]), i);
  for (const Toleration& toleration : updated.spec.tolerations) {
    const auto found = lost.find(identity_of(toleration));
    if (found == lost.end() ||
        schedpol::detail::replaces(old.spec.tolerations[found->second], toleration))
      continue;
    lost.erase(found);
  }
  return lost;
}

/// Gives those of them back that `created` was given, which is what the update would be as a new
/// pod.
inline void put_back(PlacesByIdentity lost, const Pod& old, const Admission& created,
                     Admission& updated) {
  const FieldPath list{"spec", "tolerations"};
  std::vector<Toleration>& tolerations = updated.pod.spec.tolerations;
  for (std::size_t i = 0; i < created.pod.spec.tolerations.size() && !lost.empty(); ++i) {
    const auto found = lost.find(identity_of(created.pod.spec.tolerations[i]));
    if (found == lost.end()) continue;
    const Toleration& toleration = old.spec.tolerations[found->second];
    const FieldPath place = list.index(i);
    Change change;
    for (const Change& injected : created.changes)
      if (injected.field == place) change = injected;
    const auto there = std::find_if(
        tolerations.begin(), tolerations.end(),
        [&](const Toleration& each) { return schedpol::detail::replaces(toleration, each); });
    change.field = list.index(static_cast<std::size_t>(there - tolerations.begin()));
    if (change.to) change.to = to_string(toleration);
    updated.changes.push_back(std::move(change));
    if (there == tolerations.end()) {
      tolerations.push_back(toleration);
    } else {
      *there = toleration;
    }
    lost.erase(found);
  }
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
