// SPDX-License-Identifier: Apache-2.0
#include "reflector.hpp"

#include "backoff.hpp"
#include "log.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

namespace support {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds longest_pause(30'000);
/// So that everything is current a few seconds after a server is back.
constexpr std::chrono::milliseconds longest_pause_unreachable(3'000);
/// Of what a server asks for.
constexpr std::chrono::seconds longest_retry_after(300);
/// `410 Gone`.
constexpr int gone_status = 410;
constexpr int not_found_status = 404;
/// After which the server is asked to end a watch, at the earliest.
constexpr std::chrono::seconds watch_time(300);
/// Between two watches that are begun at once though the ones before them told nothing.
constexpr std::chrono::seconds between_quiet_watches(1);

/// Whether going on from the last resource version would fail again.
bool has_to_list_again(const CallError& error) {
  switch (error.reason) {
    case CallError::Reason::silent:
    case CallError::Reason::too_long:
    case CallError::Reason::unreadable: return true;
    case CallError::Reason::refused:
      return error.status == 400 || error.status == not_found_status || error.status == gone_status;
    case CallError::Reason::stopped:
    case CallError::Reason::unreachable: return false;
  }
  return true;
}

/// Whether one resource version is older than another. They are whole numbers, as Kubernetes has
/// them; any others are not compared.
bool is_before(std::string_view version, std::string_view other) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.front() != '0' &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (!is_number(version) || !is_number(other)) return false;
  return version.size() != other.size() ? version.size() < other.size() : version < other;
}

/// What is told of a watch, which those that read metrics may still ask when it has ended.
struct Told {
  mutable std::mutex mutex{};
  bool synced = false;  ///< there was a whole list
  /// When the server last spoke of the collection; before that, when the watch was made.
  Clock::time_point heard = Clock::now();
  std::string problem{};  ///< the last failure; empty: none since the server last spoke
  std::string missing{};  ///< how the server said that it does not know it; empty: it does

  [[nodiscard]] double age() const {
    const std::lock_guard lock(mutex);
    return std::chrono::duration<double>(Clock::now() - heard).count();
  }
};

}  // namespace

struct Reflector::Impl {
  Impl(ApiClient& api_client, Collection what, ResourceEventHandler& who, Metrics& metrics,
       std::chrono::seconds how_long)
      : client(api_client),
        collection(std::move(what)),
        resource(resource_name(collection)),
        handler(who),
        stale_after(how_long),
        target(path_of(collection) + (collection.query.empty() ? "" : '?' + collection.query)),
        lists(count(metrics, "schedpol_watch_lists_total", "Whole lists of a resource.")),
        events(count(metrics, "schedpol_watch_events_total",
                     "Objects that were added, modified or deleted.")),
        failures(count(metrics, "schedpol_watch_failures_total",
                       "Lists and watches that did not end well.")),
        objects(metrics.gauges("schedpol_cluster_objects", "Objects that are known.", {"resource"})
                    .with({resource})) {
    Gauge& age = metrics
                     .gauges("schedpol_watch_age_seconds",
                             "Since the API server last spoke of a resource.", {"resource"})
                     .with({resource});
    metrics.before_reading([watched = told, &age] { age.set(watched->age()); });
  }

  Counter& count(Metrics& metrics, std::string_view name, std::string_view help) const {
    return metrics.counters(name, help, {"resource"}).with({resource});
  }

  ApiClient& client;
  const Collection collection;
  const std::string resource;
  ResourceEventHandler& handler;
  const std::chrono::seconds stale_after;
  const std::string target;
  Counter& lists;
  Counter& events;
  Counter& failures;
  Gauge& objects;
  const std::shared_ptr<Told> told = std::make_shared<Told>();
  // Of the thread alone.
  /// What is there, as the handler knows it, with the resource version of each.
  std::map<ObjectKey, std::string> known{};
  std::string resource_version{};  ///< the last that was seen; empty: it has to be listed
  bool was_quiet = false;          ///< it is listed because nothing came
  bool was_unreachable = false;
  bool has_news = false;        ///< the last list had what was not known
  bool begins_at_once = false;  ///< there is no pause before the next watch
  std::optional<Clock::time_point> listed_at_once{};
  std::optional<Clock::time_point> begun_at_once{};
  Backoff backoff{longest_pause};
  std::minstd_rand random{std::random_device{}()};
  std::jthread thread{};

  void heard() {
    const std::lock_guard lock(told->mutex);
    told->heard = Clock::now();
    told->problem.clear();
    told->missing.clear();
  }

  void update(ApiObject&& object) {
    std::string& version = known[object.key];
    has_news = has_news || version != object.resource_version;
    version = object.resource_version;
    handler.updated(std::move(object));
  }
  void remove(const ObjectKey& key) {
    if (known.erase(key) > 0) handler.deleted(key);
  }
  void end_step() {
    handler.synced();
    objects.set(static_cast<double>(known.size()));
    heard();
  }

  std::optional<CallError> list(const std::stop_token& stop) {
    std::map<ObjectKey, std::string> gone = known;
    std::string version;
    has_news = false;
    std::optional<CallError> error = client.list(
        target,
        [&](ListPage&& page) {
          version = std::move(page.resource_version);
          for (ApiObject& object : page.objects) {
            gone.erase(object.key);
            update(std::move(object));
          }
        },
        stop);
    if (error) return error;
    if (version.empty()) {
      return CallError{.reason = CallError::Reason::unreadable,
                       .text = "GET " + path_of(collection) + ": a list without resource version"};
    }
    for (const auto& [key, gone_version] : gone) remove(key);
    has_news = has_news || !gone.empty();
    end_step();
    resource_version = std::move(version);
    lists.add();
    const std::lock_guard lock(told->mutex);
    told->synced = true;
    return std::nullopt;
  }

  /// Takes in one line. What it says is wrong, if anything.
  std::optional<CallError> take(std::string_view line) {
    std::optional<WatchEvent> event = read_event(line);
    const auto unusable = [&](const std::string& why, int status = 0) {
      return CallError{.reason = CallError::Reason::unreadable,
                       .status = status,
                       .text = "watch of " + path_of(collection) + ": " + why};
    };
    if (!event) return unusable("an event that cannot be read");
    if (event->type == WatchEvent::Type::error)
      return unusable(std::to_string(event->status.code) + ": " + event->status.message,
                      event->status.code);
    if (is_before(event->object.resource_version, resource_version))
      return unusable("the resource version went back from " + resource_version + " to " +
                      event->object.resource_version);
    resource_version = event->object.resource_version;
    if (event->type == WatchEvent::Type::deleted) {
      remove(event->object.key);
    } else if (event->type != WatchEvent::Type::bookmark) {
      update(std::move(event->object));
    }
    end_step();
    if (event->type != WatchEvent::Type::bookmark) events.add();
    backoff.reset();
    return std::nullopt;
  }

  std::optional<CallError> follow(const std::stop_token& stop) {
    // Not all of them at the same time, for hours.
    std::uniform_int_distribution<long> draw(watch_time.count(), 2 * watch_time.count());
    const std::string watch_target =
        target + (collection.query.empty() ? '?' : '&') +
        "watch=true&allowWatchBookmarks=true&resourceVersion=" + percent_encoded(resource_version) +
        "&timeoutSeconds=" + std::to_string(draw(random));
    std::optional<CallError> problem;
    bool is_open = false;
    bool has_told = false;
    const WatchHandler on_watch = {.opened =
                                       [&] {
                                         is_open = true;
                                         heard();
                                       },
                                   .event =
                                       [&](std::string_view line) {
                                         problem = take(line);
                                         has_told = true;
                                         return !problem;
                                       }};
    const Clock::time_point begin = Clock::now();
    std::optional<CallError> error =
        client.watch(watch_target, on_watch, std::chrono::milliseconds(stale_after) / 2, stop);
    if (!error) error = std::move(problem);
    // There are servers that send no bookmarks, and quiet collections.
    if (!error && Clock::now() - begin > longest_pause) backoff.reset();
    const bool is_unreachable = error && error->reason == CallError::Reason::unreachable;
    const bool is_over = is_open && (!error || is_unreachable);
    begins_at_once = is_over && (has_told || may_again(begun_at_once, between_quiet_watches));
    // In a pause a server may go away and come back with another history.
    const bool was_away = is_over ? !begins_at_once : is_unreachable;
    if (was_away || (error && has_to_list_again(*error))) resource_version.clear();
    return error;
  }

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const bool anew = resource_version.empty();
      std::optional<CallError> error = anew ? list(stop) : follow(stop);
      if (stop.stop_requested()) return;
      if (!anew && error && error->reason == CallError::Reason::silent) {
        was_quiet = true;
        continue;
      }
      if (anew && std::exchange(was_quiet, false) && !error) {
        if (has_news) {
          fail({.text = "nothing came of a watch that had missed something"});
        } else {
          backoff.reset();
        }
        continue;
      }
      if (error) fail(*error);
      const bool is_unreachable = error && error->reason == CallError::Reason::unreachable;
      if (std::exchange(was_unreachable, is_unreachable) && !is_unreachable) backoff.reset();
      if (is_unreachable) backoff.limit(longest_pause_unreachable);
      // Now and then, for a server that lists well and watches badly.
      if (error && error->status == gone_status && may_again(listed_at_once, longest_pause))
        continue;
      if (std::exchange(begins_at_once, false)) continue;
      const auto retry_after = error ? error->retry_after : std::chrono::seconds(0);
      if (error || !anew) backoff.wait(stop, std::min(retry_after, longest_retry_after));
    }
  }

  void fail(const CallError& error) {
    failures.add();
    log_warning("a watch goes on after a failure",
                {{"resource", resource}, {"problem", error.text}});
    const std::lock_guard lock(told->mutex);
    told->problem = error.text;
    if (error.status == not_found_status) told->missing = error.text;
  }

  /// Whether the last time that this was so is long enough ago.
  static bool may_again(std::optional<Clock::time_point>& last, Clock::duration least) {
    const Clock::time_point now = Clock::now();
    if (last && now - *last < least) return false;
    last = now;
    return true;
  }
};

Reflector::Reflector(ApiClient& client, Collection collection, ResourceEventHandler& handler,
                     Metrics& metrics, std::chrono::seconds stale_after)
    : impl_(std::make_unique<Impl>(client, std::move(collection), handler, metrics, stale_after)) {}

Reflector::~Reflector() = default;

void Reflector::start() {
  impl_->thread = std::jthread([this](const std::stop_token& stop) { impl_->run(stop); });
}

std::string Reflector::staleness() const {
  const Told& told = *impl_->told;
  const double age = told.age();
  const std::lock_guard lock(told.mutex);
  if (told.synced && age <= std::chrono::duration<double>(impl_->stale_after).count()) return {};
  std::string text = impl_->resource + ": ";
  text += told.synced ? "no word of the API server for " +
                            std::to_string(static_cast<std::int64_t>(age)) + " s"
                      : "not listed yet";
  return told.problem.empty() ? text : text + ": " + told.problem;
}

std::string Reflector::missing() const {
  const Told& told = *impl_->told;
  const std::lock_guard lock(told.mutex);
  if (told.missing.empty()) return {};
  return impl_->resource + ": the API server does not know this kind: " + told.missing;
}

std::string Reflector::age() const {
  return impl_->resource + ": heard of " +
         std::to_string(static_cast<std::int64_t>(impl_->told->age())) + " s ago";
}

}  // namespace support
