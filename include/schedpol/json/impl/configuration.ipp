// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/impl/document.ipp>
#include <schedpol/json/impl/object_lists.hpp>
#include <schedpol/json/impl/values.hpp>

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

/// Reads the objects of one document into a Configuration. What is there already is not copied, so
/// that many documents take as long as one of all their objects.
class ConfigurationReader {
 public:
  /// What becomes of an object that cannot be read.
  enum class Unreadable {
    noted,    ///< the others are read
    refused,  ///< and the document with it
  };

  /// How much lists may hold depends on the bytes of the document.
  ConfigurationReader(engine::Configuration& into, Unreadable unreadable,
                      std::size_t document_bytes = max_document_bytes)
      : into_(into), unreadable_(unreadable), decoder_(document_bytes) {
    for_each_objects([&](const auto& list) { sizes_.push_back(list.size()); });
    decoder_.let_lack("kind");  // it is known before an object is read
  }

  /// An object, or a list of them as an API server answers it.
  void read(const PathBuilder& at, Element from) {
    const std::optional<ItemHead> head = item_head(from);
    std::string problem;
    const auto find_problem = [&](const auto& list, const engine::ObjectKind& kind) {
      using T = typename std::remove_cvref_t<decltype(list)>::value_type;
      problem = version_problem<T>(kind.name, head->api_version);
    };
    if (!head || (!head->kind.empty() && !visit_list(head->kind, find_problem)))
      return read_one(at, from, {});
    if (!problem.empty())
      return refuse(ErrorType::not_supported, at.child("apiVersion"), text_of(head->api_version),
                    problem);
    for_each_listed(
        at, from, *head, [&](auto&&... error) { refuse(error...); },
        [&](const PathBuilder& place, Element item) { read_one(place, item, *head); });
  }

  /// All errors of a document that is refused, of which nothing is left in the Configuration.
  [[nodiscard]] std::vector<FieldError> finish() && {
    if (is_refused_) {
      auto size = sizes_.begin();
      for_each_objects([&](auto& list) { list.resize(*size++); });
      return std::move(errors_);
    }
    std::string group = into_.settings.access.api_group;
    if (settings_) {
      into_.systems = std::move(settings_->systems);
      into_.settings = std::move(settings_->settings);
      auto& options = into_.settings.options;
      const DefaultScheduler default_scheduler = options.default_scheduler;
      options = engine::admission_options(std::move(options));
      options.default_scheduler = default_scheduler;
      if (!into_.settings.access.api_group.empty()) group = into_.settings.access.api_group;
    }
    if (group.empty()) group = policy_group_;
    into_.settings.access.api_group = std::move(group);
    return {};
  }

 private:
  void read_one(const PathBuilder& at, Element from, const ItemHead& list) {
    if (!from.is_object())
      return refuse(ErrorType::type_invalid, at, "", "must be a Kubernetes object");
    std::string_view kind = list.kind;
    const Element own_kind = decoder_.read_kind({}, from);
    std::vector<FieldError> spelled_twice = decoder_.take_errors();
    if (own_kind.is_there() ? !own_kind.get(kind) : kind.empty())
      return refuse(ErrorType::required, at.child("kind"), "", "tells what the object is");
    // One that is right by both spellings is noted as any other that cannot be read.
    if (kind != proposed_kind && !spelled_twice.empty())
      return refuse(at, std::move(spelled_twice));
    if (kind == schema<EngineConfiguration>.traits.kind) return read_settings(at, from);
    Element version = from.non_null("apiVersion");
    if (!version.is_there()) version = list.api_version;
    const bool known = visit_list(kind, [&](auto& objects, const engine::ObjectKind& one) {
      take_kind(objects.emplace_back(), kind);
      if (!read_object(one, version, at, from, objects.back())) objects.pop_back();
    });
    if (!known)
      refuse(ErrorType::not_supported, at.child("kind"), kind,
             "is no object of a scheduling policy" + meant_kind(kind));
  }

  /// Calls `f(list, kinds)` for each list of objects that have a kind.
  template <class F>
  void for_each_kinds(F&& f) {
    f(into_.objects.namespaces, engine::ObjectKinds{{schema<Namespace>.traits.kind}});
    for_each_list(into_.objects, f);
  }
  /// Calls `f(list)` for each of these, and for what is unreadable.
  template <class F>
  void for_each_objects(F&& f) {
    for_each_kinds([&](auto& list, engine::ObjectKinds) { f(list); });
    f(into_.objects.unreadable);
  }

  /// Calls `f(list)` with the list that such objects go to; false where there is none.
  template <class F>
  bool visit_list(std::string_view kind, F&& f) {
    bool known = false;
    for_each_kinds([&](auto& list, engine::ObjectKinds kinds) {
      for (const engine::ObjectKind& one : kinds) {
        if (one.name != kind) continue;
        known = true;
        f(list, one);
      }
    });
    return known;
  }

  void refuse(ErrorType type, const PathBuilder& at, std::string_view bad_value,
              std::string detail) {
    refuse(at, {{type, {}, std::string(bad_value), std::move(detail)}});
  }
  void refuse(const PathBuilder& at, std::vector<FieldError>&& errors) {
    is_refused_ = is_refused_ || !errors.empty();
    note(at, std::move(errors));
  }
  /// Of a document that is refused, for whatever reason, this is told too.
  void note(const PathBuilder& at, std::vector<FieldError> errors) {
    const FieldPath path = at.path();
    for (FieldError& error : errors) {
      if (errors_.size() == max_reported_errors) return;
      error.field = path.join(error.field);
      errors_.push_back(std::move(error));
    }
  }

  void read_settings(const PathBuilder& at, Element from) {
    EngineConfiguration read;
    decoder_.read({}, from, read);
    refuse(at, decoder_.take_errors());
    if (!into_.systems.empty() || settings_)
      return refuse(ErrorType::duplicate, at.child("kind"), "EngineConfiguration",
                    "there is one already");
    if (read.systems.empty())
      return refuse(ErrorType::required, at.child("systems"), "",
                    "which systems run has to be said");
    settings_ = std::move(read);
  }

  std::string meant_kind(std::string_view kind) {
    schedpol::detail::NearestWord nearest(kind);
    nearest.consider(schema<EngineConfiguration>.traits.kind);
    for_each_kinds([&](const auto&, engine::ObjectKinds kinds) {
      for (const engine::ObjectKind& known : kinds) nearest.consider(known.name);
    });
    return nearest.text();
  }

  /// False where it cannot be read, which is noted. `version` is its apiVersion, or that of its list.
  template <class T>
  bool read_object(const engine::ObjectKind& kind, Element version, const PathBuilder& at,
                   Element from, T& into) {
    static_assert(std::is_same_v<T, Namespace> || is_one_of<T>(Values{}),
                  "is decoded elsewhere, too");
    decoder_.read({}, from, into);
    std::vector<FieldError> errors = decoder_.take_errors();
    engine::UnreadableObject object{.kind = std::string(kind.name)};
    const bool is_reported = unreadable_ == Unreadable::noted && is_of_group<T>(version) &&
                             read_name(kind, from, object);
    if (!errors.empty() && !is_reported) {
      refuse(at, std::move(errors));
      return false;
    }
    if (kind.name == "SchedulingPolicy" && policy_group_.empty())
      policy_group_ = api_group(text_of(version));
    if (errors.empty()) return true;
    // Of one error each there are not many more than bytes.
    if (noted_errors_ + errors.size() > max_reported_errors) errors.resize(1);
    noted_errors_ += errors.size();
    note(at, errors);
    object.errors = std::move(errors);
    object.selects = selections<T>(from["spec"]);
    into_.objects.unreadable.push_back(std::move(object));
    return false;
  }

  /// Whether it is what its kind says it is: of another group the same word is another kind.
  template <class T>
  static bool is_of_group(Element version) {
    if (!version.is_there()) return true;
    return version.is_string() &&
           group_problem(text_of(version), schema<T>.traits.api_version).empty();
  }

  /// False where nobody could tell which object it is.
  static bool read_name(const engine::ObjectKind& kind, Element from,
                        engine::UnreadableObject& into) {
    const Element metadata = from["metadata"];
    into.name = text_of(metadata["name"]);
    if (kind.scope != engine::Scope::namespace_) return !into.name.empty();
    const Element in = metadata.non_null("namespace");
    into.namespace_ = text_of(in);
    return !into.name.empty() && (!in.is_there() || in.is_string());
  }

  /// What the policy whose `spec` this is may select; none where that is any pod.
  template <class T>
  std::vector<engine::PodSelection> selections(Element spec) {
    std::vector<engine::PodSelection> all;
    if constexpr (requires(T policy) { policy.spec.rules[0].policy_predicate; }) {
      for (const Element rule : spec["rules"].items()) {
        const Element predicate = rule["policyPredicate"];
        all.push_back({.labels = selector(predicate["labelSelector"]),
                       .annotations = selector(predicate["annotationSelector"])});
        if (all.back() == engine::PodSelection{}) return {};
      }
    } else if constexpr (requires(T policy) { policy.spec.pod_selector; }) {
      all.push_back({.labels = selector(spec["podSelector"])});
      if constexpr (requires(T policy) { policy.spec.namespace_selector; })
        all.back().namespaces = selector(spec["namespaceSelector"]);
    }
    return all;
  }

  /// Nothing where it is not there or cannot be read.
  std::optional<LabelSelector> selector(Element from) {
    std::optional<LabelSelector> selector;
    decoder_.read_strictly({}, from, selector);
    if (!decoder_.take_errors().empty()) selector.reset();
    return selector;
  }

  engine::Configuration& into_;
  Unreadable unreadable_;
  std::vector<std::size_t> sizes_;  ///< of the lists before
  std::optional<EngineConfiguration> settings_;
  std::string policy_group_;  ///< the first that a SchedulingPolicy says
  std::size_t noted_errors_ = 0;
  std::vector<FieldError> errors_;
  bool is_refused_ = false;
  Decoder decoder_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> add_objects(engine::Configuration& configuration,
                                                    std::string_view bytes) {
  Document document;
  if (!document.parse(bytes)) return {document.error()};
  detail::ConfigurationReader reader(configuration, detail::ConfigurationReader::Unreadable::noted);
  reader.read({}, DocumentAccess::root(document));
  return std::move(reader).finish();
}

}  // namespace SCHEDPOL_NAMESPACE::json
