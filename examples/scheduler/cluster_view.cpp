// SPDX-License-Identifier: Apache-2.0
#include "cluster_view.hpp"

#include "../support/api_object.hpp"
#include "../support/json_members.hpp"
#include "../support/log.hpp"
#include "../support/reflector.hpp"

#include <schedpol/cluster/assume_cache.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/resource_policy/policy.hpp>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace scheduler {

using schedpol::FieldError;
using schedpol::json::ExtenderResponse;
using schedpol::json::RawObject;
using schedpol::resource_policy::AssumeCache;
using schedpol::resource_policy::ResourcePolicy;
using support::ApiObject;
using support::Collection;
using support::Metrics;
using support::ObjectKey;
using Clock = std::chrono::steady_clock;

namespace {

/// A policy that cannot be read: an invalid one, for the pods that it selects as far as that can be
/// told.
ResourcePolicy unreadable(const ApiObject& object) {
  ResourcePolicy policy;
  policy.metadata.name = object.key.name;
  policy.metadata.namespace_ = object.key.namespace_;
  policy.spec.strategy = schedpol::OpenEnum<schedpol::resource_policy::Strategy>("unreadable");
  const RawObject spec = support::member<RawObject>(support::read_object(object.json), "spec");
  support::read_member(spec, "podSelector", policy.spec.pod_selector);
  return policy;
}

/// For the watch to show a pod that the scheduler knows already.
constexpr std::chrono::seconds wait_for_pod(1);
/// Between two statuses of one policy: a burst of pods is not told pod by pod.
constexpr std::chrono::seconds between_statuses(5);
/// That a status names, of those that wait.
constexpr std::size_t named_pods = 10;

std::int64_t milliseconds(Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

std::string quantities(const schedpol::ResourceList& list) {
  std::string text;
  for (const auto& [name, quantity] : list) {
    text += (text.empty() ? "" : ",") + schedpol::json::encode(name) + ':' +
            schedpol::json::encode(quantity.text());
  }
  return '{' + text + '}';
}

/// What the API server is told of a policy. `has_groups`: its maxima are for each group of its
/// match label keys, so that the pods of all are not set against them in `summary`. One that is
/// invalid has no units, and `summary` says why.
std::string status_of(const std::vector<schedpol::resource_policy::UnitUsage>& usage,
                      bool has_groups, std::string summary,
                      const std::vector<const schedpol::resource_policy::WaitingPod*>& waiting) {
  using schedpol::json::encode;
  std::string units;
  for (std::size_t i = 0; i < usage.size(); ++i) {
    const auto& unit = usage[i];
    const std::string pods = std::to_string(unit.pods);
    units +=
        (i == 0 ? "{" : ",{") + std::string("\"name\":") + encode(unit.name) + ",\"pods\":" + pods;
    if (unit.max_count) units += ",\"maxCount\":" + std::to_string(*unit.max_count);
    if (!unit.requests.empty()) {
      units += ",\"requests\":" + quantities(unit.requests) +
               ",\"maxResources\":" + quantities(unit.max_resources);
    }
    units += '}';
    summary +=
        (i == 0 ? "" : ", ") + (unit.name.empty() ? std::to_string(i) : unit.name) + ' ' + pods;
    if (unit.max_count && !has_groups) summary += '/' + std::to_string(*unit.max_count);
  }
  std::string pods;
  for (std::size_t i = 0; i < std::min(waiting.size(), named_pods); ++i) {
    pods += (i == 0 ? "{" : ",{") + std::string("\"name\":") + encode(waiting[i]->name) +
            ",\"reason\":" + encode(waiting[i]->reason) + '}';
  }
  return R"({"summary":)" + encode(summary) + R"(,"units":[)" + units + R"(],"waiting":)" +
         std::to_string(waiting.size()) + R"(,"waitingPods":[)" + pods + "]}";
}

std::string texts(const std::vector<FieldError>& errors) {
  std::string all;
  for (const FieldError& error : errors) {
    if (all.size() > 1000) return all + "; ...";
    all.append(all.empty() ? "" : "; ").append(message(error));
  }
  return all;
}

}  // namespace

struct ClusterView::Impl {
  /// What a reflector tells of one kind.
  class Feed : public support::ResourceEventHandler {
   public:
    Feed(Impl& view, support::ApiClient& client, const Collection& collection)
        : view_(view),
          name_(resource_name(collection)),
          reflector_(std::in_place, client, collection, *this, view.metrics,
                     view.options.stale_after) {}

    void synced() override {
      const std::lock_guard lock(view_.mutex);
      is_synced_ = true;
      heard_ = Clock::now();
      ++view_.changes;
      view_.changed.notify_all();
    }

    void start() { reflector_->start(); }
    /// Nothing is told any more.
    void stop() { reflector_.reset(); }
    [[nodiscard]] std::string staleness() const { return reflector_->staleness(); }
    [[nodiscard]] std::string missing() const { return reflector_->missing(); }
    [[nodiscard]] std::string age() const { return reflector_->age(); }
    /// Only with the mutex of the view.
    [[nodiscard]] bool is_synced() const noexcept { return is_synced_; }
    [[nodiscard]] Clock::time_point heard() const noexcept { return heard_; }

   protected:
    void unreadable(const ApiObject& object) {
      view_.unreadable.with({name_}).add();
      support::log_error(
          "an object cannot be read",
          {{"resource", name_}, {"namespace", object.key.namespace_}, {"name", object.key.name}});
    }

    Impl& view_;

   private:
    const std::string name_;
    bool is_synced_ = false;
    Clock::time_point heard_ = Clock::now();  ///< when the API server last spoke of them
    std::optional<support::Reflector> reflector_;
  };

  class Nodes final : public Feed {
   public:
    using Feed::Feed;

    void updated(ApiObject&& object) override {
      const std::optional<schedpol::Node> node = read_node(object.json);
      if (!node) return unreadable(object);
      const std::lock_guard lock(view_.mutex);
      // A node reports every few seconds, and mostly nothing that counts.
      schedpol::Labels& labels = labels_[object.key.name];
      const bool is_new = !view_.state.cluster().nodes().find(object.key.name).has_value();
      view_.state.observe_node(*node);
      if (is_new || labels != node->metadata.labels) view_.look_at_all();
      labels = node->metadata.labels;
    }
    void deleted(const ObjectKey& key) override {
      const std::lock_guard lock(view_.mutex);
      labels_.erase(key.name);
      view_.state.show_node_gone(key.name);
      view_.look_at_all();
    }

   private:
    std::map<std::string, schedpol::Labels> labels_;
  };

  class Pods final : public Feed {
   public:
    using Feed::Feed;

    /// What is remembered of a pod.
    struct Known {
      std::string uid{};
      std::string resource_version{};
      std::optional<std::string> cost{};  ///< the annotation
      bool cost_is_ours = false;
      bool is_costed = false;  ///< it is bound and not over
    };

    void updated(ApiObject&& object) override {
      std::optional<PodRead> read = read_pod(object.json);
      if (!read) return unreadable(object);
      const std::lock_guard lock(view_.mutex);
      view_.state.observe_pod(read->pod);
      const bool is_over =
          read->pod.status.phase == "Succeeded" || read->pod.status.phase == "Failed";
      Known& known = known_[object.key];
      known = {std::move(read->pod.metadata.uid), std::move(object.resource_version),
               std::move(read->cost), read->cost_is_ours,
               !is_over && !read->pod.spec.node_name.empty()};
      if (known.is_costed) view_.look_at(object.key);
    }
    void deleted(const ObjectKey& key) override {
      const std::lock_guard lock(view_.mutex);
      const auto known = known_.find(key);
      if (known == known_.end()) return;
      view_.state.show_pod_gone(key.namespace_, key.name, known->second.uid);
      known_.erase(known);
    }

    /// Only with the mutex of the view.
    [[nodiscard]] const std::map<ObjectKey, Known>& known() const noexcept { return known_; }

   private:
    std::map<ObjectKey, Known> known_;
  };

  class Policies final : public Feed {
   public:
    using Feed::Feed;

    void updated(ApiObject&& object) override {
      auto policy = schedpol::json::decode<ResourcePolicy>(object.json);
      if (!policy) {
        support::log_warning("a ResourcePolicy cannot be read, so its pods get no node",
                             {{"namespace", object.key.namespace_},
                              {"name", object.key.name},
                              {"errors", texts(policy.errors())}});
      }
      ResourcePolicy shown = policy ? *std::move(policy) : scheduler::unreadable(object);
      const std::lock_guard lock(view_.mutex);
      ResourcePolicy& before = view_.policies[object.key];
      if (before == shown) return;
      before = std::move(shown);
      view_.policies_changed = true;
    }
    void deleted(const ObjectKey& key) override {
      const std::lock_guard lock(view_.mutex);
      view_.policies.erase(key);
      view_.policies_changed = true;
    }
  };

  Impl(support::ApiClient& client, ViewOptions how, Metrics& counted)
      : options(how),
        metrics(counted),
        unreadable(metrics.counters("schedpol_unreadable_objects_total",
                                    "Objects that could not be read.", {"resource"})),
        asked(metrics.counters("schedpol_extender_requests_total",
                               "What the scheduler asked, and whether a node was left.",
                               {"verb", "result"})),
        expired(metrics
                    .counters("schedpol_extender_expired_total",
                              "Pods that were assumed for longer than a binding takes.")
                    .only()),
        nodes(*this, client, {.version = "v1", .resource = "nodes", .kind = "Node"}),
        pods(*this, client, {.version = "v1", .resource = "pods", .kind = "Pod"}),
        policy_feed(*this, client, resource_policies) {
    metrics.gauge("schedpol_extender_assumed_pods", "Pods that are assumed.", [this] {
      const std::lock_guard lock(mutex);
      return static_cast<double>(state.assumed());
    });
    metrics.gauge("schedpol_extender_waiting_pods", "Pods that were told of no node.", [this] {
      const std::lock_guard lock(mutex);
      return static_cast<double>(state.waiting().size());
    });
  }

  ~Impl() {
    for (Feed* feed : feeds()) feed->stop();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void start() {
    for (Feed* feed : feeds()) feed->start();
    applier = std::jthread([this](const std::stop_token& stop) { apply_policies(stop); });
  }

  [[nodiscard]] std::vector<Feed*> feeds() { return {&nodes, &pods, &policy_feed}; }

  /// Puts policies in force as soon as there is all of the cluster to count: many changes at once
  /// as one.
  void apply_policies(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    while (changed.wait(lock, stop, [this] {
      return nodes.is_synced() && pods.is_synced() && policy_feed.is_synced() &&
             (policies_changed || !state.knows_policies());
    })) {
      policies_changed = false;
      ++changes;
      std::vector<ResourcePolicy> all;
      for (const auto& [key, policy] : policies) all.push_back(policy);
      const std::vector<FieldError> errors = state.set_policies(all);
      invalid.clear();
      for (const FieldError& error : errors) {
        const auto& metadata = all[error.field.steps()[1].index].metadata;
        invalid.try_emplace({metadata.namespace_, metadata.name}, "invalid: " + error.detail);
      }
      if (!errors.empty())
        support::log_warning("some ResourcePolicies are invalid, so their pods get no node",
                             {{"errors", texts(errors)}});
      support::log_info("ResourcePolicies are in force",
                        {{"policies", std::to_string(all.size())}});
      look_at_all();
    }
  }

  // With the mutex.

  void look_at(const ObjectKey& key) {
    if (!looks_at_all) to_look_at.insert(key);
    changed.notify_all();
  }
  void look_at_all() {
    looks_at_all = true;
    to_look_at.clear();
    changed.notify_all();
  }

  /// What has to be done about the annotation of a pod; nothing where it is right, or a user's.
  [[nodiscard]] std::optional<CostChange> cost_change(const ObjectKey& key,
                                                      const Pods::Known& pod) const {
    const auto wanted = state.cluster().deletion_cost(key.namespace_, key.name);
    if (pod.cost ? !pod.cost_is_ours : !wanted) return std::nullopt;
    if (wanted && pod.cost == std::to_string(*wanted)) return std::nullopt;
    return CostChange{key.namespace_, key.name, pod.uid, pod.resource_version, wanted};
  }

  [[nodiscard]] std::vector<std::string> problems() {
    std::vector<std::string> all;
    for (const Feed* feed : feeds()) {
      if (std::string text = feed->staleness(); !text.empty()) all.push_back(std::move(text));
    }
    if (all.empty() && !state.knows_policies())
      all.emplace_back("ResourcePolicies are not in force yet");
    return all;
  }

  const ViewOptions options;
  Metrics& metrics;
  support::Family<support::Counter>& unreadable;
  support::Family<support::Counter>& asked;
  support::Counter& expired;

  std::mutex mutex;  ///< of all down to the feeds
  std::condition_variable_any changed;
  AssumeCache state;
  schedpol::json::Document document;
  std::map<ObjectKey, ResourcePolicy> policies;
  std::map<ObjectKey, std::string> invalid;  ///< the first reason of each such policy
  bool policies_changed = false;

  std::set<ObjectKey> to_look_at;
  bool looks_at_all = false;

  std::uint64_t changes = 0;  ///< of what anything below rests on
  std::uint64_t changes_at_waking = 0;
  std::uint64_t changes_at_telling = 0;
  std::set<std::string> woken;  ///< uids of the pods that have been, and still wait
  struct Told {
    std::string status{};
    Clock::time_point at{};
  };
  std::map<ObjectKey, Told> told;  ///< of each policy

  Nodes nodes;
  Pods pods;
  Policies policy_feed;
  std::jthread applier;
};

ClusterView::ClusterView(support::ApiClient& client, ViewOptions options, Metrics& metrics)
    : impl_(std::make_unique<Impl>(client, options, metrics)) {}

ClusterView::~ClusterView() = default;

void ClusterView::start() {
  impl_->start();
}

ExtenderResponse ClusterView::answer(std::string_view path, std::string_view body) {
  const std::string_view verb = path.substr(path.rfind('/') + 1);
  std::unique_lock lock(impl_->mutex);
  std::vector<std::string> problems = impl_->problems();
  ExtenderResponse said;
  if (problems.empty()) {
    const Clock::time_point end = Clock::now() + wait_for_pod;
    const auto ask = [&] {
      said = schedpol::json::answer_extender(path, body, impl_->state, impl_->document);
      return !said.is_unknown_pod;
    };
    impl_->changed.wait_until(lock, end, ask);
    problems = impl_->problems();
  }
  if (problems.empty()) {
    if (said.assumption) {
      impl_->state.assume(*said.assumption, milliseconds(Clock::now()));
      impl_->woken.erase(said.assumption->pod.metadata.uid);
      ++impl_->changes;
    }
  } else {
    std::string text;
    for (const std::string& problem : problems)
      text.append(text.empty() ? "" : "; ").append(problem);
    // As `answer_extender` answers what it cannot: only a filter has a place for the error.
    said.status = verb == "filter" ? 200 : 503;
    said.response = R"({"Error":)" + schedpol::json::encode(text) + "}";
  }
  const bool is_error = !problems.empty() || !said.errors.empty();
  const char* result = is_error ? "error" : said.feasible > 0 ? "fits" : "nowhere";
  impl_->asked.with({verb, result}).add();
  return said;
}

std::vector<std::string> ClusterView::problems() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->problems();
}

std::vector<std::string> ClusterView::missing() const {
  std::vector<std::string> all;
  for (const Impl::Feed* feed : impl_->feeds()) {
    if (std::string text = feed->missing(); !text.empty()) all.push_back(std::move(text));
  }
  return all;
}

std::vector<std::string> ClusterView::ages() const {
  std::vector<std::string> ages;
  for (const Impl::Feed* feed : impl_->feeds()) ages.push_back(feed->age());
  return ages;
}

void ClusterView::expire() {
  const std::lock_guard lock(impl_->mutex);
  const std::size_t given_up =
      impl_->state.expire(milliseconds(impl_->pods.heard() - impl_->options.assume_for));
  impl_->expired.add(given_up);
  if (given_up > 0) ++impl_->changes;
}

bool ClusterView::has_to_wake() {
  const std::lock_guard lock(impl_->mutex);
  if (std::exchange(impl_->changes_at_waking, impl_->changes) == impl_->changes) return false;
  std::set<std::string> fit;
  for (schedpol::resource_policy::WaitingPod& pod : impl_->state.waiting()) {
    if (pod.fits) fit.insert(std::move(pod.uid));
  }
  const bool has = !std::includes(impl_->woken.begin(), impl_->woken.end(), fit.begin(), fit.end());
  impl_->woken = std::move(fit);
  return has;
}

void ClusterView::wake_again() {
  const std::lock_guard lock(impl_->mutex);
  impl_->woken.clear();
  ++impl_->changes;
}

std::vector<PolicyStatus> ClusterView::changed_statuses() {
  const std::lock_guard lock(impl_->mutex);
  std::vector<PolicyStatus> statuses;
  if (!impl_->state.knows_policies() || impl_->changes_at_telling == impl_->changes)
    return statuses;
  const Clock::time_point now = Clock::now();
  const auto waiting = impl_->state.waiting();
  std::map<ObjectKey, std::vector<const schedpol::resource_policy::WaitingPod*>> by_policy;
  for (const auto& pod : waiting) by_policy[{pod.namespace_, pod.policy}].push_back(&pod);
  std::erase_if(impl_->told,
                [&](const auto& told) { return !impl_->policies.contains(told.first); });
  bool is_all = true;
  for (const auto& [key, policy] : impl_->policies) {
    const auto found = impl_->invalid.find(key);
    std::string status =
        status_of(impl_->state.cluster().usage(key.namespace_, key.name),
                  !policy.spec.match_label_keys.empty(),
                  found == impl_->invalid.end() ? std::string() : found->second, by_policy[key]);
    Impl::Told& told = impl_->told[key];
    if (told.status == status) continue;
    if (now - told.at < between_statuses) {
      is_all = false;
      continue;
    }
    told = {status, now};
    statuses.push_back({key, std::move(status)});
  }
  if (is_all) impl_->changes_at_telling = impl_->changes;
  return statuses;
}

void ClusterView::tell_again(const support::ObjectKey& policy) {
  const std::lock_guard lock(impl_->mutex);
  const auto told = impl_->told.find(policy);
  if (told != impl_->told.end()) told->second.status.clear();
  ++impl_->changes;
}

std::optional<CostChange> ClusterView::next_cost(std::stop_token stop) {
  Impl& view = *impl_;
  std::unique_lock lock(view.mutex);
  while (view.changed.wait(lock, stop, [&] {
    return view.state.knows_policies() && (view.looks_at_all || !view.to_look_at.empty());
  })) {
    if (std::exchange(view.looks_at_all, false)) {
      for (const auto& [key, pod] : view.pods.known()) {
        if (pod.is_costed) view.to_look_at.insert(key);
      }
    }
    while (!view.to_look_at.empty()) {
      const ObjectKey key = std::move(view.to_look_at.extract(view.to_look_at.begin()).value());
      const auto pod = view.pods.known().find(key);
      if (pod == view.pods.known().end() || !pod->second.is_costed) continue;
      if (auto change = view.cost_change(key, pod->second)) return change;
    }
  }
  return std::nullopt;
}

void ClusterView::look_again(const CostChange& change) {
  const std::lock_guard lock(impl_->mutex);
  impl_->look_at({change.namespace_, change.name});
}

}  // namespace scheduler
