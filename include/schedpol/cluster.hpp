// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a scheduler or a simulator asks of many nodes and pods, on top of `schedpol.hpp`. You do not
/// need this header to decide on pods.

#include <schedpol/cluster/assume_cache.hpp>
#include <schedpol/cluster/bound_pods.hpp>
#include <schedpol/cluster/cluster.hpp>
#include <schedpol/cluster/node_scores.hpp>
#include <schedpol/cluster/node_set.hpp>
#include <schedpol/cluster/node_table.hpp>
#include <schedpol/cluster/plan.hpp>
#include <schedpol/schedpol.hpp>
