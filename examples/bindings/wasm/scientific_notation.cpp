// SPDX-License-Identifier: Apache-2.0
// What the linker takes (--wrap) for the part of libc++ that writes numbers in fixed notation, so
// that its tables are left out: nothing in the module asks for that notation.
#include <cstdint>

extern "C" char* __wrap__ZNSt3__220__d2fixed_buffered_nEPcS0_dj(char*, char*, double,
                                                                std::uint32_t) {
  __builtin_trap();
}
