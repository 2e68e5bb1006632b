// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The bodies of everything in `json/`, for the one translation unit of a program that is built
/// with `SCHEDPOL_COMPILED`. The bodies of the rest are in `schedpol/impl/src.hpp`.

#if !defined(SCHEDPOL_COMPILED)
#error "schedpol/json/impl/src.hpp is for programs that are built with SCHEDPOL_COMPILED"
#endif

#include <schedpol/json/impl/apply_patch.ipp>
#include <schedpol/json/impl/decode.ipp>
#include <schedpol/json/impl/encode.ipp>
#include <schedpol/json/impl/evaluate.ipp>
#include <schedpol/json/impl/extend.ipp>
#include <schedpol/json/impl/patch_operation.ipp>
#include <schedpol/json/impl/review.ipp>
#include <schedpol/json/impl/templates.ipp>
