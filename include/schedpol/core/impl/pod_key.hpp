// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The namespace and name of a pod, by which others keep it.

#include <schedpol/core/object_meta.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

struct PodKey {
  std::string namespace_{};
  std::string name{};
};

/// Of whatever has the two, so that a pod is found without copying either. One without a namespace is in
/// `default`.
struct PodOrder {
  using is_transparent = void;

  template <class A, class B>
  bool operator()(const A& a, const B& b) const noexcept {
    return texts_of(a) < texts_of(b);
  }

 private:
  template <class Name>
  static std::pair<std::string_view, std::string_view> texts_of(const Name& of) noexcept {
    return {namespace_or_default(of.namespace_), of.name};
  }
};

template <class T>
using ByPod = std::map<PodKey, T, PodOrder>;

}  // namespace SCHEDPOL_NAMESPACE::detail
