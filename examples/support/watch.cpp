// SPDX-License-Identifier: Apache-2.0
#include "watch.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>

namespace support {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether going on from the last resource version would fail again.
bool has_to_list_again(const CallError& error) {
  switch (error.reason) {
    case CallError::Reason::silent:
    case CallError::Reason::too_long:
    case CallError::Reason::unreadable: return true;
    case CallError::Reason::refused:
      return error.status == 400 || error.status == 404 || error.status == 410;
    case CallError::Reason::stopped:
    case CallError::Reason::unreachable: return false;
  }
  return true;
}

}  // namespace

struct Watch::Impl {
  Impl(ApiClient& api_client, Collection what, CollectionSink& who, WatchLimits how_long)
      : client(api_client),
        collection(std::move(what)),
        sink(who),
        limits(how_long),
        pause(how_long.first_pause) {
    target = path_of(collection);
    if (!collection.query.empty()) target += '?' + collection.query;
  }

  ApiClient& client;
  const Collection collection;
  CollectionSink& sink;
  const WatchLimits limits;
  std::string target;
  mutable std::mutex mutex{};
  WatchState state{};
  // Of the thread alone.
  std::string resource_version{};  ///< the last that was seen; empty: it has to be listed
  std::chrono::milliseconds pause;
  std::minstd_rand random{std::random_device{}()};
  std::condition_variable_any wake{};
  std::jthread thread{};

  void heard(std::uint64_t lists, std::uint64_t events) {
    const std::lock_guard lock(mutex);
    state.heard = Clock::now();
    state.synced = state.synced || lists > 0;
    state.lists += lists;
    state.events += events;
    state.problem.clear();
  }

  std::optional<CallError> list(const std::stop_token& stop) {
    sink.list_begins();
    std::string version;
    std::optional<CallError> error = client.list(
        target,
        [&](ListPage&& page) {
          version = std::move(page.resource_version);
          for (ApiObject& object : page.objects) sink.listed(std::move(object));
        },
        stop);
    if (error) return error;
    if (version.empty()) {
      return CallError{.reason = CallError::Reason::unreadable,
                       .text = "GET " + path_of(collection) + ": a list without resource version"};
    }
    sink.synced();
    resource_version = std::move(version);
    heard(1, 0);
    return std::nullopt;
  }

  /// Takes in one line. What it says is wrong, if anything.
  std::optional<CallError> take(std::string_view line) {
    std::optional<WatchEvent> event = read_event(line);
    const auto unusable = [&](const std::string& why) {
      return CallError{.reason = CallError::Reason::unreadable,
                       .text = "watch of " + path_of(collection) + ": " + why};
    };
    if (!event) return unusable("an event that cannot be read");
    if (event->type == WatchEvent::Type::error)
      return unusable(std::to_string(event->status.code) + ": " + event->status.message);
    std::string version = event->object.resource_version;
    switch (event->type) {
      case WatchEvent::Type::added:
      case WatchEvent::Type::modified: sink.changed(std::move(event->object)); break;
      case WatchEvent::Type::deleted: sink.deleted(std::move(event->object)); break;
      case WatchEvent::Type::bookmark:
      case WatchEvent::Type::error: break;
    }
    resource_version = std::move(version);
    heard(0, event->type == WatchEvent::Type::bookmark ? 0 : 1);
    pause = limits.first_pause;
    return std::nullopt;
  }

  std::optional<CallError> follow(const std::stop_token& stop) {
    // Not all of them at the same time, for hours.
    std::uniform_int_distribution<long> draw(limits.watch.count(), 2 * limits.watch.count());
    const std::string watch_target =
        target + (collection.query.empty() ? '?' : '&') +
        "watch=true&allowWatchBookmarks=true&resourceVersion=" + percent_encoded(resource_version) +
        "&timeoutSeconds=" + std::to_string(draw(random));
    std::optional<CallError> problem;
    const WatchHandler handler = {.opened = [this] { heard(0, 0); },
                                  .event =
                                      [&](std::string_view line) {
                                        problem = take(line);
                                        return !problem;
                                      }};
    const Clock::time_point begin = Clock::now();
    std::optional<CallError> error = client.watch(watch_target, handler, limits.silence, stop);
    if (!error) error = std::move(problem);
    // There are servers that send no bookmarks, and quiet collections.
    if (!error && Clock::now() - begin > limits.longest_pause) pause = limits.first_pause;
    if (error && has_to_list_again(*error)) resource_version.clear();
    return error;
  }

  /// Until it is time for the next try.
  void rest(std::chrono::seconds retry_after, const std::stop_token& stop) {
    const std::chrono::milliseconds least = std::min(retry_after, limits.longest_retry_after);
    std::uniform_int_distribution<long> draw(pause.count() / 2, pause.count());
    const std::chrono::milliseconds time = std::max(least, std::chrono::milliseconds(draw(random)));
    pause = std::min(2 * pause, limits.longest_pause);
    std::unique_lock lock(mutex);
    wake.wait_for(lock, stop, time, [] { return false; });
  }

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const bool lists = resource_version.empty();
      const std::optional<CallError> error = lists ? list(stop) : follow(stop);
      if (stop.stop_requested()) return;
      if (error) {
        {
          const std::lock_guard lock(mutex);
          ++state.failures;
          state.problem = error->text;
        }
        sink.failed(error->text);
      }
      if (error || !lists) rest(error ? error->retry_after : std::chrono::seconds(0), stop);
    }
  }
};

Watch::Watch(ApiClient& client, Collection collection, CollectionSink& sink, WatchLimits limits)
    : impl_(std::make_unique<Impl>(client, std::move(collection), sink, limits)) {}

Watch::~Watch() = default;

void Watch::start() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->state.heard = Clock::now();
  }
  impl_->thread = std::jthread([this](const std::stop_token& stop) { impl_->run(stop); });
}

WatchState Watch::state() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->state;
}

const Collection& Watch::collection() const noexcept {
  return impl_->collection;
}

}  // namespace support
