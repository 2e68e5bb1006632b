// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All types that `decode` reads and `encode` writes: a file for each system. They come after the
/// bodies of both, because where the library is compiled these files have them compiled.

#include <schedpol/json/impl/decode.ipp>
#include <schedpol/json/impl/encode.ipp>
#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/json/impl/schema/metadata_policy.hpp>
#include <schedpol/json/impl/schema/pod_scheduling_policy.hpp>
#include <schedpol/json/impl/schema/rbac.hpp>
#include <schedpol/json/impl/schema/resource_policy.hpp>
#include <schedpol/json/impl/schema/runtime_class.hpp>
#include <schedpol/json/impl/schema/scheduling_policy.hpp>
