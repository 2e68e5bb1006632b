// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The bodies of everything in `cluster/`, for the one translation unit of a program that is built
/// with `SCHEDPOL_COMPILED`. The bodies of the rest are in `schedpol/impl/src.hpp`.

#if !defined(SCHEDPOL_COMPILED)
#error "schedpol/cluster/impl/src.hpp is for programs that are built with SCHEDPOL_COMPILED"
#endif

#include <schedpol/cluster/impl/assume_cache.ipp>
#include <schedpol/cluster/impl/bound_pods.ipp>
#include <schedpol/cluster/impl/cluster.ipp>
#include <schedpol/cluster/impl/node_scores.ipp>
#include <schedpol/cluster/impl/node_set.ipp>
#include <schedpol/cluster/impl/node_table.ipp>
#include <schedpol/cluster/impl/plan.ipp>
