// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/did_you_mean.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/impl/decoder.hpp>
#include <schedpol/json/impl/insides.hpp>
#include <schedpol/json/impl/schema/engine.hpp>
#include <schedpol/json/impl/values.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace schedpol::json {

namespace detail {

/// Reads the objects of one document into a Configuration. What is there already is not copied, so
/// that many documents take as long as one of all their objects.
class ConfigurationReader {
 public:
  /// How much lists may hold depends on the bytes of the document.
  explicit ConfigurationReader(engine::Configuration& into,
                               std::size_t document_bytes = max_document_bytes)
      : into_(into), decoder_(document_bytes) {
    for_each_objects([&](const auto& list) { sizes_.push_back(list.size()); });
  }

  /// An object, or a `List` of them.
  void read(const Place& at, Element from) {
    std::string_view kind;
    simdjson::dom::array items;
    if (from["kind"].get(kind) == simdjson::SUCCESS && kind == "List") {
      if (from["items"].get(items) == simdjson::SUCCESS) return read_all(at.child("items"), items);
      return decoder_.report(ErrorType::type_invalid, at.child("items"), "",
                             "must be a list of objects");
    }
    read_one(at, from);
  }

  void read_all(const Place& at, simdjson::dom::array items) {
    std::size_t index = 0;
    for (const Element item : items) {
      const Place place = at.index(index++);
      read_one(place, item);
    }
  }

  /// The errors; where there are any, nothing of the document is left in the Configuration.
  [[nodiscard]] std::vector<FieldError> finish() && {
    if (!decoder_.errors().empty()) {
      auto size = sizes_.begin();
      for_each_objects([&](auto& list) { list.resize(*size++); });
    } else if (settings_) {
      into_.systems = std::move(settings_->systems);
      into_.settings = std::move(settings_->settings);
      into_.settings.options = engine::admission_options(std::move(into_.settings.options));
    }
    return std::move(decoder_).take_errors();
  }

 private:
  void read_one(const Place& at, Element from) {
    simdjson::dom::object object;
    if (from.get(object) != simdjson::SUCCESS)
      return decoder_.report(ErrorType::type_invalid, at, "", "must be a Kubernetes object");
    std::string_view kind;
    if (object.at_key("kind").get(kind) != simdjson::SUCCESS)
      return decoder_.report(ErrorType::required, at.child("kind"), "", "tells what the object is");
    if (kind == schema<EngineConfiguration>.traits.kind) return read_settings(at, from);
    if (kind == "Namespace") {
      AnyObject namespace_;
      decoder_.read(at, from, namespace_);
      return into_.objects.namespaces.push_back(std::move(namespace_.metadata));
    }
    if (!read_object(kind, at, from)) {
      decoder_.report(ErrorType::not_supported, at.child("kind"), kind,
                      "is no object of a scheduling policy" + meant_kind(kind));
    }
  }

  template <class F>
  void for_each_objects(F&& f) {
    for_each_list(into_.objects, [&](auto& list, engine::ObjectKinds) { f(list); });
    f(into_.objects.namespaces);
  }

  void read_settings(const Place& at, Element from) {
    EngineConfiguration read;
    decoder_.read(at, from, read);
    if (!into_.systems.empty() || settings_)
      return decoder_.report(ErrorType::duplicate, at.child("kind"), "EngineConfiguration",
                             "there is one already");
    if (read.systems.empty())
      return decoder_.report(ErrorType::required, at.child("systems"), "",
                             "which systems run has to be said");
    settings_ = std::move(read);
  }

  std::string meant_kind(std::string_view kind) {
    schedpol::detail::Meant meant(kind);
    for_each_list(into_.objects, [&](const auto&, engine::ObjectKinds kinds) {
      for (const engine::ObjectKind& known : kinds) meant.consider(known.name);
    });
    return meant.text();
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
  std::vector<std::size_t> sizes_;  ///< of the lists before
  std::optional<EngineConfiguration> settings_;
  Decoder decoder_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> add_objects(engine::Configuration& configuration,
                                                    std::string_view bytes) {
  Document document;
  if (!document.parse(bytes)) return {document.error()};
  detail::ConfigurationReader reader(configuration);
  reader.read({}, *DocumentInsides::root(document));
  return std::move(reader).finish();
}

}  // namespace schedpol::json
