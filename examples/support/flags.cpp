// SPDX-License-Identifier: Apache-2.0
#include "flags.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <iostream>
#include <string_view>
#include <utility>

namespace support {

namespace {

/// A CLI11 check: what is wrong with a text, empty if nothing is.
std::string read_address(std::string_view text, ServerOptions& options) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return "has to be HOST:PORT";
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const std::string_view port = text.substr(colon + 1);
  const char* const end = port.data() + port.size();
  const auto [read_to, error] = std::from_chars(port.data(), end, options.port);
  if (host.empty() || error != std::errc() || read_to != end)
    return "has to be HOST:PORT, with a port up to 65535";
  options.host = host;
  return "";
}

}  // namespace

struct Flags::Impl {
  explicit Impl(const std::string& about) : app(about) {}

  CLI::Option* add(const std::string& name, const std::string& shape, const std::string& help,
                   const std::string& initial,
                   std::function<std::string(const std::string&)> take) {
    return app
        .add_option_function<std::string>(
            name,
            [name, take = std::move(take)](const std::string& value) {
              if (const std::string wrong = take(value); !wrong.empty())
                throw CLI::ValidationError(name, wrong);
            },
            initial.empty() ? help : help + "; default " + initial)
        ->type_name(shape);
  }

  void number(const std::string& name, long long min, long long max, const std::string& help,
              long long initial, std::function<void(long long)> take) {
    add(name, "N", help, std::to_string(initial),
        [min, max, take = std::move(take)](const std::string& text) -> std::string {
          long long value = 0;
          const char* const end = text.data() + text.size();
          const auto [read_to, error] = std::from_chars(text.data(), end, value);
          if (error != std::errc() || read_to != end || value < min || max < value)
            return "has to be a number from " + std::to_string(min) + " to " + std::to_string(max);
          take(value);
          return "";
        });
  }

  /// A number of whole units of what a field of some other type holds.
  template <class T>
  void number(const std::string& name, T& value, T unit, long long min, long long max,
              const std::string& help) {
    number(name, min, max, help, static_cast<long long>(value / unit),
           [&value, unit](long long count) {
             value = unit * static_cast<decltype(value / unit)>(count);
           });
  }

  CLI::App app;
};

Flags::Flags(const std::string& about) : impl_(std::make_unique<Impl>(about)) {}
Flags::~Flags() = default;

void Flags::text(const std::string& name, std::string& value, const std::string& help) {
  impl_->add(name, "TEXT", help, value, [&value](const std::string& text) {
    value = text;
    return "";
  });
}

void Flags::path(const std::string& name, std::filesystem::path& value, const std::string& help) {
  impl_->add(name, "PATH", help, value.string(), [&value](const std::string& text) {
    value = text;
    return text.empty() ? "is empty" : "";
  });
}

void Flags::number(const std::string& name, long long& value, long long min, long long max,
                   const std::string& help) {
  impl_->number(name, min, max, help, value, [&value](long long number) { value = number; });
}

void Flags::toggle(const std::string& name, bool& value, const std::string& help) {
  impl_->app.add_flag_callback(
      name, [&value] { value = true; }, help);
}

void Flags::required(const std::string& name) {
  impl_->app.get_option(name)->required();
}

void Flags::needs(const std::string& name, const std::string& other) {
  impl_->app.get_option(name)->needs(impl_->app.get_option(other));
}

void Flags::excludes(const std::string& name, const std::string& other) {
  impl_->app.get_option(name)->excludes(impl_->app.get_option(other));
}

void Flags::server(ServerOptions& options, std::chrono::seconds& drain) {
  using std::chrono::milliseconds;
  constexpr milliseconds second = std::chrono::seconds(1);
  constexpr std::size_t mebibyte = std::size_t{1} << 20U;
  impl_->add("--listen", "HOST:PORT",
             "the address to listen on; port 0 takes any free port; [HOST]:PORT for IPv6",
             options.host + ":" + std::to_string(options.port),
             [&options](const std::string& text) { return read_address(text, options); });
  path("--cert", options.certificate_file,
       "the certificate chain, PEM; read again when the file changes");
  path("--key", options.key_file, "the private key of the certificate, PEM");
  needs("--cert", "--key");
  needs("--key", "--cert");
  path("--client-ca-file", options.client_ca_file,
       "answer POST for clients with a certificate of this CA, PEM; read again when the file "
       "changes");
  path("--client-token-file", options.client_token_file,
       "answer POST for clients with this bearer token; read for each request");
  needs("--client-ca-file", "--cert");
  needs("--client-token-file", "--cert");
  impl_->number("--drain", drain, std::chrono::seconds(1), 0, 3600,
                "seconds to go on serving after SIGTERM, while not ready");
  impl_->number("--io-threads", options.io_threads, 1U, 1, 64,
                "threads that read, write and answer small requests");
  impl_->number("--worker-threads", options.worker_threads, 1U, 1, 64,
                "threads that answer large requests");
  impl_->number("--answer-within", options.answer_within, milliseconds(1), 1, 600'000,
                "the most milliseconds from the first byte of a request to its answer; set fewer "
                "than the client waits");
  impl_->number(
      "--max-connections", options.max_connections, std::size_t{1}, 16, 1'000'000,
      "the most connections; the connection that is idle for longest makes room for a new one");
  impl_->number("--max-body", options.max_body_bytes, mebibyte, 1, 16,
                "the most MiB in one request");
  impl_->number("--max-in-flight", options.max_bytes_in_flight, mebibyte, 1, 65536,
                "the most MiB in all requests at once; beyond this limit, the answer is 503");
  impl_->number("--idle-timeout", options.idle_timeout, second, 1, 86400,
                "seconds that a connection may be idle between two requests");
  impl_->number("--read-timeout", options.read_timeout, second, 1, 3600,
                "seconds for a handshake, and for a whole request to arrive");
}

std::optional<int> Flags::parse(int argc, const char* const* argv) {
  try {
    impl_->app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return impl_->app.exit(error, std::cout, std::cerr) == 0 ? 0 : 2;
  }
  return std::nullopt;
}

}  // namespace support
