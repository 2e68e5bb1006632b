// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/field_errors.hpp>
#include <schedpol/base/impl/shared.hpp>
#include <schedpol/core/impl/match_label_keys.hpp>
#include <schedpol/core/pod_affinity.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

struct PodAffinityMatcher::Impl {
  Texts namespaces;
  LabelMatcher namespace_labels;
  LabelMatcher labels;
};

SCHEDPOL_INLINE bool PodAffinityMatcher::matches(const Pod& pod,
                                                 const Labels& namespace_labels) const noexcept {
  if (!impl_) return false;
  const bool is_there = impl_->namespaces.contains(namespace_of(pod.metadata)) ||
                        impl_->namespace_labels.matches(namespace_labels);
  return is_there && impl_->labels.matches(pod.metadata.labels);
}

SCHEDPOL_INLINE Result<PodAffinityMatcher> compile(const PodAffinityTerm& term, const Pod& pod,
                                                   const FieldPath& field) {
  std::optional<LabelSelector> selector = term.label_selector;
  detail::add_label_keys(selector, term.match_label_keys, LabelSelectorOperator::in,
                         pod.metadata.labels);
  detail::add_label_keys(selector, term.mismatch_label_keys, LabelSelectorOperator::not_in,
                         pod.metadata.labels);
  auto labels = compile(selector, field.child("labelSelector"));
  auto namespace_labels = compile(term.namespace_selector, field.child("namespaceSelector"));
  detail::FieldErrors errors;
  errors.append(labels.errors());
  errors.append(namespace_labels.errors());
  if (!errors.empty()) return std::move(errors).take();
  PodAffinityMatcher::Impl impl{term.namespaces, *std::move(namespace_labels), *std::move(labels)};
  if (term.namespaces.empty() && !term.namespace_selector)
    impl.namespaces = {namespace_of(pod.metadata)};
  PodAffinityMatcher matcher;
  matcher.impl_ = Shared<PodAffinityMatcher::Impl>(std::move(impl));
  return matcher;
}

}  // namespace SCHEDPOL_NAMESPACE
