// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The variables of the admission policies: what they look at in the pod, or the pod template, of a request,
/// and what there was before an update. One that nothing asks for is left out.

#include "model.hpp"

#include <set>
#include <string>
#include <string_view>

namespace cli {

/// Whether a variable is of the object as it is to be, or as it was.
enum class Of { object, old };

/// Those of an object that policies look at.
inline constexpr std::string_view looked_at[] = {
    "schedulerName",        "nodeName",        "priorityClassName",        "nodeSelector",
    "tolerations",          "nodeTerms",       "preferredNodeTerms",       "podAffinity",
    "preferredPodAffinity", "podAntiAffinity", "preferredPodAntiAffinity", "runtimeClassName",
    "schedulingGates",      "resourceClaims",  "topologySpreadConstraints"};

/// `variables.tolerations`, `variables.oldTolerations`.
[[nodiscard]] std::string variable(std::string_view name, Of of = Of::object);

/// The pod spec of an object, `object` or `oldObject`, by the kind of the request; empty where it has none.
/// For match conditions too, which have no variables.
[[nodiscard]] std::string pod_spec_of(std::string_view object);
/// The pod template of a workload, in the same way.
[[nodiscard]] std::string pod_template_of(std::string_view object);

/// The service account of a pod spec.
[[nodiscard]] std::string account_name_of(const std::string& pod_spec);
/// The service account of a pod spec in the namespace of the request, `NAMESPACE/NAME`.
[[nodiscard]] std::string account_of(const std::string& pod_spec);

/// All variables. `old_counts`: a condition that holds of an update whose old object is judged by the same
/// policies.
[[nodiscard]] std::vector<Variable> all_variables(const schedpol::engine::Settings& settings,
                                                  const std::string& old_counts);

/// Which of them some expressions use, by way of others too.
[[nodiscard]] std::set<std::string, std::less<>> used_by(
    const std::vector<Variable>& variables, const std::vector<std::string_view>& expressions);

/// Leaves out those that no expression uses.
void keep_used(Rules& rules);

}  // namespace cli
