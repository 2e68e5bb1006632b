// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reflector: one collection of an API server, followed from when it is started until it ends.
///
/// 1. It is listed, page by page, then watched from the resource version of the list, with
///    bookmarks. A watch that ends goes on from the last resource version that was seen, wherever
///    it was cut.
/// 2. `410 Gone`, as an answer or as an event, any other event of type ERROR, a line that cannot be
///    read, and a request that the server does not know (400, 404) mean that it is listed again.
///    So does whatever may be another history, which a server has whose etcd was set back to a
///    backup: a resource version lower than the last one, and a server that could not be reached
///    when a watch was to begin. The list replaces everything: nothing is lost that is there, nothing
///    stays that is gone.
/// 3. A watch in which nothing comes for too long, not even a bookmark, is given up, and the
///    collection listed at once: a server that was set back would wait for what it was set back to.
///    Where the list has nothing new the collection is a quiet one, and nothing failed.
/// 4. A watch that ends, or is cut off, is begun again at once, one that told nothing once a second: so
///    a server that goes away, and comes back with another history, is seen to be away. Else there is a
///    pause, and after a watch that ended a list; so there is after a list that failed. It is twice as
///    long each time and drawn by lot between half of that and all, up to 30 s, and up to 3 s while
///    there is no connection; `Retry-After` is waited for. After 410 there is none, but once in 30 s.
///    The next pause is a short one after whatever a watch tells, after a quiet watch that missed
///    nothing, and after the first answer of a server that could not be reached.
/// 5. It is stale while it was never listed, or where the server did not speak of it for too long:
///    by a list, the begin of a watch, an event or a bookmark. It is missing where the server
///    answers that it does not know it (404), because its CRD is not installed or was deleted. What
///    is known of it stays then.
/// 6. Its handler is told in steps: which objects are there and which are gone, then that it is in
///    sync. A step is a whole list, or one event. Of a list that fails, what came of it is part of
///    the step of the next one.
/// 7. Failures are logged. Metrics, each by `resource` (`pods`, `roles.rbac.authorization.k8s.io`):
///    `schedpol_watch_age_seconds` since the server last spoke, `schedpol_watch_lists_total` whole
///    lists, `schedpol_watch_events_total` objects added, modified or deleted,
///    `schedpol_watch_failures_total` lists and watches that did not end well,
///    `schedpol_cluster_objects` objects that are there.
///
/// Source: the Kubernetes API concepts (efficient detection of changes, watch bookmarks), and
/// client-go's `Reflector` and `ResourceEventHandler`.

#include "api_client.hpp"
#include "api_object.hpp"
#include "metrics.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace support {

/// Who wants to know. Called by the reflector's own thread, one call at a time.
class ResourceEventHandler {
 public:
  virtual ~ResourceEventHandler() = default;

  /// It is there, and like this: listed, added or modified.
  virtual void updated(ApiObject&& object) = 0;
  /// It was there and is gone: deleted, or not listed any more.
  virtual void deleted(const ObjectKey& key) = 0;
  /// What was told since the last time is all of a step.
  virtual void synced() = 0;
};

class Reflector {
 public:
  /// All that is given has to outlive it. `stale_after`: how long the server may say nothing; a
  /// request for a watch is given up after half of that.
  Reflector(ApiClient& client, Collection collection, ResourceEventHandler& handler,
            Metrics& metrics, std::chrono::seconds stale_after);
  /// Stops it and waits until it has ended.
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void start();

  /// Why what is known should not be relied on: `pods: not listed yet: ...`; empty: nothing. Any
  /// thread may ask.
  [[nodiscard]] std::string staleness() const;

  /// That the server does not know the collection: `roles: ...: 404: ...`; empty: it does. Any thread
  /// may ask.
  [[nodiscard]] std::string missing() const;

  /// How far behind the server it may be: `pods: heard of 12 s ago`. Any thread may ask.
  [[nodiscard]] std::string age() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace support
