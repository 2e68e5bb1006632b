// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/impl/covered_tolerations.hpp>

#include "../support/print.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace covered_tolerations_test {

using namespace schedpol;
using namespace schedpol::engine::detail;
using engine::Step;
using Tolerations = std::vector<Toleration>;

constexpr auto exists = TolerationOperator::exists;
constexpr auto no_schedule = TaintEffect::no_schedule;
constexpr auto no_execute = TaintEffect::no_execute;

const Toleration any_gpu{.key = "gpu", .operator_ = exists};
const Toleration gpu_a{.key = "gpu", .value = "a", .effect = no_schedule};
const Toleration spot{.key = "spot", .operator_ = exists};

TEST_CASE("the API server adds a default toleration where none is about its taint") {
  using schedpol::detail::existing;
  const std::string not_ready(schedpol::detail::not_ready_taint);
  const std::string unreachable(schedpol::detail::unreachable_taint);
  const Tolerations usual = {existing(not_ready, no_execute, 300),
                             existing(unreachable, no_execute, 300), existing("gpu", no_schedule)};
  struct Case {
    const char* name;
    Tolerations own;
    std::vector<std::string> added;
  };
  const Case cases[] = {
      {"none", {}, {not_ready, unreachable}},
      {"of one of the taints", {existing(not_ready, no_execute, 5)}, {unreachable}},
      {"of one of them, with every effect", {existing(not_ready, {})}, {unreachable}},
      {"of one of them, with another effect",
       {existing(not_ready, no_schedule)},
       {not_ready, unreachable}},
      {"of every taint", {existing("", {})}, {}},
      {"of every taint with the effect", {existing("", no_execute)}, {}},
      {"of every taint with another effect", {existing("", no_schedule)}, {not_ready, unreachable}},
      {"of another taint", {existing("spot", no_execute)}, {not_ready, unreachable}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    std::vector<std::string> added;
    for (const Toleration& each : added_to_every_pod(c.own, usual)) added.push_back(each.key);
    CHECK(added == c.added);
  }
}

/// A template without what a class covers of it: what it had between is left.
struct Uncovered {
  const std::vector<Step> no_steps{};
  const std::vector<SharedSystem> no_systems{};
  Pod of_template;
  CoveredTolerations covered;

  Uncovered(Tolerations of_class, Tolerations own)
      : of_template(Pod{.kind = PodKind::deployment, .spec = {.tolerations = std::move(own)}}),
        covered(of_template,
                MergedTolerations{std::move(of_class),
                                  {PodWriter::user, {}, nullptr, no_steps, no_systems}}) {}
};

const FieldPath list_of_template = field_path(PodKind::deployment, {"spec", "tolerations"});

/// Of tolerations those at a place, of others their field.
Change change_at(std::size_t at, std::optional<std::string> from, std::optional<std::string> to) {
  return {list_of_template.index(at), std::move(from), std::move(to)};
}
const Change other_change{template_path(PodKind::deployment).child("spec").child("schedulerName"),
                          std::nullopt, "batch"};

TEST_CASE("what is covered stands at its place again, and what was given behind it") {
  const Toleration arm{.key = "arm", .operator_ = exists};
  const Toleration far{.key = "far", .operator_ = exists};
  const Toleration spot_a{.key = "spot", .value = "a"};
  struct Case {
    const char* name;
    Tolerations own;
    Tolerations left;
    Tolerations got;  ///< in place of those
    std::vector<Change> changes;
    Tolerations whole;
    std::vector<Change> in_whole;
  };
  const Case cases[] = {
      {"where nothing is covered",
       {spot},
       {spot},
       {spot, far},
       {other_change, change_at(1, {}, "far")},
       {spot, far},
       {other_change, change_at(1, {}, "far")}},
      {"where one before and one between the others is",
       {gpu_a, spot, gpu_a, arm},
       {spot, arm},
       {spot_a, arm, far, spot},
       {change_at(0, "spot", "spot_a"), other_change, change_at(2, {}, "far"),
        change_at(3, {}, "spot")},
       {gpu_a, spot_a, gpu_a, arm, far, spot},
       {change_at(1, "spot", "spot_a"), other_change, change_at(4, {}, "far"),
        change_at(5, {}, "spot")}},
      {"where it is given again, which is no change",
       {spot, gpu_a},
       {spot},
       {spot, gpu_a, far},
       {change_at(1, {}, "gpu"), change_at(2, {}, "far")},
       {spot, gpu_a, far},
       {change_at(2, {}, "far")}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Uncovered made({any_gpu}, c.own);
    CHECK(made.of_template.spec.tolerations == c.left);
    made.of_template.spec.tolerations = c.got;
    made.covered.restore(made.of_template);
    CHECK(made.of_template.spec.tolerations == c.whole);
    std::vector<Change> changes = c.changes;
    made.covered.restore_injected(changes);
    CHECK(changes == c.in_whole);
  }
}

TEST_CASE("what is covered stands at its place again after edits, and what was added behind it") {
  const Toleration arm{.key = "arm", .operator_ = exists};
  const Toleration far{.key = "far", .operator_ = exists};
  const Toleration near{.key = "near", .operator_ = exists};
  struct Case {
    const char* name;
    Tolerations edited;  ///< of `spot` and `arm`
    std::vector<Change> changes;
    Tolerations whole;
    std::vector<Change> in_whole;
  };
  const Case cases[] = {
      {"the first gone, and one at the end",
       {arm, far},
       {other_change, change_at(0, "spot", {}), change_at(1, {}, "far")},
       {gpu_a, gpu_a, arm, far},
       {other_change, change_at(1, "spot", {}), change_at(3, {}, "far")}},
      {"the last gone",
       {spot},
       {change_at(1, "arm", {}), other_change},
       {gpu_a, spot, gpu_a},
       {change_at(3, "arm", {}), other_change}},
      {"another one in the place of one, and two more",
       {far, spot, near, arm},
       {change_at(0, {}, "far"), change_at(2, {}, "near"), change_at(1, "arm", "arm")},
       {gpu_a, spot, gpu_a, arm, far, near},
       {change_at(4, {}, "far"), change_at(5, {}, "near"), change_at(3, "arm", "arm")}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Uncovered made({any_gpu}, {gpu_a, spot, gpu_a, arm});
    made.of_template.spec.tolerations = c.edited;
    std::vector<Change> changes = c.changes;
    made.covered.restore_edited(made.of_template, changes);
    CHECK(made.of_template.spec.tolerations == c.whole);
    CHECK(changes == c.in_whole);
  }
}

}  // namespace covered_tolerations_test
