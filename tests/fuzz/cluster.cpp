// SPDX-License-Identifier: Apache-2.0
// What an AssumeCache counts, held against a plain recount after each step. An input is a list of
// steps, a byte that says what happens and one or more that say to whom: nodes, pods, policies,
// what a scheduler is told, and time.

#include "fuzz.hpp"

#include <schedpol/cluster/assume_cache.hpp>
#include <schedpol/cluster/cluster.hpp>
#include <schedpol/cluster/node_set.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/resource_policy/policy.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace schedpol;
using namespace schedpol::resource_policy;
using fuzz::law;

namespace {

constexpr std::array pools = {"a", "b", "ab", ""};
constexpr std::array apps = {"web", "db"};
constexpr std::size_t names = 4;  ///< of nodes, and of pods

std::string numbered(std::string_view name, std::size_t i) {
  return std::string(name) + std::to_string(i);
}

Unit unit_of(std::vector<std::string> of_pools, std::int32_t most) {
  LabelSelectorRequirement in{.key = "pool", .operator_ = LabelSelectorOperator::in, .values = {}};
  in.values.vector() = std::move(of_pools);
  return {.max_count = most, .node_selector = LabelSelector{.match_expressions = {in}}};
}
ResourcePolicy policy_of(std::size_t app, std::vector<Unit> units, bool by_version) {
  ResourcePolicy policy;
  policy.metadata = {.name = apps[app], .namespace_ = "n"};
  policy.spec.pod_selector = LabelSelector{.match_labels = {{"app", apps[app]}}};
  if (by_version) policy.spec.match_label_keys = {"version"};
  policy.spec.match_policy.ignore_terminating_pod = by_version;
  policy.spec.units = std::move(units);
  return policy;
}

/// Which policies there may be.
const std::vector<std::vector<ResourcePolicy>>& policy_sets() {
  static const std::vector<std::vector<ResourcePolicy>> sets = {
      {policy_of(0, {unit_of({"a", "ab"}, 2), unit_of({"b", "ab"}, 1)}, false)},
      {policy_of(0, {unit_of({"a"}, 1)}, true), policy_of(1, {unit_of({"b", "ab"}, 2)}, false)},
      {policy_of(1, {unit_of({"a", "b", "ab"}, 3), unit_of({"ab"}, 0)}, true)},
      {},
  };
  return sets;
}

/// The bytes of an input, one after the other.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}

  [[nodiscard]] bool is_at_end() const { return left_.empty(); }
  std::size_t below(std::size_t bound) {
    if (left_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    return byte % bound;
  }

 private:
  std::string_view left_;
};

using Units = std::set<std::size_t>;

/// A pod that holds places: where it is counted at least. Where one of its nodes has gone, another
/// may have its number, and it is counted on what that one has, too.
struct Held {
  Pod pod{};
  std::set<std::string> nodes{};
  Units units{};  ///< of the policy that selects it
  bool is_exact = true;
  std::int64_t since = 0;
};

/// What a cluster has, in plain lists.
struct Model {
  std::map<std::string, std::string> nodes{};  ///< the pool of each
  std::map<std::string, Pod> pods{};
  std::map<std::string, Held> assumed{};
  std::map<std::string, Held> nominated{};
  std::size_t set = 0;

  [[nodiscard]] const ResourcePolicy* policy(const Pod& pod) const {
    for (const ResourcePolicy& policy : policy_sets()[set])
      if (pod.metadata.labels.at("app") == policy.metadata.name) return &policy;
    return nullptr;
  }
  [[nodiscard]] Units units_on(const Pod& pod, const std::string& node) const {
    Units units;
    const ResourcePolicy* const of = policy(pod);
    const auto found = nodes.find(node);
    if (of == nullptr || found == nodes.end()) return units;
    for (std::size_t i = 0; i < of->spec.units.size(); ++i)
      if (of->spec.units[i].node_selector->match_expressions[0].values.contains(found->second))
        units.insert(i);
    return units;
  }
  void hold(Held& held, const std::string& node) const {
    held.units.merge(units_on(held.pod, node));
  }
  /// Counts what is held anew, where the nodes are now.
  void hold_anew() {
    for (auto* const all : {&assumed, &nominated}) {
      for (auto& [name, held] : *all) {
        held.units.clear();
        // What is nominated is found by its name.
        if (all == &nominated) held.is_exact = true;
        if (held.is_exact)
          for (const std::string& node : held.nodes) hold(held, node);
      }
    }
  }
  void nominate(const Pod& pod) {
    nominated.erase(pod.metadata.name);
    if (!pod.spec.node_name.empty() || !pod.status.phase.empty() ||
        pod.status.nominated_node_name.empty())
      return;
    Held& held = nominated[pod.metadata.name];
    held = {.pod = pod, .nodes = {pod.status.nominated_node_name}};
    hold(held, pod.status.nominated_node_name);
  }

  [[nodiscard]] bool counts(const ResourcePolicy& policy, const Pod& asked,
                            const Pod& other) const {
    if (other.metadata.name == asked.metadata.name) return false;
    if (other.metadata.labels.at("app") != asked.metadata.labels.at("app")) return false;
    if (policy.spec.match_policy.ignore_terminating_pod &&
        !other.metadata.deletion_timestamp.empty())
      return false;
    return policy.spec.match_label_keys.empty() ||
           other.metadata.labels.at("version") == asked.metadata.labels.at("version");
  }
  /// Of each unit the least that counts, and how many more may.
  void recount(const Pod& asked, std::vector<std::int64_t>& least, std::int64_t& more) const {
    const ResourcePolicy& of = *policy(asked);
    least.assign(of.spec.units.size(), 0);
    more = 0;
    const auto add = [&](const Units& units) {
      for (const std::size_t unit : units) ++least[unit];
    };
    for (const auto& [name, pod] : pods)
      if (pod.status.phase.empty() && counts(of, asked, pod))
        add(units_on(pod, pod.spec.node_name));
    const auto add_held = [&](const Held& held) {
      // A pod that is assumed is not shown as going.
      if (!counts(of, asked, held.pod)) return;
      add(held.units);
      more += held.is_exact ? 0 : 1;
    };
    for (const auto& [name, held] : assumed) add_held(held);
    for (const auto& [name, held] : nominated)
      if (!assumed.contains(name)) add_held(held);
  }
};

class Run {
 public:
  Run(Bytes bytes, std::string_view shown) : bytes_(bytes), shown_(shown) {
    law(cache_.set_policies(policy_sets()[0]).empty(), "the policies are good", shown_);
  }

  void run() && {
    while (!bytes_.is_at_end()) {
      step();
      check();
    }
  }

 private:
  void step() {
    switch (bytes_.below(8)) {
      case 0: return observe_node();
      case 1: return node_gone();
      case 2:
      case 3: return observe_pod();
      case 4: return pod_gone();
      case 5: return ask();
      case 6: return expire();
      default: return set_policies();
    }
  }

  void observe_node() {
    Node node;
    node.metadata.name = numbered("node-", bytes_.below(names));
    const std::string pool = pools[bytes_.below(pools.size())];
    node.metadata.labels = {{"pool", pool}};
    const bool is_new = model_.nodes.insert_or_assign(node.metadata.name, pool).second;
    cache_.observe_node(node);
    for (auto* const all : {&model_.assumed, &model_.nominated}) {
      for (auto& [name, held] : *all)
        if (held.is_exact && held.nodes.contains(node.metadata.name))
          model_.hold(held, node.metadata.name);
    }
    if (!is_new) return;
    // Who is nominated to it holds its places anew.
    for (auto& [name, held] : model_.nominated) {
      if (!held.nodes.contains(node.metadata.name)) continue;
      held.is_exact = true;
      hold_anew(held);
      hold_assumed_anew(name);
    }
  }
  void node_gone() {
    const std::string name = numbered("node-", bytes_.below(names));
    cache_.show_node_gone(name);
    if (model_.nodes.erase(name) == 0) return;
    for (auto* const all : {&model_.assumed, &model_.nominated})
      for (auto& [of, held] : *all)
        if (held.nodes.contains(name)) held.is_exact = false;
  }

  Pod made() {
    Pod pod;
    const std::size_t name = bytes_.below(names);
    const std::size_t life = bytes_.below(2);
    pod.metadata = {.name = numbered("pod-", name), .namespace_ = "n"};
    pod.metadata.uid = numbered("uid-", name * 2 + life);
    pod.metadata.labels = {{"app", apps[bytes_.below(apps.size())]},
                           {"version", numbered("v", life)}};
    return pod;
  }
  void observe_pod() {
    Pod pod = made();
    const std::size_t how = bytes_.below(6);
    const std::string node = numbered("node-", bytes_.below(names));
    if (how >= 1 && how <= 3) pod.spec.node_name = node;
    if (how == 2) pod.status.phase = "Failed";
    if (how == 3) pod.metadata.deletion_timestamp = "2026-01-01T00:00:00Z";
    if (how == 4) pod.status.nominated_node_name = node;
    cache_.observe_pod(pod);
    const std::string& name = pod.metadata.name;
    const auto before = model_.pods.find(name);
    if (before != model_.pods.end() && before->second == pod) return;
    const bool is_another =
        before != model_.pods.end() && before->second.metadata.uid != pod.metadata.uid;
    if (is_another || !may_be_bound(pod)) model_.assumed.erase(name);
    model_.pods.insert_or_assign(name, pod);
    model_.nominate(pod);
    hold_assumed_anew(name);
  }
  void pod_gone() {
    const Pod pod = made();
    const std::string& name = pod.metadata.name;
    cache_.show_pod_gone("n", name, pod.metadata.uid);
    const auto shown = model_.pods.find(name);
    if (shown == model_.pods.end() || shown->second.metadata.uid != pod.metadata.uid) return;
    model_.pods.erase(shown);
    model_.nominated.erase(name);
    model_.assumed.erase(name);
  }
  void ask() {
    const Pod pod = made();
    const std::string& name = pod.metadata.name;
    const Prefilter before = cache_.cluster().prefilter(pod);
    Assumption told{.pod = pod, .nodes = before.feasible()};
    if (bytes_.below(2) == 1 && !told.nodes.empty()) told.nodes = first_of(told.nodes);
    Held held{.pod = pod, .since = ++now_};
    for (const std::size_t number : told.nodes)
      held.nodes.insert(std::string(cache_.cluster().nodes().name(number)));
    for (const std::string& node : held.nodes) model_.hold(held, node);
    cache_.assume(told, now_);
    const auto shown = model_.pods.find(name);
    if (shown == model_.pods.end() || shown->second.metadata.uid != pod.metadata.uid ||
        !may_be_bound(shown->second))
      return;
    model_.assumed.erase(name);
    if (!held.nodes.empty())
      model_.assumed.emplace(name, held);
    else
      model_.nominate(shown->second);
  }
  void expire() {
    const std::int64_t before = now_ - static_cast<std::int64_t>(bytes_.below(4));
    std::size_t expected = 0;
    for (auto at = model_.assumed.begin(); at != model_.assumed.end();) {
      if (at->second.since >= before) {
        ++at;
        continue;
      }
      ++expected;
      const std::string name = at->first;
      at = model_.assumed.erase(at);
      if (const auto shown = model_.pods.find(name); shown != model_.pods.end())
        model_.nominate(shown->second);
    }
    law(cache_.expire(before) == expected, "who waits too long is no longer assumed", shown_);
  }
  void set_policies() {
    model_.set = bytes_.below(policy_sets().size());
    law(cache_.set_policies(policy_sets()[model_.set]).empty(), "the policies are good", shown_);
    model_.hold_anew();
  }

  static NodeSet first_of(const NodeSet& nodes) {
    NodeSet first;
    first.insert(*nodes.begin());
    return first;
  }
  static bool may_be_bound(const Pod& pod) {
    return pod.spec.node_name.empty() && pod.status.phase.empty();
  }
  /// Of a pod that the watch shows anew, what it holds is held where its nodes are now.
  void hold_assumed_anew(const std::string& name) {
    const auto found = model_.assumed.find(name);
    if (found == model_.assumed.end()) return;
    hold_anew(found->second);
  }
  void hold_anew(Held& held) const {
    held.units.clear();
    if (held.is_exact)
      for (const std::string& node : held.nodes) model_.hold(held, node);
  }

  void check() {
    law(cache_.assumed() == model_.assumed.size(), "as many are assumed as were told", shown_);
    for (std::size_t i = 0; i <= names; ++i) {
      for (const char* const app : apps) {
        for (const std::size_t life : {0U, 1U}) {
          Pod asked;
          asked.metadata = {.name = numbered("pod-", i), .namespace_ = "n"};
          asked.metadata.labels = {{"app", app}, {"version", numbered("v", life)}};
          check(asked);
        }
      }
    }
  }
  void check(const Pod& asked) {
    const Prefilter before = cache_.cluster().prefilter(asked);
    const ResourcePolicy* const of = model_.policy(asked);
    law(before.code() == (of == nullptr ? Code::skip : Code::success), "its policy is found",
        shown_);
    if (of == nullptr) return;
    std::vector<std::int64_t> least;
    std::int64_t more = 0;
    model_.recount(asked, least, more);
    for (std::size_t unit = 0; unit < least.size(); ++unit) {
      const std::int64_t count = before.counts()[unit];
      law(count >= least[unit] && count <= least[unit] + more, "it counts as a recount does",
          shown_,
          asked.metadata.name + " of " + of->metadata.name + ": " + std::to_string(count) +
              " in unit " + std::to_string(unit) + ", recounted " + std::to_string(least[unit]) +
              " and " + std::to_string(more) + " more");
    }
    for (const auto& [node, pool] : model_.nodes) {
      const Units units = model_.units_on(asked, node);
      bool is_full = false;
      for (const std::size_t unit : units)
        is_full = is_full || before.counts()[unit] >= *of->spec.units[unit].max_count;
      const Reason wanted = is_full         ? Reason::unit_full
                            : units.empty() ? Reason::node_not_in_unit
                                            : Reason::none;
      law(before.filter(node).reason == wanted, "a node is feasible where its units have room",
          shown_, node);
    }
  }

  Bytes bytes_;
  std::string_view shown_;
  std::int64_t now_ = 0;
  AssumeCache cache_;
  Model model_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text(data, size);
  Run(Bytes(bytes), bytes).run();
  return 0;
}
