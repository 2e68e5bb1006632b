// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/container_requests.hpp>
#include <schedpol/core/impl/resource_amounts.hpp>
#include <schedpol/core/impl/syntax.hpp>
#include <schedpol/core/resources.hpp>
#include <schedpol/impl/linkage.hpp>

#include <limits>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

inline std::int64_t saturating_add(std::int64_t a, std::int64_t b) noexcept {
  using Limits = std::numeric_limits<std::int64_t>;
  if (b > 0 && a > Limits::max() - b) return Limits::max();
  if (b < 0 && a < Limits::min() - b) return Limits::min();
  return a + b;
}

inline std::int64_t saturating_subtract(std::int64_t a, std::int64_t b) noexcept {
  using Limits = std::numeric_limits<std::int64_t>;
  if (b < 0 && a > Limits::max() + b) return Limits::max();
  if (b > 0 && a < Limits::min() + b) return Limits::min();
  return a - b;
}

/// An amount that has a member of its own.
struct NamedAmount {
  std::string_view name;
  std::int64_t Resources::*amount;
};

inline constexpr NamedAmount named_amounts[] = {
    {"pods", &Resources::pods},
    {"cpu", &Resources::milli_cpu},
    {"memory", &Resources::memory},
    {"ephemeral-storage", &Resources::ephemeral_storage}};

/// Whether a resource besides cpu, memory and ephemeral-storage counts.
inline bool is_scalar(std::string_view name) {
  if (name.starts_with("hugepages-") || name.starts_with("attachable-volumes-")) return true;
  if (name.find("kubernetes.io/") != std::string_view::npos) return true;
  if (name.find('/') == std::string_view::npos || name.starts_with("requests.")) return false;
  return label_key_problems("requests." + std::string(name)).empty();
}

SCHEDPOL_INLINE bool is_counted(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource == "ephemeral-storage" ||
         is_scalar(resource);
}

SCHEDPOL_INLINE std::int64_t amount_of(const Resources& resources,
                                       std::string_view resource) noexcept {
  for (const auto& [name, amount] : named_amounts)
    if (resource == name) return resources.*amount;
  const auto found = resources.scalar.find(resource);
  return found == resources.scalar.end() ? 0 : found->second;
}

SCHEDPOL_INLINE Quantity to_quantity(std::string_view resource, std::int64_t amount) {
  std::string_view suffix;
  const auto divide = [&](std::int64_t by, std::string_view by_suffix) {
    if (amount % by != 0) return false;
    amount /= by;
    suffix = by_suffix;
    return true;
  };
  if (resource == "cpu") {
    suffix = "m";
    divide(1000, "");
  } else if (amount != 0 && (resource == "memory" || resource == "ephemeral-storage" ||
                             resource.starts_with("hugepages-"))) {
    for (const std::string_view next : {"Ki", "Mi", "Gi", "Ti", "Pi"})
      if (!divide(1024, next)) break;
  }
  // An integer and a known suffix are a quantity.
  return *Quantity::parse(std::to_string(amount).append(suffix));
}

/// `pods` is left to the caller.
inline Resources to_resources(const ResourceList& list) {
  Resources resources;
  for (const auto& [name, quantity] : list) {
    if (name == "cpu") {
      resources.milli_cpu = quantity.milli_value();
    } else if (name == "memory") {
      resources.memory = quantity.value();
    } else if (name == "ephemeral-storage") {
      resources.ephemeral_storage = quantity.value();
    } else if (is_scalar(name)) {
      resources.scalar[name] = quantity.value();
    }
  }
  return resources;
}

/// Each amount of `into` becomes `combine(it, that of other)`.
template <class Combine>
void combine_each(Resources& into, const Resources& other, Combine combine) {
  for (const auto& [name, amount] : named_amounts)
    into.*amount = combine(into.*amount, other.*amount);
  for (const auto& [name, amount] : other.scalar) {
    std::int64_t& changed = into.scalar[name];
    changed = combine(changed, amount);
  }
}

/// Of one pod, of which nothing is below zero.
inline Resources requests_of_one(const ResourceList& list) {
  Resources requests = to_resources(list);
  combine_each(requests, Resources(requests),
               [](std::int64_t amount, std::int64_t) { return std::max<std::int64_t>(amount, 0); });
  requests.pods = 1;
  return requests;
}

}  // namespace detail

SCHEDPOL_INLINE Resources& Resources::operator+=(const Resources& other) {
  detail::combine_each(*this, other, detail::saturating_add);
  return *this;
}

SCHEDPOL_INLINE Resources& Resources::operator-=(const Resources& other) {
  detail::combine_each(*this, other, detail::saturating_subtract);
  return *this;
}

SCHEDPOL_INLINE ResourceList pod_requests(const PodSpec& spec) {
  ResourceList sum = detail::container_requests(spec);
  if (spec.resources) detail::put_pod_level(sum, *spec.resources);
  detail::add_to(sum, spec.overhead);
  return sum;
}

SCHEDPOL_INLINE ResourceList pod_requests(const PodSpec& spec, const PodStatus& status) {
  ResourceList sum = detail::container_requests(spec, status);
  detail::put_pod_level(sum, spec, status);
  detail::add_to(sum, spec.overhead);
  return sum;
}

SCHEDPOL_INLINE Resources requests(const PodSpec& spec) {
  return detail::requests_of_one(pod_requests(spec));
}

SCHEDPOL_INLINE Resources requests(const PodSpec& spec, const PodStatus& status) {
  return detail::requests_of_one(pod_requests(spec, status));
}

SCHEDPOL_INLINE Resources allocatable(const Node& node) {
  Resources allocatable = detail::to_resources(node.status.allocatable);
  const auto pods = node.status.allocatable.find("pods");
  if (pods != node.status.allocatable.end()) allocatable.pods = pods->second.value();
  return allocatable;
}

namespace detail {

/// Whether `is_left(name, left)` of every resource: whether what is asked for is left.
template <class IsLeft>
bool each_resource(const Resources& requests, const Resources& allocatable, const Resources& used,
                   const IsLeft& is_left) {
  const auto holds = [&](std::string_view name, std::int64_t requested, std::int64_t may,
                         std::int64_t does) {
    return is_left(name, requested <= 0 || requested <= saturating_subtract(may, does));
  };
  return all_of(named_amounts,
                [&](const NamedAmount& of) {
                  return holds(of.name, requests.*of.amount, allocatable.*of.amount,
                               used.*of.amount);
                }) &&
         all_of(requests.scalar, [&](const auto& resource) {
           const auto& [name, requested] = resource;
           return holds(name, requested, amount_of(allocatable, name), amount_of(used, name));
         });
}

}  // namespace detail

SCHEDPOL_INLINE bool fits(const Resources& requests, const Resources& allocatable,
                          const Resources& used) noexcept {
  return detail::each_resource(requests, allocatable, used,
                               [](std::string_view, bool is_left) { return is_left; });
}

SCHEDPOL_INLINE std::vector<std::string> insufficient(const Resources& requests,
                                                      const Resources& allocatable,
                                                      const Resources& used) {
  std::vector<std::string> reasons;
  detail::each_resource(requests, allocatable, used, [&](std::string_view name, bool is_left) {
    if (!is_left)
      reasons.push_back(name == "pods" ? "Too many pods" : "Insufficient " + std::string(name));
    return true;
  });
  return reasons;
}

SCHEDPOL_INLINE std::string unschedulable_message(std::size_t nodes, const Reasons& reasons) {
  std::vector<std::string> parts;
  for (const auto& [reason, count] : reasons) {
    if (count > 0) parts.push_back(std::to_string(count) + " " + reason);
  }
  std::sort(parts.begin(), parts.end());
  std::string message = "0/" + std::to_string(nodes) + " nodes are available:";
  for (std::size_t i = 0; i < parts.size(); ++i) message += (i == 0 ? " " : ", ") + parts[i];
  return parts.empty() ? message : message + ".";
}

}  // namespace SCHEDPOL_NAMESPACE
