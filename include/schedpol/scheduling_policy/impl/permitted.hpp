// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The permitted values in a violation: the first of them, and the number of the rest. They are looked
/// up only for a denial, never for an allowed pod.

#include <schedpol/base/names.hpp>
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

/// The patterns of an index, of which those are named that are about a key: first those that list it,
/// then those that take any. Where none is about it, they are named as they come. No pattern becomes a
/// text before it is named, and none twice while the same index is asked.
template <class Source>
class NamedPatterns {
 public:
  /// What is permitted at a key.
  [[nodiscard]] Names at(std::string_view key, const PatternIndex& index) {
    if (index_ != &index) *this = NamedPatterns(index);
    ShortList names;
    index.for_each_of_key(key, [&](std::size_t number) { name(number, names); });
    return names.empty() ? all() : std::move(names).take();
  }

  NamedPatterns() = default;

 private:
  explicit NamedPatterns(const PatternIndex& index) noexcept : index_(&index) {}

  void name(std::size_t number, ShortList& names) {
    const void* source = index_->sources()[number];
    if (source == nullptr) return;
    if (names.is_full()) return names.count(1);
    if (texts_.size() <= number) texts_.resize(number + 1);
    std::string& text = texts_[number];
    if (text.empty()) text = to_string(*static_cast<const Source*>(source));
    names.add(text);
  }
  [[nodiscard]] const Names& all() {
    if (all_) return *all_;
    ShortList names;
    for (std::size_t i = 0; i < index_->sources().size(); ++i) name(i, names);
    return all_.emplace(std::move(names).take());
  }

  const PatternIndex* index_ = nullptr;
  std::vector<std::string> texts_{};  ///< by number, once they are named
  std::optional<Names> all_{};        ///< once they are named
};

/// What a default of tolerations gives, as patterns.
inline std::vector<TolerationPattern> given_tolerations(
    const std::optional<std::vector<DefaultToleration>>& defaults) {
  std::vector<TolerationPattern> given;
  if (!defaults) return given;
  for (const DefaultToleration& by_default : *defaults) {
    const auto& [key, operator_, value, effect, seconds] = by_default.toleration;
    const bool is_equal = operator_ == TolerationOperator::unset;
    TolerationPattern pattern{.keys = any, .operators = {operator_}, .values = {}, .effects = any};
    if (!key.empty()) pattern.keys = {key};
    if (is_equal) pattern.operators = {TolerationOperator::equal};
    pattern.values =
        by_default.values.is_listed() || value.empty() ? by_default.values : AnyOr<Texts>{value};
    if (effect != TaintEffect::unset) pattern.effects = {effect};
    given.push_back(std::move(pattern));
  }
  return given;
}

/// Tolerations: what is required, allowed and given.
class PermittedTolerations {
 public:
  /// `listed`: the index of what is required and allowed.
  PermittedTolerations(const SchedulingPolicySpec& spec, const PatternIndex& listed)
      : given_(given_tolerations(spec.defaults.tolerations)), index_(&listed) {
    if (given_.empty()) return;
    index_ = &with_given_.emplace([&](auto&& add) {
      for (const auto* list : {&spec.required.tolerations.listed(),
                               &spec.allowed.tolerations.listed(), &std::as_const(given_)})
        for (const TolerationPattern& pattern : *list) add(pattern);
    });
  }
  PermittedTolerations(const PermittedTolerations&) = delete;  // it points to its own
  PermittedTolerations& operator=(const PermittedTolerations&) = delete;
  ~PermittedTolerations() = default;

  [[nodiscard]] Names at(std::string_view key) { return patterns_.at(key, *index_); }

 private:
  std::vector<TolerationPattern> given_;
  std::optional<PatternIndex> with_given_{};
  const PatternIndex* index_;
  NamedPatterns<TolerationPattern> patterns_{};
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
