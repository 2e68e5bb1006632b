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
    if (patterns_.empty()) {
      patterns_.reserve(patterns.size());
      keys_.reserve(patterns.size());
    }
    for (const Source& pattern : patterns) {
      if (pattern.keys.is_absent()) continue;
      if (pattern.keys.is_any()) any_key_.push_back(patterns_.size());
      for (const std::string& key : pattern.keys.listed()) keys_.push_back({key, patterns_.size()});
      patterns_.push_back({&pattern, {}});
    }
    are_sorted_ = false;
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
    if (!std::exchange(are_sorted_, true)) {
      std::sort(keys_.begin(), keys_.end());
      keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    }
    ShortList names;
    const auto of_key = std::lower_bound(keys_.begin(), keys_.end(), Key{key, 0});
    const auto end = std::lower_bound(of_key, keys_.end(), Key{key, patterns_.size()});
    name(static_cast<std::size_t>(end - of_key), names,
         [&](std::size_t i) { return of_key[static_cast<std::ptrdiff_t>(i)].pattern; });
    name(any_key_.size(), names, [&](std::size_t i) { return any_key_[i]; });
    if (names.empty()) name(patterns_.size(), names, [](std::size_t i) { return i; });
    return std::move(names).take();
  }

 private:
  struct Key {
    std::string_view text;
    std::size_t pattern;

    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Pattern {
    const void* source;
    std::string text;  ///< once it is named
  };

  /// So many, of which `number(i)` is the `i`th.
  template <class Number>
  void name(std::size_t count, ShortList& names, Number&& number) {
    for (std::size_t i = 0; i < count; ++i) {
      if (names.is_full()) return names.count(count - i);
      Pattern& pattern = patterns_[number(i)];
      if (pattern.text.empty()) pattern.text = to_text_(pattern.source);
      names.add(pattern.text);
    }
  }

  std::vector<TolerationPattern> own_;
  std::vector<Pattern> patterns_;
  std::string (*to_text_)(const void* source) = nullptr;
  std::vector<Key> keys_;
  bool are_sorted_ = false;
  std::vector<std::size_t> any_key_;
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
