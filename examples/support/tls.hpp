// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The server's side of TLS 1.2 and 1.3: a certificate that is renewed while the server runs, and
/// the bytes of one connection. No session is kept, and an idle connection holds no buffers.

#include <openssl/ssl.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace support {

/// A certificate and its key, of two files.
class Certificate {
 public:
  Certificate(std::filesystem::path certificate, std::filesystem::path key)
      : certificate_(std::move(certificate)), key_(std::move(key)) {}

  enum class Reload { unchanged, renewed, refused };
  /// Takes in the files if they are others than last time. A pair that is none is refused, for the
  /// reason in `error`, and the one before stays. To be called by one thread.
  Reload reload(std::string& error);

  /// For new connections; those that have one keep it. Null before the first good pair.
  [[nodiscard]] std::shared_ptr<SSL_CTX> context() const;

  /// When it expires, in seconds of Unix time; 0 before the first good pair.
  [[nodiscard]] double not_after() const;

 private:
  const std::filesystem::path certificate_;
  const std::filesystem::path key_;
  std::optional<std::pair<std::optional<std::string>, std::optional<std::string>>> seen_;
  mutable std::mutex mutex_;
  std::shared_ptr<SSL_CTX> context_;
  double not_after_ = 0;
};

/// What became of a step that does not wait.
enum class Io {
  done,
  wait_to_read,   ///< again when the socket can be read
  wait_to_write,  ///< again when it can be written
  ended,          ///< the other side has closed, cleanly
  failed,
};

struct Moved {
  Io io = Io::failed;
  std::size_t bytes = 0;
};

/// The bytes of one connection over a socket that does not block, with TLS or without.
class Transport {
 public:
  explicit Transport(int socket) : socket_(socket) {}

  /// Begins TLS by this certificate.
  [[nodiscard]] bool use_tls(SSL_CTX& context);

  /// Done at once without TLS.
  [[nodiscard]] Io shake_hands();
  [[nodiscard]] Moved read(char* to, std::size_t size);
  [[nodiscard]] Moved write(const char* from, std::size_t size);

  /// Tells the other side that nothing more is written. What it still sends is read by `discard`.
  void finish();
  [[nodiscard]] Moved discard(char* to, std::size_t size) const;

 private:
  struct Free {
    void operator()(SSL* connection) const { SSL_free(connection); }
  };

  [[nodiscard]] Io reason_of(int result);

  int socket_;
  std::unique_ptr<SSL, Free> tls_;
  bool broken_ = false;  ///< nothing more may be said by TLS
};

}  // namespace support
