// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The `input` of a request to `evaluate`: how its parts are read, and what is noted of the first
/// one that is wrong.

#include <schedpol/core/impl/validators.hpp>
#include <schedpol/json/evaluate.hpp>
#include <schedpol/json/impl/object_lists.hpp>
#include <schedpol/json/impl/text_cursor.hpp>
#include <schedpol/json/impl/values.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

struct Failure {
  EvaluateError code = EvaluateError::invalid_request;
  FieldError error;
};

/// Reading a part of it that is wrong notes the first failure and goes on with an empty value;
/// nothing is evaluated unless `complete` says that all was well.
class Input {
 public:
  /// `request` is the text of the whole request, `object` its `input`, `engine` what is asked for a
  /// decision that names no configuration, if there is one.
  Input(std::string_view request, Element object, const engine::Engine* engine = nullptr)
      : request_(request), object_(object), engine_(engine), decoder_(request.size()) {}

  /// A part that may be left out.
  template <class T>
  T read(std::string_view name, EvaluateError code = EvaluateError::invalid_object) {
    T value{};
    const Element from = find(name);
    if (!from.is_there()) return value;
    const PathBuilder whole;
    read_part(whole.child(name), from, value);
    return note_failure(code) ? T{} : value;
  }

  /// A part that has to be there.
  template <class T>
  T require(std::string_view name) {
    static_cast<void>(require_element(name));
    return read<T>(name);
  }

  /// An object that has to be there and need not say its name: whoever validates it reports that.
  template <class T>
  T require_unnamed(std::string_view name) {
    decoder_.let_lack("metadata");
    T value = require<T>(name);
    decoder_.let_lack({});
    return value;
  }

  /// Fails where a part says its kind in two spellings.
  void check_kind(std::string_view name) {
    const PathBuilder whole;
    static_cast<void>(decoder_.read_kind(whole.child(name), find(name)));
    static_cast<void>(note_failure(EvaluateError::invalid_object));
  }

  /// Whether a part that may be left out is there.
  [[nodiscard]] bool has(std::string_view name) { return find(name).is_there(); }

  /// A part that has to be there, for who reads it in a way of its own.
  Element require_element(std::string_view name) {
    const Element from = find(name);
    if (!from.is_there())
      fail(EvaluateError::invalid_request,
           {ErrorType::required, FieldPath{name}, "", "the operation needs it"});
    return from;
  }

  /// Objects of which none is larger than `validate` permits: what else is wrong with one is no matter
  /// for what is asked.
  template <class T>
  std::vector<T> read_policies(std::string_view list) {
    auto objects = read<std::vector<T>>(list);
    const FieldPath field = FieldPath{list};
    for (std::size_t i = 0; i < objects.size() && !failure_; ++i) {
      schedpol::detail::FieldErrors errors;
      const FieldPath name = {"metadata", "name"};
      schedpol::detail::validate_length(errors, name, objects[i].metadata.name,
                                        max_subdomain_bytes);
      errors.append(validate(objects[i]));
      for (FieldError& error : std::move(errors).take()) {
        if (!is_limit(error)) continue;
        error.field = field.index(i).join(error.field);
        fail(EvaluateError::limit_exceeded, std::move(error));
      }
    }
    if (failure_) objects.clear();
    return objects;
  }

  /// Cluster-scoped objects, which are told apart by name, so that each needs one of its own.
  template <class T>
  std::vector<T> read_named(std::string_view list) {
    auto objects = read_policies<T>(list);
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const std::string& name = objects[i].metadata.name;
      if (!name.empty() && names.insert(name).second) continue;
      fail(EvaluateError::invalid_object,
           {name.empty() ? ErrorType::required : ErrorType::duplicate,
            FieldPath{list}.index(i).child("metadata").child("name"), name,
            name.empty() ? "an object is told by its name" : "another object has this name"});
    }
    return objects;
  }

  /// A part that has to be there and has parts of its own, which `f(part)` reads.
  template <class F>
  void within(std::string_view name, F&& f) {
    const Element from = find(name);
    if (!from.is_object())
      return fail(EvaluateError::invalid_request,
                  {from.is_there() ? ErrorType::type_invalid : ErrorType::required, FieldPath{name},
                   "", "the operation needs an object"});
    Input part(request_, from);
    f(part);
    if (part.complete()) return;
    Failure failure = *part.failure();
    failure.error.field = FieldPath{name}.join(failure.error.field);
    fail(failure.code, std::move(failure.error));
  }

  /// The part as it was parsed: what patches are computed against. Only where it was required and
  /// read.
  [[nodiscard]] Element element(std::string_view name) const { return object_.non_null(name); }

  [[nodiscard]] const engine::Engine* engine() const noexcept { return engine_; }

  [[nodiscard]] std::size_t request_bytes() const noexcept { return request_.size(); }

  /// The bytes of the part, as they stand in the request.
  [[nodiscard]] std::string_view text(std::string_view name) const {
    return member_text(member_text(request_, "input"), name);
  }

  /// The place of an error counts the objects of a part as they were read. An object that has more of
  /// something than one may have is beyond a limit.
  void fail(EvaluateError code, FieldError error) {
    if (failure_) return;
    if (is_limit(error)) code = EvaluateError::limit_exceeded;
    error.field = place_in_lists(std::move(error.field));
    failure_ = Failure{code, std::move(error)};
  }
  /// With all of some errors, of which the first is told.
  void fail(EvaluateError code, const std::vector<FieldError>& errors) {
    if (!errors.empty()) fail(code, errors.front());
  }

  /// Whether all parts could be read, and there are no others.
  [[nodiscard]] bool complete() {
    for (const ElementMember member : object_.members()) {
      if (known_.contains(member.key)) continue;
      fail(EvaluateError::invalid_request,
           {ErrorType::forbidden, FieldPath{member.key}, "", "the operation has no such input"});
    }
    return !failure_;
  }
  [[nodiscard]] const std::optional<Failure>& failure() const noexcept { return failure_; }

 private:
  /// Whether what was just read is wrong.
  [[nodiscard]] bool note_failure(EvaluateError code) {
    if (decoder_.errors().empty()) return false;
    const FieldError& error = decoder_.errors().front();  // of this part, where none failed before
    if (!failure_)
      failure_ = Failure{is_limit(error) ? EvaluateError::limit_exceeded : code, error};
    return true;
  }

  Element find(std::string_view name) {
    known_.insert(name);
    return element(name);
  }

  template <class T>
  void read_part(const PathBuilder& at, Element from, T& value) {
    decoder_.read(at, from, value);
  }
  template <Listable T>
  void read_part(const PathBuilder& at, Element from, std::vector<T>& objects) {
    ObjectListReader<T> reader(decoder_, objects);
    reader.read(at, from);
    places_.insert_or_assign(at.step().name, std::move(reader).places());
  }

  /// Where an object stands of a part in which lists are.
  [[nodiscard]] FieldPath place_in_lists(FieldPath path) const {
    const auto steps = path.steps();
    if (steps.size() < 2 || steps[1].kind != FieldPath::Step::Kind::index) return path;
    const auto part = places_.find(steps[0].name);
    if (part == places_.end() || part->second.empty()) return path;
    return part->second.path(steps[1].index).join(path.below(2));
  }

  std::string_view request_;
  Element object_;
  const engine::Engine* engine_;
  Decoder decoder_;
  std::set<std::string_view> known_;
  std::map<std::string_view, ObjectPlaces> places_;  ///< of each part that is a list of objects
  std::optional<Failure> failure_;
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
