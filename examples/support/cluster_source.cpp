// SPDX-License-Identifier: Apache-2.0
#include "cluster_source.hpp"

#include "conditions.hpp"
#include "files.hpp"
#include "log.hpp"
#include "reflector.hpp"

#include <schedpol/engine/configuration.hpp>
#include <schedpol/json/configuration.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

namespace support {
namespace {

using Clock = std::chrono::steady_clock;
using schedpol::FieldError;
using schedpol::engine::Configuration;
using schedpol::engine::Engine;
using schedpol::engine::Objects;

constexpr std::string_view field_manager = "schedpol-webhook";
/// More than that is not waited between two engines, however long one takes to make.
constexpr std::chrono::milliseconds longest_rest(100);
constexpr std::size_t max_told_errors = 3;

/// One object as it is kept.
struct StoredObject {
  Objects objects{};  ///< it alone
  ConditionState state{};
};

/// What became of the objects of one collection, not yet put in force; nothing: it is gone.
using Changes = std::map<ObjectKey, std::optional<StoredObject>>;

/// The objects of a cluster that policies are made of, by name.
using Store = std::map<ObjectKey, StoredObject>;

bool is_policy(const Collection& collection) {
  return schedpol::engine::is_policy(collection.group, collection.kind);
}

/// As CRDs have it: `schedulingpolicies`.
std::string plural(std::string_view kind) {
  std::string name;
  for (const char c : kind)
    name.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  if (name.ends_with('y')) name.replace(name.size() - 1, 1, "ie");
  return name + "s";
}

std::string text_of(const std::vector<FieldError>& errors) {
  std::string text;
  for (std::size_t i = 0; i < std::min(errors.size(), max_told_errors); ++i)
    text += (i == 0 ? "" : "; ") + message(errors[i]);
  if (errors.size() > max_told_errors)
    text += "; and " + std::to_string(errors.size() - max_told_errors) + " more";
  return text;
}

void append(Objects& all, const Objects& more) {
  using schedpol::engine::ObjectKinds;
  for_each_list(more, [&](const auto& list, ObjectKinds) {
    using Object = typename std::remove_cvref_t<decltype(list)>::value_type;
    schedpol::engine::visit_list<Object>(
        all, [&](auto& to, ObjectKinds) { to.insert(to.end(), list.begin(), list.end()); });
  });
  all.namespaces.insert(all.namespaces.end(), more.namespaces.begin(), more.namespaces.end());
  all.unreadable.insert(all.unreadable.end(), more.unreadable.begin(), more.unreadable.end());
}

StoredObject store(const ApiObject& object, const Collection& collection) {
  Configuration read;
  std::vector<FieldError> errors = schedpol::json::add_objects(read, object.json);
  // Nothing of it can be told but what the server calls it.
  if (!errors.empty()) {
    read.objects.unreadable.push_back({.kind = collection.kind,
                                       .namespace_ = object.key.namespace_,
                                       .name = object.key.name,
                                       .errors = std::move(errors)});
  }
  StoredObject stored{.objects = std::move(read.objects)};
  if (is_policy(collection)) stored.state = read_conditions(object.json);
  return stored;
}

Condition verdict_of(const StoredObject& stored) {
  const std::vector<FieldError> errors = validate_each(stored.objects);
  if (errors.empty())
    return {.is_true = true, .reason = "Accepted", .message = "the policy is in force"};
  const bool is_read = stored.objects.unreadable.empty();
  return {.reason = is_read ? "Invalid" : "Unreadable", .message = text_of(errors)};
}

}  // namespace

std::vector<Collection> engine_collections(std::string_view policy_group) {
  using schedpol::engine::ObjectKind;
  const std::string rbac = "rbac.authorization.k8s.io";
  std::vector<Collection> collections = {
      {"node.k8s.io", "v1", "runtimeclasses", "RuntimeClass"},
      {"", "v1", "namespaces", "Namespace"},
      {rbac, "v1", "roles", "Role"},
      {rbac, "v1", "clusterroles", "ClusterRole"},
      {rbac, "v1", "rolebindings", "RoleBinding"},
      {rbac, "v1", "clusterrolebindings", "ClusterRoleBinding"},
  };
  const Objects none;
  for_each_list(none, [&](const auto&, schedpol::engine::ObjectKinds kinds) {
    for (const ObjectKind& kind : kinds) {
      if (kind.api_version.empty()) continue;
      const std::string_view group = schedpol::api_group(kind.api_version);
      const std::string_view version = kind.api_version.substr(group.size() + 1);
      const bool is_own = group == schedpol::own_api_group;
      collections.push_back({std::string(is_own ? policy_group : group), std::string(version),
                             plural(kind.name), std::string(kind.name)});
    }
  });
  return collections;
}

struct ClusterSource::Impl {
  /// What a reflector tells, decoded by its thread and kept until an engine is made of it: a whole
  /// step, so that no engine is made of part of a list.
  class Feed : public ResourceEventHandler {
   public:
    Feed(Impl& source, ApiClient& client, const Collection& of, Metrics& metrics)
        : collection(of),
          source_(source),
          reflector_(client, of, *this, metrics, source.options.stale_after) {}

    void updated(ApiObject&& object) override {
      step_.insert_or_assign(object.key, store(object, collection));
    }
    void deleted(const ObjectKey& key) override { step_.insert_or_assign(key, std::nullopt); }
    void synced() override {
      {
        const std::lock_guard lock(source_.mutex);
        for (auto& [key, object] : step_) changes_.insert_or_assign(key, std::move(object));
        is_synced_ = true;
      }
      step_.clear();
      source_.wake.notify_all();
    }

    void start() { reflector_.start(); }
    [[nodiscard]] std::string staleness() const { return reflector_.staleness(); }
    [[nodiscard]] std::string missing() const { return reflector_.missing(); }
    [[nodiscard]] std::string age() const { return reflector_.age(); }

    // Under the source's mutex.
    [[nodiscard]] bool is_synced() const { return is_synced_; }
    [[nodiscard]] bool has_changes() const { return !changes_.empty(); }
    [[nodiscard]] Changes take_changes() { return std::exchange(changes_, {}); }

    const Collection collection;
    Store stored{};  ///< of the thread that makes engines

   private:
    Impl& source_;
    Changes step_{};  ///< of the reflector's thread
    Changes changes_{};
    bool is_synced_ = false;
    Reflector reflector_;
  };

  Impl(ApiClient& client, ClusterSourceOptions how, Metrics& metrics)
      : options(std::move(how)), conditions(client, std::string(field_manager)) {
    for (const Collection& collection : engine_collections(options.policy_group))
      feeds.push_back(std::make_unique<Feed>(*this, client, collection, metrics));
  }

  const ClusterSourceOptions options;
  CurrentEngine current{};

  mutable std::mutex mutex{};
  std::condition_variable_any wake{};
  std::optional<Configuration> configuration{};  ///< to be put in force
  std::optional<std::string> seen_file{};        ///< of the thread that refreshes
  std::string configuration_problem{};
  bool ready = false;
  std::uint64_t generation = 0;
  std::vector<std::string> problems{};

  // The last ones end first: what asks ends before what is asked.
  ConditionWriter conditions;
  std::vector<std::unique_ptr<Feed>> feeds{};
  std::jthread builder{};

  /// Takes in the configuration's file if it is another one than before. What is wrong with it;
  /// empty: nothing.
  std::string read_configuration() {
    std::optional<std::string> bytes = read_file(options.configuration);
    if (bytes && bytes == seen_file) return configuration_problem;
    seen_file = std::move(bytes);
    const std::string path = options.configuration.string();
    if (!seen_file) return path + ": cannot be read";
    Configuration read;
    std::vector<FieldError> errors = schedpol::json::add_objects(read, *seen_file);
    if (errors.empty() && read.objects != Objects{})
      return path + ": has objects; in a cluster they are those of the API server";
    if (errors.empty()) errors = validate(read);
    if (!errors.empty()) return path + ": " + text_of(errors);
    if (std::string& group = read.settings.access.api_group; group.empty())
      group = options.policy_group;
    {
      const std::lock_guard lock(mutex);
      configuration = std::move(read);
    }
    wake.notify_all();
    return {};
  }

  bool has_work() const {
    const auto is_synced = [](const auto& feed) { return feed->is_synced(); };
    const auto has_changes = [](const auto& feed) { return feed->has_changes(); };
    if (!std::all_of(feeds.begin(), feeds.end(), is_synced)) return false;
    return configuration || std::any_of(feeds.begin(), feeds.end(), has_changes);
  }

  void make_engines(const std::stop_token& stop) {
    Configuration settings;
    for (;;) {
      std::vector<Changes> changes;
      bool is_new = false;
      {
        std::unique_lock lock(mutex);
        if (!wake.wait(lock, stop, [this] { return has_work(); })) return;
        for (const auto& feed : feeds) changes.push_back(feed->take_changes());
        if (configuration) {
          settings = std::move(*std::exchange(configuration, std::nullopt));
          is_new = true;
        }
      }
      const Clock::time_point begin = Clock::now();
      Objects gone;
      Objects come;
      bool differs = is_new;
      for (std::size_t i = 0; i < feeds.size(); ++i)
        differs = take_in(*feeds[i], std::move(changes[i]), gone, come) || differs;
      if (differs) put_in_force(settings, is_new, gone, come);
      // So that a flood of changes leaves a processor half of its time.
      const auto rest = std::min<Clock::duration>(Clock::now() - begin, longest_rest);
      std::unique_lock lock(mutex);
      wake.wait_for(lock, stop, rest, [] { return false; });
      if (stop.stop_requested()) return;
    }
  }

  /// Whether the engine has to know of it.
  bool take_in(Feed& feed, Changes changes, Objects& gone, Objects& come) {
    bool differs = false;
    for (auto& [key, now] : changes) {
      const auto before = feed.stored.find(key);
      const bool is_known = before != feed.stored.end();
      const ConditionSubject subject{feed.collection, key};
      if (now && is_policy(feed.collection)) conditions.say(subject, now->state, verdict_of(*now));
      if (!now) conditions.forget(subject);
      if (is_known ? now && before->second.objects == now->objects : !now) continue;
      differs = true;
      if (now) {
        append(come, now->objects);
        feed.stored.insert_or_assign(key, std::move(*now));
      } else {
        append(gone, before->second.objects);
        feed.stored.erase(before);
      }
    }
    return differs;
  }

  void put_in_force(const Configuration& settings, bool is_new, const Objects& gone,
                    const Objects& come) {
    std::shared_ptr<const Engine> engine;
    if (is_new) {
      Configuration all = settings;
      for (const auto& feed : feeds)
        for (const auto& [key, stored] : feed->stored) append(all.objects, stored.objects);
      // Only its list of systems could be wrong, which was looked at.
      engine = std::make_shared<const Engine>(*compile(all));
    } else {
      engine = std::make_shared<const Engine>(current.get()->without(gone).with(come));
    }
    std::vector<std::string> told;
    for (const FieldError& error : engine->problems()) told.push_back(message(error));
    current.put(std::move(engine));
    const std::lock_guard lock(mutex);
    problems = std::move(told);
    ++generation;
    if (!std::exchange(ready, true))
      log_info("the cluster's policies are in force",
               {{"problems", std::to_string(problems.size())}});
  }
};

ClusterSource::ClusterSource(ApiClient& client, ClusterSourceOptions options, Metrics& metrics)
    : impl_(std::make_unique<Impl>(client, std::move(options), metrics)) {}

ClusterSource::~ClusterSource() = default;

std::string ClusterSource::start() {
  std::string problem = impl_->read_configuration();
  if (!problem.empty()) return problem;
  impl_->builder = std::jthread([this](const std::stop_token& stop) { impl_->make_engines(stop); });
  for (const auto& feed : impl_->feeds) feed->start();
  return {};
}

std::shared_ptr<const Engine> ClusterSource::engine() const {
  return impl_->current.get();
}

SourceStatus ClusterSource::status() const {
  SourceStatus status;
  for (const auto& feed : impl_->feeds) {
    for (std::string stale : {feed->missing(), feed->staleness()})
      if (!stale.empty()) status.stale.push_back(std::move(stale));
    status.watched.push_back(feed->age());
  }
  const std::lock_guard lock(impl_->mutex);
  status.ready = impl_->ready;
  status.generation = impl_->generation;
  status.problems = impl_->problems;
  if (!impl_->configuration_problem.empty()) status.stale.push_back(impl_->configuration_problem);
  return status;
}

void ClusterSource::refresh() {
  std::string problem = impl_->read_configuration();
  const std::lock_guard lock(impl_->mutex);
  if (problem == impl_->configuration_problem) return;
  if (!problem.empty()) log_error("the configuration is not used", {{"problem", problem}});
  impl_->configuration_problem = std::move(problem);
}

}  // namespace support
