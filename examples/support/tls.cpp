// SPDX-License-Identifier: Apache-2.0
#include "tls.hpp"

#include "files.hpp"

#include <openssl/asn1.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <sys/socket.h>

#include <cerrno>
#include <ctime>

namespace support {

namespace {

void set_up(SSL_CTX& context) {
  SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
  SSL_CTX_set_options(&context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  SSL_CTX_set_mode(&context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                 SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(&context, 0);
  SSL_CTX_set_read_ahead(&context, 1);
}

double not_after_of(const SSL_CTX& context) {
  const X509* const certificate = SSL_CTX_get0_certificate(&context);
  std::tm parts{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) != 1)
    return 0;
  return static_cast<double>(timegm(&parts));
}

/// A system call that may have to be made again.
template <class Call>
Moved moved_by(Call&& call, Io later) {
  for (;;) {
    const ssize_t bytes = call();
    if (bytes > 0) return {Io::done, static_cast<std::size_t>(bytes)};
    if (bytes == 0) return {Io::ended};
    if (errno == EINTR) continue;
    return {errno == EAGAIN || errno == EWOULDBLOCK ? later : Io::failed};
  }
}

}  // namespace

Certificate::Reload Certificate::reload(std::string& error) {
  auto files = std::pair(read_file(certificate_), read_file(key_));
  if (seen_ && *seen_ == files) return Reload::unchanged;
  seen_ = std::move(files);
  ERR_clear_error();
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (context == nullptr ||
      SSL_CTX_use_certificate_chain_file(context.get(), certificate_.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(context.get(), key_.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1) {
    const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
    error = certificate_.string() + ", " + key_.string() + ": no certificate and its key: ";
    error += reason == nullptr ? "cannot be read" : reason;
    return Reload::refused;
  }
  set_up(*context);
  const std::lock_guard lock(mutex_);
  context_ = context;
  not_after_ = not_after_of(*context);
  return Reload::renewed;
}

std::shared_ptr<SSL_CTX> Certificate::context() const {
  const std::lock_guard lock(mutex_);
  return context_;
}

double Certificate::not_after() const {
  const std::lock_guard lock(mutex_);
  return not_after_;
}

bool Transport::use_tls(SSL_CTX& context) {
  tls_.reset(SSL_new(&context));
  if (tls_ == nullptr || SSL_set_fd(tls_.get(), socket_) != 1) return false;
  SSL_set_accept_state(tls_.get());
  return true;
}

Io Transport::reason_of(int result) {
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ: return Io::wait_to_read;
    case SSL_ERROR_WANT_WRITE: return Io::wait_to_write;
    case SSL_ERROR_ZERO_RETURN: return Io::ended;
    default: broken_ = true; return Io::failed;
  }
}

Io Transport::shake_hands() {
  if (tls_ == nullptr) return Io::done;
  ERR_clear_error();
  const int result = SSL_do_handshake(tls_.get());
  return result == 1 ? Io::done : reason_of(result);
}

Moved Transport::read(char* to, std::size_t size) {
  if (tls_ == nullptr)
    return moved_by([&] { return recv(socket_, to, size, 0); }, Io::wait_to_read);
  ERR_clear_error();
  std::size_t bytes = 0;
  const int result = SSL_read_ex(tls_.get(), to, size, &bytes);
  if (result == 1) return {Io::done, bytes};
  return {reason_of(result)};
}

Moved Transport::write(const char* from, std::size_t size) {
  if (tls_ == nullptr) {
    return moved_by([&] { return send(socket_, from, size, MSG_NOSIGNAL); }, Io::wait_to_write);
  }
  ERR_clear_error();
  std::size_t bytes = 0;
  const int result = SSL_write_ex(tls_.get(), from, size, &bytes);
  if (result == 1) return {Io::done, bytes};
  return {reason_of(result)};
}

void Transport::finish() {
  if (tls_ != nullptr && !broken_ && SSL_is_init_finished(tls_.get()) == 1) {
    ERR_clear_error();
    SSL_shutdown(tls_.get());
  }
  shutdown(socket_, SHUT_WR);
}

Moved Transport::discard(char* to, std::size_t size) const {
  return moved_by([&] { return recv(socket_, to, size, 0); }, Io::wait_to_read);
}

}  // namespace support
