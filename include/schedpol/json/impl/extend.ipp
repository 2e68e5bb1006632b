// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/extend.hpp>
#include <schedpol/json/impl/document.ipp>
#include <schedpol/json/impl/values.hpp>

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

/// Whether two names are one to Go, whose letters of either case are the same.
inline bool is_same_name(std::string_view a, std::string_view b) noexcept {
  using schedpol::detail::lower;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

/// Answers one question of a scheduler.
class Extender {
 public:
  Extender(std::string_view path, std::string_view bytes, const resource_policy::AssumeCache& state)
      : verb_(last_segment(path)),
        bytes_(bytes),
        state_(state),
        decoder_(bytes.size(), Extent::scheduling) {}

  ExtenderResponse run(Document& document) && {
    if (verb_ != "filter" && verb_ != "prioritize" && verb_ != "preempt") {
      decoder_.report(ErrorType::not_supported, {}, verb_,
                      "supported are filter, prioritize and preempt");
      return refuse(404);
    }
    if (!state_.knows_policies()) {
      decoder_.report(ErrorType::required, {}, "", "no ResourcePolicies are known yet");
      return refuse(503);
    }
    if (!document.parse(bytes_)) {
      result_.errors.push_back(document.error());
      return refuse(document.problem() == DocumentProblem::limit_exceeded ? 413 : 400);
    }
    root_ = DocumentAccess::root(document);
    Writer out;
    const std::vector<FieldError>& errors = decoder_.errors();
    root_.is_object() ? read_pod() : decoder_.wrong_type(whole_, root_, "an object");
    if (errors.empty() && verb_ != "preempt") read_nodes();
    if (errors.empty())
      verb_ == "filter" ? filter(out) : verb_ == "prioritize" ? prioritize(out) : preempt(out);
    if (!errors.empty()) return refuse(400);
    result_.status = 200;
    result_.response = std::move(out).take();
    return std::move(result_);
  }

 private:
  /// A node that is asked about.
  struct CandidateNode {
    std::string_view name{};
    Element whole{};  ///< only where nodes came whole
  };

  static std::string_view last_segment(std::string_view path) noexcept {
    path = path.substr(0, path.find('?'));
    return path.substr(path.rfind('/') + 1);  // all of it where there is none
  }

  ExtenderResponse refuse(int status) {
    std::vector<FieldError> errors = std::move(decoder_).take_errors();
    if (!errors.empty()) result_.errors = std::move(errors);
    std::string text;
    for (const FieldError& error : result_.errors)
      text.append(text.empty() ? "" : "; ").append(message(error));
    Writer out;
    ObjectWriter(out).member("Error", text);
    result_.status = verb_ == "filter" ? 200 : status;
    result_.response = std::move(out).take();
    return std::move(result_);
  }

  /// The member of a protocol's object; nothing where it is absent or null.
  Element member(const PathBuilder& at, Element from, std::string_view name) {
    Element found;
    bool seen = false;
    if (!from.is_object()) decoder_.wrong_type(at, from, "an object");
    for (const auto [key, value] : from.members()) {
      if (!is_same_name(key, name)) continue;
      if (seen)
        decoder_.report(ErrorType::duplicate, at.child(key), "", "it is there in two cases");
      seen = true;
      if (!value.is_null()) found = value;
    }
    return found;
  }

  /// A member of an object of Kubernetes, where it is there.
  template <class T>
  void read_part(const PathBuilder& at, Element from, std::string_view name, T& into) {
    const Element part = from.non_null(name);
    if (part.is_there()) decoder_.read(at.child(name), part, into);
  }

  void read_pod() {
    const PathBuilder at = whole_.child("Pod");
    const Element from = member(whole_, root_, "Pod");
    if (!from.is_there())
      return decoder_.report(ErrorType::required, at, "", "there is no pod to place");
    const PathBuilder metadata = at.child("metadata");
    if (!from.is_object()) return decoder_.wrong_type(at, from, "an object");
    std::string kind;
    read_part(at, from, "kind", kind);
    if (!kind.empty() && kind != "Pod")
      decoder_.report(ErrorType::not_supported, at.child("kind"), kind, "must be Pod");
    const Element part = from["metadata"];
    if (!part.is_there())
      return decoder_.report(ErrorType::required, metadata, "", "tells which pod it is");
    decoder_.read(metadata, part, pod_.metadata);
    if (!part.is_object()) return;
    read_part(metadata, part, "uid", pod_.metadata.uid);
    if (pod_.metadata.name.empty())
      decoder_.report(ErrorType::required, metadata.child("name"), "", "tells which pod it is");
    if (pod_.metadata.namespace_.empty())
      decoder_.report(ErrorType::required, metadata.child("namespace"), "",
                      "tells which policies are its");
    // What the pod's resources are made of; the API server has written limits into requests.
    const Element spec = from.non_null("spec");
    const PathBuilder at_spec = at.child("spec");
    if (!spec.is_there()) return;
    if (!spec.is_object()) return decoder_.wrong_type(at_spec, spec, "an object");
    read_part(at_spec, spec, "initContainers", pod_.spec.init_containers);
    read_part(at_spec, spec, "containers", pod_.spec.containers);
    read_part(at_spec, spec, "overhead", pod_.spec.overhead);
    read_part(at_spec, spec, "resources", pod_.spec.resources);
  }

  /// What comes whole or by name, each in a member of its own; nothing where it is not one of them.
  Element one_of(std::string_view what, std::string_view whole, std::string_view names) {
    const Element of_whole = member(whole_, root_, whole);
    const Element of_names = member(whole_, root_, names);
    are_whole_ = of_whole.is_there();
    if (are_whole_ != of_names.is_there()) return are_whole_ ? of_whole : of_names;
    std::string detail = "the ";
    detail.append(what).append(" come in one of ").append(whole).append(" and ").append(names);
    decoder_.report(are_whole_ ? ErrorType::forbidden : ErrorType::required, whole_.child(names),
                    "", std::move(detail));
    return {};
  }

  void read_nodes() {
    const Element nodes = one_of("nodes", "Nodes", "NodeNames");
    if (!nodes.is_there()) return;
    if (!are_whole_) return read_names(whole_.child("NodeNames"), nodes);
    const PathBuilder at = whole_.child("Nodes");
    const PathBuilder items = at.child("items");
    if (!nodes.is_object()) return decoder_.wrong_type(at, nodes, "an object");
    if (const Element list = nodes.non_null("items"); list.is_there()) read_names(items, list);
  }

  void read_names(const PathBuilder& at, Element from) {
    if (!from.is_list()) return decoder_.wrong_type(at, from, "a list");
    std::size_t index = 0;
    for (const Element item : from.items()) {
      const PathBuilder place = at.index(index++);
      CandidateNode& node = candidates_.emplace_back();
      Element name = item;
      if (are_whole_) {
        node.whole = item;
        if (!item.is_object()) return decoder_.wrong_type(place, item, "an object");
        name = item["metadata"]["name"];
        if (!name.is_there())
          return decoder_.report(ErrorType::required, place.child("metadata"), "",
                                 "a node has a name");
      }
      if (!name.get(node.name)) return decoder_.wrong_type(place, name, "a name");
      if (node.name.empty())
        return decoder_.report(ErrorType::required, place, "", "a node has a name");
    }
    std::vector<std::string_view> sorted;
    for (const CandidateNode& node : candidates_) sorted.push_back(node.name);
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      decoder_.report(ErrorType::duplicate, at, *twice, "each node is asked about once");
    result_.nodes = candidates_.size();
  }

  /// Why the pod cannot go to a node; empty: it can.
  [[nodiscard]] std::string reason(const resource_policy::Prefilter& before,
                                   std::string_view node) const {
    if (before.code() == resource_policy::Code::skip && !invalid_policy_) return {};
    if (!state_.cluster().nodes().find(node)) return "the node is not known yet";
    if (invalid_policy_) return "ResourcePolicy " + in_backticks(*invalid_policy_) + " is invalid";
    return before.message(node);
  }

  void filter(Writer& out) {
    using resource_policy::Code;
    const resource_policy::Cluster& cluster = state_.cluster();
    const ObjectMeta& pod = pod_.metadata;
    invalid_policy_ = state_.invalid_policy(pod_);
    const resource_policy::Prefilter before = cluster.prefilter(pod_);
    if (before.code() == Code::success && !state_.knows_pod(pod.namespace_, pod.name, pod.uid)) {
      const PathBuilder at = whole_.child("Pod");
      result_.is_unknown_pod = true;
      return decoder_.report(ErrorType::invalid, at.child("metadata"), pod.name,
                             "the pod is not known yet");
    }
    resource_policy::Assumption& assumption = result_.assumption.emplace();
    assumption.pod.metadata = {
        .name = pod.name, .namespace_ = pod.namespace_, .uid = pod.uid, .labels = pod.labels};
    assumption.pod.spec = pod_.spec;
    Writer failed;
    Writer fitting;
    bool waits_for_others = false;
    {
      ObjectWriter failed_nodes(failed);
      for (const CandidateNode& node : candidates_) {
        std::string why = reason(before, node.name);
        const auto number = cluster.nodes().find(node.name);
        if (!why.empty()) {
          failed_nodes.entry(node.name, why);
          if (!number) continue;
          // Of a unit that others fill rather than of a node that never is one for it.
          const bool may_get_free = before.filter(node.name).code == Code::unschedulable;
          if (assumption.refused.empty() || (may_get_free && !waits_for_others)) {
            assumption.reason = std::move(why);
            waits_for_others = may_get_free;
          }
          assumption.refused.insert(*number);
          continue;
        }
        if (result_.feasible++ > 0) fitting += ',';
        if (are_whole_) {
          write(fitting, node.whole);
        } else {
          write(fitting, node.name);
        }
        if (before.code() == Code::success) assumption.nodes.insert(*number);
      }
    }
    ObjectWriter answer(out);
    Writer& list = answer.key(are_whole_ ? "Nodes" : "NodeNames");
    list += are_whole_ ? "{\"items\":[" : "[";
    list += fitting.text();
    list += are_whole_ ? "]}" : "]";
    answer.member("FailedNodes", Raw{"{}"})
        .member("FailedAndUnresolvableNodes", Raw{failed.text()})
        .member("Error", "");
  }

  void prioritize(Writer& out) {
    const resource_policy::Prefilter before = state_.cluster().prefilter(pod_);
    std::vector<std::int64_t> scores;
    for (const CandidateNode& node : candidates_)
      scores.push_back(before.score(before.filter(node.name)));
    scores = resource_policy::normalise(scores);
    ListWriter hosts(out);
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      ObjectWriter(hosts.item())
          .member("Host", candidates_[i].name)
          .member("Score", scores[i] / 10);
    result_.feasible = candidates_.size();
  }

  void preempt(Writer& out) {
    const Element victims = one_of("victims", "NodeNameToVictims", "NodeNameToMetaVictims");
    if (!victims.is_there()) return;
    const PathBuilder at = whole_.child(are_whole_ ? "NodeNameToVictims" : "NodeNameToMetaVictims");
    invalid_policy_ = state_.invalid_policy(pod_);
    const resource_policy::Prefilter before = state_.cluster().prefilter(pod_);
    ObjectWriter answer(out);
    ObjectWriter kept(answer.key("NodeNameToMetaVictims"));
    if (!victims.is_object()) decoder_.wrong_type(at, victims, "an object");
    for (const auto [node, of_node] : victims.members()) {
      ++result_.nodes;
      preempt_on(at.key(node), node, of_node, before, kept);
    }
  }

  /// Writes the victims on a node, where the pod fits once they are gone.
  void preempt_on(const PathBuilder& at, std::string_view node, Element from,
                  const resource_policy::Prefilter& before, ObjectWriter& kept) {
    if (from.is_null()) return;
    if (!from.is_object()) return decoder_.wrong_type(at, from, "an object");
    const PathBuilder at_pods = at.child("Pods");
    const Element pods = member(at, from, "Pods");
    const Element violations = member(at, from, "NumPDBViolations");
    std::int64_t pdb_violations = 0;
    if (violations.is_there())
      decoder_.read(at.child("NumPDBViolations"), violations, pdb_violations);
    if (!pods.is_there()) return;
    if (!pods.is_list()) return decoder_.wrong_type(at_pods, pods, "a list");
    std::vector<std::string> uids;
    for (const Element pod : pods.items()) {
      const PathBuilder place = at_pods.index(uids.size());
      Element identity = are_whole_ ? member(place, pod, "metadata") : pod;
      if (identity.is_there()) identity = member(place, identity, "uid");
      std::string& uid = uids.emplace_back();
      if (identity.is_there()) decoder_.read(place.child("uid"), identity, uid);
      if (uid.empty())
        decoder_.report(ErrorType::required, place.child("uid"), "", "tells which pod it is");
    }
    // A preemption without victims is none.
    if (uids.empty() || !decoder_.errors().empty()) return;
    std::vector<resource_policy::PodName> gone;
    for (const std::string_view uid : std::set<std::string_view>(uids.begin(), uids.end())) {
      if (const auto pod = state_.bound_pod(uid, node)) gone.push_back(*pod);
    }
    if (!reason(before.without(gone, pod_), node).empty()) return;
    ++result_.feasible;
    Writer victims;
    {
      ObjectWriter of_node(victims);
      {
        ListWriter list(of_node.key("Pods"));
        for (const std::string& uid : uids) ObjectWriter(list.item()).member("UID", uid);
      }
      of_node.member("NumPDBViolations", pdb_violations);
    }
    kept.entry(node, Raw{victims.text()});
  }

  std::string_view verb_;
  std::string_view bytes_;
  const resource_policy::AssumeCache& state_;
  Decoder decoder_;
  const PathBuilder whole_{};  ///< the document
  Element root_{};
  Pod pod_;
  std::vector<CandidateNode> candidates_;
  bool are_whole_ = false;
  std::optional<std::string> invalid_policy_;
  ExtenderResponse result_;
};

}  // namespace detail

SCHEDPOL_INLINE ExtenderResponse answer_extender(std::string_view path, std::string_view bytes,
                                                 const resource_policy::AssumeCache& state,
                                                 Document& document) {
  return detail::Extender(path, bytes, state).run(document);
}

SCHEDPOL_INLINE ExtenderResponse answer_extender(std::string_view path, std::string_view bytes,
                                                 const resource_policy::AssumeCache& state) {
  Document document;
  return answer_extender(path, bytes, state, document);
}

}  // namespace SCHEDPOL_NAMESPACE::json
