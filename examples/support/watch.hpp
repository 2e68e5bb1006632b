// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Watch: one collection of an API server, followed from the moment it is started until it ends.
///
/// 1. It is listed, page by page, then watched from the resource version of the list, with
///    bookmarks. A watch that ends goes on from the last resource version that was seen, wherever
///    it was cut.
/// 2. `410 Gone`, as an answer or as an event, any other event of type ERROR, a line that cannot be
///    read, and a request that the server does not know (400, 404) mean that it is listed again.
///    The list replaces everything: nothing is lost that is there, nothing stays that is gone.
/// 3. A watch in which nothing comes for too long, not even a bookmark, is given up, and the
///    collection listed again: a server that was set back would wait for what it was set back to.
/// 4. Between two watches, and after a list that failed, there is a pause, twice as long each time
///    and drawn by lot between half of that and all, up to a limit; `Retry-After` is waited for.
///    What a watch tells makes the next pause a short one.
/// 5. How long ago the server last spoke is told, and what the last failure was.
///
/// Source: the Kubernetes API concepts (efficient detection of changes, watch bookmarks).

#include "api_client.hpp"
#include "api_object.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace support {

/// Who wants to know. Called by the watch's own thread, one call at a time.
class CollectionSink {
 public:
  virtual ~CollectionSink() = default;

  /// A list begins. What is `listed` from now on replaces everything when it is `synced`; if the
  /// list fails, another one begins.
  virtual void list_begins() = 0;
  virtual void listed(ApiObject&& object) = 0;
  virtual void synced() = 0;

  /// Added or modified; which of the two makes no difference.
  virtual void changed(ApiObject&& object) = 0;
  virtual void deleted(ApiObject&& object) = 0;

  /// A list or a watch did not end well; it is tried again.
  virtual void failed(const std::string& /*problem*/) {}
};

struct WatchLimits {
  std::chrono::milliseconds first_pause{500};
  std::chrono::milliseconds longest_pause{30'000};
  std::chrono::seconds longest_retry_after{300};  ///< of what a server asks for
  std::chrono::seconds watch{300};             ///< after which the server is asked to end a watch
  std::chrono::milliseconds silence{150'000};  ///< bookmarks come every minute
};

/// How a watch stands.
struct WatchState {
  bool synced = false;  ///< there was a whole list
  /// When the server last spoke of the collection: the end of a list, the begin of a watch, an
  /// event or a bookmark. Of one that never did, when it was started.
  std::chrono::steady_clock::time_point heard{};
  std::uint64_t lists = 0;     ///< whole ones
  std::uint64_t events = 0;    ///< added, modified, deleted
  std::uint64_t failures = 0;  ///< of lists and watches
  std::string problem{};       ///< the last failure; empty: none since the server last spoke
};

class Watch {
 public:
  /// All that is given has to outlive it.
  Watch(ApiClient& client, Collection collection, CollectionSink& sink, WatchLimits limits = {});
  /// Stops it and waits until it has ended.
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void start();

  /// Any thread may ask.
  [[nodiscard]] WatchState state() const;
  [[nodiscard]] const Collection& collection() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace support
