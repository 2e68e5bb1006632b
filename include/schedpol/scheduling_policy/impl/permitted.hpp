// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a violation says would have been permitted: the first of it, and how many more there are.
/// Looked up when something is denied, never where a pod is allowed.

#include <schedpol/base/names.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// As many as a text shows; what is too long to be shown whole is only counted.
class ShortList {
 public:
  [[nodiscard]] bool is_full() const noexcept { return shown_.size() == max_shown_names; }
  /// Whether nothing was shown or counted.
  [[nodiscard]] bool empty() const noexcept { return shown_.empty() && more_ == 0; }

  void add(const std::string& text) {
    if (is_full() || text.size() > max_shown_bytes) {
      ++more_;
    } else {
      shown_.push_back(text);
    }
  }
  void add(const Texts& texts) {
    for (const std::string& text : texts) add(text);
  }
  void count(std::size_t more) noexcept { more_ += more; }

  /// None where none can be shown.
  [[nodiscard]] Names take() && {
    return shown_.empty() ? Names() : Names(std::move(shown_), more_);
  }

 private:
  std::vector<std::string> shown_;
  std::size_t more_ = 0;
};

/// Texts: the allowed and the default's.
inline Names permitted_texts(const Texts& allowed, const std::string* by_default) {
  ShortList list;
  list.add(allowed);
  if (by_default != nullptr && !allowed.contains(*by_default)) list.add(*by_default);
  return std::move(list).take();
}

/// Names: the required, where any are, otherwise the allowed and the default's.
inline Names permitted_names(const AnyOr<Texts>& required, const AnyOr<Texts>& allowed,
                             const std::optional<std::string>& by_default) {
  if (!required.is_absent()) return permitted_texts(required.listed(), nullptr);
  return permitted_texts(allowed.listed(), by_default ? &*by_default : nullptr);
}

/// Values of a node selector key, in the same way.
inline Names permitted_values(const SchedulingPolicySpec& spec, std::string_view key) {
  const NodeSelectors& required = spec.required.node_selectors.listed();
  if (const auto found = required.find(key); found != required.end())
    return permitted_texts(found->second.listed(), nullptr);
  const NodeSelectors& allowed = spec.allowed.node_selectors.listed();
  const auto found = allowed.find(key);
  const std::optional<Labels>& by_default = spec.defaults.node_selector;
  return permitted_texts(found == allowed.end() ? Texts() : found->second.listed(),
                         by_default ? find_label(*by_default, key) : nullptr);
}

/// Patterns of one type, of which those are named that are about a key: first those that list it, then
/// those that take any. Where none is about it, they are named as they come. No pattern becomes a
/// text before it is named, and none twice.
class PatternsByKey {
 public:
  /// Patterns that outlive this object.
  template <class Source>
  void add(const std::vector<Source>& patterns) {
    for (const Source& pattern : patterns) {
      if (pattern.keys.is_absent()) continue;
      all_.push_back(patterns_.size());
      if (pattern.keys.is_any()) any_key_.push_back(patterns_.size());
      for (const std::string& key : pattern.keys.listed()) {
        Numbers& of_key = by_key_[key];
        if (of_key.empty() || of_key.back() != patterns_.size()) of_key.push_back(patterns_.size());
      }
      patterns_.push_back(&pattern);
    }
    texts_.resize(patterns_.size());
    to_text_ = [](const void* of) { return to_string(*static_cast<const Source*>(of)); };
  }
  /// Patterns of its own; once.
  void add_own(std::vector<TolerationPattern> patterns) {
    own_ = std::move(patterns);
    add(own_);
  }

  [[nodiscard]] bool empty() const noexcept { return patterns_.empty(); }

  /// What is permitted at a key.
  [[nodiscard]] Names at(std::string_view key) {
    ShortList names;
    if (const auto found = by_key_.find(key); found != by_key_.end()) name(found->second, names);
    name(any_key_, names);
    if (names.empty()) name(all_, names);
    return std::move(names).take();
  }

 private:
  using Numbers = std::vector<std::size_t>;

  void name(const Numbers& numbers, ShortList& names) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (names.is_full()) return names.count(numbers.size() - i);
      std::string& text = texts_[numbers[i]];
      if (text.empty()) text = to_text_(patterns_[numbers[i]]);
      names.add(text);
    }
  }

  std::vector<TolerationPattern> own_;
  std::vector<const void*> patterns_;
  std::vector<std::string> texts_;  ///< of those that were named
  std::string (*to_text_)(const void* pattern) = nullptr;
  Numbers all_;
  Numbers any_key_;
  NumbersByText by_key_;
};

/// Tolerations: what is required, allowed and given.
inline void add_permitted_tolerations(PatternsByKey& patterns, const SchedulingPolicySpec& spec) {
  patterns.add(spec.required.tolerations.listed());
  patterns.add(spec.allowed.tolerations.listed());
  if (!spec.defaults.tolerations) return;
  std::vector<TolerationPattern> defaults;
  for (const DefaultToleration& by_default : *spec.defaults.tolerations) {
    const auto& [key, operator_, value, effect, seconds] = by_default.toleration;
    const bool is_equal = operator_ == TolerationOperator::unset;
    TolerationPattern pattern{.keys = any, .operators = {operator_}, .values = {}, .effects = any};
    if (!key.empty()) pattern.keys = {key};
    if (is_equal) pattern.operators = {TolerationOperator::equal};
    pattern.values =
        by_default.values.is_listed() || value.empty() ? by_default.values : AnyOr<Texts>{value};
    if (effect != TaintEffect::unset) pattern.effects = {effect};
    defaults.push_back(std::move(pattern));
  }
  patterns.add_own(std::move(defaults));
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
