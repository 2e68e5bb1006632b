// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Why a pod is allowed or denied, what would change that, and what is odd about a set of policies,
/// on top of `schedpol.hpp`. You do not need this header to decide on pods. Each function is in the
/// namespace of the system that it is about.

#include <schedpol/insight/adviser.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/insight/analyze_metadata_policies.hpp>
#include <schedpol/insight/analyze_pod_scheduling_policies.hpp>
#include <schedpol/insight/analyze_rbac.hpp>
#include <schedpol/insight/analyze_resource_policies.hpp>
#include <schedpol/insight/analyze_runtime_classes.hpp>
#include <schedpol/insight/analyze_scheduling_policies.hpp>
#include <schedpol/insight/compare.hpp>
#include <schedpol/insight/differences.hpp>
#include <schedpol/insight/explain.hpp>
#include <schedpol/insight/finding.hpp>
#include <schedpol/insight/impact.hpp>
#include <schedpol/insight/nearest_fix.hpp>
#include <schedpol/insight/suggest.hpp>
#include <schedpol/schedpol.hpp>
