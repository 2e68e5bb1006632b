// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything of schedpol's insight, compiled: the one translation unit of a program that includes
/// this defines what the others, with SCHEDPOL_COMPILED defined, only declare.

#include <schedpol/impl/linkage.hpp>  // the bodies are not inline

#include <schedpol/insight.hpp>

#include <schedpol/insight/impl/adviser.ipp>
#include <schedpol/insight/impl/analyze.ipp>
#include <schedpol/insight/impl/analyze_rbac.ipp>
#include <schedpol/insight/impl/analyze_runtime_classes.ipp>
#include <schedpol/insight/impl/compare.ipp>
#include <schedpol/insight/impl/differences.ipp>
#include <schedpol/insight/impl/explain.ipp>
#include <schedpol/insight/impl/finding.ipp>
#include <schedpol/insight/impl/impact.ipp>
#include <schedpol/insight/impl/nearest_fix.ipp>
#include <schedpol/insight/impl/suggest.ipp>
