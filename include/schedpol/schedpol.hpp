// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything of schedpol but JSON: value types and pure functions on the standard library alone.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/affinity.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/name_order.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/node_table.hpp>
#include <schedpol/core/open_enum.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/qos.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/core/syntax.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/core/validation.hpp>
#include <schedpol/metadata_policy/metadata_policy.hpp>
#include <schedpol/pod_scheduling_policy/injection.hpp>
#include <schedpol/pod_scheduling_policy/pod_scheduling_policy.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>
#include <schedpol/rbac/builtin.hpp>
#include <schedpol/rbac/rbac.hpp>
#include <schedpol/resource_policy/counter.hpp>
#include <schedpol/resource_policy/plan.hpp>
#include <schedpol/resource_policy/policy.hpp>
#include <schedpol/runtime_class/runtime_class.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/check_update.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/lookup.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/pattern.hpp>
#include <schedpol/scheduling_policy/policy.hpp>
#include <schedpol/scheduling_policy/usable.hpp>
#include <schedpol/scheduling_policy/validate.hpp>
#include <schedpol/version.hpp>
