// SPDX-License-Identifier: Apache-2.0
#pragma once

// Questions of a scheduler, and the policies and nodes they are about.

#include <schedpol/core/limits.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/extend.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json {
namespace extender_requests {

using resource_policy::AssumeCache;
using resource_policy::ResourcePolicy;
using testing::Json;

// Units of the nodes a-*, b-* and ab-*, which is in both.
inline const std::string web = R"({"metadata":{"name":"web","namespace":"shop"},"spec":{
  "podSelector":{"matchLabels":{"app":"web"}},
  "units":[{"name":"a","priority":5,"maxCount":2,"nodeSelector":{"matchExpressions":
              [{"key":"pool","operator":"In","values":["a","ab"]}]}},
           {"name":"b","priority":2,"maxCount":3,"nodeSelector":{"matchExpressions":
              [{"key":"pool","operator":"In","values":["b","ab"]}]}}]}})";
inline const std::string any = R"({"metadata":{"name":"any","namespace":"shop"},"spec":{
  "podSelector":{"matchLabels":{"tier":"any"}},"strategy":"prefer",
  "units":[{"priority":1,"nodeSelector":{"matchLabels":{"pool":"a"}}}]}})";

template <class T>
T read(const std::string& text) {
  auto value = decode<T>(text);
  REQUIRE(static_cast<bool>(value));
  return *std::move(value);
}

inline std::string pod_text(const std::string& name, const std::string& labels,
                            const std::string& on = "") {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":"uid-)" + name +
         R"(","labels":{)" + labels + R"(}},"spec":{"nodeName":")" + on + R"("}})";
}
inline const std::string app_web = R"("app":"web")";

inline std::string node_text(const std::string& name) {
  const std::string pool = name.substr(0, name.find('-'));
  return R"({"metadata":{"name":")" + name + R"(","labels":{"pool":")" + pool +
         R"("}},"status":{"addresses":[{"address":"x"}]}})";
}

/// With pods of the names asked for that wait for a node.
inline AssumeCache state_of(const std::vector<std::string>& policies,
                            const std::vector<std::pair<std::string, std::string>>& bound = {}) {
  AssumeCache state;
  for (const std::string name : {"asked", "p", "p-1", "p-2"})
    state.observe_pod(read<Pod>(pod_text(name, app_web)));
  for (const std::string name : {"a-1", "a-2", "b-1", "ab-1", "c-1"})
    state.observe_node(read<Node>(node_text(name)));
  for (const auto& [name, on] : bound) state.observe_pod(read<Pod>(pod_text(name, app_web, on)));
  std::vector<ResourcePolicy> decoded;
  for (const std::string& policy : policies) decoded.push_back(read<ResourcePolicy>(policy));
  (void)state.set_policies(decoded);
  return state;
}

using Texts = std::vector<std::string>;

inline std::string list_of(const Texts& texts, std::string_view begin, std::string_view end) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ",") + text;
  return std::string(begin) + list + std::string(end);
}
inline std::string names_of(const Texts& nodes) {
  Texts quoted;
  for (const std::string& node : nodes) quoted.push_back("\"" + node + "\"");
  return R"("NodeNames":)" + list_of(quoted, "[", "]");
}
inline std::string whole(const Texts& nodes) {
  Texts texts;
  for (const std::string& node : nodes) texts.push_back(node_text(node));
  return R"("Nodes":{"metadata":{},"items":)" + list_of(texts, "[", "]") + "}";
}
inline std::string asking(const std::string& pod, const std::string& nodes) {
  return R"({"Pod":)" + pod + "," + nodes + "}";
}

}  // namespace extender_requests
}  // namespace SCHEDPOL_NAMESPACE::json
