// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything of schedpol that decides, compiled: the one translation unit of a program that includes
/// this before anything else of schedpol holds the bodies of all functions, which headers only
/// declare where `SCHEDPOL_COMPILED` is defined.

#if !defined(SCHEDPOL_COMPILED)
#error "schedpol is compiled with SCHEDPOL_COMPILED defined, here and wherever it is used"
#endif

#include <schedpol/impl/linkage.hpp>  // the bodies are not inline

#undef SCHEDPOL_COMPILED  // and every header brings its own
#include <schedpol/schedpol.hpp>
#define SCHEDPOL_COMPILED
