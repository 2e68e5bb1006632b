// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The server's certificate and key. Both are renewed while the server runs: a connection gets
/// those that were there when it began.

#include "files.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace webhook {

class Certificate {
 public:
  Certificate(std::filesystem::path certificate, std::filesystem::path key)
      : certificate_(std::move(certificate)), key_(std::move(key)) {}

  /// Takes in the files if they are others than last time; bad ones are told of, and the pair
  /// before stays. To be called by one thread.
  void reload() {
    auto files = std::pair(read_file(certificate_), read_file(key_));
    if (seen_ && *seen_ == files) return;
    seen_ = std::move(files);
    const Context context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
    ERR_clear_error();
    if (context == nullptr ||
        SSL_CTX_use_certificate_chain_file(context.get(), certificate_.c_str()) != 1 ||
        SSL_CTX_use_PrivateKey_file(context.get(), key_.c_str(), SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context.get()) != 1) {
      const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
      std::cerr << certificate_.string() << ", " << key_.string()
                << ": no certificate and its key: " << (reason == nullptr ? "" : reason) << '\n';
      return;
    }
    const std::lock_guard lock(mutex_);
    current_ = context;
  }

  [[nodiscard]] bool loaded() const { return current() != nullptr; }

  /// Has the connections of a context use the current pair, and TLS 1.2 at least. This has to
  /// outlive the context.
  bool serve(SSL_CTX& context) {
    SSL_CTX_set_options(&context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_client_hello_cb(
        &context,
        [](SSL* connection, int*, void* self) {
          const Context pair = static_cast<const Certificate*>(self)->current();
          return SSL_set_SSL_CTX(connection, pair.get()) != nullptr ? SSL_CLIENT_HELLO_SUCCESS
                                                                    : SSL_CLIENT_HELLO_ERROR;
        },
        this);
    return SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION) == 1;
  }

 private:
  using Context = std::shared_ptr<SSL_CTX>;

  [[nodiscard]] Context current() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }

  const std::filesystem::path certificate_;
  const std::filesystem::path key_;
  std::optional<std::pair<std::optional<std::string>, std::optional<std::string>>> seen_;
  mutable std::mutex mutex_;
  Context current_;
};

}  // namespace webhook
