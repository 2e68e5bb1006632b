// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/impl/decoder.hpp>
#include <schedpol/json/impl/insides.hpp>
#include <schedpol/json/impl/schema/engine.hpp>
#include <schedpol/json/impl/values.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace schedpol::json {

namespace detail {

/// Reads the objects of one document into a Configuration.
class ConfigurationReader {
 public:
  explicit ConfigurationReader(engine::Configuration& into) : into_(into) {}

  void read(const Place& at, Element from) {
    simdjson::dom::object object;
    if (from.get(object) != simdjson::SUCCESS)
      return decoder_.report(ErrorType::type_invalid, at, "", "must be a Kubernetes object");
    std::string_view kind;
    if (object.at_key("kind").get(kind) != simdjson::SUCCESS)
      return decoder_.report(ErrorType::required, at.child("kind"), "", "tells what the object is");
    if (kind == "List" && at.parent() == nullptr) return read_items(at, object);
    if (kind == schema<EngineConfiguration>.traits.kind) return read_settings(at, from);
    if (kind == "Namespace") {
      AnyObject namespace_;
      decoder_.read(at, from, namespace_);
      return into_.objects.namespaces.push_back(std::move(namespace_.metadata));
    }
    if (!read_object(kind, at, from)) {
      decoder_.report(ErrorType::not_supported, at.child("kind"), kind,
                      "is no object of a scheduling policy");
    }
  }

  [[nodiscard]] std::vector<FieldError> take_errors() && {
    return std::move(decoder_).take_errors();
  }

 private:
  void read_items(const Place& at, simdjson::dom::object list) {
    const Place items = at.child("items");
    simdjson::dom::array array;
    if (list.at_key("items").get(array) != simdjson::SUCCESS)
      return decoder_.report(ErrorType::type_invalid, items, "", "must be a list of objects");
    std::size_t index = 0;
    for (const Element item : array) {
      const Place place = items.index(index++);
      read(place, item);
    }
  }

  void read_settings(const Place& at, Element from) {
    EngineConfiguration read;
    decoder_.read(at, from, read);
    if (!into_.systems.empty())
      return decoder_.report(ErrorType::duplicate, at.child("kind"), "EngineConfiguration",
                             "there is one already");
    if (read.systems.empty())
      return decoder_.report(ErrorType::required, at.child("systems"), "",
                             "which systems run has to be said");
    into_.systems = std::move(read.systems);
    into_.settings = std::move(read.settings);
    into_.settings.options = engine::admission_options(std::move(into_.settings.options));
  }

  /// False where no list takes such a kind.
  bool read_object(std::string_view kind, const Place& at, Element from) {
    bool known = false;
    for_each_list(into_.objects, [&](auto& list, engine::ObjectKinds kinds) {
      const auto is_kind = [&](const engine::ObjectKind& one) { return one.name == kind; };
      if (!std::any_of(kinds.begin(), kinds.end(), is_kind)) return;
      known = true;
      decoder_.read(at, from, list.emplace_back());
    });
    return known;
  }

  engine::Configuration& into_;
  Decoder decoder_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> add_objects(engine::Configuration& configuration,
                                                    std::string_view bytes) {
  Document document;
  if (!document.parse(bytes)) return {document.error()};
  engine::Configuration read = configuration;
  detail::ConfigurationReader reader(read);
  reader.read({}, *DocumentInsides::root(document));
  std::vector<FieldError> errors = std::move(reader).take_errors();
  if (errors.empty()) configuration = std::move(read);
  return errors;
}

}  // namespace schedpol::json
