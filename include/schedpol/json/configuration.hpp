// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Configuration: the objects of the five systems that a cluster has, which of the systems run, in
/// which order and how strictly; what an Engine is compiled from. As JSON it is any number of
/// Kubernetes objects and one EngineConfiguration:
///
///     {"apiVersion": "schedpol/v1alpha1", "kind": "EngineConfiguration",
///      "systems": [{"system": "RuntimeClass"}, {"system": "SchedulingPolicy", "mode": "Warn"}],
///      "policyUse": "Rbac", "access": {"apiGroup": "extensions"}, "strategy": "SmartDeepMerge",
///      "options": {}}
///
/// `systems` has no default. `access` has `verb`, `apiGroup` and `resource`. `options` are those of
/// `schedulingPolicy.admit`; the tolerations of DefaultTolerationSeconds are exempt besides the
/// ones they list.

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/schema.hpp>
#include <schedpol/metadata_policy/metadata_policy.hpp>
#include <schedpol/pod_scheduling_policy/pod_scheduling_policy.hpp>
#include <schedpol/rbac/rbac.hpp>
#include <schedpol/resource_policy/policy.hpp>
#include <schedpol/runtime_class/runtime_class.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace schedpol::json {

enum class System {
  runtime_class,
  metadata_policy,
  pod_scheduling_policy,
  scheduling_policy,
  resource_policy,  ///< denies a pod that more than one ResourcePolicy selects: no node takes it
};

[[nodiscard]] constexpr std::string_view to_string(System system) noexcept {
  switch (system) {
    case System::runtime_class: return "RuntimeClass";
    case System::metadata_policy: return "MetadataPolicy";
    case System::pod_scheduling_policy: return "PodSchedulingPolicy";
    case System::scheduling_policy: return "SchedulingPolicy";
    case System::resource_policy: return "ResourcePolicy";
  }
  return "";
}

/// What the word of a system counts for.
enum class Mode {
  enforce,  ///< it changes and denies
  warn,     ///< it only tells the user what it would have denied
  audit,    ///< it only tells the audit log what it would have denied or changed
};

[[nodiscard]] constexpr std::string_view to_string(Mode mode) noexcept {
  switch (mode) {
    case Mode::enforce: return "Enforce";
    case Mode::warn: return "Warn";
    case Mode::audit: return "Audit";
  }
  return "";
}

/// One system that runs.
struct Step {
  System system = System::runtime_class;
  Mode mode = Mode::enforce;

  friend bool operator==(const Step&, const Step&) = default;
};

/// Which SchedulingPolicies a pod is judged by.
enum class PolicyUse {
  rbac,   ///< those that its service account may use
  every,  ///< all of them
};

[[nodiscard]] constexpr std::string_view to_string(PolicyUse use) noexcept {
  return use == PolicyUse::rbac ? "Rbac" : "Every";
}

/// The options of SchedulingPolicy for pods that come from the API server, which has filled in the
/// scheduler's name and the tolerations of DefaultTolerationSeconds before a webhook sees them.
[[nodiscard]] inline scheduling_policy::Options admission_options() {
  scheduling_policy::Options options;
  options.default_scheduler = DefaultScheduler::unspecified;
  options.exempt_tolerations = scheduling_policy::default_toleration_seconds();
  return options;
}

struct Configuration {
  std::vector<Step> systems{};  ///< each at most once; one that is not listed has no say
  std::vector<runtime_class::RuntimeClass> runtime_classes{};
  std::vector<metadata_policy::MetadataPolicy> metadata_policies{};
  std::vector<pod_scheduling_policy::PodSchedulingPolicy> pod_scheduling_policies{};
  std::vector<scheduling_policy::SchedulingPolicy> scheduling_policies{};
  std::vector<resource_policy::ResourcePolicy> resource_policies{};
  std::vector<ObjectMeta> namespaces{};  ///< for the namespaceSelectors
  rbac::Rbac rbac{};
  PolicyUse policy_use = PolicyUse::rbac;
  rbac::Access access{};  ///< what a rule has to grant for a policy to be usable
  scheduling_policy::MergeStrategy strategy = scheduling_policy::MergeStrategy::smart_deep_merge;
  scheduling_policy::Options options = admission_options();

  friend bool operator==(const Configuration&, const Configuration&) = default;
};

namespace detail {

template <>
struct Words<System> {
  using enum System;
  static constexpr bool needed = true;
  static constexpr std::array all = {runtime_class, metadata_policy, pod_scheduling_policy,
                                     scheduling_policy, resource_policy};
};

template <>
struct Words<Mode> {
  using enum Mode;
  static constexpr std::array all = {enforce, warn, audit};
};

template <>
struct Words<PolicyUse> {
  using enum PolicyUse;
  static constexpr std::array all = {rbac, every};
};

template <>
struct Schema<Step> {
  static constexpr std::string_view needed = "system";
  static constexpr auto fields =
      std::tuple(field("system", &Step::system), field("mode", &Step::mode));
};

template <>
struct Schema<rbac::Access> {
  static constexpr auto fields =
      std::tuple(field("verb", &rbac::Access::verb), field("apiGroup", &rbac::Access::api_group),
                 field("resource", &rbac::Access::resource));
};

/// The settings of a Configuration, apart from its objects.
struct EngineConfiguration {
  std::vector<Step> systems{};
  PolicyUse policy_use = PolicyUse::rbac;
  rbac::Access access{};
  scheduling_policy::MergeStrategy strategy = scheduling_policy::MergeStrategy::smart_deep_merge;
  scheduling_policy::Options options{};

  friend bool operator==(const EngineConfiguration&, const EngineConfiguration&) = default;
};

template <>
struct Schema<EngineConfiguration> {
  using T = EngineConfiguration;
  static constexpr std::string_view api_version = "schedpol/v1alpha1";
  static constexpr std::string_view kind = "EngineConfiguration";
  static constexpr auto unknown = Unknown::refuse;
  static constexpr std::array<std::string_view, 1> ignored = {"metadata"};
  static constexpr auto fields = std::tuple(
      field("systems", &T::systems), field("policyUse", &T::policy_use),
      field("access", &T::access), field("strategy", &T::strategy), field("options", &T::options));
};

/// Reads the objects of one document into a Configuration.
class ConfigurationReader {
 public:
  explicit ConfigurationReader(Configuration& into) : into_(into) {}

  void read(const Path& path, element from) {
    simdjson::dom::object object;
    if (from.get(object) != simdjson::SUCCESS)
      return decoder_.report(ErrorType::type_invalid, path, "", "must be a Kubernetes object");
    std::string_view kind;
    if (object.at_key("kind").get(kind) != simdjson::SUCCESS)
      return decoder_.report(ErrorType::required, path.field("kind"), "",
                             "tells what the object is");
    if (kind == "List" && path.parent == nullptr) return read_items(path, object);
    if (kind == "EngineConfiguration") return read_settings(path, from);
    if (kind == "Namespace") {
      AnyObject namespace_;
      decoder_.read(path, from, namespace_);
      return into_.namespaces.push_back(std::move(namespace_.metadata));
    }
    const bool known =
        append_if<runtime_class::RuntimeClass>(kind, path, from, into_.runtime_classes) ||
        append_if<metadata_policy::MetadataPolicy>(kind, path, from, into_.metadata_policies) ||
        append_if<scheduling_policy::SchedulingPolicy>(kind, path, from,
                                                       into_.scheduling_policies) ||
        append_if<resource_policy::ResourcePolicy>(kind, path, from, into_.resource_policies) ||
        append_if<rbac::Role>(kind, path, from, into_.rbac.roles) ||
        append_if<rbac::ClusterRole>(kind, path, from, into_.rbac.cluster_roles) ||
        append_if<rbac::RoleBinding>(kind, path, from, into_.rbac.role_bindings) ||
        append_if<rbac::ClusterRoleBinding>(kind, path, from, into_.rbac.cluster_role_bindings);
    if (known) return;
    if (kind == "PodSchedulingPolicy" || kind == "ClusterPodSchedulingPolicy")
      return append(path, from, into_.pod_scheduling_policies);
    decoder_.report(ErrorType::not_supported, path.field("kind"), kind,
                    "is no object of a scheduling policy");
  }

  [[nodiscard]] std::vector<FieldError> take_errors() && {
    return std::move(decoder_).take_errors();
  }

 private:
  void read_items(const Path& path, simdjson::dom::object object) {
    const Path items = path.field("items");
    simdjson::dom::array array;
    if (object.at_key("items").get(array) != simdjson::SUCCESS)
      return decoder_.report(ErrorType::type_invalid, items, "", "must be a list of objects");
    std::size_t index = 0;
    for (const auto item : array) read(items.item(index++), item);
  }

  void read_settings(const Path& path, element from) {
    EngineConfiguration read;
    decoder_.read(path, from, read);
    if (!into_.systems.empty())
      return decoder_.report(ErrorType::duplicate, path.field("kind"), "EngineConfiguration",
                             "there is one already");
    if (read.systems.empty())
      return decoder_.report(ErrorType::required, path.field("systems"), "",
                             "which systems run has to be said");
    into_.systems = std::move(read.systems);
    into_.policy_use = read.policy_use;
    into_.access = std::move(read.access);
    into_.strategy = read.strategy;
    scheduling_policy::Options preset = admission_options();
    read.options.default_scheduler = preset.default_scheduler;
    into_.options = exempt(std::move(read.options), preset.exempt_tolerations);
  }

  template <class T>
  void append(const Path& path, element from, std::vector<T>& into) {
    decoder_.read(path, from, into.emplace_back());
  }
  template <class T>
  bool append_if(std::string_view kind, const Path& path, element from, std::vector<T>& into) {
    if (kind != Schema<T>::kind) return false;
    append(path, from, into);
    return true;
  }

  Configuration& into_;
  Decoder decoder_;
};

}  // namespace detail

/// Adds what a document holds, one object or a `List` of them, to a configuration: an
/// EngineConfiguration, a policy of any of the five systems, a RuntimeClass, a Namespace, or a
/// Role, ClusterRole, RoleBinding or ClusterRoleBinding. The kind tells what it is; of the
/// apiVersion only the type is looked at. With any error, which are returned, the configuration
/// stays as it was.
[[nodiscard]] inline std::vector<FieldError> add_objects(Configuration& configuration,
                                                         std::string_view bytes) {
  Document document;
  if (!document.parse(bytes)) return {document.error()};
  Configuration read = configuration;
  detail::ConfigurationReader reader(read);
  reader.read({}, document.root());
  std::vector<FieldError> errors = std::move(reader).take_errors();
  if (errors.empty()) configuration = std::move(read);
  return errors;
}

}  // namespace schedpol::json
