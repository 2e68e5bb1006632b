// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How the bodies in `impl/*.ipp` are defined. By default every header brings its bodies along, as
/// inline functions. With `SCHEDPOL_COMPILED` headers only declare, and one translation unit of the
/// program includes `<schedpol/impl/src.hpp>`, and those of `insight/` and `json/` where it uses them.

#if defined(SCHEDPOL_COMPILED)
#define SCHEDPOL_INLINE
#else
#define SCHEDPOL_INLINE inline
#endif
