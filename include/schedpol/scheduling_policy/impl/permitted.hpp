// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a violation says would have been permitted: the first of it, and how many more there are.
/// Looked up when something is denied, never where a pod is allowed.

#include <schedpol/core/any_or.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/core/names.hpp>
#include <schedpol/core/texts.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <cstddef>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

/// As many as a text shows; what is too long to be shown whole is only counted.
class ShortList {
 public:
  [[nodiscard]] bool is_full() const noexcept { return shown_.size() == max_shown_names; }

  void add(std::string text) {
    if (is_full() || text.size() > max_shown_bytes) {
      ++more_;
    } else {
      shown_.push_back(std::move(text));
    }
  }
  void add(const Texts& texts) {
    for (const std::string& text : texts) is_full() ? count(1) : add(text);
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
inline Names permitted_texts(const Texts& allowed, const std::string* given) {
  ShortList list;
  list.add(allowed);
  if (given != nullptr && !allowed.contains(*given)) list.add(*given);
  return std::move(list).take();
}

/// Names: the required, where any are, otherwise the allowed and the default's.
inline Names permitted_names(const AnyOr<Texts>& required, const AnyOr<Texts>& allowed,
                             const std::optional<std::string>& given) {
  if (!required.is_absent()) return permitted_texts(required.listed(), nullptr);
  return permitted_texts(allowed.listed(), given ? &*given : nullptr);
}

/// Values of a node selector key, in the same way.
inline Names permitted_values(const SchedulingPolicySpec& spec, std::string_view key) {
  const NodeSelectors& required = spec.required.node_selectors.listed();
  if (const auto found = required.find(key); found != required.end())
    return permitted_texts(found->second.listed(), nullptr);
  const NodeSelectors& allowed = spec.allowed.node_selectors.listed();
  const auto found = allowed.find(key);
  const std::optional<Labels>& given = spec.defaults.node_selector;
  return permitted_texts(found == allowed.end() ? Texts() : found->second.listed(),
                         given ? find_label(*given, key) : nullptr);
}

/// Patterns, of which those are named that are about a key: they list it, or take any. Where none
/// is about it, they are named as they come. Nothing is looked at before something is denied, no
/// pattern becomes a text before it is named, and none twice, however many keys that it lists are
/// denied.
template <class Pattern>
class PatternsByKey {
 public:
  /// Patterns that outlive this object.
  void add(const std::vector<Pattern>& patterns) {
    for (const Pattern& pattern : patterns)
      if (!pattern.keys.is_absent()) patterns_.push_back(&pattern);
  }
  void add(Pattern pattern) { patterns_.push_back(&own_.emplace_back(std::move(pattern))); }

  /// What is permitted at a key; of many keys made once for each.
  [[nodiscard]] Names at(std::string_view key) {
    if (asked_ == 0) prepare();
    // A few keys take less to look for than all take to be indexed.
    if (++asked_ < few) return names_of_key(listing(key));
    if (asked_ == few) index();
    const auto found = by_key_.find(key);
    const bool is_listed = found != by_key_.end();
    const auto [names, added] = made_.try_emplace(is_listed ? &*found : nullptr);
    if (added) names->second = names_of_key(is_listed ? found->second : std::vector<std::size_t>());
    return names->second;
  }

 private:
  /// Some of the patterns, of which `first` are all that a list could show.
  struct Several {
    std::vector<std::size_t> first;
    std::size_t count = 0;
  };

  void prepare() {
    texts_.resize(patterns_.size());
    std::vector<std::size_t> any_key;
    for (std::size_t i = 0; i < patterns_.size(); ++i)
      if (patterns_[i]->keys.is_any()) any_key.push_back(i);
    any_key_ = several(any_key);
  }
  void index() {
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
      for (const std::string& key : patterns_[i]->keys.listed()) {
        std::vector<std::size_t>& of_key = by_key_[key];
        if (of_key.empty() || of_key.back() != i) of_key.push_back(i);
      }
    }
  }
  [[nodiscard]] std::vector<std::size_t> listing(std::string_view key) const {
    std::vector<std::size_t> of_key;
    for (std::size_t i = 0; i < patterns_.size(); ++i)
      if (patterns_[i]->keys.listed().contains(key)) of_key.push_back(i);
    return of_key;
  }
  [[nodiscard]] Several first_of_all() {
    std::vector<std::size_t> all(patterns_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return several(all);
  }

  const std::string& text_of(std::size_t i) {
    if (!texts_[i]) texts_[i] = to_string(*patterns_[i]);
    return *texts_[i];
  }
  Several several(const std::vector<std::size_t>& indices) {
    Several some{{}, indices.size()};
    for (const std::size_t i : indices) {
      if (some.first.size() == max_shown_names) break;
      if (text_of(i).size() <= max_shown_bytes) some.first.push_back(i);
    }
    return some;
  }
  /// Of a key that these list; of one that none lists what is of any, or as much as can be shown.
  [[nodiscard]] Names names_of_key(const std::vector<std::size_t>& of_key) {
    return names_of(of_key, of_key.empty() && any_key_.count == 0 ? first_of_all() : any_key_);
  }
  [[nodiscard]] Names names_of(const std::vector<std::size_t>& indices, const Several& then) {
    ShortList list;
    for (const std::size_t i : indices) list.is_full() ? list.count(1) : list.add(text_of(i));
    for (const std::size_t i : then.first) list.is_full() ? list.count(1) : list.add(text_of(i));
    list.count(then.count - then.first.size());
    return std::move(list).take();
  }

  std::vector<const Pattern*> patterns_;
  std::deque<Pattern> own_;
  std::vector<std::optional<std::string>> texts_;
  static constexpr std::size_t few = 8;
  std::size_t asked_ = 0;
  Several any_key_;
  using ByKey = std::map<std::string_view, std::vector<std::size_t>>;
  ByKey by_key_;
  std::map<const ByKey::value_type*, Names> made_;  ///< null: of keys that no pattern lists
};

/// Tolerations: what is required, allowed and given.
inline PatternsByKey<TolerationPattern> permitted_tolerations(const SchedulingPolicySpec& spec) {
  PatternsByKey<TolerationPattern> patterns;
  patterns.add(spec.required.tolerations.listed());
  patterns.add(spec.allowed.tolerations.listed());
  if (!spec.defaults.tolerations) return patterns;
  for (const DefaultToleration& given : *spec.defaults.tolerations) {
    const auto& [key, operator_, value, effect, seconds] = given.toleration;
    const bool is_equal = operator_ == TolerationOperator::unset;
    TolerationPattern pattern{.keys = any, .operators = {operator_}, .values = {}, .effects = any};
    if (!key.empty()) pattern.keys = {key};
    if (is_equal) pattern.operators = {TolerationOperator::equal};
    pattern.values = given.values.is_listed() || value.empty() ? given.values : AnyOr<Texts>{value};
    if (effect != TaintEffect::unset) pattern.effects = {effect};
    patterns.add(std::move(pattern));
  }
  return patterns;
}

}  // namespace schedpol::scheduling_policy::detail
