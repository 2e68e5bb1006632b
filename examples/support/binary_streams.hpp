// SPDX-License-Identifier: Apache-2.0
#pragma once

/// stdin and stdout as the bytes that they are. Windows would end each line with another byte, and
/// take one for the end of what is read.

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

namespace support {

inline void use_binary_streams() {
#if defined(_WIN32)
  _setmode(0, _O_BINARY);
  _setmode(1, _O_BINARY);
#endif
}

}  // namespace support
