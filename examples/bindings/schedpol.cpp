// SPDX-License-Identifier: Apache-2.0
// The C ABI on top of the headers: the one place that turns strings into memory a caller owns, and
// exhausted memory into a value.

#include "schedpol.h"

#include "engine_table.hpp"

#if defined(SCHEDPOL_YAML)
#include "../support/yaml/object_reader.hpp"
#endif

#include <schedpol/insight.hpp>
#include <schedpol/json.hpp>
#include <schedpol/schedpol.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace schedpol;

namespace {

/// Never destroyed: threads that outlive `main` may ask.
EngineTable& engines() {
  static EngineTable& table = *new EngineTable;
  return table;
}

std::string_view view(const char* data, std::size_t length) {
  // What parses may not be given a null pointer, however short.
  return data == nullptr ? std::string_view("") : std::string_view(data, length);
}

/// Writes a text for the caller.
schedpol_status give(schedpol_text* to, std::string_view text, schedpol_status status) {
  char* data = static_cast<char*>(std::malloc(text.size() + 1));
  if (data == nullptr) return SCHEDPOL_NO_MEMORY;
  std::memcpy(data, text.data(), text.size());
  data[text.size()] = '\0';
  *to = {data, text.size()};
  return status;
}

/// One error as the ABI tells it.
std::string error(std::string_view code, const FieldPath& field, const std::string& message) {
  std::string text = "{";
  for (const auto& [name, value] : {std::pair<std::string_view, std::string>("code", code),
                                    {"field", to_string(field)},
                                    {"message", message}}) {
    text.append(text.size() > 1 ? ",\"" : "\"").append(name).append("\":");
    text += json::encode(value);
  }
  return text + "}";
}

schedpol_status give(schedpol_text* to, const std::vector<FieldError>& errors,
                     schedpol_status status) {
  if (to == nullptr) return status;
  std::string list;
  for (const FieldError& what : errors)
    list.append(list.empty() ? "" : ",")
        .append(error(to_string(what.type), what.field, message(what)));
  return give(to, "[" + list + "]", status);
}

/// What `f` returns; SCHEDPOL_NO_MEMORY when it throws, which takes exhausted memory. The result is
/// nothing until it is written.
template <class F>
schedpol_status guarded(schedpol_text* result, F&& f) noexcept {
  if (result != nullptr) *result = {nullptr, 0};
#if defined(__cpp_exceptions)
  try {
    return f();
  } catch (...) {
    return SCHEDPOL_NO_MEMORY;
  }
#else
  return f();
#endif
}

/// The same of a function that needs an engine.
template <class F>
schedpol_status with_engine(schedpol_engine number, schedpol_text* result, F&& f) noexcept {
  return guarded(result, [&] {
    const auto engine = engines().find(number);
    return engine ? f(*engine) : SCHEDPOL_NO_ENGINE;
  });
}

/// Adds the objects of some documents, and says why those of one cannot be added.
std::vector<FieldError> read(const schedpol_text* documents, std::size_t count,
                             engine::Configuration& into) {
  for (std::size_t i = 0; i < count; ++i) {
    auto errors = json::add_objects(into, view(documents[i].data, documents[i].length));
    for (FieldError& what : errors) what.field = FieldPath{"documents"}.index(i).join(what.field);
    if (!errors.empty()) return errors;
  }
  return {};
}

/// Makes an engine of the objects of some documents, with `make(configuration)`.
template <class F>
schedpol_status make_engine(const schedpol_text* documents, std::size_t count,
                            schedpol_engine* made, schedpol_text* errors, F&& make) {
  if (made == nullptr) return SCHEDPOL_INVALID_ARGUMENT;
  *made = 0;
  if (documents == nullptr && count > 0) return SCHEDPOL_INVALID_ARGUMENT;
  engine::Configuration configuration;
  const auto refused = read(documents, count, configuration);
  if (!refused.empty()) return give(errors, refused, SCHEDPOL_REFUSED);
  Result<engine::Engine> engine = make(configuration);
  if (!engine) return give(errors, engine.errors(), SCHEDPOL_REFUSED);
  *made = engines().add(*std::move(engine));
  return SCHEDPOL_OK;
}

/// The same from another engine.
template <class F>
schedpol_status change_engine(schedpol_engine number, const schedpol_text* documents,
                              std::size_t count, schedpol_engine* changed, schedpol_text* errors,
                              F&& change) noexcept {
  if (changed != nullptr) *changed = 0;
  return with_engine(number, errors, [&](const engine::Engine& engine) {
    return make_engine(documents, count, changed, errors,
                       [&](const engine::Configuration& configuration) -> Result<engine::Engine> {
                         if (!configuration.systems.empty())
                           return std::vector{FieldError{ErrorType::forbidden, FieldPath{"systems"},
                                                         "", "an engine keeps its own"}};
                         return change(engine, configuration.objects);
                       });
  });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view white_space = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(white_space), text.size()));
  return text.substr(0, text.find_last_not_of(white_space) + 1);
}

/// Why a part of a request to `engine.decide` is no JSON, as errors; empty where it is.
std::string refusal(std::string_view part, std::string_view name) {
  json::Document document;
  if (document.parse(part)) return "";
  FieldError what = document.error();
  what.field = FieldPath{name}.join(what.field);
  const bool is_limit = *document.problem() == json::DocumentProblem::limit_exceeded;
  const auto code =
      is_limit ? json::EvaluateError::limit_exceeded : json::EvaluateError::invalid_json;
  return "[" + error(to_string(code), what.field, message(what)) + "]";
}

schedpol_status decide(const engine::Engine& engine, std::string_view object,
                       std::string_view asked, schedpol_text* decision) {
  if (asked.empty()) asked = "{}";
  // Only what is one whole value cannot say more than its place in the request.
  std::string refused = refusal(object, "object");
  if (refused.empty()) refused = refusal(asked, "asked");
  object = trimmed(object);
  asked = trimmed(asked);
  if (refused.empty() && !asked.starts_with('{'))
    return give(decision,
                {FieldError{ErrorType::type_invalid, FieldPath{"asked"}, "", "must be an object"}},
                SCHEDPOL_REFUSED);
  if (!refused.empty()) return give(decision, refused, SCHEDPOL_REFUSED);
  asked = trimmed(asked.substr(1, asked.size() - 2));
  std::string request = R"({"op":"engine.decide","input":{"object":)";
  request.append(object).append(asked.empty() ? "" : ",").append(asked).append("}}");
  const std::string reply = json::evaluate(request, engine);
  constexpr std::string_view result = R"({"id":null,"result":)";
  constexpr std::string_view failure = R"({"id":null,"error":)";
  const bool is_decided = reply.starts_with(result);
  std::string_view answer = reply;
  answer.remove_prefix(is_decided ? result.size() : failure.size());
  answer.remove_suffix(1);
  if (is_decided) return give(decision, answer, SCHEDPOL_OK);
  return give(decision, "[" + std::string(answer) + "]", SCHEDPOL_REFUSED);
}

#if defined(SCHEDPOL_YAML)
schedpol_status yaml_to_json(std::string_view yaml, schedpol_text* json) {
  support::yaml::ObjectReader reader(yaml);
  support::yaml::Object object;
  std::string items;
  while (reader.next(object)) items.append(items.empty() ? "" : ",").append(object.json());
  if (!reader.error())
    return give(json, R"({"apiVersion":"v1","kind":"List","items":[)" + items + "]}", SCHEDPOL_OK);
  const auto& [place, text] = *reader.error();
  const std::string at = std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
  return give(json, "[" + error("InvalidYaml", {}, at + text) + "]", SCHEDPOL_REFUSED);
}
#else
schedpol_status yaml_to_json(std::string_view, schedpol_text*) {
  return SCHEDPOL_UNSUPPORTED;
}
#endif

}  // namespace

int schedpol_abi_version(void) {
  return SCHEDPOL_ABI_VERSION;
}

const char* schedpol_version(void) {
#define SCHEDPOL_WORD(word) #word
#define SCHEDPOL_WORDS(major, minor, patch) \
  SCHEDPOL_WORD(major) "." SCHEDPOL_WORD(minor) "." SCHEDPOL_WORD(patch)
  return SCHEDPOL_WORDS(SCHEDPOL_VERSION_MAJOR, SCHEDPOL_VERSION_MINOR, SCHEDPOL_VERSION_PATCH);
}

schedpol_status schedpol_evaluate(const char* request, std::size_t length, schedpol_text* reply) {
  if (reply == nullptr) return SCHEDPOL_INVALID_ARGUMENT;
  return guarded(reply,
                 [&] { return give(reply, json::evaluate(view(request, length)), SCHEDPOL_OK); });
}

schedpol_status schedpol_engine_new(const schedpol_text* documents, std::size_t count,
                                    schedpol_engine* engine, schedpol_text* errors) {
  return guarded(errors, [&] {
    return make_engine(documents, count, engine, errors,
                       [](const auto& configuration) { return engine::compile(configuration); });
  });
}

schedpol_status schedpol_engine_with(schedpol_engine engine, const schedpol_text* documents,
                                     std::size_t count, schedpol_engine* changed,
                                     schedpol_text* errors) {
  return change_engine(engine, documents, count, changed, errors,
                       [](const auto& of, const auto& objects) { return of.with(objects); });
}

schedpol_status schedpol_engine_without(schedpol_engine engine, const schedpol_text* documents,
                                        std::size_t count, schedpol_engine* changed,
                                        schedpol_text* errors) {
  return change_engine(engine, documents, count, changed, errors,
                       [](const auto& of, const auto& objects) { return of.without(objects); });
}

schedpol_status schedpol_engine_problems(schedpol_engine engine, schedpol_text* problems) {
  if (problems == nullptr) return SCHEDPOL_INVALID_ARGUMENT;
  return with_engine(engine, problems, [&](const engine::Engine& of) {
    return give(problems, of.problems(), SCHEDPOL_OK);
  });
}

schedpol_status schedpol_engine_free(schedpol_engine engine) {
  return guarded(nullptr,
                 [&] { return engines().remove(engine) ? SCHEDPOL_OK : SCHEDPOL_NO_ENGINE; });
}

schedpol_status schedpol_decide(schedpol_engine engine, const char* object,
                                std::size_t object_length, const char* asked,
                                std::size_t asked_length, schedpol_text* decision) {
  if (decision == nullptr) return SCHEDPOL_INVALID_ARGUMENT;
  return with_engine(engine, decision, [&](const engine::Engine& of) {
    return decide(of, view(object, object_length), view(asked, asked_length), decision);
  });
}

schedpol_status schedpol_review(schedpol_engine engine, const char* review, std::size_t length,
                                schedpol_phase phase, schedpol_text* reply) {
  if (reply == nullptr) return SCHEDPOL_INVALID_ARGUMENT;
  return with_engine(engine, reply, [&](const engine::Engine& of) {
    if (phase != SCHEDPOL_MUTATING && phase != SCHEDPOL_VALIDATING)
      return SCHEDPOL_INVALID_ARGUMENT;
    const auto asks =
        phase == SCHEDPOL_MUTATING ? engine::Phase::mutating : engine::Phase::validating;
    return give(reply, json::review(view(review, length), of, asks, engine::InsightAdviser()),
                SCHEDPOL_OK);
  });
}

schedpol_status schedpol_yaml_to_json(const char* yaml, std::size_t length, schedpol_text* json) {
  if (json == nullptr) return SCHEDPOL_INVALID_ARGUMENT;
  return guarded(json, [&] { return yaml_to_json(view(yaml, length), json); });
}

void schedpol_text_free(schedpol_text* text) {
  if (text == nullptr) return;
  std::free(const_cast<char*>(text->data));
  *text = {nullptr, 0};
}
