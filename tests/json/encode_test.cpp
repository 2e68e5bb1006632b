// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/encode.hpp>

#include "encoded.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace encode_test {

using namespace encoded;

using schedpol::testing::operator""_path;

// The JSON of a small value, of which an object is made.
template <class T>
std::string written(const T& value) {
  schedpol::json::detail::Writer out;
  write(out, value);
  return std::move(out).take();
}

TEST_CASE("texts are written as JSON strings") {
  struct Case {
    std::string text;
    const char* json;
  };
  using namespace std::string_literals;
  const Case cases[] = {
      {"", R"("")"},
      {"plain", R"("plain")"},
      {"\"quoted\" \\ a/b", R"("\"quoted\" \\ a/b")"},
      {"\n\r\t", R"("\n\r\t")"},
      {"\b\f\x01\x1F"s, "\"\\u0008\\u000c\\u0001\\u001f\""},
      {"zero\0byte"s, "\"zero\\u0000byte\""},
      {"\x7F", "\"\x7F\""},
      {"\xC3\xBC", "\"\xC3\xBC\""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.json);
    CHECK(encode(c.text) == c.json);
    check_round_trip(c.text);
  }
}

TEST_CASE("objects are closed wherever the memory ends that they are written to") {
  for (const std::size_t end : {std::size_t{4096}, std::size_t{8192}}) {
    for (std::size_t size = end - 60; size < end + 5; ++size) {
      const std::string text(size, 'x');
      const LabelSelector selector = {.match_labels = {{"k", text}}};
      CHECK(encode(selector) == R"({"matchLabels":{"k":")" + text + R"("}})");
    }
  }
}

TEST_CASE("small values have these texts") {
  CHECK(written(true) == "true");
  CHECK(written(false) == "false");
  CHECK(written(std::int32_t{-5}) == "-5");
  CHECK(written(std::numeric_limits<std::int64_t>::max()) == "9223372036854775807");
  CHECK(written(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(written(std::size_t{5}) == "5");
  CHECK(written(5UL) == "5");
  CHECK(written(5ULL) == "5");
  CHECK(written(-5L) == "-5");
  CHECK(written(-5LL) == "-5");
  CHECK(encode(Texts{}) == "[]");
  CHECK(encode(Texts{"a", "b"}) == R"(["a","b"])");
  CHECK(encode(schedpol::Labels{{"b", "2"}, {"a", "1"}}) == R"({"a":"1","b":"2"})");
  CHECK(encode(std::optional<LabelSelector>{}) == "null");
  CHECK(encode(LabelSelector{}) == "{}");
  CHECK(written(OpenEnum<TaintEffect>(TaintEffect::no_execute)) == R"("NoExecute")");
  CHECK(encode(Toleration{}) == "{}");
  CHECK(encode(Toleration{.key = "gpu",
                          .operator_ = TolerationOperator::exists,
                          .effect = TaintEffect::no_execute,
                          .toleration_seconds = 0}) ==
        R"({"key":"gpu","operator":"Exists","effect":"NoExecute","tolerationSeconds":0})");
  CHECK(encode(schedpol::Taint{"spot", "true", TaintEffect::no_schedule}) ==
        R"({"key":"spot","value":"true","effect":"NoSchedule"})");
  CHECK(encode(schedpol::PreferredSchedulingTerm{}) == R"({"weight":0})");
}

TEST_CASE("an error, a violation and a change are written with all they hold") {
  CHECK(encode(schedpol::FieldError{schedpol::ErrorType::not_supported, "kind"_path, "X",
                                    "must be Y"}) ==
        R"({"field":"kind","type":"FieldValueNotSupported","value":"X",)"
        R"("message":"`kind`: unsupported value `X`: must be Y"})");
  CHECK(encode(schedpol::Violation{schedpol::ViolationCode::node_name_not_allowed,
                                   "spec.nodeName"_path,
                                   "n1",
                                   {"a", "b"}}) ==
        R"({"code":"NodeNameNotAllowed","field":"spec.nodeName","value":"n1","permitted":[],)"
        R"("message":"`spec.nodeName`: naming node `n1` goes past every scheduler, )"
        R"(which is not allowed by `a` and `b`","policies":["a","b"]})");
  CHECK(encode(schedpol::Violation{schedpol::ViolationCode::scheduler_name_not_allowed,
                                   "spec.schedulerName"_path,
                                   "x",
                                   {"a", "b", "c", "d", "e", "f", "g"},
                                   {schedpol::testing::List{"s", "t"}, 5}}) ==
        R"({"code":"SchedulerNameNotAllowed","field":"spec.schedulerName","value":"x",)"
        R"("permitted":["s","t"],"morePermitted":5,)"
        R"("message":"`spec.schedulerName`: scheduler `x` is not allowed by `a`, `b`, `c`, `d`, )"
        R"x(`e` and 2 more (permitted: `s`, `t` and 5 more)",)x"
        R"("policies":["a","b","c","d","e"],"morePolicies":2})");
  CHECK(encode(schedpol::Change{"spec.priority"_path, "5", std::nullopt, "a"}) ==
        R"({"field":"spec.priority","from":"5","to":null,"policy":"a"})");
}

TEST_CASE(
    "a policy is written with kind and version, in the usual spellings, without what is absent") {
  CHECK(encode(sp::SchedulingPolicy{}) ==
        R"({"apiVersion":"schedpol.io/v1alpha1","kind":"SchedulingPolicy","metadata":{}})");
  CHECK(encode(sp::restricted()) ==
        R"({"apiVersion":"schedpol.io/v1alpha1","kind":"SchedulingPolicy",)"
        R"("metadata":{"name":"restricted"},)"
        R"("spec":{"allowed":{"schedulerNames":["default-scheduler"]}}})");
  CHECK(encode(sp::privileged()) ==
        R"({"apiVersion":"schedpol.io/v1alpha1","kind":"SchedulingPolicy",)"
        R"("metadata":{"name":"privileged"},"spec":{"allowed":{"schedulerNames":[],)"
        R"("priorityClassNames":[],"nodeSelectors":{},"tolerations":[],"affinities":{},)"
        R"("runtimeClassNames":[],"topologySpreadConstraints":[],"schedulingGates":[],)"
        R"("resourceClaims":[]}}})");
  const auto spec = decode<sp::SchedulingPolicySpec>(R"({
    "allowedAffinities": {"podAffinities": {}},
    "allowed": {"SchedulerNames": [], "priorityClasseNames": ["a"]},
    "default": {"SchedulerName": "s", "priorityClasseName": ""}})");
  REQUIRE(spec);
  CHECK(encode(*spec) == R"({"allowed":{"schedulerNames":[],"priorityClassNames":["a"],)"
                         R"("affinities":{"podAffinities":{}}},)"
                         R"("default":{"schedulerName":"s","priorityClassName":""}})");
}

TEST_CASE("node selector keys are written with null where their values are absent") {
  sp::SchedulingPolicySpec spec;
  spec.allowed.node_selectors = sp::NodeSelectors{{"any", any}, {"none", {}}, {"one", {"a"}}};
  CHECK(encode(spec) == R"({"allowed":{"nodeSelectors":{"any":[],"none":null,"one":["a"]}}})");
  check_round_trip(policy_with(spec));
}

TEST_CASE("a pod stands in its workload, each of the nine kinds") {
  struct Case {
    PodKind kind;
    const char* text;
  };
  constexpr Case cases[] = {
      {PodKind::pod,
       R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"nodeName":"n"}})"},
      {PodKind::pod_template,
       R"({"apiVersion":"v1","kind":"PodTemplate","metadata":{"name":"web"},)"
       R"("template":{"metadata":{"name":"web"},"spec":{"nodeName":"n"}}})"},
      {PodKind::replication_controller,
       R"({"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"web"},)"
       R"("spec":{"template":{"metadata":{"name":"web"},"spec":{"nodeName":"n"}}}})"},
      {PodKind::replica_set,
       R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},)"
       R"("spec":{"template":{"metadata":{"name":"web"},"spec":{"nodeName":"n"}}}})"},
      {PodKind::deployment,
       R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},)"
       R"("spec":{"template":{"metadata":{"name":"web"},"spec":{"nodeName":"n"}}}})"},
      {PodKind::stateful_set,
       R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"web"},)"
       R"("spec":{"template":{"metadata":{"name":"web"},"spec":{"nodeName":"n"}}}})"},
      {PodKind::daemon_set,
       R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"web"},)"
       R"("spec":{"template":{"metadata":{"name":"web"},"spec":{"nodeName":"n"}}}})"},
      {PodKind::job, R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"web"},)"
                     R"("spec":{"template":{"metadata":{"name":"web"},"spec":{"nodeName":"n"}}}})"},
      {PodKind::cron_job, R"({"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"web"},)"
                          R"("spec":{"jobTemplate":{"spec":{"template":{"metadata":{"name":"web"},)"
                          R"("spec":{"nodeName":"n"}}}}}})"},
  };
  std::size_t kinds = 0;
  for (const Case& c : cases) {
    CAPTURE(c.text);
    Pod pod;
    pod.kind = c.kind;
    pod.metadata.name = "web";
    pod.spec.node_name = "n";
    CHECK(encode(pod) == c.text);
    ++kinds;
  }
  CHECK(kinds == std::size(schedpol::pod_kinds));
}

TEST_CASE("a pod is written with all of its fields, a template without a status") {
  Pod pod;
  pod.metadata.deletion_timestamp = "2024-01-01T00:00:00Z";
  pod.spec.runtime_class_name = "gvisor";
  pod.spec.init_containers = {{.name = "i", .resources = {}}};
  pod.spec.containers = {
      {.name = "", .resources = {.requests = {{"cpu", quantity("1")}}, .limits = {}}}};
  pod.status.phase = "Failed";
  CHECK(encode(pod) ==
        R"({"apiVersion":"v1","kind":"Pod",)"
        R"("metadata":{"deletionTimestamp":"2024-01-01T00:00:00Z"},)"
        R"("spec":{"runtimeClassName":"gvisor","initContainers":[{"name":"i"}],)"
        R"("containers":[{"resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":"Failed"}})");
  pod.kind = PodKind::job;
  CHECK(encode(pod).find("status") == std::string::npos);
}

TEST_CASE("a text is escaped wherever it needs to be, however long it is") {
  constexpr std::pair<std::string_view, std::string_view> specials[] = {
      {"\"", R"(\")"}, {"\\", R"(\\)"},  {"\n", R"(\n)"},          {"\x1f", R"(\u001f)"},
      {" ", " "},      {"\x7f", "\x7f"}, {"\xc3\xa9", "\xc3\xa9"}, {"", ""}};
  for (std::size_t size = 0; size < 70; ++size) {
    for (std::size_t at = 0; at <= size; ++at) {
      const std::string head(at, 'h');
      const std::string tail(size - at, 't');
      for (const auto& [special, escaped] : specials) {
        const std::string text = head + std::string(special) + tail;
        const std::string wanted = head + std::string(escaped) + tail;
        schedpol::json::detail::Writer out;
        out += "x";
        schedpol::json::detail::write(out, std::string_view(text));
        if (out.text() != "x\"" + wanted + '"') FAIL_CHECK(out.text());
      }
    }
  }
}

TEST_CASE("what a system reports is written with all its members, empty ones too") {
  CHECK(encode(schedpol::FieldError{schedpol::ErrorType::required, {}, "", ""}) ==
        R"({"field":"","type":"FieldValueRequired","value":"","message":"required value"})");
  CHECK(encode(schedpol::Change{{}, std::nullopt, "5", ""})
            .starts_with(R"({"field":"","from":null,"to":"5","policy":"")"));
  CHECK(encode(schedpol::pod_scheduling_policy::Skipped{"p", "spec.nodeName"_path, "why"}) ==
        R"({"policy":"p","field":"spec.nodeName","reason":"why"})");
  namespace mp = schedpol::metadata_policy;
  CHECK(encode(mp::RuleName{"p", 3}) == R"({"policy":"p","rule":3})");
  CHECK(encode(mp::Conflict{"metadata.labels"_path.key("k"), {{{"a", 0}, "1"}, {{"b", 2}, ""}}}) ==
        R"({"field":"metadata.labels[k]","writes":[{"policy":"a","rule":0,"value":"1"},)"
        R"({"policy":"b","rule":2,"value":""}]})");
  CHECK(encode(std::vector<schedpol::Change>{}) == "[]");
}

}  // namespace encode_test
