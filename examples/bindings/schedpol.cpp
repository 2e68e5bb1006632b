// SPDX-License-Identifier: Apache-2.0
// The C ABI on top of the headers: the one place that turns strings into memory a caller owns, and
// exhausted memory into a value.

#include "schedpol.h"

#include <schedpol/json.hpp>

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace schedpol;

struct schedpol_engine {
  engine::Engine engine{};
};

namespace {

std::string_view view(const char* data, std::size_t length) {
  // What parses may not be given a null pointer, however short.
  return data == nullptr ? std::string_view("") : std::string_view(data, length);
}

schedpol_text copy(std::string_view text) {
  char* data = static_cast<char*>(std::malloc(text.size() + 1));
  if (data == nullptr) return {nullptr, 0};
  std::memcpy(data, text.data(), text.size());
  data[text.size()] = '\0';
  return {data, text.size()};
}

schedpol_text lines(const std::vector<FieldError>& errors) {
  std::string text;
  for (const FieldError& error : errors) {
    if (!text.empty()) text += '\n';
    text += message(error);
  }
  return copy(text);
}

/// What `f` returns; a zeroed value when it throws, which takes exhausted memory.
template <class F>
auto without_exceptions(F&& f) noexcept -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    return {};
  }
}

}  // namespace

int schedpol_abi_version(void) {
  return SCHEDPOL_ABI_VERSION;
}

schedpol_text schedpol_evaluate(const char* request, std::size_t length) {
  return without_exceptions([&] { return copy(json::evaluate(view(request, length))); });
}

schedpol_engine* schedpol_engine_new(const char* json, std::size_t length, schedpol_text* errors) {
  if (errors != nullptr) *errors = {nullptr, 0};
  return without_exceptions([&]() -> schedpol_engine* {
    const auto refuse = [&](const std::vector<FieldError>& found) {
      if (errors != nullptr) *errors = lines(found);
      return nullptr;
    };
    engine::Configuration configuration;
    const auto unread = json::add_objects(configuration, view(json, length));
    if (!unread.empty()) return refuse(unread);
    auto engine = engine::compile(configuration);
    if (!engine) return refuse(engine.errors());
    return new schedpol_engine{*std::move(engine)};
  });
}

schedpol_text schedpol_review(const schedpol_engine* engine, const char* review,
                              std::size_t length) {
  return without_exceptions([&] {
    const std::string_view bytes = view(review, length);
    if (engine == nullptr) return copy(json::review(bytes, engine::Engine()));
    return copy(json::review(bytes, engine->engine));
  });
}

void schedpol_engine_free(schedpol_engine* engine) {
  delete engine;
}

void schedpol_text_free(schedpol_text text) {
  std::free(const_cast<char*>(text.data));
}
