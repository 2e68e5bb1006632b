// SPDX-License-Identifier: Apache-2.0
#pragma once

/// stdin, stdout and stderr as the bytes that they are. Windows would put another byte before the end
/// of each line, and take one for the end of what is read.

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

namespace support {

inline void use_binary_streams() {
#if defined(_WIN32)
  for (int stream = 0; stream <= 2; ++stream) _setmode(stream, _O_BINARY);
#endif
}

}  // namespace support
