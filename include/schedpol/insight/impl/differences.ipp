// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/resource_amounts.hpp>
#include <schedpol/core/resources.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/differences.hpp>
#include <schedpol/scheduling_policy/impl/check_allowed.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

class Differences {
 public:
  [[nodiscard]] static std::vector<Change> between(const Pod& from, const Pod& to) {
    Differences found(from.kind);
    found.compare({"metadata", "labels"}, from.metadata.labels, to.metadata.labels);
    found.compare({"metadata", "annotations"}, from.metadata.annotations, to.metadata.annotations);
    const PodSpec& before = from.spec;
    const PodSpec& after = to.spec;
    scheduling_policy::for_each_row([&]<class Row>(const Row& row) {
      found.compare({"spec", row.field}, before.*row.in_pod, after.*row.in_pod);
      if constexpr (requires { row.traits.derived; })
        for (const scheduling_policy::DerivedField& derived : row.traits.derived)
          found.compare({"spec", derived.field}, derived.text(before), derived.text(after));
    });
    found.compare({"spec", "overhead"}, before.overhead, after.overhead);
    return std::move(found.changes_);
  }

 private:
  using Fields = std::initializer_list<std::string_view>;

  explicit Differences(PodKind kind) : kind_(kind) {}

  static std::optional<std::string> text(const std::string& value) {
    return value.empty() ? std::nullopt : std::optional(value);
  }
  static std::optional<std::string> text(const std::optional<std::string>& value) { return value; }
  template <class Kind>
  static std::optional<std::string> text(const std::optional<Kind>& affinity) {
    return affinity ? std::optional(to_string(*affinity)) : std::nullopt;
  }
  static std::optional<std::string> text(const ResourceList& resources) {
    return text(schedpol::detail::to_text(resources));
  }

  template <class T>
  void compare(Fields fields, const T& from, const T& to) {
    if (from != to) changes_.push_back({field_path(kind_, fields), text(from), text(to)});
  }
  void compare(Fields fields, const Labels& from, const Labels& to) {
    if (from == to) return;
    const FieldPath at = field_path(kind_, fields);
    for (const auto& [key, value] : from) {
      const std::string* then = find_label(to, key);
      if (then == nullptr) {
        changes_.push_back({at.key(key), value, std::nullopt});
      } else if (*then != value) {
        changes_.push_back({at.key(key), value, *then});
      }
    }
    for (const auto& [key, value] : to)
      if (find_label(from, key) == nullptr) changes_.push_back({at.key(key), std::nullopt, value});
  }
  template <class Item>
  void compare(Fields fields, const std::vector<Item>& from, const std::vector<Item>& to) {
    if (from == to) return;
    const FieldPath at = field_path(kind_, fields);
    std::map<std::string, std::int64_t> more_before;
    for (const Item& item : from)
      for_each_text(item, [&](std::string text) { ++more_before[std::move(text)]; });
    for (const Item& item : to)
      for_each_text(item, [&](std::string text) { --more_before[std::move(text)]; });
    const std::size_t known = changes_.size();
    for (const auto& [item, more] : more_before) {
      if (more > 0) changes_.push_back({at, item, std::nullopt});
      if (more < 0) changes_.push_back({at, std::nullopt, item});
    }
    if constexpr (std::is_same_v<Item, Toleration>)
      if (changes_.size() == known) changes_.push_back({at, in_order(from), in_order(to)});
  }
  void compare(Fields fields, const std::optional<Affinity>& from,
               const std::optional<Affinity>& to) {
    const Affinity none;
    const Affinity& has = from ? *from : none;
    const Affinity& gets = to ? *to : none;
    const std::vector<std::string_view> at(fields);
    scheduling_policy::for_each_kind([&](const auto& kind) {
      compare({at[0], at[1], kind.field}, has.*kind.member, gets.*kind.member);
    });
  }
  /// What policies look at of an item.
  template <class Item, class F>
  static void for_each_text(const Item& item, F&& f) {
    if constexpr (requires { to_string(item); }) {
      f(to_string(item));
    } else {
      scheduling_policy::detail::for_each_allowed_name(
          item, [&](std::string_view, const std::string& name) { f(name); });
    }
  }
  static std::string in_order(const std::vector<Toleration>& tolerations) {
    std::string all;
    for (const Toleration& toleration : tolerations)
      all += (all.empty() ? "" : ", ") + to_string(toleration);
    return all;
  }

  PodKind kind_;
  std::vector<Change> changes_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<Change> differences(const Pod& from, const Pod& to) {
  return detail::Differences::between(from, to);
}

}  // namespace SCHEDPOL_NAMESPACE::engine
