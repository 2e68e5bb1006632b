// SPDX-License-Identifier: Apache-2.0
#include "certificate.hpp"

#include "files.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/error.hpp>

#include <openssl/asn1.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <ctime>

namespace support {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// Why two texts are no certificate and its key; nothing where they are.
error_code use(asio::ssl::context& context, const std::string& certificate,
               const std::string& key) {
  error_code wrong;
  context.use_certificate_chain(asio::buffer(certificate), wrong);
  if (!wrong) context.use_private_key(asio::buffer(key), asio::ssl::context::pem, wrong);
  if (!wrong && SSL_CTX_check_private_key(context.native_handle()) != 1)
    wrong = error_code(static_cast<int>(ERR_get_error()), asio::error::get_ssl_category());
  return wrong;
}

void set_up(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
}

double not_after_of(const SSL_CTX* context) {
  const X509* const certificate = SSL_CTX_get0_certificate(context);
  std::tm parts{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) != 1)
    return 0;
  return static_cast<double>(timegm(&parts));
}

}  // namespace

Certificate::Reload Certificate::reload(std::string& error) {
  Files files{.certificate = read_file(certificate_), .key = read_file(key_)};
  if (!client_ca_.empty()) files.client_ca = read_file(client_ca_);
  if (seen_ == files) return Reload::unchanged;
  seen_ = files;
  const auto refuse = [&error](std::string what, const error_code& wrong) {
    error = std::move(what) + ": " + (wrong ? wrong.message() : "cannot be read");
    return Reload::refused;
  };
  const auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  error_code wrong;
  if (files.certificate && files.key) wrong = use(*context, *files.certificate, *files.key);
  if (!files.certificate || !files.key || wrong)
    return refuse(certificate_.string() + ", " + key_.string() + ": no certificate and its key",
                  wrong);
  if (!client_ca_.empty()) {
    if (files.client_ca) context->add_certificate_authority(asio::buffer(*files.client_ca), wrong);
    if (!files.client_ca || wrong) return refuse(client_ca_.string() + ": no CA", wrong);
    context->set_verify_mode(asio::ssl::verify_peer);
  }
  set_up(context->native_handle());
  const std::lock_guard lock(mutex_);
  context_ = context;
  not_after_ = not_after_of(context->native_handle());
  return Reload::renewed;
}

std::shared_ptr<asio::ssl::context> Certificate::context() const {
  const std::lock_guard lock(mutex_);
  return context_;
}

double Certificate::not_after() const {
  const std::lock_guard lock(mutex_);
  return not_after_;
}

}  // namespace support
