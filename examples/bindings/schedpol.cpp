// SPDX-License-Identifier: Apache-2.0
// The C ABI on top of the headers: the one place that turns strings into memory a caller owns, and
// exhausted memory into a value.

#include "schedpol.h"

#include <schedpol/insight/adviser.hpp>
#include <schedpol/json.hpp>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
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

/// An engine that denies everything where there is none.
engine::Engine of(const schedpol_engine* engine) {
  return engine == nullptr ? engine::Engine() : engine->engine;
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

/// The members of an object, of which none has to be escaped; the values are JSON.
std::string object(std::initializer_list<std::pair<std::string_view, std::string>> members) {
  std::string text;
  for (const auto& [name, value] : members) {
    text.append(text.empty() ? "{" : ",").append("\"").append(name).append("\":").append(value);
  }
  return text + "}";
}

std::string steps(const std::vector<engine::StepDecision>& decisions) {
  std::string text;
  for (const engine::StepDecision& said : decisions) {
    text += text.empty() ? "" : ",";
    text += object({{"system", json::encode(std::string(to_string(said.step.system)))},
                    {"mode", json::encode(std::string(to_string(said.step.mode)))},
                    {"violations", json::encode(said.violations)},
                    {"changes", json::encode(said.changes)}});
  }
  return "[" + text + "]";
}

std::string refusal(const std::vector<FieldError>& errors) {
  return object({{"allowed", "false"}, {"errors", json::encode(errors)}});
}

std::string decide(const engine::Engine& engine, std::string_view bytes) {
  bytes = bytes.substr(0, bytes.find_last_not_of(" \t\r\n") + 1);  // for an answer on one line
  json::Document document;
  if (!document.parse(bytes)) return refusal({document.error()});
  const auto pod = json::decode<Pod>(document);
  if (!pod) return refusal(pod.errors());
  const engine::Decision decision = engine.decide({.object = *pod});
  const json::Patch patch = json::make_patch(document, *pod, decision.pod);
  const auto changed = json::apply_patch(bytes, patch);
  if (!changed) return refusal(changed.errors());
  return object({{"allowed", decision.allowed ? "true" : "false"},
                 {"steps", steps(decision.steps)},
                 {"object", *changed},
                 {"patch", json::encode(patch)}});
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
    const auto invalid = validate(configuration);
    if (!invalid.empty()) return refuse(invalid);
    return new schedpol_engine{*engine::compile(configuration)};
  });
}

schedpol_text schedpol_review(const schedpol_engine* engine, const char* review,
                              std::size_t length) {
  return without_exceptions([&] {
    return copy(json::review(view(review, length), of(engine), engine::Phase::mutating,
                             engine::InsightAdviser()));
  });
}

schedpol_text schedpol_decide(const schedpol_engine* engine, const char* object,
                              std::size_t length) {
  return without_exceptions([&] { return copy(decide(of(engine), view(object, length))); });
}

void schedpol_engine_free(schedpol_engine* engine) {
  delete engine;
}

void schedpol_text_free(schedpol_text text) {
  std::free(const_cast<char*>(text.data));
}
