// SPDX-License-Identifier: Apache-2.0
// Copyright The schedpol authors
//
// schedpol's JSON in one header, on top of schedpol.hpp; needs simdjson.
// Generated from include/ by amalgamate.py: change the headers there, not this file.

#ifndef SCHEDPOL_JSON_SINGLE_INCLUDE_HPP
#define SCHEDPOL_JSON_SINGLE_INCLUDE_HPP

#include "schedpol.hpp"
#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <simdjson.h>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// schedpol/json/document.hpp

/// Bytes to a checked JSON document: whole and valid, within limits, without duplicate keys.
/// Readers disagree on which of two equal keys counts, so a document that has them cannot be
/// trusted to mean the same to the API server and to a policy.

namespace schedpol::json {

/// Bytes of the largest document that is read.
inline constexpr std::size_t max_document_bytes = std::size_t{16} << 20U;

/// Levels of nesting of the deepest document that is read.
inline constexpr std::size_t max_document_depth = 256;

/// Tolerations in one list of a document. Merging two lists compares each with each.
inline constexpr std::size_t max_tolerations = 2048;

/// Errors reported for one document; what comes after them is not looked for.
inline constexpr std::size_t max_reported_errors = 100;

enum class DocumentProblem {
  invalid_json,    ///< not JSON, not UTF-8, or a number out of range
  duplicate_key,   ///< an object has a key twice
  limit_exceeded,  ///< more bytes or levels than are read
};

namespace detail {

/// A place in a document, as a chain on the stack: its text is only built for an error.
struct Path {
  const Path* parent = nullptr;
  std::string_view name;  ///< of a field, or of a key in brackets
  std::size_t index = 0;  ///< of a list item
  enum class Step { root, field, key, item } step = Step::root;

  [[nodiscard]] Path field(std::string_view field_name) const {
    return {this, field_name, 0, Step::field};
  }
  [[nodiscard]] Path key(std::string_view key_name) const { return {this, key_name, 0, Step::key}; }
  [[nodiscard]] Path item(std::size_t item_index) const {
    return {this, {}, item_index, Step::item};
  }

  [[nodiscard]] std::string text() const {
    std::string path = parent != nullptr ? parent->text() : std::string();
    switch (step) {
      case Step::root: break;
      case Step::field:
        if (!path.empty()) path += '.';
        path.append(name);
        break;
      case Step::key: path.append("[").append(name).append("]"); break;
      case Step::item: path.append("[").append(std::to_string(index)).append("]"); break;
    }
    return path;
  }
};

/// The first duplicate key of an element and all below it. Recursion is bounded by the parser's
/// depth.
inline std::optional<FieldError> find_duplicate_key(const simdjson::dom::element& element,
                                                    const Path& path) {
  simdjson::dom::array array;
  if (element.get(array) == simdjson::SUCCESS) {
    std::size_t index = 0;
    for (const auto item : array) {
      if (auto found = find_duplicate_key(item, path.item(index++))) return found;
    }
    return std::nullopt;
  }
  simdjson::dom::object object;
  if (element.get(object) != simdjson::SUCCESS) return std::nullopt;
  std::vector<std::string_view> keys;
  keys.reserve(object.size());
  for (const auto member : object) {
    keys.push_back(member.key);
    if (auto found = find_duplicate_key(member.value, path.field(member.key))) return found;
  }
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice == keys.end()) return std::nullopt;
  return FieldError{ErrorType::duplicate, path.field(*twice).text(), "",
                    "the key is there more than once"};
}

/// Whether any object of a parsed document has a key twice: one pass over simdjson's tape, on which
/// the values of a document stand in their order. Which key and where, `find_duplicate_key` says.
class DuplicateKeys {
 public:
  /// `keys` is memory that is used again from one document to the next.
  DuplicateKeys(const simdjson::dom::document& document, std::vector<std::uint64_t>& keys)
      : tape_(document.tape.get()),
        strings_(document.string_buf.get()),
        end_((tape_[0] & payload) - 1),
        keys_(keys) {
    if (keys_.size() < end_ / 2 + 1) keys_.resize(end_ / 2 + 1);
  }

  [[nodiscard]] bool found() && {
    std::array<Open, max_document_depth + 1> outer;  // what is around the one that is open
    std::size_t depth = 0;
    std::size_t count = 0;  // keys of the objects that are not closed yet
    Open open = {0, 0, false};
    for (std::size_t at = 1; at < end_;) {
      if (open.is_object && tag(at) == '"') {
        if (is_duplicate(open, tape_[at++] & payload, count++)) return true;
      }
      const char value = tag(at++);
      if (value == '"') continue;
      if (value == '{' || value == '[') {
        outer[depth++] = open;
        open = {count, 0, value == '{'};
      } else if (value == '}' || value == ']') {
        if (count - open.first_key > few && is_duplicate_among_many(open, count)) return true;
        count = open.first_key;
        open = outer[--depth];
      } else if (value == 'l' || value == 'u' || value == 'd') {
        ++at;  // a number has its value in a word of its own
      }
    }
    return false;
  }

 private:
  static constexpr std::uint64_t payload = (std::uint64_t{1} << 56U) - 1;

  /// Keys of an object up to which each is compared with those before it.
  static constexpr std::size_t few = 32;

  /// An object or list that is not closed yet. `seen` has a bit for each key, which different keys
  /// may share.
  struct Open {
    std::size_t first_key;
    std::uint64_t seen;
    bool is_object;
  };

  [[nodiscard]] char tag(std::size_t at) const noexcept {
    return static_cast<char>(tape_[at] >> 56U);
  }

  /// A key by its place among the strings, where its length stands before it.
  [[nodiscard]] std::string_view key(std::uint64_t place) const noexcept {
    std::uint32_t length = 0;
    std::memcpy(&length, strings_ + place, sizeof length);
    return {reinterpret_cast<const char*>(strings_ + place + sizeof length), length};
  }

  /// Takes in a key, the `count`th of those that are open; whether its object has it already.
  bool is_duplicate(Open& object, std::uint64_t place, std::size_t count) noexcept {
    const std::string_view text = key(place);
    // Keys of one object tend to differ in their length, their beginning or their end. The strings
    // on the tape have their length before them, so that there are always four bytes that end with
    // the last, and a zero behind them, so that the empty one has a first byte too.
    std::uint32_t tail = 0;
    std::memcpy(&tail, strings_ + place + text.size(), sizeof tail);
    const std::uint64_t hash = (text.size() << 40U ^ std::uint64_t{tail} << 8U ^
                                static_cast<unsigned char>(*text.data())) *
                               0x9E3779B97F4A7C15U;  // as in Fibonacci hashing
    const std::uint64_t bit = std::uint64_t{1} << (hash >> 58U);
    if ((object.seen & bit) != 0 && count - object.first_key < few) {
      for (std::size_t i = object.first_key; i < count; ++i) {
        if (key(keys_[i]) == text) return true;
      }
    }
    object.seen |= bit;
    keys_[count] = place;
    return false;
  }

  /// The keys of a large object are compared when it is closed, by their order.
  [[nodiscard]] bool is_duplicate_among_many(const Open& object, std::size_t count) const {
    std::vector<std::string_view> keys;
    keys.reserve(count - object.first_key);
    for (std::size_t i = object.first_key; i < count; ++i) keys.push_back(key(keys_[i]));
    std::sort(keys.begin(), keys.end());
    return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
  }

  const std::uint64_t* tape_;
  const std::uint8_t* strings_;
  std::size_t end_;
  std::vector<std::uint64_t>& keys_;  ///< of the objects that are not closed yet
};

/// What the parser found, for a person.
[[nodiscard]] inline std::string parse_problem(simdjson::error_code code) {
  switch (code) {
    case simdjson::EMPTY: return "not valid JSON: there is nothing";
    case simdjson::UTF8_ERROR: return "not valid JSON: not UTF-8";
    case simdjson::STRING_ERROR:
    case simdjson::UNESCAPED_CHARS:
    case simdjson::UNCLOSED_STRING: return "not valid JSON: a string is malformed or not closed";
    case simdjson::NUMBER_ERROR: return "not valid JSON: a number is malformed or out of range";
    default: return "not valid JSON: the structure is malformed";
  }
}

}  // namespace detail

/// A parsed document. Lives as long as anything read from it, and stays where it is. Its memory
/// grows with the longest document it reads and is used again for the next.
class Document {
 public:
  Document() = default;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  /// Reads `bytes`, which need no padding and may go afterwards. True when the document is good;
  /// otherwise `problem` and `error` say why not. There is a root when it is good, and when a
  /// duplicate key is all that is wrong.
  [[nodiscard]] bool parse(std::string_view bytes) {
    const auto limit = [&](ErrorType type, std::string detail) {
      return fail(DocumentProblem::limit_exceeded, {type, "", "", std::move(detail)});
    };
    if (bytes.size() > max_document_bytes) {
      return limit(ErrorType::too_long,
                   "a document has at most " + std::to_string(max_document_bytes) + " bytes");
    }
    padded_.assign(bytes).append(simdjson::SIMDJSON_PADDING, ' ');
    auto code = simdjson::SUCCESS;
    if (parser_.capacity() < padded_.size())
      code = parser_.allocate(padded_.size(), max_document_depth + 1);
    if (code == simdjson::SUCCESS)
      code = parser_.parse(padded_.data(), bytes.size(), false).get(root_);
    if (code == simdjson::DEPTH_ERROR) {
      return limit(ErrorType::too_many,
                   "a document nests at most " + std::to_string(max_document_depth) + " levels");
    }
    if (code == simdjson::CAPACITY || code == simdjson::MEMALLOC) {
      return limit(ErrorType::too_long, "there is no memory for the document");
    }
    if (code != simdjson::SUCCESS) {
      return fail(DocumentProblem::invalid_json,
                  {ErrorType::invalid, "", "", detail::parse_problem(code)});
    }
    if (!detail::DuplicateKeys(parser_.doc, keys_).found()) return true;
    auto duplicate = detail::find_duplicate_key(root_, {});
    return fail(DocumentProblem::duplicate_key, duplicate ? *std::move(duplicate) : FieldError{});
  }

  [[nodiscard]] simdjson::dom::element root() const noexcept { return root_; }
  [[nodiscard]] DocumentProblem problem() const noexcept { return problem_; }
  [[nodiscard]] const FieldError& error() const noexcept { return error_; }

 private:
  bool fail(DocumentProblem problem, FieldError error) {
    problem_ = problem;
    error_ = std::move(error);
    return false;
  }

  simdjson::dom::parser parser_;
  std::string padded_;               ///< the bytes, with what the parser reads beyond them
  std::vector<std::uint64_t> keys_;  ///< those of `DuplicateKeys`
  simdjson::dom::element root_;
  DocumentProblem problem_ = DocumentProblem::invalid_json;
  FieldError error_;
};

}  // namespace schedpol::json

// schedpol/json/schema.hpp

/// The JSON fields of every value type, once: decoding, encoding and patching all read these
/// tables. A field is a name and what it stands for in the value, with the other spelling that the
/// SchedulingPolicy proposal uses, where it uses one.

namespace schedpol::json::detail {

/// Who looks at a field. Those of a pod that only MetadataPolicy needs are the largest.
enum class LookedAt { by_all, by_metadata_policy };

/// `access` is a pointer to a member, or a callable from the value to a reference.
template <class Access>
struct Field {
  std::string_view name;
  Access access;
  std::string_view alias;  ///< accepted when decoding, never written; empty: none
  LookedAt looked_at = LookedAt::by_all;
};

template <class Access>
constexpr Field<Access> field(std::string_view name, Access access, std::string_view alias = "") {
  return {name, access, alias};
}
template <class Access>
constexpr Field<Access> field(std::string_view name, Access access, LookedAt looked_at) {
  return {name, access, "", looked_at};
}

/// How unknown fields of an object are taken.
enum class Unknown {
  inherit,  ///< as in the object around it; at the top, ignored
  ignore,   ///< Kubernetes objects carry much that does not matter here
  refuse,   ///< a typo in a policy is a hole
};

/// `fields`, and for whole objects `kind` and `api_version`; `unknown` where it is not inherited;
/// `ignored` names fields that are known but not read, `needed` one that has to be there;
/// `empty_is_any` marks maps that permit everything when they are written empty.
template <class T>
struct Schema;

/// The enumerators of a closed vocabulary, which `to_string` spells. Empty text is the first of
/// them, unless the vocabulary is `needed`.
template <class Word>
struct Words;

template <class Word>
concept Worded = requires { Words<Word>::all; };

template <>
struct Words<scheduling_policy::MergeStrategy> {
  using enum scheduling_policy::MergeStrategy;
  static constexpr std::array all = {smart_deep_merge, first_seen_wins, simple_merge};
};

template <>
struct Words<scheduling_policy::RequiredAffinity> {
  using enum scheduling_policy::RequiredAffinity;
  static constexpr std::array all = {every_term, present};
};

template <>
struct Words<scheduling_policy::NodeName> {
  using enum scheduling_policy::NodeName;
  static constexpr std::array all = {require_any_scheduler, ignore};
};

template <>
struct Words<pod_scheduling_policy::PolicyKind> {
  using enum pod_scheduling_policy::PolicyKind;
  static constexpr bool needed = true;
  static constexpr std::array all = {pod_scheduling_policy, cluster_pod_scheduling_policy};
};

template <class T>
concept Described = requires { Schema<T>::fields; };

template <class T>
concept Object = Described<T> && requires { Schema<T>::kind; };

template <>
struct Schema<ObjectMeta> {
  static constexpr auto unknown = Unknown::ignore;
  static constexpr auto fields =
      std::tuple(field("name", &ObjectMeta::name), field("namespace", &ObjectMeta::namespace_),
                 field("labels", &ObjectMeta::labels),
                 field("annotations", &ObjectMeta::annotations, LookedAt::by_metadata_policy),
                 field("deletionTimestamp", &ObjectMeta::deletion_timestamp));
};

/// An object of which only the metadata matters, such as a Namespace.
struct AnyObject {
  ObjectMeta metadata{};

  friend bool operator==(const AnyObject&, const AnyObject&) = default;
};

template <>
struct Schema<AnyObject> {
  static constexpr auto unknown = Unknown::ignore;
  static constexpr auto fields = std::tuple(field("metadata", &AnyObject::metadata));
};

template <>
struct Schema<Taint> {
  static constexpr auto fields = std::tuple(
      field("key", &Taint::key), field("value", &Taint::value), field("effect", &Taint::effect));
};

template <>
struct Schema<Toleration> {
  static constexpr auto fields =
      std::tuple(field("key", &Toleration::key), field("operator", &Toleration::operator_),
                 field("value", &Toleration::value), field("effect", &Toleration::effect),
                 field("tolerationSeconds", &Toleration::toleration_seconds));
};

template <>
struct Schema<LabelSelectorRequirement> {
  static constexpr auto fields = std::tuple(field("key", &LabelSelectorRequirement::key),
                                            field("operator", &LabelSelectorRequirement::operator_),
                                            field("values", &LabelSelectorRequirement::values));
};

template <>
struct Schema<LabelSelector> {
  static constexpr auto fields =
      std::tuple(field("matchLabels", &LabelSelector::match_labels),
                 field("matchExpressions", &LabelSelector::match_expressions));
};

template <>
struct Schema<NodeSelectorRequirement> {
  static constexpr auto fields = std::tuple(field("key", &NodeSelectorRequirement::key),
                                            field("operator", &NodeSelectorRequirement::operator_),
                                            field("values", &NodeSelectorRequirement::values));
};

template <>
struct Schema<NodeSelectorTerm> {
  static constexpr auto fields =
      std::tuple(field("matchExpressions", &NodeSelectorTerm::match_expressions),
                 field("matchFields", &NodeSelectorTerm::match_fields));
};

template <>
struct Schema<NodeSelector> {
  static constexpr auto fields =
      std::tuple(field("nodeSelectorTerms", &NodeSelector::node_selector_terms));
};

template <>
struct Schema<PreferredSchedulingTerm> {
  static constexpr auto fields =
      std::tuple(field("weight", &PreferredSchedulingTerm::weight),
                 field("preference", &PreferredSchedulingTerm::preference));
};

template <>
struct Schema<PodAffinityTerm> {
  static constexpr auto fields =
      std::tuple(field("labelSelector", &PodAffinityTerm::label_selector),
                 field("namespaces", &PodAffinityTerm::namespaces),
                 field("topologyKey", &PodAffinityTerm::topology_key),
                 field("namespaceSelector", &PodAffinityTerm::namespace_selector),
                 field("matchLabelKeys", &PodAffinityTerm::match_label_keys),
                 field("mismatchLabelKeys", &PodAffinityTerm::mismatch_label_keys));
};

template <>
struct Schema<WeightedPodAffinityTerm> {
  static constexpr auto fields =
      std::tuple(field("weight", &WeightedPodAffinityTerm::weight),
                 field("podAffinityTerm", &WeightedPodAffinityTerm::pod_affinity_term));
};

/// The two modes, which every kind of affinity has under the same names.
template <class T>
struct ModesSchema {
  static constexpr auto fields =
      std::tuple(field("requiredDuringSchedulingIgnoredDuringExecution",
                       &T::required_during_scheduling_ignored_during_execution),
                 field("preferredDuringSchedulingIgnoredDuringExecution",
                       &T::preferred_during_scheduling_ignored_during_execution));
};
template <>
struct Schema<NodeAffinity> : ModesSchema<NodeAffinity> {};
template <>
struct Schema<PodAffinity> : ModesSchema<PodAffinity> {};

template <>
struct Schema<Affinity> {
  static constexpr auto fields = std::tuple(field("nodeAffinity", &Affinity::node_affinity),
                                            field("podAffinity", &Affinity::pod_affinity),
                                            field("podAntiAffinity", &Affinity::pod_anti_affinity));
};

template <>
struct Schema<ResourceRequirements> {
  static constexpr auto fields = std::tuple(field("requests", &ResourceRequirements::requests),
                                            field("limits", &ResourceRequirements::limits));
};

template <>
struct Schema<Container> {
  static constexpr auto fields =
      std::tuple(field("name", &Container::name), field("resources", &Container::resources));
};

template <>
struct Schema<PodStatus> {
  static constexpr auto fields = std::tuple(field("phase", &PodStatus::phase));
};

template <>
struct Schema<NodeSpec> {
  static constexpr auto fields = std::tuple(field("taints", &NodeSpec::taints));
};

template <>
struct Schema<Node> {
  static constexpr std::string_view api_version = "v1";
  static constexpr std::string_view kind = "Node";
  static constexpr auto fields =
      std::tuple(field("metadata", &Node::metadata), field("spec", &Node::spec));
};

template <>
struct Schema<PodSpec> {
  static constexpr auto fields = std::tuple(
      field("schedulerName", &PodSpec::scheduler_name), field("nodeName", &PodSpec::node_name),
      field("priorityClassName", &PodSpec::priority_class_name),
      field("priority", &PodSpec::priority), field("preemptionPolicy", &PodSpec::preemption_policy),
      field("nodeSelector", &PodSpec::node_selector), field("tolerations", &PodSpec::tolerations),
      field("affinity", &PodSpec::affinity),
      field("serviceAccountName", &PodSpec::service_account_name),
      field("serviceAccount", &PodSpec::service_account),
      field("runtimeClassName", &PodSpec::runtime_class_name),
      field("overhead", &PodSpec::overhead),
      field("initContainers", &PodSpec::init_containers, LookedAt::by_metadata_policy),
      field("containers", &PodSpec::containers, LookedAt::by_metadata_policy),
      field("resources", &PodSpec::resources, LookedAt::by_metadata_policy));
};

// SchedulingPolicy

template <>
struct Schema<scheduling_policy::TolerationPattern> {
  static constexpr bool null_is_nothing = true;
  using T = scheduling_policy::TolerationPattern;
  static constexpr auto fields =
      std::tuple(field("keys", &T::keys), field("operators", &T::operators),
                 field("values", &T::values), field("effects", &T::effects));
};

template <>
struct Schema<scheduling_policy::RequirementPattern> {
  static constexpr bool null_is_nothing = true;
  using T = scheduling_policy::RequirementPattern;
  static constexpr auto fields = std::tuple(
      field("keys", &T::keys), field("operators", &T::operators), field("values", &T::values));
};

template <>
struct Schema<scheduling_policy::TermPattern> {
  static constexpr bool null_is_nothing = true;
  using T = scheduling_policy::TermPattern;
  static constexpr auto fields = std::tuple(field("matchExpressions", &T::match_expressions),
                                            field("matchFields", &T::match_fields));
};

template <>
struct Schema<scheduling_policy::NodeAffinityRule> {
  static constexpr bool empty_is_any = true;
  static constexpr auto fields = std::tuple(
      field("nodeSelectorTerms", &scheduling_policy::NodeAffinityRule::node_selector_terms));
};

template <>
struct Schema<scheduling_policy::PodAffinityRule> {
  static constexpr bool empty_is_any = true;
  static constexpr auto fields =
      std::tuple(field("topologyKeys", &scheduling_policy::PodAffinityRule::topology_keys));
};

template <class Rule>
struct Schema<scheduling_policy::AffinityModes<Rule>>
    : ModesSchema<scheduling_policy::AffinityModes<Rule>> {
  static constexpr bool empty_is_any = true;
};

template <>
struct Schema<scheduling_policy::AffinityRules> {
  using T = scheduling_policy::AffinityRules;
  static constexpr bool empty_is_any = true;
  static constexpr auto fields = std::tuple(field("nodeAffinities", &T::node_affinities),
                                            field("podAffinities", &T::pod_affinities),
                                            field("podAntiAffinities", &T::pod_anti_affinities));
};

template <>
struct Schema<scheduling_policy::Rules> {
  using T = scheduling_policy::Rules;
  static constexpr auto fields =
      std::tuple(field("schedulerNames", &T::scheduler_names, "SchedulerNames"),
                 field("priorityClassNames", &T::priority_class_names, "priorityClasseNames"),
                 field("nodeSelectors", &T::node_selectors), field("tolerations", &T::tolerations),
                 field("affinities", &T::affinities));
};

template <>
struct Schema<scheduling_policy::DefaultToleration> {
  using T = scheduling_policy::DefaultToleration;
  static constexpr auto fields = std::tuple(
      field("key", [](auto& t) -> auto& { return t.toleration.key; }),
      field("operator", [](auto& t) -> auto& { return t.toleration.operator_; }),
      field("value", [](auto& t) -> auto& { return t.toleration.value; }),
      field("values", &T::values),
      field("effect", [](auto& t) -> auto& { return t.toleration.effect; }),
      field("tolerationSeconds", [](auto& t) -> auto& { return t.toleration.toleration_seconds; }));
};

template <>
struct Schema<scheduling_policy::Defaults> {
  using T = scheduling_policy::Defaults;
  static constexpr auto fields =
      std::tuple(field("schedulerName", &T::scheduler_name, "SchedulerName"),
                 field("priorityClassName", &T::priority_class_name, "priorityClasseName"),
                 field("nodeSelector", &T::node_selector), field("tolerations", &T::tolerations),
                 field("affinity", &T::affinity));
};

template <>
struct Schema<scheduling_policy::SchedulingPolicySpec> {
  using T = scheduling_policy::SchedulingPolicySpec;
  static constexpr auto fields =
      std::tuple(field("required", &T::required), field("allowed", &T::allowed),
                 field("default", &T::defaults));
};

template <>
struct Schema<scheduling_policy::SchedulingPolicy> {
  using T = scheduling_policy::SchedulingPolicy;
  static constexpr std::string_view api_version = "extensions/v1alpha1";
  static constexpr std::string_view kind = "SchedulingPolicy";
  static constexpr std::string_view kind_alias = "Kind";
  static constexpr auto unknown = Unknown::refuse;
  static constexpr std::array<std::string_view, 1> ignored = {"status"};
  static constexpr auto fields =
      std::tuple(field("metadata", &T::metadata), field("spec", &T::spec));
};

template <>
struct Schema<scheduling_policy::Options> {
  using T = scheduling_policy::Options;
  static constexpr auto unknown = Unknown::refuse;
  static constexpr auto fields =
      std::tuple(field("requiredAffinity", &T::required_affinity), field("nodeName", &T::node_name),
                 field("exemptTolerations", &T::exempt_tolerations),
                 field("exemptNodeSelector", &T::exempt_node_selector),
                 field("globalDefaultPriorityClass", &T::global_default_priority_class));
};

// RBAC. A misspelt field is refused here too: `resourceName` for `resourceNames` would grant all.

template <>
struct Schema<rbac::PolicyRule> {
  using T = rbac::PolicyRule;
  static constexpr std::array<std::string_view, 1> ignored = {"nonResourceURLs"};
  static constexpr auto fields =
      std::tuple(field("verbs", &T::verbs), field("apiGroups", &T::api_groups),
                 field("resources", &T::resources), field("resourceNames", &T::resource_names));
};

template <>
struct Schema<rbac::RoleRef> {
  using T = rbac::RoleRef;
  static constexpr auto fields = std::tuple(field("apiGroup", &T::api_group),
                                            field("kind", &T::kind), field("name", &T::name));
};

template <>
struct Schema<rbac::Subject> {
  using T = rbac::Subject;
  // `apiVersion` is what `apiGroup` was called before rbac.authorization.k8s.io/v1beta1.
  static constexpr std::array<std::string_view, 1> ignored = {"apiVersion"};
  static constexpr auto fields =
      std::tuple(field("kind", &T::kind), field("apiGroup", &T::api_group), field("name", &T::name),
                 field("namespace", &T::namespace_));
};

struct RbacObjectSchema {
  static constexpr std::string_view api_version = "rbac.authorization.k8s.io/v1";
  static constexpr auto unknown = Unknown::refuse;
};

template <>
struct Schema<rbac::Role> : RbacObjectSchema {
  static constexpr std::string_view kind = "Role";
  static constexpr auto fields =
      std::tuple(field("metadata", &rbac::Role::metadata), field("rules", &rbac::Role::rules));
};

template <>
struct Schema<rbac::ClusterRole> : RbacObjectSchema {
  static constexpr std::string_view kind = "ClusterRole";
  static constexpr std::array<std::string_view, 1> ignored = {"aggregationRule"};
  static constexpr auto fields = std::tuple(field("metadata", &rbac::ClusterRole::metadata),
                                            field("rules", &rbac::ClusterRole::rules));
};

template <class Binding>
struct BindingSchema : RbacObjectSchema {
  static constexpr auto fields =
      std::tuple(field("metadata", &Binding::metadata), field("roleRef", &Binding::role_ref),
                 field("subjects", &Binding::subjects));
};
template <>
struct Schema<rbac::RoleBinding> : BindingSchema<rbac::RoleBinding> {
  static constexpr std::string_view kind = "RoleBinding";
};
template <>
struct Schema<rbac::ClusterRoleBinding> : BindingSchema<rbac::ClusterRoleBinding> {
  static constexpr std::string_view kind = "ClusterRoleBinding";
};

template <>
struct Schema<rbac::User> {
  static constexpr auto unknown = Unknown::refuse;
  static constexpr auto fields =
      std::tuple(field("name", &rbac::User::name), field("groups", &rbac::User::groups));
};

// RuntimeClass

template <>
struct Schema<runtime_class::Overhead> {
  static constexpr auto fields = std::tuple(field("podFixed", &runtime_class::Overhead::pod_fixed));
};

template <>
struct Schema<runtime_class::Scheduling> {
  using T = runtime_class::Scheduling;
  static constexpr auto fields =
      std::tuple(field("nodeSelector", &T::node_selector), field("tolerations", &T::tolerations));
};

template <>
struct Schema<runtime_class::RuntimeClass> {
  using T = runtime_class::RuntimeClass;
  static constexpr std::string_view api_version = "node.k8s.io/v1";
  static constexpr std::string_view kind = "RuntimeClass";
  static constexpr auto unknown = Unknown::refuse;
  static constexpr auto fields =
      std::tuple(field("metadata", &T::metadata), field("handler", &T::handler),
                 field("overhead", &T::overhead), field("scheduling", &T::scheduling));
};

// PodSchedulingPolicy and ClusterPodSchedulingPolicy

template <>
struct Schema<pod_scheduling_policy::PodSchedulingPolicySpec> {
  using T = pod_scheduling_policy::PodSchedulingPolicySpec;
  static constexpr auto fields = std::tuple(
      field("namespaceSelector", &T::namespace_selector), field("podSelector", &T::pod_selector),
      field("nodeName", &T::node_name), field("schedulerName", &T::scheduler_name),
      field("nodeSelector", &T::node_selector), field("tolerations", &T::tolerations),
      field("affinity", &T::affinity));
};

template <>
struct Schema<pod_scheduling_policy::PodSchedulingPolicy> {
  using T = pod_scheduling_policy::PodSchedulingPolicy;
  static constexpr auto unknown = Unknown::refuse;
  static constexpr std::string_view needed = "kind";  // it tells the two kinds of policy apart
  static constexpr std::array<std::string_view, 2> ignored = {"apiVersion", "status"};
  static constexpr auto fields =
      std::tuple(field("kind", &T::kind), field("metadata", &T::metadata), field("spec", &T::spec));
};

// MetadataPolicy

template <>
struct Schema<metadata_policy::PolicyPredicate> {
  using T = metadata_policy::PolicyPredicate;
  static constexpr auto fields = std::tuple(field("labelSelector", &T::label_selector),
                                            field("annotationSelector", &T::annotation_selector));
};

template <>
struct Schema<metadata_policy::PolicyAction> {
  using T = metadata_policy::PolicyAction;
  static constexpr auto fields =
      std::tuple(field("reject", &T::reject), field("updatedLabels", &T::updated_labels),
                 field("updatedAnnotations", &T::updated_annotations));
};

template <>
struct Schema<metadata_policy::MetadataPolicyRule> {
  using T = metadata_policy::MetadataPolicyRule;
  static constexpr auto fields = std::tuple(field("policyPredicate", &T::policy_predicate),
                                            field("policyAction", &T::policy_action));
};

template <>
struct Schema<metadata_policy::MetadataPolicySpec> {
  static constexpr auto fields =
      std::tuple(field("rules", &metadata_policy::MetadataPolicySpec::rules));
};

template <>
struct Schema<metadata_policy::MetadataPolicy> {
  using T = metadata_policy::MetadataPolicy;
  static constexpr std::string_view api_version = "extensions/v1alpha1";
  static constexpr std::string_view kind = "MetadataPolicy";
  static constexpr auto unknown = Unknown::refuse;
  static constexpr std::array<std::string_view, 1> ignored = {"status"};
  static constexpr auto fields =
      std::tuple(field("metadata", &T::metadata), field("spec", &T::spec));
};

// ResourcePolicy

template <>
struct Schema<resource_policy::Unit> {
  using T = resource_policy::Unit;
  static constexpr auto fields =
      std::tuple(field("name", &T::name), field("priority", &T::priority),
                 field("maxCount", &T::max_count), field("nodeSelector", &T::node_selector));
};

template <>
struct Schema<resource_policy::MatchPolicy> {
  static constexpr auto fields = std::tuple(
      field("ignoreTerminatingPod", &resource_policy::MatchPolicy::ignore_terminating_pod));
};

template <>
struct Schema<resource_policy::ResourcePolicySpec> {
  using T = resource_policy::ResourcePolicySpec;
  static constexpr auto fields =
      std::tuple(field("matchLabelKeys", &T::match_label_keys),
                 field("matchPolicy", &T::match_policy), field("podSelector", &T::pod_selector),
                 field("strategy", &T::strategy), field("units", &T::units));
};

template <>
struct Schema<resource_policy::ResourcePolicy> {
  using T = resource_policy::ResourcePolicy;
  static constexpr std::string_view api_version = "scheduling.sigs.x-k8s.io/v1alpha1";
  static constexpr std::string_view kind = "ResourcePolicy";
  static constexpr auto unknown = Unknown::refuse;
  static constexpr std::array<std::string_view, 1> ignored = {"status"};
  static constexpr auto fields =
      std::tuple(field("metadata", &T::metadata), field("spec", &T::spec));
};

}  // namespace schedpol::json::detail

// schedpol/json/writer.hpp

/// Text that is written piece by piece, and the strings of JSON in it: what everything that is
/// encoded goes through. A piece costs one look at the room there is.

namespace schedpol::json::detail {

/// A text that grows at its end.
class Writer {
 public:
  /// Empty, and with that much to come in most cases.
  explicit Writer(std::size_t usual_bytes = 256) noexcept : usual_bytes_(usual_bytes) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Writer& operator+=(std::string_view piece) {
    piece.copy(extend(piece.size()), piece.size());
    return *this;
  }
  Writer& operator+=(char c) {
    *extend(1) = c;
    return *this;
  }

  /// Makes the text longer by this many bytes, which are the caller's to fill.
  char* extend(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) < bytes) [[unlikely]]
      make_room(bytes);
    char* const begin = at_;
    at_ += bytes;
    return begin;
  }

  /// Valid until more is written.
  [[nodiscard]] std::string_view text() const noexcept { return {buffer_.data(), size()}; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] bool ends_with(char c) const noexcept { return text().ends_with(c); }

  [[nodiscard]] std::string take() && {
    buffer_.resize(size());
    return std::move(buffer_);
  }

 private:
  /// Bytes beyond the text that are made at once. A string fills what it gets, so that they are
  /// few.
  static constexpr std::size_t step = 512;

  [[nodiscard]] std::size_t size() const noexcept {
    return at_ == nullptr ? 0 : static_cast<std::size_t>(at_ - buffer_.data());
  }

  // Out of line, so that `extend` is small.
  [[gnu::noinline]] void make_room(std::size_t bytes) {
    const std::size_t written = size();
    if (at_ == nullptr) buffer_.reserve(usual_bytes_);
    buffer_.resize(std::max(written + bytes, std::min(written + step, buffer_.capacity())));
    at_ = buffer_.data() + written;
    end_ = buffer_.data() + buffer_.size();
  }

  std::size_t usual_bytes_;
  std::string buffer_;   ///< the text, and room after it
  char* at_ = nullptr;   ///< where the text ends
  char* end_ = nullptr;  ///< where the room ends
};

/// How many bytes of a JSON string stand for themselves, up to the first that has to be escaped:
/// a control character, `"` or a backslash. Looks at eight bytes at a time.
inline std::size_t plain_bytes(std::string_view text) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  // A byte less a bound has its high bit set where it was below the bound, or had it set before:
  // true of the first such byte at least, from which others borrow.
  const auto has_special = [&](std::size_t at) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + at, 8);
    const std::uint64_t below =
        (eight - ones * 0x20) | ((eight ^ ones * '"') - ones) | ((eight ^ ones * '\\') - ones);
    return (below & ~eight & ones * 0x80) != 0;
  };
  const std::size_t size = text.size();
  std::size_t i = 0;
  while (i + 8 <= size && !has_special(i)) i += 8;
  if (i + 8 > size && size >= 8 && !has_special(size - 8)) return size;
  const auto is_plain = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
  };
  while (i < size && is_plain(text[i])) ++i;
  return i;
}

inline void write_escape(Writer& out, char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default: ((out += "\\u00") += hex[byte >> 4U]) += hex[byte & 0xFU];
  }
}

/// Writes a part of a string: what stands between the quotes.
inline void write_unquoted(Writer& out, std::string_view text) {
  while (true) {
    const std::size_t plain = plain_bytes(text);
    out += text.substr(0, plain);
    if (plain == text.size()) return;
    write_escape(out, text[plain]);
    text.remove_prefix(plain + 1);
  }
}

inline void write(Writer& out, std::string_view text) {
  out += '"';
  write_unquoted(out, text);
  out += '"';
}

}  // namespace schedpol::json::detail

// schedpol/json/encode.hpp

/// Value types to Kubernetes JSON, compact, with the spellings of the design: what is absent is
/// left out, what is empty but present is written. `decode` reads back the same value.

namespace schedpol::json {

namespace detail {

inline void write(Writer& out, const std::string& text) {
  write(out, std::string_view(text));
}
inline void write(Writer& out, const char* text) {
  write(out, std::string_view(text));
}
inline void write(Writer& out, std::same_as<bool> auto value) {
  out += value ? "true" : "false";
}
inline void write(Writer& out, std::int64_t number) {
  out += std::to_string(number);
}
inline void write(Writer& out, std::int32_t number) {
  out += std::to_string(number);
}

/// JSON that is text already.
struct Raw {
  std::string_view text;
};
inline void write(Writer& out, Raw raw) {
  out += raw.text;
}

inline void write(Writer& out, std::uint64_t number) {
  out += std::to_string(number);
}
template <Worded Word>
void write(Writer& out, Word word) {
  write(out, to_string(word));
}
inline void write(Writer& out, const Quantity& quantity) {
  write(out, quantity.text());
}

template <class Word>
void write(Writer& out, const OpenEnum<Word>& word) {
  write(out, word.text());
}

template <class T>
void write(Writer& out, const std::optional<T>& value);
template <class T>
void write(Writer& out, const std::vector<T>& list);
template <class Value, class Compare>
void write(Writer& out, const std::map<std::string, Value, Compare>& map);
template <Described T>
void write(Writer& out, const T& value);

/// Types that are only written, or not field by field: their schema says how.
template <class T>
concept Written = requires(Writer& out, const T& value) { Schema<T>::write(out, value); };
template <Written T>
void write(Writer& out, const T& value) {
  Schema<T>::write(out, value);
}

/// Writes the members of one object, with the commas between them. Closes it, unless an exception
/// is what ends it: memory ran out, and closing could run out of it too.
class ObjectWriter {
 public:
  explicit ObjectWriter(Writer& out) : out_(out) { out_ += '{'; }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;
  ~ObjectWriter() noexcept(false) {
    if (std::uncaught_exceptions() == exceptions_) out_ += '}';
  }

  template <class T>
  ObjectWriter& member(std::string_view name, const T& value) {
    write(key(name), value);
    return *this;
  }

  /// Writes the name, in which nothing has to be escaped, and leaves the value to the caller.
  Writer& key(std::string_view name) {
    char* at = out_.extend(name.size() + (first_ ? 3U : 4U));
    if (!first_) *at++ = ',';
    first_ = false;
    *at++ = '"';
    at += name.copy(at, name.size());
    at[0] = '"';
    at[1] = ':';
    return out_;
  }

  /// Writes a member whose name can be anything.
  template <class T>
  void entry(std::string_view name, const T& value) {
    if (!first_) out_ += ',';
    first_ = false;
    write(out_, name);
    out_ += ':';
    write(out_, value);
  }

 private:
  Writer& out_;
  int exceptions_ = std::uncaught_exceptions();
  bool first_ = true;
};

/// Whether a field with this value is left out: absent, or empty where that is the same.
template <class T>
bool is_absent(const T& value) {
  if constexpr (requires { value.has_value(); }) {
    return !value.has_value();
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else if constexpr (std::same_as<T, std::int32_t> || Worded<T>) {
    return false;
  } else {
    return value == T{};
  }
}

template <class T>
void write(Writer& out, const std::optional<T>& value) {
  if (value) {
    write(out, *value);
  } else {
    out += "null";
  }
}
template <class T>
void write(Writer& out, const std::vector<T>& list) {
  out += '[';
  bool first = true;
  for (const T& item : list) {
    if (!first) out += ',';
    first = false;
    write(out, item);
  }
  out += ']';
}
template <class Value, class Compare>
void write(Writer& out, const std::map<std::string, Value, Compare>& map) {
  ObjectWriter object(out);
  for (const auto& [key, value] : map) object.entry(key, value);
}
template <Described T>
void write(Writer& out, const T& value) {
  ObjectWriter object(out);
  if constexpr (Object<T>)
    object.member("apiVersion", Schema<T>::api_version).member("kind", Schema<T>::kind);
  const auto write_one = [&](const auto& entry) {
    const auto& part = std::invoke(entry.access, value);
    if (!is_absent(part)) object.member(entry.name, part);
  };
  std::apply([&](const auto&... entries) { (write_one(entries), ...); }, Schema<T>::fields);
}

template <>
struct Schema<FieldError> {
  static void write(Writer& out, const FieldError& error) {
    ObjectWriter(out)
        .member("field", error.field)
        .member("type", to_string(error.type))
        .member("value", error.bad_value)
        .member("message", message(error));
  }
};

template <>
struct Schema<Violation> {
  static void write(Writer& out, const Violation& violation) {
    ObjectWriter(out)
        .member("code", to_string(violation.code))
        .member("field", violation.field)
        .member("value", violation.value)
        .member("message", message(violation))
        .member("policies", violation.policies);
  }
};

template <>
struct Schema<pod_scheduling_policy::Skipped> {
  static void write(Writer& out, const pod_scheduling_policy::Skipped& skipped) {
    ObjectWriter(out)
        .member("policy", skipped.policy)
        .member("field", skipped.field)
        .member("reason", skipped.reason);
  }
};

template <>
struct Schema<metadata_policy::RuleName> {
  static void write(Writer& out, const metadata_policy::RuleName& name) {
    ObjectWriter(out).member("policy", name.policy).member("rule", name.rule);
  }
};

template <>
struct Schema<metadata_policy::Write> {
  static void write(Writer& out, const metadata_policy::Write& by) {
    ObjectWriter(out)
        .member("policy", by.by.policy)
        .member("rule", by.by.rule)
        .member("value", by.value);
  }
};

template <>
struct Schema<metadata_policy::Conflict> {
  static void write(Writer& out, const metadata_policy::Conflict& conflict) {
    ObjectWriter(out).member("field", conflict.field).member("writes", conflict.writes);
  }
};

template <>
struct Schema<Change> {
  static void write(Writer& out, const Change& change) {
    ObjectWriter(out)
        .member("field", change.field)
        .member("from", change.from)
        .member("to", change.to)
        .member("policy", change.policy);
  }
};

/// A template stands in a workload of its kind that has nothing else but its name and namespace.
template <>
struct Schema<Pod> {
  static void write(Writer& out, const Pod& pod) {
    ObjectWriter object(out);
    object.member("apiVersion", api_version(pod.kind)).member("kind", to_string(pod.kind));
    if (pod.kind != PodKind::pod) {
      ObjectMeta metadata;
      metadata.name = pod.metadata.name;
      metadata.namespace_ = pod.metadata.namespace_;
      object.member("metadata", metadata);
    }
    write_below(object, pod, template_path(pod.kind));
  }

 private:
  static constexpr std::string_view api_version(PodKind kind) noexcept {
    switch (kind) {
      case PodKind::pod:
      case PodKind::pod_template:
      case PodKind::replication_controller: return "v1";
      case PodKind::job:
      case PodKind::cron_job: return "batch/v1";
      case PodKind::replica_set:
      case PodKind::deployment:
      case PodKind::stateful_set:
      case PodKind::daemon_set: break;
    }
    return "apps/v1";
  }

  static void write_below(ObjectWriter& object, const Pod& pod, std::string_view path) {
    if (path.empty()) {
      object.member("metadata", pod.metadata).member("spec", pod.spec);
      return;
    }
    const std::size_t dot = path.find('.');
    ObjectWriter below(object.key(path.substr(0, dot)));
    write_below(below, pod, dot == std::string_view::npos ? "" : path.substr(dot + 1));
  }
};

}  // namespace detail

/// The JSON of a value: an object such as a SchedulingPolicy, or a part of one. Text that is not
/// UTF-8 is written as it is.
template <class T>
[[nodiscard]] std::string encode(const T& value) {
  detail::Writer out;
  detail::write(out, value);
  return std::move(out).take();
}

}  // namespace schedpol::json

// schedpol/json/patch.hpp

/// JSON Patch (RFC 6902) from a document to what an admission made of it. A patch is computed from
/// the values before and after, names only what differs, and leaves every field that the value
/// types do not know where it is.

namespace schedpol::json {

enum class PatchOp { add, replace, remove };

[[nodiscard]] constexpr std::string_view to_string(PatchOp op) noexcept {
  switch (op) {
    case PatchOp::add: return "add";
    case PatchOp::replace: return "replace";
    case PatchOp::remove: return "remove";
  }
  return "";
}

/// One operation: `path` is a JSON Pointer, `value` the JSON of the value (empty for `remove`).
struct PatchOperation {
  PatchOp op = PatchOp::add;
  std::string path;
  std::string value;

  friend bool operator==(const PatchOperation&, const PatchOperation&) = default;
};

using Patch = std::vector<PatchOperation>;

namespace detail {

/// Appends a part of the name of a key to a JSON Pointer, or to one that is written as JSON.
inline void append_name(std::string& pointer, std::string_view part) {
  pointer += part;
}
inline void append_name(Writer& pointer, std::string_view part) {
  write_unquoted(pointer, part);
}

/// Appends the name of a key, with `~` and `/` escaped.
template <class Pointer>
void append_key(Pointer& pointer, std::string_view name) {
  while (true) {
    const std::size_t special = name.find_first_of("~/");
    append_name(pointer, name.substr(0, special));
    if (special == std::string_view::npos) return;
    pointer += name[special] == '~' ? "~0" : "~1";
    name.remove_prefix(special + 1);
  }
}

/// Appends the JSON Pointer to a place in a document. Names of fields need no escapes.
template <class Pointer>
void append_pointer(Pointer& pointer, const Path& path) {
  if (path.step == Path::Step::root) return;
  append_pointer(pointer, *path.parent);
  pointer += '/';
  switch (path.step) {
    case Path::Step::root: break;
    case Path::Step::field: pointer += path.name; break;
    case Path::Step::key: append_key(pointer, path.name); break;
    case Path::Step::item: pointer += std::to_string(path.index); break;
  }
}

/// What it costs to make one item of a list of another: less than to remove the one and add the
/// other. Items with the same key, or terms that have a criterion in common, are one and the same
/// item that was changed; strangers are replaced.
struct Cost {
  static constexpr int equal = 0;
  static constexpr int common = 4;
  static constexpr int remove_or_add = 5;
  static constexpr int related = 6;
  static constexpr int stranger = 9;
};

template <class T>
int change_cost(const T& a, const T& b) {
  if (a == b) return Cost::equal;
  if constexpr (requires { a.key; }) {
    return a.key == b.key && !a.key.empty() ? Cost::related : Cost::stranger;
  } else if constexpr (requires { a.topology_key; }) {
    return a.topology_key == b.topology_key ? Cost::related : Cost::stranger;
  } else if constexpr (requires { a.preference; }) {
    return std::max(Cost::common, change_cost(a.preference, b.preference));
  } else if constexpr (requires { a.pod_affinity_term; }) {
    return std::max(Cost::common, change_cost(a.pod_affinity_term, b.pod_affinity_term));
  } else if constexpr (requires { a.match_expressions; }) {
    int least = Cost::stranger;
    const auto compare = [&](const auto& some, const auto& others) {
      for (const auto& x : some) {
        for (const auto& y : others)
          least = std::min(least, std::max(Cost::common, change_cost(x, y)));
      }
    };
    compare(a.match_expressions, b.match_expressions);
    compare(a.match_fields, b.match_fields);
    return least;
  } else {
    return Cost::related;
  }
}

/// Takes down operations as a list.
struct PatchList {
  Patch patch{};

  void note(PatchOp op, const Path& path) {
    append_pointer(patch.emplace_back(PatchOperation{op, {}, {}}).path, path);
  }
  template <class T>
  void note(PatchOp op, const Path& path, const T& value) {
    note(op, path);
    patch.back().value = encode(value);
  }
};

/// Takes down operations as the text of a JSON Patch; empty when there are none.
class PatchText {
 public:
  void note(PatchOp op, const Path& path) {
    begin(op, path);
    text_ += '}';
  }
  template <class T>
  void note(PatchOp op, const Path& path, const T& value) {
    begin(op, path);
    text_ += ",\"value\":";
    write(text_, value);
    text_ += '}';
  }

  /// The whole text; nothing can be noted after it.
  [[nodiscard]] std::string_view finish() {
    if (!text_.empty()) text_ += ']';
    return text_.text();
  }

 private:
  void begin(PatchOp op, const Path& path) {
    text_ += text_.empty() ? "[{\"op\":\"" : ",{\"op\":\"";
    text_ += to_string(op);
    text_ += "\",\"path\":\"";
    append_pointer(text_, path);
    text_ += '"';
  }

  Writer text_{4096};  // more than most patches have, so that the text rarely moves
};

/// What makes one list of another: a step for each item of either, so that the items that are
/// changed, removed and added cost the least.
template <class T>
class ListEdits {
 public:
  enum class Edit : unsigned char { change, remove, add };

  ListEdits(std::span<const T> from, std::span<const T> to) : from_(from), to_(to) {
    if (from.empty() || to.empty() || from.size() * to.size() > max_compared) return;
    // Levenshtein's distance from every suffix of one list to every suffix of the other.
    distances_.resize((from.size() + 1) * (to.size() + 1));
    for (std::size_t i = from.size() + 1; i-- > 0;) {
      for (std::size_t j = to.size() + 1; j-- > 0;) {
        if (i == from.size() || j == to.size()) {
          distances_[place(i, j)] =
              Cost::remove_or_add * static_cast<int>(from.size() - i + to.size() - j);
        } else {
          distances_[place(i, j)] = std::min({distance(i + 1, j + 1) + change_cost(from[i], to[j]),
                                              distance(i + 1, j) + Cost::remove_or_add,
                                              distance(i, j + 1) + Cost::remove_or_add});
        }
      }
    }
  }

  /// The step to take where the first `i` items of the one are the first `j` of the other by now.
  /// Some item has to be left.
  [[nodiscard]] Edit at(std::size_t i, std::size_t j) const {
    if (i == from_.size()) return Edit::add;
    if (j == to_.size()) return Edit::remove;
    if (distances_.empty()) return Edit::change;
    const int left = distance(i, j);
    if (left == distance(i + 1, j + 1) + change_cost(from_[i], to_[j])) return Edit::change;
    return left == distance(i + 1, j) + Cost::remove_or_add ? Edit::remove : Edit::add;
  }

 private:
  /// Pairs of items that are compared at most to find the shortest way. Beyond, items are changed
  /// place by place, which is longer and as right.
  static constexpr std::size_t max_compared = 4096;

  [[nodiscard]] std::size_t place(std::size_t i, std::size_t j) const noexcept {
    return i * (to_.size() + 1) + j;
  }
  [[nodiscard]] int distance(std::size_t i, std::size_t j) const noexcept {
    return distances_[place(i, j)];
  }

  std::span<const T> from_;
  std::span<const T> to_;
  std::vector<int> distances_;
};

/// Finds what turns one value into another, and has it taken down. Nothing is built for what is
/// equal.
///
/// Items of lists are told by what they hold. One that is in both lists, or whose relative is,
/// keeps the fields that are not known here; no other item gets them. What else there is is
/// replaced, removed or added, in the shortest way from one list to the other.
template <class Taker>
class Differ {
 public:
  explicit Differ(Taker& taker) : taker_(taker) {}

  template <class T>
  void diff_field(const Path& path, const T& before, const T& after) {
    if (is_absent(after)) {
      if (!is_absent(before)) taker_.note(PatchOp::remove, path);
    } else if (is_absent(before)) {
      taker_.note(PatchOp::add, path, after);
    } else {
      diff(path, before, after);
    }
  }

  template <Described T>
  void diff(const Path& path, const T& before, const T& after) {
    const auto diff_one = [&](const auto& entry) {
      diff_field(path.field(entry.name), std::invoke(entry.access, before),
                 std::invoke(entry.access, after));
    };
    std::apply([&](const auto&... entries) { (diff_one(entries), ...); }, Schema<T>::fields);
  }

 private:
  template <class T>
  void diff(const Path& path, const T& before, const T& after) {
    if (before != after) taker_.note(PatchOp::replace, path, after);
  }
  template <class T>
  void diff(const Path& path, const std::optional<T>& before, const std::optional<T>& after) {
    diff(path, *before, *after);
  }
  void diff(const Path& path, const Labels& before, const Labels& after) {
    auto old = before.begin();
    for (const auto& [key, value] : after) {
      for (; old != before.end() && old->first < key; ++old)
        taker_.note(PatchOp::remove, path.key(old->first));
      if (old == before.end() || old->first != key) {
        taker_.note(PatchOp::add, path.key(key), value);
      } else if ((old++)->second != value) {
        taker_.note(PatchOp::replace, path.key(key), value);
      }
    }
    for (; old != before.end(); ++old) taker_.note(PatchOp::remove, path.key(old->first));
  }

  template <class T>
  void diff(const Path& path, const std::vector<T>& before, const std::vector<T>& after) {
    const std::size_t shorter = std::min(before.size(), after.size());
    std::size_t same = 0;
    while (same < shorter && before[same] == after[same]) ++same;
    std::size_t tail = 0;
    while (tail < shorter - same &&
           before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
      ++tail;
    const std::span<const T> old = std::span(before).subspan(same, before.size() - same - tail);
    const std::span<const T> wanted = std::span(after).subspan(same, after.size() - same - tail);
    using Edits = ListEdits<T>;
    const Edits edits(old, wanted);
    std::size_t index = same;
    std::size_t length = before.size();
    for (std::size_t i = 0, j = 0; i < old.size() || j < wanted.size();) {
      switch (edits.at(i, j)) {
        case Edits::Edit::change: change_item(path.item(index++), old[i++], wanted[j++]); break;
        case Edits::Edit::remove:
          taker_.note(PatchOp::remove, path.item(index));
          --length, ++i;
          break;
        case Edits::Edit::add:
          taker_.note(PatchOp::add, index == length ? path.field("-") : path.item(index),
                      wanted[j++]);
          ++index, ++length;
          break;
      }
    }
  }

  /// An item without any field may stand as null in the document, where nothing can be added to it.
  template <class T>
  void change_item(const Path& path, const T& before, const T& after) {
    if (before == after) return;
    if (is_absent(before) || change_cost(before, after) == Cost::stranger) {
      taker_.note(PatchOp::replace, path, after);
    } else {
      diff(path, before, after);
    }
  }

  Taker& taker_;
};

template <>
struct Schema<PatchOperation> {
  static void write(Writer& out, const PatchOperation& operation) {
    ObjectWriter object(out);
    object.member("op", to_string(operation.op)).member("path", operation.path);
    if (operation.op != PatchOp::remove) object.member("value", Raw{operation.value});
  }
};

/// Finds the patch of a whole document.
template <class Taker>
class DocumentDiffer {
 public:
  DocumentDiffer(Taker& taker, simdjson::dom::element document)
      : taker_(taker), document_(document) {}

  /// Gives the part of the document at `field` (a field path such as `spec.template.spec`) the
  /// fields of `after`, parents that it lacks first. `before` is what was decoded from there.
  template <Described T>
  void diff(std::string_view field, const T& before, const T& after) {
    if (before != after) diff_below(document_, {}, field, before, after);
  }

 private:
  template <Described T>
  void diff_below(std::optional<simdjson::dom::element> part, const Path& at, std::string_view rest,
                  const T& before, const T& after) {
    if (rest.empty()) return Differ(taker_).diff(at, before, after);
    const std::size_t dot = rest.find('.');
    const Path below = at.field(rest.substr(0, dot));
    simdjson::dom::element found;
    const bool there =
        part && part->at_key(below.name).get(found) == simdjson::SUCCESS && !found.is_null();
    if (!there && std::find(made_.begin(), made_.end(), below.text()) == made_.end()) {
      taker_.note(PatchOp::add, below, Raw{"{}"});
      made_.push_back(below.text());
    }
    diff_below(there ? std::optional(found) : std::nullopt, below,
               dot == std::string_view::npos ? "" : rest.substr(dot + 1), before, after);
  }

  Taker& taker_;
  simdjson::dom::element document_;
  std::vector<std::string> made_;  ///< parents that were missing
};

}  // namespace detail

/// The patch that gives a document the metadata and the scheduling fields of `after`. `document` is
/// the Pod or workload that was decoded as `before`. Empty when nothing differs.
[[nodiscard]] inline Patch make_patch(simdjson::dom::element document, const Pod& before,
                                      const Pod& after) {
  detail::PatchList list;
  detail::DocumentDiffer differ(list, document);
  differ.diff(field_path(before.kind, "metadata"), before.metadata, after.metadata);
  differ.diff(field_path(before.kind, "spec"), before.spec, after.spec);
  return std::move(list.patch);
}

/// The same for the metadata of any object.
[[nodiscard]] inline Patch make_patch(simdjson::dom::element document, const ObjectMeta& before,
                                      const ObjectMeta& after) {
  detail::PatchList list;
  detail::DocumentDiffer(list, document).diff("metadata", before, after);
  return std::move(list.patch);
}

}  // namespace schedpol::json

// schedpol/json/apply_patch.hpp

/// Applies a JSON Patch (RFC 6902) to the text of a document. It edits the text in place of a
/// parser and a printer, so whatever the patch does not name keeps its bytes.

namespace schedpol::json {

namespace detail {

/// A stretch of a text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Where an item of an object or list stands: from its key, if it has one, and its value alone.
struct ItemSpan {
  Span whole;
  Span value;
};

/// The places of the items of one object or list, by key or index.
class Container {
 public:
  /// False when `text` is no object or list.
  bool read(std::string_view text) {
    simdjson::padded_string padded(text);
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return false;
    simdjson::ondemand::object object;
    if (document.get_object().get(object) == simdjson::SUCCESS) {
      is_object_ = true;
      return read_object(object, padded.data());
    }
    simdjson::ondemand::array array;
    return document.get_array().get(array) == simdjson::SUCCESS && read_array(array, padded.data());
  }

  [[nodiscard]] bool is_object() const noexcept { return is_object_; }
  [[nodiscard]] const std::vector<ItemSpan>& items() const noexcept { return items_; }

  /// The index of the item that a token of a JSON Pointer names; the number of items for none.
  [[nodiscard]] std::size_t find(std::string_view token) const noexcept {
    if (is_object_) {
      return static_cast<std::size_t>(std::find(keys_.begin(), keys_.end(), token) - keys_.begin());
    }
    std::size_t index = items_.size();
    if (token == "-" || (token.size() > 1 && token.front() == '0')) return index;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
    const bool whole = error == std::errc() && end == token.data() + token.size();
    return whole ? std::min(index, items_.size()) : items_.size();
  }

 private:
  bool read_object(simdjson::ondemand::object& object, const char* base) {
    for (auto item : object) {
      simdjson::ondemand::field field;
      std::string_view key;
      Span value;
      if (std::move(item).get(field) != simdjson::SUCCESS) return false;
      const auto begin = static_cast<std::size_t>(field.key().raw() - base) - 1;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
      if (!read_value(field.value(), base, value)) return false;
      keys_.emplace_back(key);
      items_.push_back({{begin, value.end}, value});
    }
    return true;
  }
  bool read_array(simdjson::ondemand::array& array, const char* base) {
    for (auto item : array) {
      simdjson::ondemand::value value;
      Span span;
      if (std::move(item).get(value) != simdjson::SUCCESS || !read_value(value, base, span))
        return false;
      items_.push_back({span, span});
    }
    return true;
  }

  static bool read_value(simdjson::ondemand::value value, const char* base, Span& span) {
    simdjson::ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) return false;
    std::string_view text;
    if (type == simdjson::ondemand::json_type::object) {
      simdjson::ondemand::object object;
      if (value.get_object().get(object) != simdjson::SUCCESS ||
          object.raw_json().get(text) != simdjson::SUCCESS)
        return false;
    } else if (type == simdjson::ondemand::json_type::array) {
      simdjson::ondemand::array array;
      if (value.get_array().get(array) != simdjson::SUCCESS ||
          array.raw_json().get(text) != simdjson::SUCCESS)
        return false;
    } else {
      text = value.raw_json_token();
    }
    while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
    span.begin = static_cast<std::size_t>(text.data() - base);
    span.end = span.begin + text.size();
    return true;
  }

  bool is_object_ = false;
  std::vector<std::string> keys_;
  std::vector<ItemSpan> items_;
};

inline std::string unescaped(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escape =
        token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    text += !escape ? token[i] : token[i + 1] == '0' ? '~' : '/';
    if (escape) ++i;
  }
  return text;
}

/// Replaces, inserts or removes one item of the object or list `text`; false when that cannot be
/// done.
inline bool edit_item(std::string& text, PatchOp op, std::string_view token,
                      std::string_view value) {
  Container container;
  if (!container.read(text)) return false;
  const auto& items = container.items();
  const std::size_t at = container.find(token);
  const bool exists = at < items.size();
  if (exists && (op == PatchOp::replace || (op == PatchOp::add && container.is_object()))) {
    text.replace(items[at].value.begin, items[at].value.end - items[at].value.begin, value);
    return true;
  }
  if (op == PatchOp::add) {
    std::string item;
    if (container.is_object()) {
      item = encode(token) + ':';
    } else if (!exists && token != "-" && token != std::to_string(items.size())) {
      return false;
    }
    item += value;
    if (exists) {
      text.insert(items[at].whole.begin, item + ',');
    } else if (items.empty()) {
      text.insert(text.find_first_of("{[") + 1, item);
    } else {
      text.insert(items.back().whole.end, ',' + item);
    }
    return true;
  }
  if (op != PatchOp::remove || !exists) return false;
  // The comma goes with the item: the one after it, or for the last the one before.
  const bool last = at + 1 == items.size();
  const std::size_t begin = last && at > 0 ? items[at - 1].whole.end : items[at].whole.begin;
  const std::size_t end = last ? items[at].whole.end : items[at + 1].whole.begin;
  text.erase(begin, end - begin);
  return true;
}

/// Applies an operation to the part of a document that `pointer` (a `/` and a token at least) is
/// relative to.
inline bool apply_below(std::string& text, PatchOp op, std::string_view pointer,
                        std::string_view value) {
  if (!pointer.starts_with('/')) return false;
  const std::size_t slash = pointer.find('/', 1);
  const std::string token =
      unescaped(pointer.substr(1, slash == std::string_view::npos ? slash : slash - 1));
  if (slash == std::string_view::npos) return edit_item(text, op, token, value);
  Container container;
  if (!container.read(text)) return false;
  const std::size_t at = container.find(token);
  if (at >= container.items().size()) return false;
  const Span span = container.items()[at].value;
  std::string part = text.substr(span.begin, span.end - span.begin);
  if (!apply_below(part, op, pointer.substr(slash), value)) return false;
  text.replace(span.begin, span.end - span.begin, part);
  return true;
}

}  // namespace detail

/// The text of the document with the patch applied; all bytes that the patch does not name stay as
/// they are. An operation whose target is not there is an error with its pointer; bytes that are no
/// document within the limits are one without.
[[nodiscard]] inline Result<std::string> apply_patch(std::string_view document,
                                                     std::span<const PatchOperation> patch) {
  if (Document parsed; !parsed.parse(document)) return std::vector<FieldError>{parsed.error()};
  std::string text(document);
  for (const PatchOperation& operation : patch) {
    if (!detail::apply_below(text, operation.op, operation.path, operation.value)) {
      return std::vector<FieldError>{
          {ErrorType::invalid, operation.path, "", "the patch does not apply to the document"}};
    }
  }
  return text;
}

}  // namespace schedpol::json

// schedpol/json/decode.hpp

/// Kubernetes JSON to value types. null is absent; a wrong type, a word or number out of range is
/// an error with its field path, never a guess. Unknown fields are ignored in pods and workloads,
/// and errors in policies and RBAC objects (outside their metadata), because a typo there is a
/// hole. The spellings of the SchedulingPolicy proposal are read too; both spellings at once are an
/// error.

namespace schedpol::json {

namespace detail {

using simdjson::dom::element;

/// Reads one document; the errors of all its parts come together here.
class Decoder {
 public:
  /// Leaves out, unread, the fields that only MetadataPolicy looks at, when `looked_at` says so.
  explicit Decoder(LookedAt looked_at = LookedAt::by_metadata_policy) : looked_at_(looked_at) {}

  [[nodiscard]] const std::vector<FieldError>& errors() const noexcept { return errors_; }
  [[nodiscard]] std::vector<FieldError> take_errors() && { return std::move(errors_); }

  void report(ErrorType type, const Path& path, std::string_view bad_value, std::string detail) {
    if (errors_.size() < max_reported_errors) {
      errors_.push_back({type, path.text(), std::string(bad_value), std::move(detail)});
    }
  }

  void read(const Path& path, element from, std::string& into) {
    std::string_view text;
    if (from.get(text) != simdjson::SUCCESS) return wrong_type(path, from, "a string");
    into = text;
  }
  void read(const Path& path, element from, bool& into) {
    if (from.get(into) != simdjson::SUCCESS) wrong_type(path, from, "true or false");
  }
  void read(const Path& path, element from, std::int64_t& into) {
    if (from.get(into) != simdjson::SUCCESS) wrong_type(path, from, "an integer");
  }
  void read(const Path& path, element from, std::int32_t& into) {
    std::int64_t wide = 0;
    if (from.get(wide) != simdjson::SUCCESS) return wrong_type(path, from, "an integer");
    if (wide < std::numeric_limits<std::int32_t>::min() ||
        wide > std::numeric_limits<std::int32_t>::max()) {
      return report(ErrorType::invalid, path, std::to_string(wide), "must fit in 32 bits");
    }
    into = static_cast<std::int32_t>(wide);
  }
  /// A quantity, which Kubernetes also takes as a number.
  void read(const Path& path, element from, Quantity& into) {
    std::string text;
    if (from.is_number()) {
      text = simdjson::minify(from);
    } else if (!from.is_string()) {
      return wrong_type(path, from, "a quantity");
    } else {
      read(path, from, text);
    }
    if (auto quantity = Quantity::parse(text)) {
      into = *std::move(quantity);
    } else {
      report(ErrorType::invalid, path, text, "must be a quantity such as 500m or 1.5Gi");
    }
  }
  void read(const Path& path, element from, ResourceList& into) {
    for_each_member(path, from, [&](std::string_view key, element value) {
      Quantity& quantity = into[std::string(key)];
      if (!value.is_null()) read(path.key(key), value, quantity);
    });
  }
  template <Worded Word>
  void read(const Path& path, element from, Word& into) {
    std::string_view text;
    if (from.get(text) != simdjson::SUCCESS) return wrong_type(path, from, "a string");
    constexpr bool needed = requires { Words<Word>::needed; };
    if (text.empty() && !needed) return;
    std::string supported = "supported are";
    for (const Word word : Words<Word>::all) {
      if (to_string(word) == text) {
        into = word;
        return;
      }
      supported.append(supported.ends_with("are") ? " " : ", ").append(to_string(word));
    }
    report(ErrorType::not_supported, path, text, std::move(supported));
  }
  template <class Word>
  void read(const Path& path, element from, OpenEnum<Word>& into) {
    std::string_view text;
    if (from.get(text) != simdjson::SUCCESS) return wrong_type(path, from, "a string");
    into = OpenEnum<Word>(text);
  }
  template <class T>
  void read(const Path& path, element from, std::optional<T>& into) {
    if (from.is_null()) return;
    into.emplace();
    read(path, from, *into);
    // A map of nothing but nulls was not written empty, so it must not read as "any": it says no
    // more than an absent one.
    if constexpr (requires { Schema<T>::empty_is_any; }) {
      simdjson::dom::object object;
      if (from.get(object) == simdjson::SUCCESS && object.size() > 0 && *into == T{} &&
          !wrote_empty_list(object))
        into.reset();
    }
  }
  template <class T>
  void read(const Path& path, element from, std::vector<T>& into) {
    simdjson::dom::array array;
    if (from.get(array) != simdjson::SUCCESS) return wrong_type(path, from, "a list");
    if (std::is_same_v<T, Toleration> && array.size() > max_tolerations) {
      return report(ErrorType::too_many, path, std::to_string(array.size()),
                    "must list at most " + std::to_string(max_tolerations) + " tolerations");
    }
    into.reserve(into.size() + array.size());
    std::size_t index = 0;
    for (const auto item : array) {
      into.emplace_back();
      const Path at = path.item(index++);
      if (!item.is_null()) {
        read(at, item, into.back());
      } else if (refuses_unknown_ && !null_is_nothing<T>) {
        // In a pod a null item is an empty one, as for the API server; in a policy an empty one may
        // permit or give something.
        report(ErrorType::required, at, "", "must not be null");
      }
    }
  }
  void read(const Path& path, element from, Labels& into) {
    for_each_member(path, from, [&](std::string_view key, element value) {
      std::string& label = into[std::string(key)];
      if (!value.is_null()) return read(path.key(key), value, label);
      if (refuses_unknown_) report(ErrorType::required, path.key(key), "", "must not be null");
    });
  }
  void read(const Path& path, element from, scheduling_policy::NodeSelectors& into) {
    for_each_member(path, from, [&](std::string_view key, element value) {
      read(path.key(key), value, into[std::string(key)]);
    });
  }
  template <Described T>
  void read(const Path& path, element from, T& into) {
    const bool outer = refuses_unknown_;
    if constexpr (requires { Schema<T>::unknown; })
      refuses_unknown_ = Schema<T>::unknown == Unknown::refuse;
    Seen seen = 0;
    for_each_member(path, from, [&](std::string_view name, element value) {
      if (read_field(path, name, value, into, seen) || read_head<T>(path, name, value, seen))
        return;
      if (read_other_spelling(path, from, name, value, into)) return;
      if (refuses_unknown_ && !is_ignored<T>(name))
        report(ErrorType::forbidden, path.field(name), "", "unknown field");
    });
    if constexpr (requires { Schema<T>::needed; }) {
      element there;
      constexpr std::string_view name = Schema<T>::needed;
      if (from.is_object() && (from[name].get(there) != simdjson::SUCCESS || there.is_null()))
        report(ErrorType::required, path.field(name), "", "there is no default");
    }
    if constexpr (std::is_same_v<T, scheduling_policy::DefaultToleration>) {
      if (into.values && !into.toleration.value.empty()) {
        report(ErrorType::forbidden, path.field("value"), into.toleration.value,
               "must not be set beside values");
      }
    }
    refuses_unknown_ = outer;
  }

  /// A Pod, or the pod template of any workload, told by `kind`; without one it is a Pod. A
  /// template takes name and namespace from its workload where it has none.
  void read(const Path& path, element from, Pod& into) {
    if (!from.is_object()) return wrong_type(path, from, "an object");
    std::string kind;
    ObjectMeta metadata;
    for_each_member(path, from, [&](std::string_view name, element value) {
      if (value.is_null()) return;
      if (name == "kind") read(path.field(name), value, kind);
      if (name == "metadata") read(path.field(name), value, metadata);
    });
    const auto known_kind = kind.empty() ? PodKind::pod : pod_kind(kind);
    if (!known_kind) {
      return report(ErrorType::not_supported, path.field("kind"), kind,
                    "must be Pod, or a workload that has a pod template");
    }
    into.kind = *known_kind;
    read_template(path, from, template_path(into.kind), into);
    if (into.kind == PodKind::pod) {
      into.metadata = std::move(metadata);
    } else {
      if (into.metadata.name.empty()) into.metadata.name = std::move(metadata.name);
      if (into.metadata.namespace_.empty())
        into.metadata.namespace_ = std::move(metadata.namespace_);
    }
  }

 private:
  void wrong_type(const Path& path, element from, std::string_view wanted) {
    std::string_view found = "something else";
    switch (from.type()) {
      case simdjson::dom::element_type::ARRAY: found = "a list"; break;
      case simdjson::dom::element_type::OBJECT: found = "an object"; break;
      case simdjson::dom::element_type::STRING: found = "a string"; break;
      case simdjson::dom::element_type::BOOL: found = "true or false"; break;
      case simdjson::dom::element_type::NULL_VALUE: found = "null"; break;
      case simdjson::dom::element_type::INT64:
      case simdjson::dom::element_type::UINT64:
      case simdjson::dom::element_type::DOUBLE: found = "a number"; break;
    }
    report(ErrorType::type_invalid, path, "",
           "must be " + std::string(wanted) + ", not " + std::string(found));
  }

  template <class T>
  static constexpr bool null_is_nothing = requires { Schema<T>::null_is_nothing; };

  /// Whether a member is a list, which then is empty: `{nodeSelectorTerms: []}` does mean any.
  static bool wrote_empty_list(simdjson::dom::object object) {
    for (const auto member : object) {
      if (member.value.is_array()) return true;
    }
    return false;
  }

  template <class F>
  void for_each_member(const Path& path, element from, F&& f) {
    simdjson::dom::object object;
    if (from.get(object) != simdjson::SUCCESS) return wrong_type(path, from, "an object");
    for (const auto member : object) f(member.key, member.value);
  }

  /// The fields of an object that were seen, one bit each; the last is its kind.
  using Seen = std::uint32_t;
  static constexpr Seen kind_bit = Seen{1} << 31U;

  template <class T>
  bool read_field(const Path& path, std::string_view name, element value, T& into, Seen& seen) {
    using Fields = std::remove_cvref_t<decltype(Schema<T>::fields)>;
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return (read_if_named<i>(path, name, value, into, seen) || ...);
    }(std::make_index_sequence<std::tuple_size_v<Fields>>());
  }

  /// Reads the `i`th field of an object if `name` names it. What it is compared with is constant
  /// for the compiler, which so compares without a call.
  template <std::size_t i, class T>
  bool read_if_named(const Path& path, std::string_view name, element value, T& into, Seen& seen) {
    static_assert(i < 31, "the last bit is the kind's");
    constexpr const auto& entry = std::get<i>(Schema<T>::fields);
    if (!is_text<entry.name.size()>(name, entry.name)) {
      if constexpr (entry.alias.empty()) return false;
      if (name != entry.alias) return false;
    }
    if (looked_at_ == LookedAt::by_all && entry.looked_at != looked_at_) return true;
    constexpr Seen bit = Seen{1} << i;
    if ((seen & bit) != 0) {
      report(ErrorType::duplicate, path.field(name), "", spelled_twice(entry.name, entry.alias));
    } else if (!value.is_null()) {
      read(path.field(name), value, std::invoke(entry.access, into));
    }
    seen |= bit;
    return true;
  }

  template <std::size_t size>
  static bool is_text(std::string_view text, std::string_view wanted) noexcept {
    return text.size() == size && std::memcmp(text.data(), wanted.data(), size) == 0;
  }

  static std::string spelled_twice(std::string_view name, std::string_view alias) {
    return in_backticks(name) + " and " + in_backticks(alias) + " are spellings of one field";
  }

  /// `apiVersion` and `kind` of a whole object. The version is not looked at, the kind has to be
  /// right where it is given.
  template <class T>
  bool read_head(const Path& path, std::string_view name, element value, Seen& seen) {
    if constexpr (Object<T>) {
      const Path at = path.field(name);
      std::string text;
      if (name == "apiVersion") {
        if (!value.is_null()) read(at, value, text);
        return true;
      }
      std::string_view alias;
      if constexpr (requires { Schema<T>::kind_alias; }) alias = Schema<T>::kind_alias;
      if (name != "kind" && (alias.empty() || name != alias)) return false;
      if ((seen & kind_bit) != 0) {
        report(ErrorType::duplicate, at, "", spelled_twice("kind", alias));
        return true;
      }
      seen |= kind_bit;
      if (value.is_null()) return true;
      read(at, value, text);
      if (!text.empty() && text != Schema<T>::kind) {
        report(ErrorType::not_supported, at, text, "must be " + std::string(Schema<T>::kind));
      }
      return true;
    } else {
      return false;
    }
  }

  template <class T>
  static bool is_ignored(std::string_view name) noexcept {
    if constexpr (requires { Schema<T>::ignored; }) {
      return std::find(Schema<T>::ignored.begin(), Schema<T>::ignored.end(), name) !=
             Schema<T>::ignored.end();
    }
    return false;
  }

  template <class T>
  static bool read_other_spelling(const Path&, element, std::string_view, element, T&) noexcept {
    return false;
  }

  /// The proposal writes `spec.allowedAffinities` for `spec.allowed.affinities`.
  bool read_other_spelling(const Path& path, element from, std::string_view name, element value,
                           scheduling_policy::SchedulingPolicySpec& into) {
    if (name != "allowedAffinities") return false;
    element other;
    if (from["allowed"]["affinities"].get(other) == simdjson::SUCCESS) {
      report(ErrorType::duplicate, path.field(name), "", spelled_twice("allowed.affinities", name));
    } else {
      read(path.field(name), value, into.allowed.affinities);
    }
    return true;
  }

  /// In a default affinity the proposal writes `keys: [k]` and `operators: [Op]` for `key` and
  /// `operator`.
  bool read_other_spelling(const Path& path, element from, std::string_view name, element value,
                           NodeSelectorRequirement& into) {
    if (!refuses_unknown_) return false;
    if (name == "keys") read_only_one(path, from, name, value, "key", into.key);
    if (name == "operators") read_only_one(path, from, name, value, "operator", into.operator_);
    return name == "keys" || name == "operators";
  }
  template <class T>
  void read_only_one(const Path& path, element from, std::string_view name, element value,
                     std::string_view usual, T& into) {
    const Path at = path.field(name);
    element other;
    if (from[usual].get(other) == simdjson::SUCCESS)
      return report(ErrorType::duplicate, at, "", spelled_twice(usual, name));
    if (value.is_null()) return;
    simdjson::dom::array array;
    if (value.get(array) != simdjson::SUCCESS) return wrong_type(at, value, "a list");
    if (array.size() != 1) return report(ErrorType::invalid, at, "", "must list exactly one");
    read(at.item(0), array.at(0).value_unsafe(), into);
  }

  /// Walks down `rest` (`spec.template`, or nothing) and reads the template that stands there.
  void read_template(const Path& path, element from, std::string_view rest, Pod& into) {
    const std::size_t dot = rest.find('.');
    const std::string_view below = dot == std::string_view::npos ? "" : rest.substr(dot + 1);
    for_each_member(path, from, [&](std::string_view name, element value) {
      if (value.is_null()) return;
      if (!rest.empty()) {
        if (name == rest.substr(0, dot)) read_template(path.field(name), value, below, into);
      } else if (name == "spec") {
        read(path.field(name), value, into.spec);
      } else if (name == "status" && into.kind == PodKind::pod) {
        read(path.field(name), value, into.status);
      } else if (name == "metadata" && into.kind != PodKind::pod) {
        read(path.field(name), value, into.metadata);
      }
    });
  }

  std::vector<FieldError> errors_;
  LookedAt looked_at_;
  bool refuses_unknown_ = false;
};

}  // namespace detail

/// Reads a value from an element of a parsed document, with paths below `path`.
template <class T>
[[nodiscard]] Result<T> decode(simdjson::dom::element from, const detail::Path& path = {}) {
  T value{};
  detail::Decoder decoder;
  decoder.read(path, from, value);
  if (!decoder.errors().empty()) return std::move(decoder).take_errors();
  return value;
}

/// Reads a value from bytes: a Pod or workload, a policy, an RBAC object, or a part of one such as
/// a Toleration. Bytes that are no document within the limits are one error without a field.
template <class T>
[[nodiscard]] Result<T> decode(std::string_view bytes) {
  Document document;
  if (!document.parse(bytes)) return std::vector<FieldError>{document.error()};
  return decode<T>(document.root());
}

}  // namespace schedpol::json

// schedpol/json/configuration.hpp

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

// schedpol/json/configuration_validator.hpp

/// What is wrong with a configuration before an Engine can be built of it.

namespace schedpol::json::detail {

/// Finds what is wrong with the objects of a configuration. A path begins with the object:
/// `SchedulingPolicy[gpu].spec.required.schedulerNames`.
class ConfigurationValidator {
 public:
  std::vector<FieldError> run(const Configuration& configuration) && {
    validate_systems(configuration.systems);
    constexpr auto validated = [](const auto& object) { return validate(object); };
    constexpr auto not_validated = [](const auto&) { return std::vector<FieldError>(); };
    validate_objects(configuration.runtime_classes, validated);
    validate_objects(configuration.metadata_policies, validated);
    validate_objects(configuration.pod_scheduling_policies, validated);
    validate_objects(configuration.scheduling_policies, validated);
    validate_objects(configuration.resource_policies,
                     [](const auto& policy) { return validate(policy).errors; });
    validate_objects(configuration.rbac.roles, not_validated);
    validate_objects(configuration.rbac.cluster_roles, not_validated);
    validate_objects(configuration.rbac.role_bindings, not_validated);
    validate_objects(configuration.rbac.cluster_role_bindings, not_validated);
    for (const ObjectMeta& in : configuration.namespaces) note_name("Namespace", in);
    return std::move(errors_);
  }

 private:
  void validate_systems(const std::vector<Step>& systems) {
    if (systems.empty())
      errors_.push_back({ErrorType::required, "systems", "", "which systems run has to be said"});
    std::set<System> seen;
    for (std::size_t i = 0; i < systems.size(); ++i) {
      if (seen.insert(systems[i].system).second) continue;
      errors_.push_back({ErrorType::duplicate, "systems[" + std::to_string(i) + "].system",
                         std::string(to_string(systems[i].system)), "a system runs once"});
    }
  }

  template <class T>
  static std::string_view kind_of(const T&) {
    return Schema<T>::kind;
  }
  static std::string_view kind_of(const pod_scheduling_policy::PodSchedulingPolicy& policy) {
    return to_string(policy.kind);
  }

  /// Kinds that stand in a namespace. Without one they would silently apply nowhere.
  static bool is_namespaced(std::string_view kind) noexcept {
    constexpr std::array<std::string_view, 5> kinds = {"MetadataPolicy", "PodSchedulingPolicy",
                                                       "ResourcePolicy", "Role", "RoleBinding"};
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  }

  /// The path of an object; notes a name that is missing or there twice.
  std::string note_name(std::string_view kind, const ObjectMeta& metadata) {
    std::string path(kind);
    path += '[';
    if (is_namespaced(kind)) path += metadata.namespace_ + '/';
    path += metadata.name + ']';
    const auto missing = [&](std::string_view field, std::string_view why) {
      errors_.push_back({ErrorType::required, path + std::string(field), "", std::string(why)});
    };
    if (metadata.name.empty()) missing(".metadata.name", "an object is told by its name");
    if (is_namespaced(kind) && metadata.namespace_.empty())
      missing(".metadata.namespace", "without one it applies nowhere");
    if (!seen_.insert(path).second) {
      errors_.push_back({ErrorType::duplicate, path + ".metadata.name", metadata.name,
                         "another object has this name"});
    }
    return path;
  }

  template <class T, class Validate>
  void validate_objects(const std::vector<T>& objects, Validate&& validate) {
    for (const T& object : objects) {
      const std::string path = note_name(kind_of(object), object.metadata);
      for (FieldError error : validate(object)) {
        // That a name is missing was said.
        if (object.metadata.name.empty() && error.field == "metadata.name") continue;
        error.field = path + '.' + error.field;
        errors_.push_back(std::move(error));
      }
    }
  }

  std::set<std::string> seen_;
  std::vector<FieldError> errors_;
};

}  // namespace schedpol::json::detail

// schedpol/json/engine.hpp

/// Engine: all that a cluster's admission of pods depends on, built once and asked from any number
/// of threads. A Configuration lists the objects of the five systems, which of them run, in which
/// order and how strictly; `compile` checks all of it; the Engine decides on pods and pod
/// templates.
///
/// 1. A created pod goes through the systems in their order. What one of them changes the next one
///    sees, and the first denial ends it, with the pod as it came.
/// 2. A system in mode `warn` or `audit` neither denies nor changes anything: it says what it would
///    have done.
/// 3. An updated pod is never changed. It is denied for what the update adds: violations that the
///    old pod did not have.
/// 4. A RuntimeClass decides on pod templates but changes only pods: an overhead written into a
///    template would deny its pods on the day the class gets another one.
/// 5. What the pod's RuntimeClass adds is exempt from SchedulingPolicy.
/// Source: the five systems' own headers; Kubernetes' rules for mutating and validating webhooks.

namespace schedpol::json {

/// What one system said. In mode `enforce`, either the violations for which the pod is denied or
/// the changes it made; otherwise what they would have been.
struct StepDecision {
  Step step{};
  std::vector<Violation> violations{};
  std::vector<Change> changes{};

  friend bool operator==(const StepDecision&, const StepDecision&) = default;
};

/// What became of a pod. Default-constructed it is a denial. Denied: the pod as it came; the last
/// of `steps` says why. Allowed: the pod with the changes of all systems that enforce.
struct Decision {
  bool allowed = false;
  Pod pod{};
  std::vector<StepDecision> steps{};

  friend bool operator==(const Decision&, const Decision&) = default;
};

namespace detail {
class Reviewer;
}

class Engine {
 public:
  /// No systems: denies everything, with no steps to say why.
  Engine() = default;

  /// Whether a system has a say.
  [[nodiscard]] bool runs(System system) const noexcept {
    const auto& systems = configuration_.systems;
    return std::any_of(systems.begin(), systems.end(),
                       [&](const Step& step) { return step.system == system; });
  }

  /// The decision on a pod, or the template of a workload, that is created. `namespace_` of its
  /// metadata tells which policies apply.
  [[nodiscard]] Decision decide(const Pod& pod) const {
    Decision decision = change(Pod(pod), ChangeValues::shown);
    if (!decision.allowed) decision.pod = pod;
    return decision;
  }

  /// The decision on a created pod after all mutators ran, which changes nothing: SchedulingPolicy
  /// checks it as it stands, what its RuntimeClass adds has to be in place. MetadataPolicy has
  /// decided on the object as it came, and PodSchedulingPolicy denies nothing.
  [[nodiscard]] Decision verify(Pod pod) const {
    return judge(std::move(pod), [&](System system, const Pod& final) -> std::vector<Violation> {
      switch (system) {
        case System::runtime_class:
          if (final.kind == PodKind::pod)
            return runtime_class::verify(final, configuration_.runtime_classes);
          return admit(system, Pod(final)).violations;
        case System::scheduling_policy:
          return with_effective_policy(final, [&](const auto& effective) {
            return check(final, effective, options_for(final));
          });
        case System::resource_policy: return admit(system, Pod(final)).violations;
        case System::metadata_policy:
        case System::pod_scheduling_policy: break;
      }
      return {};
    });
  }

  /// The decision on an update, which changes nothing.
  [[nodiscard]] Decision decide_update(const Pod& old, Pod updated) const {
    return judge(std::move(updated), [&](System system, const Pod& pod) -> std::vector<Violation> {
      if (system == System::pod_scheduling_policy) return {};
      if (system == System::scheduling_policy) {
        return with_effective_policy(pod, [&](const auto& effective) {
          return check_update(old, pod, effective, options_for(pod));
        });
      }
      std::vector<Violation> added = admit(system, Pod(pod)).violations;
      if (added.empty()) return added;
      const std::vector<Violation> had = admit(system, Pod(old)).violations;
      std::erase_if(added, [&](const Violation& violation) {
        return std::find(had.begin(), had.end(), violation) != had.end();
      });
      return added;
    });
  }

  /// The rules of SchedulingPolicy by which pods of this one's service account are judged.
  [[nodiscard]] scheduling_policy::EffectivePolicy effective_policy(const Pod& pod) const {
    return with_effective_policy(pod, [](const auto& effective) { return effective; });
  }

 private:
  friend Result<Engine> compile(Configuration);

  friend class detail::Reviewer;

  using Names = std::vector<std::string>;

  /// `decide` without going back: the pod of a denial has the changes of the systems before.
  [[nodiscard]] Decision change(Pod&& pod, ChangeValues values) const {
    Decision decision{.pod = std::move(pod)};
    for (const Step step : configuration_.systems) {
      const bool changes = step.mode == Mode::enforce && (step.system != System::runtime_class ||
                                                          decision.pod.kind == PodKind::pod);
      Admission admission = changes ? admit(step.system, std::move(decision.pod), values)
                                    : admit(step.system, Pod(decision.pod), values);
      if (changes) decision.pod = std::move(admission.pod);
      StepDecision& said = decision.steps.emplace_back();
      said.step = step;
      said.violations = std::move(admission.violations);
      if (changes || step.mode != Mode::enforce) said.changes = std::move(admission.changes);
      if (step.mode == Mode::enforce && !admission.allowed) return decision;
    }
    decision.allowed = !configuration_.systems.empty();
    return decision;
  }

  template <class Judge>
  Decision judge(Pod pod, Judge&& violations_of) const {
    Decision decision;
    decision.allowed = !configuration_.systems.empty();
    for (const Step step : configuration_.systems) {
      StepDecision& said = decision.steps.emplace_back();
      said.step = step;
      said.violations = violations_of(step.system, pod);
      if (step.mode != Mode::enforce || said.violations.empty()) continue;
      decision.allowed = false;
      break;
    }
    decision.pod = std::move(pod);
    return decision;
  }

  [[nodiscard]] Admission admit(System system, Pod&& pod,
                                ChangeValues values = ChangeValues::omitted) const {
    switch (system) {
      case System::runtime_class:
        return runtime_class::admit(std::move(pod), configuration_.runtime_classes);
      case System::metadata_policy: return metadata_policy::admit(pod, metadata_rules_);
      case System::pod_scheduling_policy: return inject(std::move(pod), values);
      case System::scheduling_policy:
        return with_effective_policy(pod, [&](const auto& effective) {
          return scheduling_policy::admit(pod, effective, options_for(pod));
        });
      case System::resource_policy: return admit_to_resource_policies(std::move(pod));
    }
    return {};
  }

  [[nodiscard]] Admission inject(Pod&& pod, ChangeValues values) const {
    const std::string& name = pod.metadata.namespace_;
    const auto found = std::lower_bound(configuration_.namespaces.begin(),
                                        configuration_.namespaces.end(), name, by_name);
    const bool known = found != configuration_.namespaces.end() && found->name == name;
    if (!known && injector_.needs_namespace(pod.metadata.labels)) {
      Admission admission;
      admission.violations.push_back(
          {ViolationCode::namespace_not_found, "metadata.namespace", name, {}});
      admission.pod = std::move(pod);
      return admission;
    }
    ObjectMeta unlabelled;
    if (!known) unlabelled.name = name;
    return pod_scheduling_policy::to_admission(
        injector_.inject(std::move(pod), known ? *found : unlabelled,
                         configuration_.options.default_scheduler, values));
  }

  [[nodiscard]] Admission admit_to_resource_policies(Pod&& pod) const {
    Admission admission;
    Names matching;
    for (const auto& compiled : resource_policies_.all()) {
      if (compiled.matches(pod)) matching.push_back(compiled.policy.metadata.name);
    }
    admission.allowed = matching.size() <= 1;
    if (!admission.allowed) {
      admission.violations.push_back({ViolationCode::multiple_resource_policies,
                                      field_path(pod.kind, "metadata.labels"), "",
                                      std::move(matching)});
    }
    admission.pod = std::move(pod);
    return admission;
  }

  /// The options with what the pod's RuntimeClass adds exempt.
  [[nodiscard]] const scheduling_policy::Options& options_for(const Pod& pod) const {
    const auto found = options_of_classes_.find(pod.spec.runtime_class_name);
    return found == options_of_classes_.end() ? configuration_.options : found->second;
  }

  [[nodiscard]] Names usable_by(const rbac::User& user, std::string_view namespace_) const {
    return rbac::usable(policy_names_, user, namespace_, configuration_.rbac,
                        configuration_.access);
  }

  [[nodiscard]] scheduling_policy::EffectivePolicy merge_named(const Names& names) const {
    return merge(scheduling_policy::usable(configuration_.scheduling_policies, names),
                 configuration_.strategy);
  }

  /// `f` of the rules that the pod is judged by. Those that the bindings at hand lead to are merged
  /// beforehand; a service account can still bring another set of groups and bindings together.
  template <class F>
  std::invoke_result_t<F, const scheduling_policy::EffectivePolicy&> with_effective_policy(
      const Pod& pod, F&& f) const {
    const Names names = configuration_.policy_use == PolicyUse::every
                            ? policy_names_
                            : usable_by(rbac::user_of(pod), pod.metadata.namespace_);
    const auto found = merged_.find(names);
    return found != merged_.end() ? f(found->second) : f(merge_named(names));
  }

  void merge_beforehand() {
    std::set<Names> sets = {Names{}};
    if (configuration_.policy_use == PolicyUse::every) sets.insert(policy_names_);
    const auto add = [&](std::string_view in, std::string_view account) {
      sets.insert(usable_by(rbac::service_account_user(in, account), in));
    };
    const auto add_subjects = [&](const std::vector<rbac::Subject>& subjects,
                                  std::string_view binding_namespace) {
      for (const rbac::Subject& subject : subjects) {
        const std::string_view in =
            subject.namespace_.empty() ? binding_namespace : subject.namespace_;
        if (subject.kind == "ServiceAccount") add(in, subject.name);
      }
    };
    if (configuration_.policy_use == PolicyUse::rbac) {
      add("", "");
      for (const ObjectMeta& in : configuration_.namespaces) add(in.name, "");
      for (const auto& binding : configuration_.rbac.cluster_role_bindings)
        add_subjects(binding.subjects, "");
      for (const auto& binding : configuration_.rbac.role_bindings) {
        add(binding.metadata.namespace_, "");
        add_subjects(binding.subjects, binding.metadata.namespace_);
      }
    }
    for (const Names& names : sets) merged_.emplace(names, merge_named(names));
  }

  static bool by_name(const ObjectMeta& in, std::string_view name) noexcept {
    return in.name < name;
  }

  Configuration configuration_;
  Names policy_names_;
  metadata_policy::Rules metadata_rules_;
  pod_scheduling_policy::Injector injector_;
  resource_policy::Policies resource_policies_;
  std::map<Names, scheduling_policy::EffectivePolicy> merged_;
  std::map<std::string, scheduling_policy::Options> options_of_classes_;
};

/// Builds the engine, or reports everything that is wrong: no systems or one of them twice, what
/// `validate` finds in a policy or class, two objects of one kind and name, a namespaced object
/// without a namespace. A path begins with the object:
/// `SchedulingPolicy[gpu].spec.required.schedulerNames`.
[[nodiscard]] inline Result<Engine> compile(Configuration configuration) {
  std::vector<FieldError> errors = detail::ConfigurationValidator().run(configuration);
  const auto take = [&](auto compiled, auto& into) {
    if (compiled) {
      into = *std::move(compiled);
    } else if (errors.empty()) {
      errors = compiled.errors();
    }
  };
  Engine engine;
  take(metadata_policy::compile(configuration.metadata_policies), engine.metadata_rules_);
  take(pod_scheduling_policy::compile(configuration.pod_scheduling_policies), engine.injector_);
  take(resource_policy::compile(configuration.resource_policies), engine.resource_policies_);
  if (!errors.empty()) return errors;
  std::sort(configuration.namespaces.begin(), configuration.namespaces.end(),
            [](const ObjectMeta& a, const ObjectMeta& b) { return a.name < b.name; });
  for (const auto& policy : configuration.scheduling_policies)
    engine.policy_names_.push_back(policy.metadata.name);
  std::sort(engine.policy_names_.begin(), engine.policy_names_.end());
  for (const runtime_class::RuntimeClass& from : configuration.runtime_classes) {
    if (!from.scheduling) continue;
    engine.options_of_classes_[from.metadata.name] =
        exempt(configuration.options, from.scheduling->tolerations, from.scheduling->node_selector);
  }
  engine.configuration_ = std::move(configuration);
  engine.merge_beforehand();
  return engine;
}

}  // namespace schedpol::json

// schedpol/json/request.hpp

/// The `input` of a request to `evaluate`: how its parts are read, and what is noted of the first
/// one that is wrong.

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

}  // namespace detail

}  // namespace schedpol::json

// schedpol/json/operations.hpp

/// The operations of `evaluate`: what each reads of its input and writes as its result.

namespace schedpol::json::detail {

using scheduling_policy::EffectivePolicy;
using scheduling_policy::SchedulingPolicy;

/// Cluster-scoped objects are told apart by name, so each needs one of its own.
template <class T>
std::vector<T> read_named(Input& input, std::string_view list) {
  auto policies = input.read<std::vector<T>>(list);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const std::string& name = policies[i].metadata.name;
    const std::string field = std::string(list) + "[" + std::to_string(i) + "].metadata.name";
    if (name.empty()) {
      input.fail(EvaluateError::invalid_object,
                 {ErrorType::required, field, "", "an object is told by its name"});
    } else if (!names.insert(name).second) {
      input.fail(EvaluateError::invalid_object,
                 {ErrorType::duplicate, field, name, "another object has this name"});
    }
  }
  return policies;
}

inline EffectivePolicy read_effective_policy(Input& input) {
  const auto policies = read_named<SchedulingPolicy>(input, "policies");
  return merge(policies, input.read<scheduling_policy::MergeStrategy>(
                             "strategy", EvaluateError::invalid_request));
}

inline scheduling_policy::Options read_options(Input& input) {
  return input.read<scheduling_policy::Options>("options", EvaluateError::invalid_request);
}

/// What an operation writes its result into; only called once the input is complete.
using Operation = void (*)(Input&, Writer&);

inline void label_selector_matches(Input& input, Writer& out) {
  const auto selector = input.read<std::optional<LabelSelector>>("selector");
  const auto labels = input.read<Labels>("labels");
  const auto matcher = compile(selector, "selector");
  if (!matcher) input.fail(EvaluateError::invalid_object, matcher.errors().front());
  if (input.complete()) ObjectWriter(out).member("matches", matcher->matches(labels));
}

inline void taints_find_untolerated(Input& input, Writer& out) {
  const auto tolerations = input.read<std::vector<Toleration>>("tolerations");
  const auto taints = input.read<std::vector<Taint>>("taints");
  if (input.complete())
    ObjectWriter(out).member("untolerated", find_untolerated(tolerations, taints));
}

inline void tolerations_merge(Input& input, Writer& out) {
  const auto first = input.read<std::vector<Toleration>>("first");
  const auto second = input.read<std::vector<Toleration>>("second");
  if (input.complete()) ObjectWriter(out).member("tolerations", merge(first, second));
}

inline void labels_validate(Input& input, Writer& out) {
  const auto labels = input.read<Labels>("labels");
  if (input.complete()) ObjectWriter(out).member("errors", validate(labels));
}

inline void tolerations_validate(Input& input, Writer& out) {
  const auto tolerations = input.read<std::vector<Toleration>>("tolerations");
  if (input.complete()) ObjectWriter(out).member("errors", validate(tolerations));
}

inline void affinity_validate(Input& input, Writer& out) {
  const auto affinity = input.read<Affinity>("affinity");
  if (input.complete()) ObjectWriter(out).member("errors", validate(affinity));
}

inline void node_affinity_matches(Input& input, Writer& out) {
  const auto pod = input.require<Pod>("pod");
  const auto node = input.require<Node>("node");
  if (!input.complete()) return;
  const NodeAffinityMatcher matcher(pod.spec);
  ObjectWriter(out).member("matches", matcher.matches(node)).member("score", matcher.score(node));
}

inline void pod_qos_class(Input& input, Writer& out) {
  const auto pod = input.require<Pod>("pod");
  if (input.complete()) ObjectWriter(out).member("qosClass", to_string(qos_class(pod.spec)));
}

inline void quantity_compare(Input& input, Writer& out) {
  const auto a = input.require<Quantity>("a");
  const auto b = input.require<Quantity>("b");
  if (!input.complete()) return;
  ObjectWriter(out).member("compare", a < b ? -1 : a > b ? 1 : 0);
}

inline void scheduling_policy_validate(Input& input, Writer& out) {
  const auto policy = input.require<SchedulingPolicy>("policy");
  if (input.complete()) ObjectWriter(out).member("errors", validate(policy));
}

inline void scheduling_policy_merge(Input& input, Writer& out) {
  const EffectivePolicy effective = read_effective_policy(input);
  if (!input.complete()) return;
  ObjectWriter(out)
      .member("spec", effective.spec())
      .member("sources", effective.sources().entries)
      .member("lost", effective.sources().lost);
}

/// `object` with the patch applied to the input of that name, and the patch. One that does not
/// apply is a failure of the request, so that no decision is answered without its object.
inline void write_object(ObjectWriter& result, Input& input, std::string_view name,
                         const Patch& patch) {
  const Result<std::string> object = apply_patch(input.text(name), patch);
  if (!object) input.fail(EvaluateError::invalid_object, object.errors().front());
  result.member("object", Raw{object ? *object : std::string_view("null")}).member("patch", patch);
}

/// The members that operations which admit a pod answer with.
inline void write_admission(Writer& out, Input& input, const Pod& before,
                            const Admission& admission) {
  ObjectWriter result(out);
  result.member("allowed", admission.allowed)
      .member("violations", admission.violations)
      .member("changes", admission.changes);
  write_object(
      result, input, "pod",
      admission.allowed ? make_patch(input.document("pod"), before, admission.pod) : Patch());
}

inline void scheduling_policy_admit(Input& input, Writer& out) {
  const Pod pod = input.require<Pod>("pod");
  const EffectivePolicy effective = read_effective_policy(input);
  const auto options = read_options(input);
  if (!input.complete()) return;
  write_admission(out, input, pod, admit(pod, effective, options));
}

inline void scheduling_policy_check_update(Input& input, Writer& out) {
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

inline void rbac_usable_policies(Input& input, Writer& out) {
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

inline void runtime_class_admit(Input& input, Writer& out) {
  const Pod pod = input.require<Pod>("pod");
  const auto classes = read_named<runtime_class::RuntimeClass>(input, "runtimeClasses");
  if (input.complete()) write_admission(out, input, pod, runtime_class::admit(pod, classes));
}

inline void pod_scheduling_policy_inject(Input& input, Writer& out) {
  const Pod pod = input.require<Pod>("pod");
  ObjectMeta in = input.read<AnyObject>("namespace").metadata;
  const auto policies =
      input.read<std::vector<pod_scheduling_policy::PodSchedulingPolicy>>("policies");
  if (in.name.empty()) in.name = pod.metadata.namespace_;
  auto injection = pod_scheduling_policy::inject(pod, in, policies);
  for (FieldError& error : injection.errors) {
    const bool limit = error.type == ErrorType::too_many;
    input.fail(limit ? EvaluateError::limit_exceeded : EvaluateError::invalid_object,
               std::move(error));
  }
  if (!input.complete()) return;
  ObjectWriter result(out);
  result.member("applied", injection.applied)
      .member("skipped", injection.skipped)
      .member("changes", injection.changes);
  write_object(result, input, "pod", make_patch(input.document("pod"), pod, injection.pod));
}

/// The members that both operations of MetadataPolicy answer with.
template <class Decision>
void write_decision(ObjectWriter& result, const Decision& decision) {
  result.member("allowed", decision.allowed)
      .member("rejectedBy", decision.rejected_by)
      .member("conflicts", decision.conflicts)
      .member("changes", decision.changes);
}

inline void metadata_policy_admit(Input& input, Writer& out) {
  const auto object = input.require<AnyObject>("object");
  const auto policies = input.read<std::vector<metadata_policy::MetadataPolicy>>("policies");
  auto decision = metadata_policy::admit(object.metadata, policies);
  for (FieldError& error : decision.errors)
    input.fail(EvaluateError::invalid_object, std::move(error));
  if (!input.complete()) return;
  ObjectWriter result(out);
  write_decision(result, decision);
  write_object(result, input, "object",
               make_patch(input.document("object"), object.metadata, decision.metadata));
}

inline void metadata_policy_choose_scheduler(Input& input, Writer& out) {
  const auto pod = input.require<Pod>("pod");
  const auto policies = input.read<std::vector<metadata_policy::MetadataPolicy>>("policies");
  auto choice = metadata_policy::choose_scheduler(pod, policies);
  for (FieldError& error : choice.errors)
    input.fail(EvaluateError::invalid_object, std::move(error));
  if (!input.complete()) return;
  ObjectWriter result(out);
  write_decision(result, choice);
  write_object(result, input, "pod", make_patch(input.document("pod"), pod, choice.pod));
}

/// Compiled policies; no policies where they cannot be.
inline resource_policy::Policies read_resource_policies(Input& input) {
  const auto policies = input.read<std::vector<resource_policy::ResourcePolicy>>("policies");
  auto compiled = resource_policy::compile(policies);
  if (compiled) return *std::move(compiled);
  input.fail(EvaluateError::invalid_object, compiled.errors().front());
  return {};
}

inline void resource_policy_schedule(Input& input, Writer& out) {
  const auto pod = input.require<Pod>("pod");
  const auto nodes = input.read<std::vector<Node>>("nodes");
  const auto pods = input.read<std::vector<Pod>>("pods");
  const resource_policy::Counter counter(read_resource_policies(input), nodes, pods);
  if (!input.complete()) return;
  const auto before = counter.prefilter(pod);
  ObjectWriter result(out);
  result.member("code", to_string(before.code));
  if (before.reason != resource_policy::Reason::none)
    result.member("reason", to_string(before.reason));
  if (before.code != resource_policy::Code::success) return;
  result.member("policy", before.policy).member("counts", before.counts);
  std::vector<resource_policy::Filter> filters;
  std::vector<std::int64_t> scores;
  for (const Node& node : nodes) {
    filters.push_back(counter.filter(before, node.metadata.name));
    if (filters.back().code == resource_policy::Code::success)
      scores.push_back(counter.score(before, filters.back()));
  }
  scores = resource_policy::normalise(scores);
  Writer& list = result.key("nodes");
  list += '[';
  auto score = scores.begin();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) list += ',';
    ObjectWriter node(list);
    node.member("name", nodes[i].metadata.name).member("code", to_string(filters[i].code));
    if (filters[i].code != resource_policy::Code::success) {
      node.member("reason", to_string(filters[i].reason));
      continue;
    }
    if (filters[i].unit) node.member("unit", *filters[i].unit);
    node.member("score", *score++);
  }
  list += ']';
}

inline void resource_policy_deletion_costs(Input& input, Writer& out) {
  const auto nodes = input.read<std::vector<Node>>("nodes");
  const auto pods = input.read<std::vector<Pod>>("pods");
  const resource_policy::Counter counter(read_resource_policies(input), nodes, pods);
  if (!input.complete()) return;
  ObjectWriter result(out);
  Writer& list = result.key("costs");
  list += '[';
  for (const Pod& pod : pods) {
    const auto cost = counter.deletion_cost(pod.metadata.namespace_, pod.metadata.name);
    if (!cost) continue;
    if (!list.ends_with('[')) list += ',';
    ObjectWriter(list)
        .member("namespace", pod.metadata.namespace_)
        .member("name", pod.metadata.name)
        .member("cost", *cost);
  }
  list += ']';
}

inline constexpr std::array operations = {
    std::pair<std::string_view, Operation>("affinity.validate", affinity_validate),
    std::pair<std::string_view, Operation>("labelSelector.matches", label_selector_matches),
    std::pair<std::string_view, Operation>("labels.validate", labels_validate),
    std::pair<std::string_view, Operation>("metadataPolicy.admit", metadata_policy_admit),
    std::pair<std::string_view, Operation>("metadataPolicy.chooseScheduler",
                                           metadata_policy_choose_scheduler),
    std::pair<std::string_view, Operation>("nodeAffinity.matches", node_affinity_matches),
    std::pair<std::string_view, Operation>("pod.qosClass", pod_qos_class),
    std::pair<std::string_view, Operation>("podSchedulingPolicy.inject",
                                           pod_scheduling_policy_inject),
    std::pair<std::string_view, Operation>("quantity.compare", quantity_compare),
    std::pair<std::string_view, Operation>("rbac.usablePolicies", rbac_usable_policies),
    std::pair<std::string_view, Operation>("resourcePolicy.deletionCosts",
                                           resource_policy_deletion_costs),
    std::pair<std::string_view, Operation>("resourcePolicy.schedule", resource_policy_schedule),
    std::pair<std::string_view, Operation>("runtimeClass.admit", runtime_class_admit),
    std::pair<std::string_view, Operation>("schedulingPolicy.admit", scheduling_policy_admit),
    std::pair<std::string_view, Operation>("schedulingPolicy.checkUpdate",
                                           scheduling_policy_check_update),
    std::pair<std::string_view, Operation>("schedulingPolicy.merge", scheduling_policy_merge),
    std::pair<std::string_view, Operation>("schedulingPolicy.validate", scheduling_policy_validate),
    std::pair<std::string_view, Operation>("taints.findUntolerated", taints_find_untolerated),
    std::pair<std::string_view, Operation>("tolerations.merge", tolerations_merge),
    std::pair<std::string_view, Operation>("tolerations.validate", tolerations_validate),
};

}  // namespace schedpol::json::detail

// schedpol/json/evaluate.hpp

/// One door for bytes: `evaluate` takes a request `{"id":..., "op":"...", "input":{...}}` and
/// answers
/// `{"id":..., "result":{...}}` or `{"id":..., "error":{"code","message","field"}}`. It is what
/// language bindings and offline tests call. Whatever is wrong with a request is an error and never
/// a decision.

namespace schedpol::json {

namespace detail {

inline std::string reply(std::string_view id, std::string_view member, std::string_view body) {
  Writer out;
  ObjectWriter(out).member("id", Raw{id}).member(member, Raw{body});
  return std::move(out).take();
}

inline std::string error_reply(std::string_view id, const Failure& failure) {
  Writer body;
  ObjectWriter(body)
      .member("code", json::to_string(failure.code))
      .member("message", message(failure.error))
      .member("field", failure.error.field);
  return reply(id, "error", body.text());
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
  detail::Writer result;
  operation->second(input, result);
  return input.failure() ? detail::error_reply(id, *input.failure())
                         : detail::reply(id, "result", result.text());
}

}  // namespace schedpol::json

// schedpol/json/response.hpp

/// What is answered to an AdmissionReview (admission.k8s.io/v1): the verdict, the status of a
/// denial, the patch in base64, warnings and audit annotations. What they say is in `review.hpp`.
/// Source: Kubernetes' dynamic admission control.

namespace schedpol::json::detail {

/// The two digits of every 12 bits in base64.
inline constexpr auto base64_digits = [] {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::array<char, 2>, 4096> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {digits[i >> 6U], digits[i & 63U]};
  return pairs;
}();

inline void write_twelve_bits(char* to, std::uint64_t bits) {
  std::memcpy(to, base64_digits[bits & 4095U].data(), 2);
}

inline void write_base64(Writer& out, std::string_view bytes) {
  const auto* from = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto byte = [&](std::size_t i) -> std::uint64_t { return from[i]; };
  char* to = out.extend((bytes.size() + 2) / 3 * 4);
  std::size_t left = bytes.size();
  // Eight bytes are one load; six of them make eight digits.
  for (; left >= 8; left -= 6, from += 6, to += 8) {
    const std::uint64_t eight = byte(0) << 56U | byte(1) << 48U | byte(2) << 40U | byte(3) << 32U |
                                byte(4) << 24U | byte(5) << 16U | byte(6) << 8U | byte(7);
    write_twelve_bits(to, eight >> 52U);
    write_twelve_bits(to + 2, eight >> 40U);
    write_twelve_bits(to + 4, eight >> 28U);
    write_twelve_bits(to + 6, eight >> 16U);
  }
  for (; left >= 3; left -= 3, from += 3, to += 4) {
    const std::uint64_t three = byte(0) << 16U | byte(1) << 8U | byte(2);
    write_twelve_bits(to, three >> 12U);
    write_twelve_bits(to + 2, three);
  }
  if (left == 0) return;
  const std::uint64_t rest = byte(0) << 16U | (left == 2 ? byte(1) << 8U : 0U);
  write_twelve_bits(to, rest >> 12U);
  write_twelve_bits(to + 2, rest);
  std::memset(to + 1 + left, '=', 3 - left);
}

/// A metav1.Status, as far as a denial fills it in.
struct Status {
  struct Cause {
    std::string_view reason;
    std::string field;
    std::string message;
  };

  int code = 0;
  std::string_view reason;
  std::string text{};
  std::vector<Cause> causes{};

  void add(Cause cause) {
    if (causes.size() == max_reported_errors) return;
    if (!text.empty()) text += causes.empty() ? ": " : "; ";
    text += cause.message;
    causes.push_back(std::move(cause));
  }
};

template <>
struct Schema<Status::Cause> {
  static void write(Writer& out, const Status::Cause& cause) {
    ObjectWriter(out)
        .member("reason", cause.reason)
        .member("message", cause.message)
        .member("field", cause.field);
  }
};

template <>
struct Schema<Status> {
  static void write(Writer& out, const Status& status) {
    ObjectWriter object(out);
    object.member("status", "Failure")
        .member("message", status.text)
        .member("reason", status.reason)
        .member("code", std::int32_t{status.code});
    if (!status.causes.empty()) ObjectWriter(object.key("details")).member("causes", status.causes);
  }
};

inline void write_warnings(ObjectWriter& response, const std::vector<StepDecision>& steps) {
  std::vector<std::string> warnings;
  for (const StepDecision& said : steps) {
    if (said.step.mode != Mode::warn) continue;
    for (const Violation& violation : said.violations) {
      if (warnings.size() == max_reported_errors) break;
      warnings.push_back(std::string(to_string(said.step.system)) +
                         " would deny: " + message(violation));
    }
  }
  if (!warnings.empty()) response.member("warnings", warnings);
}

/// The API server puts the webhook's name in front of a key, which makes it a label key.
constexpr std::string_view audit_key(System system) noexcept {
  switch (system) {
    case System::runtime_class: return "runtime-class";
    case System::metadata_policy: return "metadata-policy";
    case System::pod_scheduling_policy: return "pod-scheduling-policy";
    case System::scheduling_policy: return "scheduling-policy";
    case System::resource_policy: return "resource-policy";
  }
  return "";
}

/// The systems as an object has their keys: in byte order.
inline constexpr std::array systems_by_key = {
    System::metadata_policy, System::pod_scheduling_policy, System::resource_policy,
    System::runtime_class, System::scheduling_policy};
static_assert(std::is_sorted(systems_by_key.begin(), systems_by_key.end(),
                             [](System a, System b) { return audit_key(a) < audit_key(b); }));

/// The fields that each policy changed: `gpu: spec.schedulerName, spec.tolerations[1]; zones:
/// ...`.
inline void write_audit(Writer& out, const std::vector<Change>& changes) {
  out += '"';
  const std::string* policy = nullptr;
  for (const Change& change : changes) {
    if (policy != nullptr && *policy == change.policy) {
      out += ", ";
    } else {
      if (policy != nullptr) out += "; ";
      write_unquoted(out, change.policy);
      if (!change.policy.empty()) out += ": ";
    }
    write_unquoted(out, change.field);
    policy = &change.policy;
  }
  out += '"';
}
inline void write_audit(Writer& out, const std::vector<Violation>& violations) {
  out += '"';
  for (std::size_t i = 0; i < std::min(violations.size(), max_reported_errors); ++i) {
    if (i > 0) out += "; ";
    write_unquoted(out, message(violations[i]));
  }
  out += '"';
}

/// Where it is denied, nothing that was to be enforced has been changed.
inline void write_audit_annotations(ObjectWriter& response, bool allowed,
                                    const std::vector<StepDecision>& steps) {
  const auto enforced = [](const StepDecision& said) { return said.step.mode == Mode::enforce; };
  const auto changes = [&](const StepDecision& said) {
    return !said.changes.empty() && (allowed || !enforced(said));
  };
  if (std::none_of(steps.begin(), steps.end(), [&](const StepDecision& said) {
        return changes(said) || !said.violations.empty();
      }))
    return;
  ObjectWriter annotations(response.key("auditAnnotations"));
  const auto note = [&](System system, std::string_view suffix, const auto& what) {
    write_audit(annotations.key(std::string(audit_key(system)).append(suffix)), what);
  };
  for (const System system : systems_by_key) {
    for (const StepDecision& said : steps) {
      if (said.step.system != system) continue;
      if (changes(said)) note(system, enforced(said) ? "" : "-would-change", said.changes);
      if (!said.violations.empty())
        note(system, enforced(said) ? "-denied" : "-would-deny", said.violations);
    }
  }
}

inline constexpr std::string_view review_api_version = "admission.k8s.io/v1";

/// The AdmissionReview that answers the request with this uid. `status` says why it is denied; null
/// when it is allowed.
inline std::string response_to(std::string_view uid, const Status* status,
                               const std::vector<StepDecision>& steps, std::string_view patch) {
  const bool allowed = status == nullptr;
  Writer out(1024 + patch.size() / 3 * 4);
  {
    ObjectWriter review(out);
    review.member("apiVersion", review_api_version).member("kind", "AdmissionReview");
    ObjectWriter response(review.key("response"));
    response.member("uid", uid).member("allowed", allowed);
    if (!allowed) response.member("status", *status);
    if (!patch.empty()) {
      response.member("patchType", "JSONPatch");
      Writer& text = response.key("patch");
      text += '"';
      write_base64(text, patch);
      text += '"';
    }
    write_warnings(response, steps);
    write_audit_annotations(response, allowed, steps);
  }
  return std::move(out).take();
}

}  // namespace schedpol::json::detail

// schedpol/json/review.hpp

/// AdmissionReview (admission.k8s.io/v1) bytes in, AdmissionReview bytes out: the whole of an
/// admission webhook but its socket.
///
/// 1. CREATE of a Pod, or of a workload with a pod template, is changed and decided on; UPDATE is
///    decided on for what it adds. DELETE, CONNECT, subresources and other kinds pass.
/// 2. A denial has a status with code 403, a message that names policy and field of everything that
///    is wrong, and one cause each in its details; of both `max_reported_errors` at most.
/// 3. A patch, an RFC 6902 JSON Patch in base64, is relative to the object of the request and
///    leaves every field alone that the library does not know.
/// 4. Systems in mode `warn` speak through `warnings`; `auditAnnotations` say which policy changed
///    what, and what was or would have been denied in modes other than `enforce`.
/// 5. Whatever cannot be read is denied, with code 400 (413 beyond the limits), and echoes the
///    `uid` where it could be read. Annotations and containers are only read where MetadataPolicy
///    runs, because no other system looks at them.
/// Source: Kubernetes' dynamic admission control.

namespace schedpol::json {

/// Which webhook asks.
enum class Phase {
  mutating,    ///< a created object is changed
  validating,  ///< all mutators ran: it is decided on as it stands, and no patch is answered
};

/// What became of a review.
enum class Outcome {
  malformed,  ///< denied, because it could not be read; `errors` say why
  denied,     ///< denied by a system
  allowed,    ///< allowed by all systems, with a patch where they changed something
  passed,     ///< allowed, because it is nothing that scheduling policies decide on
};

[[nodiscard]] constexpr std::string_view to_string(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::malformed: return "Malformed";
    case Outcome::denied: return "Denied";
    case Outcome::allowed: return "Allowed";
    case Outcome::passed: return "Passed";
  }
  return "";
}

/// A response, and what a caller that counts or wants to answer an error instead has to know.
struct Reviewed {
  Outcome outcome = Outcome::malformed;
  std::string response{};  ///< an AdmissionReview, always
  std::vector<FieldError> errors{};
};

namespace detail {

/// The parts of a request that tell what it is about.
struct ReviewRequest {
  struct Kind {
    std::string group{};
    std::string kind{};

    friend bool operator==(const Kind&, const Kind&) = default;
  };
  std::string uid{};
  Kind kind{};
  std::string sub_resource{};
  std::string namespace_{};
  std::string operation{};

  friend bool operator==(const ReviewRequest&, const ReviewRequest&) = default;
};

template <>
struct Schema<ReviewRequest::Kind> {
  using T = ReviewRequest::Kind;
  static constexpr auto fields = std::tuple(field("group", &T::group), field("kind", &T::kind));
};

template <>
struct Schema<ReviewRequest> {
  using T = ReviewRequest;
  static constexpr auto fields = std::tuple(
      field("uid", &T::uid), field("kind", &T::kind), field("subResource", &T::sub_resource),
      field("namespace", &T::namespace_), field("operation", &T::operation));
};

/// Answers one AdmissionReview.
class Reviewer {
 public:
  Reviewer(const Engine& engine, Phase phase)
      : engine_(engine),
        phase_(phase),
        decoder_(engine.runs(System::metadata_policy) ? LookedAt::by_metadata_policy
                                                      : LookedAt::by_all) {}

  /// `document` is used for its memory.
  Reviewed run(std::string_view bytes, Document& document) && {
    if (!document.parse(bytes)) {
      // The uid of a document that is only ambiguous elsewhere can still be echoed.
      if (document.problem() == DocumentProblem::duplicate_key) read_uid(document.root());
      return malformed({document.error()}, document.problem() == DocumentProblem::limit_exceeded);
    }
    read_uid(document.root());
    read_request(document.root());
    if (!decoder_.errors().empty()) return malformed(std::move(decoder_).take_errors());
    const std::optional<PodKind> kind = kind_of(request_);
    const bool decides = request_.operation == "CREATE" || request_.operation == "UPDATE";
    if (!kind || !decides || !request_.sub_resource.empty()) {
      result_.outcome = Outcome::passed;
      respond(nullptr, {}, {});
      return std::move(result_);
    }
    Pod pod = read_pod("object", *kind);
    Pod old;
    if (request_.operation == "UPDATE") old = read_pod("oldObject", *kind);
    if (!decoder_.errors().empty()) return malformed(std::move(decoder_).take_errors());
    if (request_.operation == "UPDATE") {
      answer(engine_.decide_update(old, std::move(pod)), "");
    } else if (phase_ == Phase::validating) {
      answer(engine_.verify(std::move(pod)), "");
    } else {
      answer_created(std::move(pod));
    }
    return std::move(result_);
  }

 private:
  void read_uid(element root) {
    std::string_view uid;
    if (root["request"]["uid"].get(uid) == simdjson::SUCCESS) request_.uid = uid;
  }

  void read_request(element root) {
    const Path path;
    std::string_view text;
    const auto expect = [&](std::string_view name, std::string_view wanted) {
      if (root[name].get(text) == simdjson::SUCCESS && text == wanted) return;
      decoder_.report(ErrorType::not_supported, path.field(name), "",
                      "must be " + std::string(wanted));
    };
    if (!root.is_object())
      return decoder_.report(ErrorType::type_invalid, path, "", "an AdmissionReview is an object");
    expect("apiVersion", review_api_version);
    expect("kind", "AdmissionReview");
    const Path at = path.field("request");
    element request;
    if (root["request"].get(request) != simdjson::SUCCESS)
      return decoder_.report(ErrorType::required, at, "", "there is nothing to review");
    decoder_.read(at, request, request_);
    if (request_.uid.empty())
      decoder_.report(ErrorType::required, at.field("uid"), "", "the response echoes it");
    if (request_.kind.kind.empty())
      decoder_.report(ErrorType::required, at.field("kind").field("kind"), "",
                      "tells what the object is");
    constexpr std::array<std::string_view, 4> known_operations = {"CREATE", "UPDATE", "DELETE",
                                                                  "CONNECT"};
    if (std::find(known_operations.begin(), known_operations.end(), request_.operation) ==
        known_operations.end()) {
      decoder_.report(ErrorType::not_supported, at.field("operation"), request_.operation,
                      "supported are CREATE, UPDATE, DELETE and CONNECT");
    }
    request_element_ = request;
  }

  /// The kind of pod or workload, told by group and kind; a custom resource may well be a
  /// `Deployment` of another group.
  static std::optional<PodKind> kind_of(const ReviewRequest& request) noexcept {
    const std::optional<PodKind> kind = pod_kind(request.kind.kind);
    if (!kind) return std::nullopt;
    const std::string_view group = request.kind.group;
    switch (*kind) {
      case PodKind::pod:
      case PodKind::pod_template:
      case PodKind::replication_controller: return group.empty() ? kind : std::nullopt;
      case PodKind::job:
      case PodKind::cron_job: return group == "batch" ? kind : std::nullopt;
      case PodKind::replica_set:
      case PodKind::deployment:
      case PodKind::stateful_set:
      case PodKind::daemon_set: break;
    }
    return group == "apps" || group == "extensions" ? kind : std::nullopt;
  }

  Pod read_pod(std::string_view name, PodKind kind) {
    const Path root;
    const Path request = root.field("request");
    const Path path = request.field(name);
    Pod pod;
    element object;
    if (request_element_[name].get(object) != simdjson::SUCCESS || object.is_null()) {
      decoder_.report(ErrorType::required, path, "", "the operation needs it");
      return pod;
    }
    decoder_.read(path, object, pod);
    if (!decoder_.errors().empty()) return pod;
    if (pod.kind != kind) {
      decoder_.report(ErrorType::invalid, path.field("kind"), to_string(pod.kind),
                      "is not the kind of the request");
    }
    // The pods of a workload stand in its namespace, whatever its template says.
    std::string& in = pod.metadata.namespace_;
    if (in.empty() || (kind != PodKind::pod && !request_.namespace_.empty()))
      in = request_.namespace_;
    if (!request_.namespace_.empty() && in != request_.namespace_) {
      decoder_.report(ErrorType::invalid, path.field("metadata").field("namespace"), in,
                      "is not the namespace of the request");
    }
    if (name == "object") object_ = object;
    return pod;
  }

  Reviewed malformed(std::vector<FieldError> errors, bool limit = false) {
    const bool beyond = limit || std::any_of(errors.begin(), errors.end(), [](const auto& error) {
                          return error.type == ErrorType::too_many;
                        });
    Status status = beyond ? Status{413, "RequestEntityTooLarge"} : Status{400, "BadRequest"};
    for (const FieldError& error : errors)
      status.add({to_string(error.type), error.field, message(error)});
    respond(&status, {}, {});
    result_.errors = std::move(errors);
    return std::move(result_);
  }

  void answer_created(Pod&& pod) {
    // Only MetadataPolicy changes metadata, so that most pods keep theirs without a copy.
    ObjectMeta metadata;
    const bool may_change_metadata = engine_.runs(System::metadata_policy);
    if (may_change_metadata) metadata = pod.metadata;
    const PodSpec spec = pod.spec;
    const Decision decision = engine_.change(std::move(pod), ChangeValues::omitted);
    if (!decision.allowed) return answer(decision, "");
    PatchText patch;
    DocumentDiffer differ(patch, object_);
    const Pod& changed = decision.pod;
    if (may_change_metadata)
      differ.diff(field_path(changed.kind, "metadata"), metadata, changed.metadata);
    differ.diff(field_path(changed.kind, "spec"), spec, changed.spec);
    answer(decision, patch.finish());
  }

  void answer(const Decision& decision, std::string_view patch) {
    result_.outcome = decision.allowed ? Outcome::allowed : Outcome::denied;
    if (decision.allowed) return respond(nullptr, decision.steps, patch);
    Status status{403, "Forbidden"};
    if (decision.steps.empty()) {
      status.text = "no policies are configured, so nothing is allowed";
    } else {
      const StepDecision& said = decision.steps.back();
      status.text = to_string(said.step.system);
      for (const Violation& violation : said.violations)
        status.add({to_string(violation.code), violation.field, message(violation)});
    }
    respond(&status, decision.steps, {});
  }

  /// `status` says why it is denied; null when it is allowed.
  void respond(const Status* status, const std::vector<StepDecision>& steps,
               std::string_view patch) {
    result_.response = response_to(request_.uid, status, steps, patch);
  }

  const Engine& engine_;
  Phase phase_;
  Decoder decoder_;
  ReviewRequest request_;
  element request_element_;
  element object_;
  Reviewed result_;
};

}  // namespace detail

/// Answers an AdmissionReview. Total: bytes that are none get a denial too, and `outcome` and
/// `errors` let the caller answer an error of its own instead. What `document` held is gone
/// afterwards; one a thread, used for every review, spares each the memory it is read into.
[[nodiscard]] inline Reviewed try_review(std::string_view bytes, const Engine& engine, Phase phase,
                                         Document& document) {
  return detail::Reviewer(engine, phase).run(bytes, document);
}
[[nodiscard]] inline Reviewed try_review(std::string_view bytes, const Engine& engine,
                                         Phase phase = Phase::mutating) {
  Document document;
  return try_review(bytes, engine, phase, document);
}

/// The response alone: a denial for whatever cannot be read.
[[nodiscard]] inline std::string review(std::string_view bytes, const Engine& engine,
                                        Phase phase = Phase::mutating) {
  return try_review(bytes, engine, phase).response;
}

}  // namespace schedpol::json

// schedpol/json/json.hpp

/// Everything of schedpol's JSON, on top of `schedpol.hpp`. Needs simdjson 3.0 or newer.

#endif  // SCHEDPOL_JSON_SINGLE_INCLUDE_HPP
