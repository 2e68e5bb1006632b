// SPDX-License-Identifier: Apache-2.0
#pragma once

/// RuntimeClass scheduling: what a pod takes over from the class of its container runtime.
///
/// 1. A pod without `runtimeClassName` is left alone; one that names a class which does not exist
///    is denied for that alone.
/// 2. Overhead: set from the class. A pod that brings a different one is denied (quantities are
///    compared by value), and so is one that brings one where no class defines any.
/// 3. Node selector: the class's pairs are added; the same key with another value is a conflict.
/// 4. Tolerations, where the class has `scheduling`: the union of the pod's, first, and the
/// class's. Source: the RuntimeClass scheduling proposal, and Kubernetes' RuntimeClass admission
/// plugin.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/core/syntax.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/core/validation.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::runtime_class {

/// What pods of the class need besides their containers.
struct Overhead {
  ResourceList pod_fixed{};

  friend bool operator==(const Overhead&, const Overhead&) = default;
};

/// Which nodes support the class, and the taints its pods tolerate there.
struct Scheduling {
  Labels node_selector{};
  std::vector<Toleration> tolerations{};

  friend bool operator==(const Scheduling&, const Scheduling&) = default;
};

/// Cluster-scoped; `handler` is the runtime's name on the nodes, which nothing here looks at.
struct RuntimeClass {
  ObjectMeta metadata{};
  std::string handler{};
  std::optional<Overhead> overhead{};
  std::optional<Scheduling> scheduling{};

  friend bool operator==(const RuntimeClass&, const RuntimeClass&) = default;
};

namespace detail {

inline std::string to_text(const ResourceList& resources) {
  std::string text;
  for (const auto& [name, quantity] : resources) {
    text += (text.empty() ? "" : ", ") + name + "=" + quantity.text();
  }
  return text;
}

inline const RuntimeClass* find(std::span<const RuntimeClass> classes, std::string_view name) {
  for (const RuntimeClass& runtime_class : classes) {
    if (runtime_class.metadata.name == name) return &runtime_class;
  }
  return nullptr;
}

/// Two classes of one name that differ cannot be told apart.
inline bool is_ambiguous(std::span<const RuntimeClass> classes, const RuntimeClass& found) {
  for (const RuntimeClass& runtime_class : classes) {
    if (runtime_class.metadata.name == found.metadata.name && runtime_class != found) return true;
  }
  return false;
}

/// Merges one class into one pod.
class Merger {
 public:
  Merger(Pod pod, const RuntimeClass& from) : from_(from), pod_(std::move(pod)), before_(pod_) {}

  Admission run() && {
    merge_overhead();
    if (from_.scheduling) {
      merge_node_selector();
      merge_tolerations();
    }
    Admission admission;
    admission.allowed = violations_.empty();
    admission.violations = std::move(violations_);
    if (!admission.allowed) {
      admission.pod = std::move(before_);
      return admission;
    }
    admission.pod = std::move(pod_);
    admission.changes = std::move(changes_);
    // Tolerations that only changed places are not listed as changes.
    const bool moved = admission.pod.spec.tolerations != before_.spec.tolerations;
    if (moved || !admission.changes.empty()) admission.before = std::move(before_);
    return admission;
  }

 private:
  void violate(ViolationCode code, std::string_view field, std::string value) {
    violations_.push_back(
        {code, field_path(pod_.kind, field), std::move(value), {from_.metadata.name}});
  }
  void note(std::string_view field, std::optional<std::string> from,
            std::optional<std::string> to) {
    changes_.push_back(
        {field_path(pod_.kind, field), std::move(from), std::move(to), from_.metadata.name});
  }

  void merge_overhead() {
    const bool defined = from_.overhead && !from_.overhead->pod_fixed.empty();
    ResourceList& overhead = pod_.spec.overhead;
    if (!defined) {
      if (overhead.empty()) return;
      return violate(ViolationCode::overhead_without_runtime_class, "spec.overhead",
                     to_text(overhead));
    }
    if (overhead.empty()) {
      note("spec.overhead", std::nullopt, to_text(from_.overhead->pod_fixed));
      overhead = from_.overhead->pod_fixed;
    } else if (overhead != from_.overhead->pod_fixed) {
      violate(ViolationCode::overhead_mismatch, "spec.overhead", to_text(overhead));
    }
  }

  void merge_node_selector() {
    for (const auto& [key, value] : from_.scheduling->node_selector) {
      const std::string field = "spec.nodeSelector[" + key + "]";
      const auto [at, added] = pod_.spec.node_selector.try_emplace(key, value);
      if (added) {
        note(field, std::nullopt, value);
      } else if (at->second != value) {
        violate(ViolationCode::node_selector_conflict, field, at->second);
      }
    }
  }

  /// A toleration of the pod that the union no longer lists was covered by another, or is there
  /// once already.
  void merge_tolerations() {
    const std::vector<Toleration>& own = pod_.spec.tolerations;
    std::vector<Toleration> merged = own;
    for (const Toleration& toleration : from_.scheduling->tolerations) merged.push_back(toleration);
    merged = schedpol::detail::without_covered(merged);
    for_each_missing(own, merged, [&](std::string_view field, std::string text) {
      note(field, std::move(text), std::nullopt);
    });
    for_each_missing(merged, own, [&](std::string_view field, std::string text) {
      note(field, std::nullopt, std::move(text));
    });
    pod_.spec.tolerations = std::move(merged);
  }

  /// Calls `use` with the field and the text of each toleration of `list` that `other` does not
  /// have as often.
  template <class Use>
  static void for_each_missing(const std::vector<Toleration>& list, std::vector<Toleration> other,
                               Use&& use) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (const auto at = std::find(other.begin(), other.end(), list[i]); at != other.end()) {
        other.erase(at);
        continue;
      }
      use("spec.tolerations[" + std::to_string(i) + "]", to_string(list[i]));
    }
  }

  const RuntimeClass& from_;
  Pod pod_;
  Pod before_;
  std::vector<Violation> violations_;
  std::vector<Change> changes_;
};

}  // namespace detail

/// The whole decision on a pod; all violations are reported. Admitting the result again allows it
/// and changes nothing. Two different classes of the pod's name deny it (`AmbiguousPolicy`).
[[nodiscard]] inline Admission admit(Pod pod, std::span<const RuntimeClass> classes) {
  Admission admission;
  const std::string& name = pod.spec.runtime_class_name;
  const auto deny = [&](ViolationCode code, std::string_view field, std::string value,
                        std::vector<std::string> policies) {
    admission.violations.push_back(
        {code, field_path(pod.kind, field), std::move(value), std::move(policies)});
    admission.pod = std::move(pod);
    return std::move(admission);
  };
  if (name.empty()) {
    if (!pod.spec.overhead.empty()) {
      return deny(ViolationCode::overhead_without_runtime_class, "spec.overhead",
                  detail::to_text(pod.spec.overhead), {});
    }
    admission.allowed = true;
    admission.pod = std::move(pod);
    return admission;
  }
  const RuntimeClass* found = detail::find(classes, name);
  if (found == nullptr)
    return deny(ViolationCode::runtime_class_not_found, "spec.runtimeClassName", name, {});
  if (detail::is_ambiguous(classes, *found)) {
    return deny(ViolationCode::ambiguous_policy, "spec.runtimeClassName", name, {name});
  }
  return detail::Merger(std::move(pod), *found).run();
}

/// What of its class a final pod lacks, after other mutators ran: none means that all is in place.
/// A pod without a class, or whose class does not exist or is ambiguous, has the violations of
/// `admit`. Otherwise another overhead is `OverheadMismatch` (`OverheadWithoutRuntimeClass` where
/// the class has none), a pair of the selector that is gone or has another value
/// `NodeSelectorRequired`, and a toleration that none of the pod's covers `TolerationRequired`.
[[nodiscard]] inline std::vector<Violation> verify(const Pod& pod,
                                                   std::span<const RuntimeClass> classes) {
  const std::string& name = pod.spec.runtime_class_name;
  const RuntimeClass* from = name.empty() ? nullptr : detail::find(classes, name);
  if (from == nullptr || detail::is_ambiguous(classes, *from))
    return admit(pod, classes).violations;
  std::vector<Violation> violations;
  const auto lacks = [&](ViolationCode code, std::string_view field, std::string value) {
    violations.push_back({code, field_path(pod.kind, field), std::move(value), {name}});
  };
  const ResourceList none;
  const ResourceList& overhead = from->overhead ? from->overhead->pod_fixed : none;
  if (pod.spec.overhead != overhead) {
    lacks(overhead.empty() ? ViolationCode::overhead_without_runtime_class
                           : ViolationCode::overhead_mismatch,
          "spec.overhead", detail::to_text(pod.spec.overhead));
  }
  if (!from->scheduling) return violations;
  for (const auto& [key, value] : from->scheduling->node_selector) {
    const std::string* found = find_label(pod.spec.node_selector, key);
    if (found != nullptr && *found == value) continue;
    lacks(ViolationCode::node_selector_required, "spec.nodeSelector[" + key + "]",
          found == nullptr ? "" : *found);
  }
  for (const Toleration& toleration : from->scheduling->tolerations) {
    bool covered = false;
    for (const Toleration& own : pod.spec.tolerations) covered = covered || covers(own, toleration);
    if (!covered) {
      lacks(ViolationCode::toleration_required, "spec.tolerations", to_string(toleration));
    }
  }
  return violations;
}

/// Whether a node supports a class, and if not, which of the class's labels it lacks or has
/// otherwise.
struct Support {
  bool supported = false;
  Labels missing{};

  friend bool operator==(const Support&, const Support&) = default;
};

/// A class without a node selector is supported by every node.
[[nodiscard]] inline Support supports(const RuntimeClass& runtime_class, const Node& node) {
  Support support;
  if (runtime_class.scheduling) {
    for (const auto& [key, value] : runtime_class.scheduling->node_selector) {
      const std::string* label = find_label(node.metadata.labels, key);
      if (label == nullptr || *label != value) support.missing[key] = value;
    }
  }
  support.supported = support.missing.empty();
  return support;
}

/// What is wrong with a class: its name, its handler (a DNS label, required), a negative overhead,
/// the labels of its node selector, its tolerations.
[[nodiscard]] inline std::vector<FieldError> validate(const RuntimeClass& runtime_class) {
  schedpol::detail::FieldErrors errors;
  schedpol::detail::validate_name(errors, runtime_class.metadata.name);
  if (runtime_class.handler.empty()) {
    errors.add(ErrorType::required, "handler", "", "a class has the name of its runtime");
  } else {
    errors.add_all("handler", runtime_class.handler, dns_label_problems(runtime_class.handler));
  }
  if (runtime_class.overhead) {
    for (const auto& [name, quantity] : runtime_class.overhead->pod_fixed) {
      if (quantity >= Quantity()) continue;
      errors.add(ErrorType::invalid, "overhead.podFixed[" + name + "]", quantity.text(),
                 "must not be negative");
    }
  }
  if (runtime_class.scheduling) {
    schedpol::detail::validate_labels(errors, "scheduling.nodeSelector",
                                      runtime_class.scheduling->node_selector);
    schedpol::detail::validate_tolerations(errors, "scheduling.tolerations",
                                           runtime_class.scheduling->tolerations);
  }
  return std::move(errors).take();
}

}  // namespace schedpol::runtime_class
