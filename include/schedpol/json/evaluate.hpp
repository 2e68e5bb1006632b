// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One door for bytes: `evaluate` takes a request `{"id":..., "op":"...", "input":{...}}` and
/// answers
/// `{"id":..., "result":{...}}` or `{"id":..., "error":{"code","message","field"}}`. It is what
/// language bindings and offline tests call. Whatever is wrong with a request is an error and never
/// a decision.

#include <schedpol/core/field_error.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/patch.hpp>
#include <schedpol/json/schema.hpp>
#include <schedpol/rbac/rbac.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/check_update.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace schedpol::json {

/// What kind of error a reply reports.
enum class EvaluateError {
  invalid_json,     ///< the request is no valid JSON document
  invalid_request,  ///< it is no request, or lacks or misspells a part of one
  unknown_op,       ///< there is no such operation
  invalid_object,   ///< a Kubernetes object in it cannot be read, or a selector not be used
  limit_exceeded,   ///< it is longer or deeper than is read
};

[[nodiscard]] constexpr std::string_view to_string(EvaluateError code) noexcept {
  switch (code) {
    case EvaluateError::invalid_json: return "InvalidJson";
    case EvaluateError::invalid_request: return "InvalidRequest";
    case EvaluateError::unknown_op: return "UnknownOp";
    case EvaluateError::invalid_object: return "InvalidObject";
    case EvaluateError::limit_exceeded: return "LimitExceeded";
  }
  return "";
}

namespace detail {

/// `options` of the schedulingPolicy operations, with the words still as texts.
struct OptionsInput {
  std::string required_affinity;
  std::string node_name;
  std::vector<Toleration> exempt_tolerations;
  Labels exempt_node_selector;
  std::string global_default_priority_class;

  friend bool operator==(const OptionsInput&, const OptionsInput&) = default;
};

template <>
struct Schema<OptionsInput> {
  static constexpr auto unknown = Unknown::refuse;
  static constexpr auto fields =
      std::tuple(field("requiredAffinity", &OptionsInput::required_affinity),
                 field("nodeName", &OptionsInput::node_name),
                 field("exemptTolerations", &OptionsInput::exempt_tolerations),
                 field("exemptNodeSelector", &OptionsInput::exempt_node_selector),
                 field("globalDefaultPriorityClass", &OptionsInput::global_default_priority_class));
};

struct Failure {
  EvaluateError code = EvaluateError::invalid_request;
  FieldError error;
};

/// The `input` of a request. Reading a part of it that is wrong notes the first failure and goes on
/// with an empty value; nothing is evaluated unless `complete` says that all was well.
class Input {
 public:
  Input(std::string_view request, simdjson::dom::object object)
      : request_(request), object_(object) {}

  /// A part that may be left out.
  template <class T>
  T read(std::string_view name, EvaluateError code = EvaluateError::invalid_object) {
    T value{};
    if (const auto from = find(name)) read(*from, name, code, value);
    return value;
  }

  /// A part that has to be there.
  template <class T>
  T require(std::string_view name) {
    if (!find(name))
      fail(EvaluateError::invalid_request,
           {ErrorType::required, std::string(name), "", "the operation needs it"});
    return read<T>(name);
  }

  /// One of the words of an enumeration, the first of them when it is left out.
  template <class Word, std::size_t N>
  Word word(std::string_view field, std::string_view text,
            const std::array<std::pair<std::string_view, Word>, N>& words) {
    if (text.empty()) return words.front().second;
    std::string supported = "supported are";
    for (const auto& [spelling, word] : words) {
      if (spelling == text) return word;
      supported.append(supported.ends_with("are") ? " " : ", ").append(spelling);
    }
    fail(EvaluateError::invalid_request,
         {ErrorType::not_supported, std::string(field), std::string(text), std::move(supported)});
    return words.front().second;
  }

  /// The part as a document: what patches are computed against. Only where it was required and
  /// read.
  [[nodiscard]] simdjson::dom::element document(std::string_view name) const {
    return *find_element(name);
  }

  /// The bytes of the part, as they stand in the request.
  [[nodiscard]] std::string_view text(std::string_view name) const {
    std::string_view part = request_;
    for (const std::string_view token : {std::string_view("input"), name}) {
      Container container;
      if (!container.read(part)) return "null";
      const std::size_t at = container.find(token);
      if (at >= container.items().size()) return "null";
      const Span span = container.items()[at].value;
      part = part.substr(span.begin, span.end - span.begin);
    }
    return part;
  }

  void fail(EvaluateError code, FieldError error) {
    if (!failure_) failure_ = Failure{code, std::move(error)};
  }

  /// Whether all parts could be read, and there are no others.
  [[nodiscard]] bool complete() {
    for (const auto member : object_) {
      if (known_.contains(member.key)) continue;
      fail(EvaluateError::invalid_request,
           {ErrorType::forbidden, std::string(member.key), "", "the operation has no such input"});
    }
    return !failure_;
  }
  [[nodiscard]] const std::optional<Failure>& failure() const noexcept { return failure_; }

 private:
  [[nodiscard]] std::optional<simdjson::dom::element> find_element(std::string_view name) const {
    simdjson::dom::element value;
    if (object_.at_key(name).get(value) != simdjson::SUCCESS || value.is_null())
      return std::nullopt;
    return value;
  }
  std::optional<simdjson::dom::element> find(std::string_view name) {
    known_.insert(name);
    return find_element(name);
  }

  template <class T>
  void read(simdjson::dom::element from, std::string_view name, EvaluateError code, T& value) {
    const Path root;
    Decoder decoder;
    decoder.read(root.field(name), from, value);
    if (decoder.errors().empty()) return;
    const FieldError& error = decoder.errors().front();
    fail(error.type == ErrorType::too_many ? EvaluateError::limit_exceeded : code, error);
  }

  std::string_view request_;
  simdjson::dom::object object_;
  std::set<std::string_view> known_;
  std::optional<Failure> failure_;
};

using scheduling_policy::EffectivePolicy;
using scheduling_policy::MergeStrategy;
using scheduling_policy::SchedulingPolicy;

/// Policies are told apart by name, so each needs one of its own.
inline std::vector<SchedulingPolicy> read_policies(Input& input) {
  auto policies = input.read<std::vector<SchedulingPolicy>>("policies");
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const std::string& name = policies[i].metadata.name;
    const std::string field = "policies[" + std::to_string(i) + "].metadata.name";
    if (name.empty()) {
      input.fail(EvaluateError::invalid_object,
                 {ErrorType::required, field, "", "a policy is told by its name"});
    } else if (!names.insert(name).second) {
      input.fail(EvaluateError::invalid_object,
                 {ErrorType::duplicate, field, name, "another policy has this name"});
    }
  }
  return policies;
}

inline EffectivePolicy read_effective_policy(Input& input) {
  constexpr auto strategy_of = [](MergeStrategy strategy) {
    return std::pair(to_string(strategy), strategy);
  };
  constexpr std::array strategies = {strategy_of(MergeStrategy::smart_deep_merge),
                                     strategy_of(MergeStrategy::first_seen_wins),
                                     strategy_of(MergeStrategy::simple_merge)};
  const auto policies = read_policies(input);
  const auto text = input.read<std::string>("strategy", EvaluateError::invalid_request);
  return merge(policies, input.word("strategy", text, strategies));
}

inline scheduling_policy::Options read_options(Input& input) {
  using scheduling_policy::NodeName;
  using scheduling_policy::RequiredAffinity;
  constexpr std::array required_affinities = {
      std::pair(std::string_view("EveryTerm"), RequiredAffinity::every_term),
      std::pair(std::string_view("Present"), RequiredAffinity::present)};
  constexpr std::array node_names = {
      std::pair(std::string_view("RequireAnyScheduler"), NodeName::require_any_scheduler),
      std::pair(std::string_view("Ignore"), NodeName::ignore)};
  auto read = input.read<OptionsInput>("options", EvaluateError::invalid_request);
  scheduling_policy::Options options;
  options.required_affinity =
      input.word("options.requiredAffinity", read.required_affinity, required_affinities);
  options.node_name = input.word("options.nodeName", read.node_name, node_names);
  options.exempt_tolerations = std::move(read.exempt_tolerations);
  options.exempt_node_selector = std::move(read.exempt_node_selector);
  options.global_default_priority_class = std::move(read.global_default_priority_class);
  return options;
}

/// What an operation writes its result into; only called once the input is complete.
using Operation = void (*)(Input&, std::string&);

inline void label_selector_matches(Input& input, std::string& out) {
  const auto selector = input.read<std::optional<LabelSelector>>("selector");
  const auto labels = input.read<Labels>("labels");
  const auto matcher = compile(selector, "selector");
  if (!matcher) input.fail(EvaluateError::invalid_object, matcher.errors().front());
  if (input.complete()) ObjectWriter(out).member("matches", matcher->matches(labels));
}

inline void taints_find_untolerated(Input& input, std::string& out) {
  const auto tolerations = input.read<std::vector<Toleration>>("tolerations");
  const auto taints = input.read<std::vector<Taint>>("taints");
  if (input.complete())
    ObjectWriter(out).member("untolerated", find_untolerated(tolerations, taints));
}

inline void tolerations_merge(Input& input, std::string& out) {
  const auto first = input.read<std::vector<Toleration>>("first");
  const auto second = input.read<std::vector<Toleration>>("second");
  if (input.complete()) ObjectWriter(out).member("tolerations", merge(first, second));
}

inline void scheduling_policy_validate(Input& input, std::string& out) {
  const auto policy = input.require<SchedulingPolicy>("policy");
  if (input.complete()) ObjectWriter(out).member("errors", validate(policy));
}

inline void scheduling_policy_merge(Input& input, std::string& out) {
  const EffectivePolicy effective = read_effective_policy(input);
  if (!input.complete()) return;
  ObjectWriter(out)
      .member("spec", effective.spec())
      .member("sources", effective.sources().entries)
      .member("lost", effective.sources().lost);
}

/// The members that every operation which may change a pod answers with.
inline void write_admission(ObjectWriter& result, const Input& input, std::string_view name,
                            const Pod& before, const Admission& admission) {
  const Patch patch =
      admission.allowed ? make_patch(input.document(name), before, admission.pod) : Patch{};
  const Result<std::string> object = apply_patch(input.text(name), patch);
  result.member("allowed", admission.allowed)
      .member("object", Raw{object ? *object : std::string_view("null")})
      .member("violations", admission.violations)
      .member("changes", admission.changes)
      .member("patch", patch);
}

inline void scheduling_policy_admit(Input& input, std::string& out) {
  const Pod pod = input.require<Pod>("pod");
  const EffectivePolicy effective = read_effective_policy(input);
  const auto options = read_options(input);
  if (!input.complete()) return;
  ObjectWriter result(out);
  write_admission(result, input, "pod", pod, admit(pod, effective, options));
}

inline void scheduling_policy_check_update(Input& input, std::string& out) {
  const Pod old = input.require<Pod>("old");
  const Pod updated = input.require<Pod>("new");
  const EffectivePolicy effective = read_effective_policy(input);
  const auto options = read_options(input);
  if (old.kind != updated.kind) {
    input.fail(EvaluateError::invalid_request,
               {ErrorType::invalid, "new.kind", std::string(to_string(updated.kind)),
                "must be that of old"});
  }
  if (!input.complete()) return;
  const auto violations = check_update(old, updated, effective, options);
  ObjectWriter(out).member("allowed", violations.empty()).member("violations", violations);
}

inline void rbac_usable_policies(Input& input, std::string& out) {
  const auto user = input.require<rbac::User>("user");
  const auto in = input.read<std::string>("namespace", EvaluateError::invalid_request);
  const auto policies =
      input.read<std::vector<std::string>>("policies", EvaluateError::invalid_request);
  rbac::Rbac rbac;
  rbac.roles = input.read<std::vector<rbac::Role>>("roles");
  rbac.cluster_roles = input.read<std::vector<rbac::ClusterRole>>("clusterRoles");
  rbac.role_bindings = input.read<std::vector<rbac::RoleBinding>>("roleBindings");
  rbac.cluster_role_bindings =
      input.read<std::vector<rbac::ClusterRoleBinding>>("clusterRoleBindings");
  rbac::Access access;
  const auto api_group =
      input.read<std::optional<std::string>>("apiGroup", EvaluateError::invalid_request);
  const auto resource =
      input.read<std::optional<std::string>>("resource", EvaluateError::invalid_request);
  access.api_group = api_group.value_or(access.api_group);
  access.resource = resource.value_or(access.resource);
  if (input.complete())
    ObjectWriter(out).member("usable", usable(policies, user, in, rbac, access));
}

inline constexpr std::array operations = {
    std::pair<std::string_view, Operation>("labelSelector.matches", label_selector_matches),
    std::pair<std::string_view, Operation>("rbac.usablePolicies", rbac_usable_policies),
    std::pair<std::string_view, Operation>("schedulingPolicy.admit", scheduling_policy_admit),
    std::pair<std::string_view, Operation>("schedulingPolicy.checkUpdate",
                                           scheduling_policy_check_update),
    std::pair<std::string_view, Operation>("schedulingPolicy.merge", scheduling_policy_merge),
    std::pair<std::string_view, Operation>("schedulingPolicy.validate", scheduling_policy_validate),
    std::pair<std::string_view, Operation>("taints.findUntolerated", taints_find_untolerated),
    std::pair<std::string_view, Operation>("tolerations.merge", tolerations_merge),
};

inline std::string reply(std::string_view id, std::string_view member, std::string_view body) {
  std::string out;
  ObjectWriter(out).member("id", Raw{id}).member(member, Raw{body});
  return out;
}

inline std::string error_reply(std::string_view id, const Failure& failure) {
  std::string body;
  ObjectWriter(body)
      .member("code", json::to_string(failure.code))
      .member("message", message(failure.error))
      .member("field", failure.error.field);
  return reply(id, "error", body);
}

}  // namespace detail

/// Answers one request; the reply is one JSON document, on one line where the request is. `id` may
/// be any scalar and is echoed, null where it is absent or could not be read. Members of the
/// request other than `id`, `op` and `input` are ignored; those of `input` that the operation does
/// not know are errors. The `field` of an error is a path in `input`, or the member of the request
/// that is wrong. Keeps nothing between calls.
[[nodiscard]] inline std::string evaluate(std::string_view request) {
  std::string id = "null";
  const auto refuse = [&](EvaluateError code, FieldError error) {
    constexpr std::string_view input = "input.";
    if (error.field.starts_with(input)) error.field.erase(0, input.size());
    return detail::error_reply(id, {code, std::move(error)});
  };
  const auto wrong_type = [&](std::string field, std::string wanted) {
    return refuse(EvaluateError::invalid_request,
                  {ErrorType::type_invalid, std::move(field), "", std::move(wanted)});
  };

  Document document;
  const bool good = document.parse(request);
  if (!good && document.problem() == DocumentProblem::limit_exceeded) {
    return refuse(EvaluateError::limit_exceeded, document.error());
  }
  if (!good && document.problem() == DocumentProblem::invalid_json) {
    return refuse(EvaluateError::invalid_json, document.error());
  }
  simdjson::dom::object root;
  if (document.root().get(root) != simdjson::SUCCESS)
    return wrong_type("", "a request must be an object");
  simdjson::dom::element id_element;
  const auto ids = std::count_if(root.begin(), root.end(),
                                 [](const auto& member) { return member.key == "id"; });
  if (ids == 1 && root.at_key("id").get(id_element) == simdjson::SUCCESS) {
    if (id_element.is_object() || id_element.is_array())
      return wrong_type("id", "must be a scalar");
    id = simdjson::minify(id_element);
  }
  if (!good) return refuse(EvaluateError::invalid_json, document.error());

  std::string_view op;
  if (root.at_key("op").get(op) != simdjson::SUCCESS)
    return wrong_type("op", "must be the name of an operation");
  const auto operation = std::find_if(detail::operations.begin(), detail::operations.end(),
                                      [&](const auto& known) { return known.first == op; });
  if (operation == detail::operations.end()) {
    return refuse(EvaluateError::unknown_op,
                  {ErrorType::not_supported, "op", std::string(op), "there is no such operation"});
  }
  simdjson::dom::object input_object;
  if (root.at_key("input").get(input_object) != simdjson::SUCCESS)
    return wrong_type("input", "must be an object");

  detail::Input input(request, input_object);
  std::string result;
  operation->second(input, result);
  return input.failure() ? detail::error_reply(id, *input.failure())
                         : detail::reply(id, "result", result);
}

}  // namespace schedpol::json
