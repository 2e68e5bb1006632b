// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Value types to Kubernetes JSON, compact, with the spellings of the design: what is absent is
/// left out, what is empty but present is written. `decode` reads back the same value.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/json/schema.hpp>
#include <schedpol/json/writer.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace schedpol::json {

namespace detail {

inline void write(Writer& out, const std::string& text) {
  write(out, std::string_view(text));
}
inline void write(Writer& out, const char* text) {
  write(out, std::string_view(text));
}
inline void write(Writer& out, std::same_as<bool> auto value) {
  out += value ? "true" : "false";
}
inline void write(Writer& out, std::int64_t number) {
  out += std::to_string(number);
}
inline void write(Writer& out, std::int32_t number) {
  out += std::to_string(number);
}

/// JSON that is text already.
struct Raw {
  std::string_view text;
};
inline void write(Writer& out, Raw raw) {
  out += raw.text;
}

inline void write(Writer& out, std::uint64_t number) {
  out += std::to_string(number);
}
template <Worded Word>
void write(Writer& out, Word word) {
  write(out, to_string(word));
}
inline void write(Writer& out, const Quantity& quantity) {
  write(out, quantity.text());
}

template <class Word>
void write(Writer& out, const OpenEnum<Word>& word) {
  write(out, word.text());
}

template <class T>
void write(Writer& out, const std::optional<T>& value);
template <class T>
void write(Writer& out, const std::vector<T>& list);
template <class Value, class Compare>
void write(Writer& out, const std::map<std::string, Value, Compare>& map);
template <Described T>
void write(Writer& out, const T& value);

/// Types that are only written, or not field by field: their schema says how.
template <class T>
concept Written = requires(Writer& out, const T& value) { Schema<T>::write(out, value); };
template <Written T>
void write(Writer& out, const T& value) {
  Schema<T>::write(out, value);
}

/// Writes the members of one object, with the commas between them. Closes it, unless an exception
/// is what ends it: memory ran out, and closing could run out of it too.
class ObjectWriter {
 public:
  explicit ObjectWriter(Writer& out) : out_(out) { out_ += '{'; }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;
  ~ObjectWriter() noexcept(false) {
    if (std::uncaught_exceptions() == exceptions_) out_ += '}';
  }

  template <class T>
  ObjectWriter& member(std::string_view name, const T& value) {
    write(key(name), value);
    return *this;
  }

  /// Writes the name, in which nothing has to be escaped, and leaves the value to the caller.
  Writer& key(std::string_view name) {
    char* at = out_.extend(name.size() + (first_ ? 3U : 4U));
    if (!first_) *at++ = ',';
    first_ = false;
    *at++ = '"';
    at += name.copy(at, name.size());
    at[0] = '"';
    at[1] = ':';
    return out_;
  }

  /// Writes a member whose name can be anything.
  template <class T>
  void entry(std::string_view name, const T& value) {
    if (!first_) out_ += ',';
    first_ = false;
    write(out_, name);
    out_ += ':';
    write(out_, value);
  }

 private:
  Writer& out_;
  int exceptions_ = std::uncaught_exceptions();
  bool first_ = true;
};

/// Whether a field with this value is left out: absent, or empty where that is the same.
template <class T>
bool is_absent(const T& value) {
  if constexpr (requires { value.has_value(); }) {
    return !value.has_value();
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else if constexpr (std::same_as<T, std::int32_t> || Worded<T>) {
    return false;
  } else {
    return value == T{};
  }
}

template <class T>
void write(Writer& out, const std::optional<T>& value) {
  if (value) {
    write(out, *value);
  } else {
    out += "null";
  }
}
template <class T>
void write(Writer& out, const std::vector<T>& list) {
  out += '[';
  bool first = true;
  for (const T& item : list) {
    if (!first) out += ',';
    first = false;
    write(out, item);
  }
  out += ']';
}
template <class Value, class Compare>
void write(Writer& out, const std::map<std::string, Value, Compare>& map) {
  ObjectWriter object(out);
  for (const auto& [key, value] : map) object.entry(key, value);
}
template <Described T>
void write(Writer& out, const T& value) {
  ObjectWriter object(out);
  if constexpr (Object<T>)
    object.member("apiVersion", Schema<T>::api_version).member("kind", Schema<T>::kind);
  const auto write_one = [&](const auto& entry) {
    const auto& part = std::invoke(entry.access, value);
    if (!is_absent(part)) object.member(entry.name, part);
  };
  std::apply([&](const auto&... entries) { (write_one(entries), ...); }, Schema<T>::fields);
}

template <>
struct Schema<FieldError> {
  static void write(Writer& out, const FieldError& error) {
    ObjectWriter(out)
        .member("field", error.field)
        .member("type", to_string(error.type))
        .member("value", error.bad_value)
        .member("message", message(error));
  }
};

template <>
struct Schema<Violation> {
  static void write(Writer& out, const Violation& violation) {
    ObjectWriter(out)
        .member("code", to_string(violation.code))
        .member("field", violation.field)
        .member("value", violation.value)
        .member("message", message(violation))
        .member("policies", violation.policies);
  }
};

template <>
struct Schema<pod_scheduling_policy::Skipped> {
  static void write(Writer& out, const pod_scheduling_policy::Skipped& skipped) {
    ObjectWriter(out)
        .member("policy", skipped.policy)
        .member("field", skipped.field)
        .member("reason", skipped.reason);
  }
};

template <>
struct Schema<metadata_policy::RuleName> {
  static void write(Writer& out, const metadata_policy::RuleName& name) {
    ObjectWriter(out).member("policy", name.policy).member("rule", name.rule);
  }
};

template <>
struct Schema<metadata_policy::Write> {
  static void write(Writer& out, const metadata_policy::Write& by) {
    ObjectWriter(out)
        .member("policy", by.by.policy)
        .member("rule", by.by.rule)
        .member("value", by.value);
  }
};

template <>
struct Schema<metadata_policy::Conflict> {
  static void write(Writer& out, const metadata_policy::Conflict& conflict) {
    ObjectWriter(out).member("field", conflict.field).member("writes", conflict.writes);
  }
};

template <>
struct Schema<Change> {
  static void write(Writer& out, const Change& change) {
    ObjectWriter(out)
        .member("field", change.field)
        .member("from", change.from)
        .member("to", change.to)
        .member("policy", change.policy);
  }
};

/// A template stands in a workload of its kind that has nothing else but its name and namespace.
template <>
struct Schema<Pod> {
  static void write(Writer& out, const Pod& pod) {
    ObjectWriter object(out);
    object.member("apiVersion", api_version(pod.kind)).member("kind", to_string(pod.kind));
    if (pod.kind != PodKind::pod) {
      ObjectMeta metadata;
      metadata.name = pod.metadata.name;
      metadata.namespace_ = pod.metadata.namespace_;
      object.member("metadata", metadata);
    }
    write_below(object, pod, template_path(pod.kind));
  }

 private:
  static constexpr std::string_view api_version(PodKind kind) noexcept {
    switch (kind) {
      case PodKind::pod:
      case PodKind::pod_template:
      case PodKind::replication_controller: return "v1";
      case PodKind::job:
      case PodKind::cron_job: return "batch/v1";
      case PodKind::replica_set:
      case PodKind::deployment:
      case PodKind::stateful_set:
      case PodKind::daemon_set: break;
    }
    return "apps/v1";
  }

  static void write_below(ObjectWriter& object, const Pod& pod, std::string_view path) {
    if (path.empty()) {
      object.member("metadata", pod.metadata).member("spec", pod.spec);
      return;
    }
    const std::size_t dot = path.find('.');
    ObjectWriter below(object.key(path.substr(0, dot)));
    write_below(below, pod, dot == std::string_view::npos ? "" : path.substr(dot + 1));
  }
};

}  // namespace detail

/// The JSON of a value: an object such as a SchedulingPolicy, or a part of one. Text that is not
/// UTF-8 is written as it is.
template <class T>
[[nodiscard]] std::string encode(const T& value) {
  detail::Writer out;
  detail::write(out, value);
  return std::move(out).take();
}

}  // namespace schedpol::json
