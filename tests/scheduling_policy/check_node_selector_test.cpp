// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/check.hpp>

#include "checked.hpp"

#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace check_node_selector_test {

using namespace checked;

TEST_CASE("node selectors: required keys have a listed value, the others are permitted") {
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    Labels node_selector;
    List wanted;
  };
  const auto required = [](AnyOr<NodeSelectors> selectors) {
    return SchedulingPolicySpec{.required = {.node_selectors = std::move(selectors)}};
  };
  const auto allowed = [](AnyOr<NodeSelectors> selectors) {
    return SchedulingPolicySpec{.allowed = {.node_selectors = std::move(selectors)}};
  };
  const List disk_required = {"NodeSelectorRequired spec.nodeSelector[disk]"};
  const List disk_not_allowed = {"NodeSelectorNotAllowed spec.nodeSelector[disk]"};
  const Case cases[] = {
      {"absent everywhere, none is allowed", {}, {{"disk", "ssd"}}, disk_not_allowed},
      {"a pod without one asks for nothing", {}, {}, {}},
      {"allowed {} is any key", allowed(any), {{"disk", "ssd"}, {"zone", ""}}, {}},
      {"allowed KEY: [] is any value", allowed({{"disk", any}}), {{"disk", "ssd"}}, {}},
      {"and no other key", allowed({{"zone", any}}), {{"disk", "ssd"}}, disk_not_allowed},
      {"a listed value is allowed", allowed({{"disk", {"hdd", "ssd"}}}), {{"disk", "ssd"}}, {}},
      {"another value is not", allowed({{"disk", {"hdd"}}}), {{"disk", "ssd"}}, disk_not_allowed},
      {"an allowed key is not needed", allowed({{"disk", {"ssd"}}}), {}, {}},
      {"of several allowed keys one may be used",
       allowed({{"disk", {"ssd"}}, {"os", {"linux"}}}),
       {{"os", "linux"}},
       {}},
      {"or all",
       allowed({{"disk", {"ssd"}}, {"os", {"linux"}}}),
       {{"disk", "ssd"}, {"os", "linux"}},
       {}},
      {"a null entry permits nothing",
       allowed({{"disk", absent}}),
       {{"disk", "ssd"}},
       disk_not_allowed},
      {"also not the empty value", allowed({{"disk", absent}}), {{"disk", ""}}, disk_not_allowed},
      {"and does not turn its map into {}",
       allowed({{"zone", absent}}),
       {{"disk", "ssd"}},
       disk_not_allowed},
      {"the empty value is a value", allowed({{"disk", {""}}}), {{"disk", ""}}, {}},
      {"a required key with a listed value",
       required({{"disk", {"hdd", "ssd"}}}),
       {{"disk", "ssd"}},
       {}},
      {"a required key with another value",
       required({{"disk", {"hdd"}}}),
       {{"disk", "ssd"}},
       disk_required},
      {"a required key that is missing", required({{"disk", {"ssd"}}}), {}, disk_required},
      {"required KEY: [] is met by any value", required({{"disk", any}}), {{"disk", "x"}}, {}},
      {"but not by a missing key", required({{"disk", any}}), {}, disk_required},
      {"a null requirement is never met",
       required({{"disk", absent}}),
       {{"disk", "ssd"}},
       disk_required},
      {"required {} asks for nothing and permits nothing",
       required(any),
       {{"disk", "ssd"}},
       disk_not_allowed},
      {"what is allowed does not widen what is required",
       {.required = {.node_selectors = NodeSelectors{{"disk", {"ssd"}}}},
        .allowed = {.node_selectors = any}},
       {{"disk", "hdd"}},
       disk_required},
      {"nor does what is given by default",
       {.required = {.node_selectors = NodeSelectors{{"disk", {"ssd"}}}},
        .defaults = {.node_selector = Labels{{"disk", "hdd"}}}},
       {{"disk", "hdd"}},
       disk_required},
      {"a default pair is allowed",
       {.defaults = {.node_selector = Labels{{"disk", "ssd"}}}},
       {{"disk", "ssd"}},
       {}},
      {"a default pair allows no other value",
       {.defaults = {.node_selector = Labels{{"disk", "ssd"}}}},
       {{"disk", "hdd"}},
       disk_not_allowed},
      {"required keys come first, then the pod's, each in byte order",
       required({{"zone", {"a"}}, {"disk", {"ssd"}}}),
       {{"arch", "arm64"}, {"zone", "b"}, {"os", "linux"}},
       {"NodeSelectorRequired spec.nodeSelector[disk]",
        "NodeSelectorRequired spec.nodeSelector[zone]",
        "NodeSelectorNotAllowed spec.nodeSelector[arch]",
        "NodeSelectorNotAllowed spec.nodeSelector[os]"}},
  };
  for (const auto& [name, policy, node_selector, wanted] : cases) {
    CAPTURE(name);
    const auto found =
        check(Pod{.spec = {.node_selector = node_selector}}, merged_with_scheduler(policy));
    CHECK(reasons(found) == wanted);
  }
}

TEST_CASE("a node selector violation shows the pod's value") {
  const auto effective = merged_with_scheduler(
      {.required = {.node_selectors = NodeSelectors{{"arch", {"arm64"}}, {"os", any}}}});
  const auto found =
      check(Pod{.spec = {.node_selector = {{"arch", "amd64"}, {"disk", "ssd"}}}}, effective);
  CHECK(found ==
        std::vector<Violation>{
            {ViolationCode::node_selector_required,
             "spec.nodeSelector[arch]"_path,
             "amd64",
             {"p"},
             {"arm64"}},
            {ViolationCode::node_selector_required, "spec.nodeSelector[os]"_path, "", {"p"}},
            {ViolationCode::node_selector_not_allowed,
             "spec.nodeSelector[disk]"_path,
             "ssd",
             {"p"}}});
}

TEST_CASE("an exempt pair of the node selector needs no permission, and requirements see it") {
  const Options options{.exempt = {.node_selector = {{"disk", "ssd"}}}};
  const auto found = [&](const SchedulingPolicySpec& policy, Labels node_selector) {
    return reasons(check(Pod{.spec = {.node_selector = std::move(node_selector)}},
                         merged_with_scheduler(policy), options));
  };
  CHECK(found({}, {{"disk", "ssd"}}) == List{});
  CHECK(found({}, {{"disk", "hdd"}}) == List{"NodeSelectorNotAllowed spec.nodeSelector[disk]"});
  CHECK(found({}, {{"disk2", "ssd"}}) == List{"NodeSelectorNotAllowed spec.nodeSelector[disk2]"});
  const SchedulingPolicySpec required{.required = {.node_selectors = NodeSelectors{{"disk", any}}}};
  CHECK(found(required, {{"disk", "ssd"}}) == List{});
  CHECK(found(required, {{"disk", "hdd"}}) == List{});
  const SchedulingPolicySpec others{
      .required = {.node_selectors = NodeSelectors{{"disk", {"hdd"}}}}};
  CHECK(found(others, {{"disk", "ssd"}}) == List{"NodeSelectorRequired spec.nodeSelector[disk]"});
}

}  // namespace check_node_selector_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
