// SPDX-License-Identifier: Apache-2.0
#include "needs.hpp"

#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace webhook {

namespace {

using schedpol::json::encode;

/// What the containers take for one need, and a line has besides.
constexpr std::size_t bytes_besides = 512;

}  // namespace

Needs::Rank Needs::rank_of(const ByObject::value_type& kept) {
  const auto& heard = kept.second.heard;
  return {std::max(heard[0], heard[1]), kept.second.last, kept.first};
}

std::string Needs::line_of(const ByObject::value_type& kept) {
  const auto& [object, what] = kept;
  const Need& need = what.need;
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","heard":{"count":)" +
         std::to_string(std::get<0>(rank_of(kept))) + R"(,"subject":)" + encode(need.subject) +
         R"(,"denied":)" + need.denied + R"(,"example":)" + need.example +
         R"(},"request":{"operation":"CREATE","namespace":)" + encode(need.namespace_) +
         R"(,"object":)" + object + "}}\n";
}

std::size_t Needs::bytes_of(const std::string& object, const Need& need) {
  return object.size() + need.subject.size() + need.namespace_.size() + need.denied.size() +
         need.example.size() + bytes_besides;
}

Needs::Added Needs::add(Need&& need, Asked by) {
  std::string object = std::move(need.object);
  const std::size_t bytes = bytes_of(object, need);
  if (bytes > most_need_bytes || bytes > most_bytes_) return Added::too_large;
  const std::lock_guard lock(mutex_);
  auto found = by_object_.find(object);
  const bool is_new = found == by_object_.end();
  if (!is_new) {
    bytes_ -= bytes_of(found->first, found->second.need);
    by_rank_.erase(rank_of(*found));
    // What it is denied for is what was said last.
    found->second.need.denied = std::move(need.denied);
  } else {
    found = by_object_.emplace(std::move(object), Kept{.need = std::move(need)}).first;
  }
  // It is ranked last, so that what makes room for it is another one.
  bytes_ += bytes_of(found->first, found->second.need);
  while (!by_rank_.empty() && (bytes_ > most_bytes_ || by_object_.size() > most_needs))
    drop_rarest();
  ++found->second.heard[static_cast<std::size_t>(by)];
  found->second.last = ++now_;
  by_rank_.insert(rank_of(*found));
  size_ = by_object_.size();
  return is_new ? Added::as_new : Added::again;
}

void Needs::drop_rarest() {
  const auto rarest = by_object_.find(std::get<2>(*by_rank_.begin()));
  by_rank_.erase(by_rank_.begin());
  bytes_ -= bytes_of(rarest->first, rarest->second.need);
  by_object_.erase(rarest);
  ++dropped_;
}

std::string Needs::lines() const {
  const std::lock_guard lock(mutex_);
  std::string lines;
  lines.reserve(bytes_);
  for (auto rank = by_rank_.rbegin(); rank != by_rank_.rend(); ++rank)
    lines += line_of(*by_object_.find(std::get<2>(*rank)));
  return lines;
}

}  // namespace webhook
