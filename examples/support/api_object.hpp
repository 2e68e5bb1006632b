// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What an API server sends of its objects: pages of lists and events of watches, cut into objects
/// that are still JSON. Who wants an object as a value decodes its `json`.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace support {

/// What tells one object of a kind from another.
struct ObjectKey {
  std::string namespace_{};  ///< empty for objects of the cluster
  std::string name{};

  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

/// One object as it came.
struct ApiObject {
  ObjectKey key{};
  std::string resource_version{};
  /// A whole document. Items of a list lack `apiVersion` and `kind`; they are put in.
  std::string json{};
};

/// A kind of objects as a server has them.
struct Collection {
  std::string group{};  ///< empty: the core group
  std::string version{};
  std::string resource{};  ///< in a path: `schedulingpolicies`
  std::string kind{};
  /// What is asked for besides: `fieldSelector=spec.nodeName%21%3D`; empty: all of them.
  std::string query{};
};

/// As RBAC and metrics call it: `RESOURCE.GROUP`, without a group `RESOURCE`.
[[nodiscard]] std::string resource_name(const Collection& collection);

/// `/apis/GROUP/VERSION/RESOURCE`, of all namespaces.
[[nodiscard]] std::string path_of(const Collection& collection);

/// The path of one object of it: `/apis/GROUP/VERSION/namespaces/NAMESPACE/RESOURCE/NAME`.
[[nodiscard]] std::string path_of(const Collection& collection, const ObjectKey& key);

/// A text as the value of a query.
[[nodiscard]] std::string percent_encoded(std::string_view text);

/// One page of a list.
struct ListPage {
  std::vector<ApiObject> objects{};
  std::string resource_version{};
  std::string continue_token{};  ///< empty: the last page
};

/// Nothing where the bytes are no list with objects that have a name.
[[nodiscard]] std::optional<ListPage> read_page(std::string_view bytes);

/// What a server says of a failure.
struct Status {
  int code = 0;  ///< the HTTP status; 0 where it does not say
  std::string message{};
};

/// Of a Status object; empty where the bytes are none.
[[nodiscard]] Status read_status(std::string_view bytes);

/// One line of a watch.
struct WatchEvent {
  enum class Type { added, modified, deleted, bookmark, error };
  Type type = Type::error;
  ApiObject object{};  ///< of a bookmark only the resource version
  Status status{};     ///< of an error
};

/// Nothing where the line is no event that can be used.
[[nodiscard]] std::optional<WatchEvent> read_event(std::string_view line);

}  // namespace support
