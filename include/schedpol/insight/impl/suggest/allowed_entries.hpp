// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What `allowed` says, entry by entry: the smallest parts of it that permit something, each as a
/// section of its own, and the section that several of them are together. A pattern is one entry, and
/// so is each name, each value of a key, each topology key, and each `any`.

#include <schedpol/scheduling_policy/impl/fields.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// Splits what one field says. `f(place, value, alone)` is called with where an entry stands, what
/// it is for a person, and the field with that entry alone.
class AllowedEntrySplitter {
 public:
  template <class F>
  static void split(const AnyOr<Texts>& texts, const FieldPath& at, F&& f) {
    if (texts.is_any()) return f(at, any_text(), AnyOr<Texts>(any));
    for (std::size_t i = 0; i < texts.listed().size(); ++i) {
      const std::string& text = texts.listed()[i];
      f(at.index(i), text, AnyOr<Texts>{text});
    }
  }
  template <class Pattern, class F>
  static void split(const AnyOr<std::vector<Pattern>>& patterns, const FieldPath& at, F&& f) {
    using List = std::vector<Pattern>;
    if (patterns.is_any()) return f(at, any_text(), AnyOr<List>(any));
    for (std::size_t i = 0; i < patterns.listed().size(); ++i) {
      const Pattern& pattern = patterns.listed()[i];
      f(at.index(i), to_string(pattern), AnyOr<List>(List{pattern}));
    }
  }
  template <class F>
  static void split(const AnyOr<NodeSelectors>& keys, const FieldPath& at, F&& f) {
    if (keys.is_any()) return f(at, any_text(), AnyOr<NodeSelectors>(any));
    for (const auto& [key, values] : keys.listed()) {
      split(values, at.key(key), [&](const FieldPath& place, std::string value, auto alone) {
        NodeSelectors one;
        one.try_emplace(key, std::move(alone));
        f(place, std::move(value), AnyOr<NodeSelectors>(std::move(one)));
      });
    }
  }
  /// A structure: each of its fields.
  template <HasFields T, class F>
  static void split(const AnyOr<T>& of, const FieldPath& at, F&& f) {
    if (of.is_any()) return f(at, any_text(), AnyOr<T>(any));
    if (!of.is_listed()) return;
    split_fields(of.listed(), at, [&](const FieldPath& place, std::string value, T alone) {
      f(place, std::move(value), AnyOr<T>(std::move(alone)));
    });
  }
  template <HasFields T, class F>
  static void split_fields(const T& of, const FieldPath& at, F&& f) {
    for_each_field<T>([&](std::string_view name, auto member) {
      split(of.*member, at.child(name), [&](const FieldPath& place, std::string value, auto alone) {
        T one;
        one.*member = std::move(alone);
        f(place, std::move(value), std::move(one));
      });
    });
  }

 private:
  static std::string any_text() { return "[]"; }

  template <class F>
  static void split(const std::vector<TermPattern>& terms, const FieldPath& at, F&& f) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      split_fields(terms[i], at.index(i),
                   [&](const FieldPath& place, std::string value, TermPattern alone) {
                     f(place, std::move(value), std::vector<TermPattern>{std::move(alone)});
                   });
    }
  }
  template <class F>
  static void split(const Texts& texts, const FieldPath& at, F&& f) {
    for (std::size_t i = 0; i < texts.size(); ++i) f(at.index(i), texts[i], Texts{texts[i]});
  }
};

/// Adds what one section says to what another does, as `allowed` is merged: `any` absorbs. Nothing looks
/// for what is there already, which would be quadratic: it permits no more than once. The expressions of
/// all terms stand in one, because they may be combined freely.
class AllowedEntryJoiner {
 public:
  template <class T>
  static void add(AnyOr<T>& into, const AnyOr<T>& from) {
    if (into.is_any() || from.is_absent()) return;
    if (from.is_any()) {
      into = any;
    } else {
      add(into.list(), from.listed());
    }
  }
  template <HasFields T>
  static void add(T& into, const T& from) {
    for_each_field<T>([&](std::string_view, auto member) { add(into.*member, from.*member); });
  }

 private:
  static void add(Texts& into, const Texts& from) {
    for (const std::string& text : from) into.push_back(text);
  }
  template <class Pattern>
  static void add(std::vector<Pattern>& into, const std::vector<Pattern>& from) {
    into.insert(into.end(), from.begin(), from.end());
  }
  static void add(NodeSelectors& into, const NodeSelectors& from) {
    for (const auto& [key, values] : from) add(into[key], values);
  }
  static void add(std::vector<TermPattern>& into, const std::vector<TermPattern>& from) {
    if (into.empty() && !from.empty()) into.emplace_back();
    for (const TermPattern& term : from) add<TermPattern>(into.front(), term);
  }
};

/// Calls `f(place, value, alone)` for each entry of a section.
template <class F>
void for_each_allowed_entry(const PolicySection& allowed, F&& f) {
  AllowedEntrySplitter::split_fields(allowed, FieldPath{allowed_section.name}, f);
}

/// Adds the entries of a section to another.
inline void add_allowed_entries(PolicySection& into, const PolicySection& from) {
  AllowedEntryJoiner::add(into, from);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
