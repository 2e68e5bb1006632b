// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How the bodies in `impl/*.ipp` are defined. By default every header brings its bodies along, as
/// inline functions. With `SCHEDPOL_COMPILED` headers only declare, and one translation unit of the
/// program includes `<schedpol/impl/src.hpp>`, and those of `cluster/`, `insight/` and
/// `json/` where it uses them.
/// An object that has lists in it is copied by its constructor (`to = Pod(from)`), never by assignment,
/// for which g++ compiles the assignment of every list in it.
/// A virtual function says so where its class declares it, too: for a class with one that is not
/// inline there, g++ compiles all of them in every unit that includes the header.

#if defined(SCHEDPOL_COMPILED)
#define SCHEDPOL_INLINE
#else
#define SCHEDPOL_INLINE inline
#endif
