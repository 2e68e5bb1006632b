// SPDX-License-Identifier: Apache-2.0
#include "cluster_view.hpp"

#include "../support/api_object.hpp"
#include "../support/log.hpp"
#include "../support/watch.hpp"

#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/resource_policy/cluster_state.hpp>
#include <schedpol/resource_policy/policy.hpp>

#include <simdjson.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace scheduler {

using schedpol::FieldError;
using schedpol::json::Extended;
using schedpol::resource_policy::ClusterState;
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
  simdjson::dom::parser parser;
  simdjson::dom::element selector;
  if (parser.parse(object.json)["spec"]["podSelector"].get(selector) == simdjson::SUCCESS) {
    auto read = schedpol::json::decode<schedpol::LabelSelector>(simdjson::minify(selector));
    if (read && !selector.is_null()) policy.spec.pod_selector = *std::move(read);
  }
  return policy;
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
  /// What is remembered of an object that is there.
  struct Known {
    std::string uid{};
    bool is_costed = false;  ///< a bound pod that is not over
  };
  /// What a watch tells of one kind.
  class Feed : public support::CollectionSink {
   public:
    Feed(Impl& view, support::ApiClient& client, Collection collection)
        : view_(view),
          name_(resource_name(collection)),
          watch_(std::make_unique<support::Watch>(client, std::move(collection), *this,
                                                  view.metrics, view.options.stale_after)) {}

    void list_begins() override { listed_.clear(); }

    void listed(ApiObject&& object) override {
      listed_.insert(object.key);
      show(std::move(object));
    }

    void synced() override {
      {
        const std::lock_guard lock(view_.mutex);
        for (auto known = known_.begin(); known != known_.end();) {
          if (listed_.contains(known->first)) {
            ++known;
          } else {
            gone(known->first, known->second);
            known = known_.erase(known);
          }
        }
        is_synced_ = true;
        view_.changed.notify_all();
      }
      listed_.clear();
    }

    void changed(ApiObject&& object) override { show(std::move(object)); }

    void deleted(ApiObject&& object) override {
      const std::lock_guard lock(view_.mutex);
      const auto known = known_.find(object.key);
      if (known == known_.end()) return;
      gone(known->first, known->second);
      known_.erase(known);
      view_.changed.notify_all();
    }

    void start() { watch_->start(); }
    /// Nothing is told any more.
    void stop() { watch_.reset(); }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// Only with the mutex of the view.
    [[nodiscard]] bool is_synced() const noexcept { return is_synced_; }
    [[nodiscard]] const std::map<ObjectKey, Known>& known() const noexcept { return known_; }

    [[nodiscard]] std::string staleness() const { return watch_->staleness(); }

   protected:
    /// With the mutex: the object is gone.
    virtual void gone(const ObjectKey& key, const Known& known) = 0;
    virtual void show(ApiObject&& object) = 0;

    void unreadable(const ApiObject& object) {
      view_.unreadable.with({name_}).add();
      support::log_error(
          "an object cannot be read",
          {{"resource", name_}, {"namespace", object.key.namespace_}, {"name", object.key.name}});
    }

    Impl& view_;
    std::map<ObjectKey, Known> known_;  ///< what is there

   private:
    std::string name_;
    std::set<ObjectKey> listed_;
    bool is_synced_ = false;
    std::unique_ptr<support::Watch> watch_;
  };

  class Nodes final : public Feed {
   public:
    using Feed::Feed;

   private:
    void show(ApiObject&& object) override {
      const std::optional<schedpol::Node> node = read_node(object.json);
      if (!node) return unreadable(object);
      const std::lock_guard lock(view_.mutex);
      known_[object.key];
      // A node reports every few seconds, and mostly nothing that counts.
      schedpol::Labels& labels = labels_[object.key.name];
      const bool is_new = !view_.state.cluster().nodes().find(object.key.name).has_value();
      view_.state.show_node(*node);
      if (is_new || labels != node->metadata.labels) view_.look_at_all();
      labels = node->metadata.labels;
    }
    void gone(const ObjectKey& key, const Known&) override {
      labels_.erase(key.name);
      view_.state.show_node_gone(key.name);
      view_.look_at_all();
    }

    std::map<std::string, schedpol::Labels> labels_;
  };

  class Pods final : public Feed {
   public:
    using Feed::Feed;

   private:
    void show(ApiObject&& object) override {
      std::optional<PodRead> read = read_pod(object.json);
      if (!read) return unreadable(object);
      const std::lock_guard lock(view_.mutex);
      view_.state.show_pod(read->pod);
      if (read->cost) {
        view_.costs[object.key] = {*std::move(read->cost), read->cost_is_ours};
      } else {
        view_.costs.erase(object.key);
      }
      const bool is_over =
          read->pod.status.phase == "Succeeded" || read->pod.status.phase == "Failed";
      Known& known = known_[object.key];
      known.uid = std::move(read->pod.metadata.uid);
      known.is_costed = !is_over && !read->pod.spec.node_name.empty();
      if (known.is_costed) view_.look_at(object.key);
    }
    void gone(const ObjectKey& key, const Known& known) override {
      view_.state.show_pod_gone(key.namespace_, key.name, known.uid);
      view_.costs.erase(key);
    }
  };

  class Policies final : public Feed {
   public:
    using Feed::Feed;

   private:
    void show(ApiObject&& object) override {
      auto policy = schedpol::json::decode<ResourcePolicy>(object.json);
      if (!policy) {
        support::log_warning("a ResourcePolicy cannot be read, so its pods get no node",
                             {{"namespace", object.key.namespace_},
                              {"name", object.key.name},
                              {"errors", texts(policy.errors())}});
      }
      ResourcePolicy shown = policy ? *std::move(policy) : scheduler::unreadable(object);
      const std::lock_guard lock(view_.mutex);
      known_[object.key];
      ResourcePolicy& before = view_.policies[object.key];
      if (before == shown) return;
      before = std::move(shown);
      view_.policies_changed = true;
      view_.changed.notify_all();
    }
    void gone(const ObjectKey& key, const Known&) override {
      view_.policies.erase(key);
      view_.policies_changed = true;
      view_.changed.notify_all();
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
        resource_policies(*this, client,
                          {.group = "scheduling.sigs.x-k8s.io",
                           .version = "v1alpha1",
                           .resource = "resourcepolicies",
                           .kind = "ResourcePolicy"}) {
    metrics.before_reading([this] { tell(); });
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

  [[nodiscard]] std::vector<Feed*> feeds() { return {&nodes, &pods, &resource_policies}; }

  /// Puts policies in force as soon as there is all of the cluster to count: many changes at once
  /// as one.
  void apply_policies(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    while (changed.wait(lock, stop, [this] {
      return nodes.is_synced() && pods.is_synced() && resource_policies.is_synced() &&
             (policies_changed || !state.knows_policies());
    })) {
      policies_changed = false;
      std::vector<ResourcePolicy> all;
      for (const auto& [key, policy] : policies) all.push_back(policy);
      const std::vector<FieldError> errors = state.set_policies(all);
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
                                                      const std::string& uid) const {
    const auto wanted = state.cluster().deletion_cost(key.namespace_, key.name);
    const auto there = costs.find(key);
    if (there == costs.end() ? !wanted : !there->second.is_ours) return std::nullopt;
    if (wanted && there != costs.end() && there->second.text == std::to_string(*wanted))
      return std::nullopt;
    return CostChange{key.namespace_, key.name, uid, wanted};
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

  void tell() {
    support::Family<support::Gauge>& sizes =
        metrics.gauges("schedpol_cluster_objects", "Objects that are known.", {"resource"});
    const std::lock_guard lock(mutex);
    for (Feed* feed : feeds())
      sizes.with({feed->name()}).set(static_cast<double>(feed->known().size()));
    metrics.gauges("schedpol_extender_assumed_pods", "Pods that are assumed.")
        .only()
        .set(static_cast<double>(state.assumed()));
  }

  struct Cost {
    std::string text{};
    bool is_ours = false;
  };

  const ViewOptions options;
  Metrics& metrics;
  support::Family<support::Counter>& unreadable;
  support::Family<support::Counter>& asked;
  support::Counter& expired;

  std::mutex mutex;  ///< of all down to the feeds
  std::condition_variable_any changed;
  ClusterState state;
  schedpol::json::Document document;
  std::map<ObjectKey, ResourcePolicy> policies;
  bool policies_changed = false;

  std::map<ObjectKey, Cost> costs;  ///< of pods that have the annotation
  std::set<ObjectKey> to_look_at;
  bool looks_at_all = false;

  Nodes nodes;
  Pods pods;
  Policies resource_policies;
  std::jthread applier;
};

ClusterView::ClusterView(support::ApiClient& client, ViewOptions options, Metrics& metrics)
    : impl_(std::make_unique<Impl>(client, options, metrics)) {}

ClusterView::~ClusterView() = default;

void ClusterView::start() {
  impl_->start();
}

Extended ClusterView::answer(std::string_view path, std::string_view body) {
  const std::string_view verb = path.substr(path.rfind('/') + 1);
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch())
          .count();
  const std::lock_guard lock(impl_->mutex);
  const std::vector<std::string> problems = impl_->problems();
  Extended said;
  if (problems.empty()) {
    said = schedpol::json::extend(path, body, impl_->state, impl_->document);
    if (said.assumption) impl_->state.assume(*said.assumption, now);
  } else {
    std::string text;
    for (const std::string& problem : problems)
      text.append(text.empty() ? "" : "; ").append(problem);
    // As `extend` answers what it cannot: only a filter has a place for the error.
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

void ClusterView::expire() {
  const std::int64_t before = std::chrono::duration_cast<std::chrono::milliseconds>(
                                  Clock::now().time_since_epoch() - impl_->options.assume_for)
                                  .count();
  const std::lock_guard lock(impl_->mutex);
  impl_->expired.add(impl_->state.expire(before));
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
      if (auto change = view.cost_change(key, pod->second.uid)) return change;
    }
  }
  return std::nullopt;
}

void ClusterView::look_again(const CostChange& change) {
  const std::lock_guard lock(impl_->mutex);
  impl_->look_at({change.namespace_, change.name});
}

}  // namespace scheduler
