// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A server's certificate, and the CA of its clients', which are renewed while the server runs. TLS 1.2
/// and 1.3 are spoken; no session is kept.

#include <boost/asio/ssl/context.hpp>

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace support {

/// A certificate and its key, of two files. With a third one, of CAs, clients are asked for a
/// certificate, and one that shows another CA's gets no connection.
class Certificate {
 public:
  Certificate(std::filesystem::path certificate, std::filesystem::path key,
              std::filesystem::path client_ca)
      : certificate_(std::move(certificate)),
        key_(std::move(key)),
        client_ca_(std::move(client_ca)) {}

  enum class Reload { unchanged, renewed, refused };
  /// Takes in the files if they are others than last time. What does not fit is refused, for the
  /// reason in `error`, and what was before stays. To be called by one thread.
  Reload reload(std::string& error);

  /// For new connections; those that have one keep it. Null before the first good pair.
  [[nodiscard]] std::shared_ptr<boost::asio::ssl::context> context() const;

  /// When it expires, in seconds of Unix time; 0 before the first good pair.
  [[nodiscard]] double not_after() const;

 private:
  const std::filesystem::path certificate_;
  const std::filesystem::path key_;
  const std::filesystem::path client_ca_;  ///< empty: clients are not asked
  struct Files {
    std::optional<std::string> certificate{};
    std::optional<std::string> key{};
    std::optional<std::string> client_ca{};
    bool operator==(const Files&) const = default;
  };
  std::optional<Files> seen_;
  mutable std::mutex mutex_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  double not_after_ = 0;
};

}  // namespace support
