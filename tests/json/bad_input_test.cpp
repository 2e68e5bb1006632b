// SPDX-License-Identifier: Apache-2.0
// Whatever is wrong with a request is an error and never a decision, and leaves nothing behind.

#include "../support/evaluate.hpp"

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <schedpol/core/limits.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace bad_input_test {

using schedpol::testing::Json;
using schedpol::testing::verdict_of;

// A request that is allowed, with something in every part.
constexpr std::string_view good_text =
    R"({"id":1,"op":"schedulingPolicy.admit","input":{"pod":{"kind":"Pod","metadata":)"
    R"({"name":"web","labels":{"app":"web"}},"spec":{"nodeSelector":{"disk":"ssd"},)"
    R"("tolerations":[{"key":"gpu","operator":"Exists","tolerationSeconds":30}],)"
    R"("containers":[{"x":1.0e3,"y":[true,false,null]}]}},"policies":[{"metadata":{"name":"p"},)"
    R"("spec":{"allowed":{"schedulerNames":[],"nodeSelectors":{"disk":["ssd","\u00e9"]},)"
    R"("tolerations":[],"affinities":{}}}}],"strategy":"SmartDeepMerge","options":{}}})";

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string result(text);
  const std::size_t at = result.find(what);
  REQUIRE(at != std::string::npos);
  return result.replace(at, what.size(), with);
}

std::string good() {
  return std::string(good_text);
}

// `CODE at FIELD` of an error reply. Anything but an error is a failure, an allowed pod above all.
std::string error_of(std::string_view request) {
  const Json reply(schedpol::testing::evaluated(request));
  REQUIRE(reply.valid());
  CHECK(reply.at("/result") == "absent");
  CHECK(reply.text().find(R"("allowed":true)") == std::string::npos);
  CHECK(reply.text().find('\n') == std::string::npos);
  CHECK(reply.at("/error/message") != R"("")");
  return verdict_of(reply);
}

void check_still_answers() {
  CHECK(verdict_of(Json(schedpol::testing::evaluated(good()))) == "allowed");
}

// A request to admit a pod, with these parts of the input besides it.
std::string admit(std::string_view parts, std::string_view pod = "{}") {
  return std::string(R"({"id":1,"op":"schedulingPolicy.admit","input":{"pod":)")
      .append(pod)
      .append(parts.empty() ? "" : ",")
      .append(parts)
      .append("}}");
}

std::string admit_by(std::string_view policy) {
  return admit(std::string(R"("policies":[)").append(policy).append("]"));
}

struct Case {
  const char* name;
  std::string request;
  const char* error;
};

template <std::size_t N>
void check_errors(const Case (&cases)[N]) {
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(error_of(c.request) == c.error);
    check_still_answers();
  }
}

TEST_CASE("the good request of this file is allowed") {
  check_still_answers();
}

TEST_CASE("what is not JSON is an error") {
  using namespace std::string_literals;
  const Case cases[] = {
      {"empty", "", "InvalidJson at "},
      {"blank", "  \t ", "InvalidJson at "},
      {"a zero byte", "\0"s, "InvalidJson at "},
      {"words", "allow everything", "InvalidJson at "},
      {"YAML", "kind: Pod", "InvalidJson at "},
      {"two requests", good() + good(), "InvalidJson at "},
      {"something after it", good() + "x", "InvalidJson at "},
      {"a byte order mark", "\xEF\xBB\xBF" + good(), "InvalidJson at "},
      {"invalid UTF-8 in a value", replaced(good(), "\"web\"", "\"w\x80\""), "InvalidJson at "},
      {"invalid UTF-8 in a key", replaced(good(), "\"app\"", "\"\xFF\""), "InvalidJson at "},
      {"invalid UTF-8 in the id", replaced(good(), R"("id":1)", "\"id\":\"\xC3\""),
       "InvalidJson at "},
      {"a lone surrogate", replaced(good(), "\"web\"", R"("\udc00")"), "InvalidJson at "},
      {"a raw line break in a text", replaced(good(), "\"web\"", "\"w\nb\""), "InvalidJson at "},
  };
  check_errors(cases);
}

TEST_CASE("a number that nobody reads is kept as it is written, whatever its size") {
  for (const char* number : {"1e999", "99999999999999999999"}) {
    const std::string reply = schedpol::testing::evaluated(replaced(good(), "1.0e3", number));
    CHECK(reply.find(R"("allowed":true)") != std::string::npos);
    CHECK(reply.find(number) != std::string::npos);
  }
}

TEST_CASE("every truncation of a good request is an error, whatever it is cut in") {
  const std::string request = good();
  for (std::size_t size = 0; size < request.size(); ++size) {
    CAPTURE(size);
    // No byte beyond the prefix may be looked at, so it stands alone in memory.
    const std::string prefix = request.substr(0, size);
    CHECK(error_of(prefix) == "InvalidJson at ");
  }
  check_still_answers();
}

TEST_CASE("every good request without one of its bytes is an error or an answer, never a crash") {
  const std::string request = good();
  for (std::size_t at = 0; at < request.size(); ++at) {
    CAPTURE(at);
    std::string shorter = request;
    shorter.erase(at, 1);
    const Json reply(schedpol::testing::evaluated(shorter));
    CHECK(reply.valid());
  }
  check_still_answers();
}

TEST_CASE("what is no request is an error") {
  const Case cases[] = {
      {"a list", "[" + good() + "]", "InvalidRequest at "},
      {"a text", R"("schedulingPolicy.admit")", "InvalidRequest at "},
      {"a number", "5", "InvalidRequest at "},
      {"null", "null", "InvalidRequest at "},
      {"an empty object", "{}", "InvalidRequest at op"},
      {"no op", R"({"id":1,"input":{}})", "InvalidRequest at op"},
      {"op null", R"({"id":1,"op":null,"input":{}})", "InvalidRequest at op"},
      {"op a number", R"({"id":1,"op":5,"input":{}})", "InvalidRequest at op"},
      {"op a list", R"({"id":1,"op":["schedulingPolicy.admit"],"input":{}})",
       "InvalidRequest at op"},
      {"op empty", R"({"id":1,"op":"","input":{}})", "UnknownOp at op"},
      {"op unknown", R"({"id":1,"op":"schedulingPolicy.allow","input":{}})", "UnknownOp at op"},
      {"op in other case", R"({"id":1,"op":"schedulingpolicy.admit","input":{}})",
       "UnknownOp at op"},
      {"op with a zero byte", R"({"id":1,"op":"schedulingPolicy.admit\u0000","input":{}})",
       "UnknownOp at op"},
      {"an id that is an object", replaced(good(), R"("id":1)", R"("id":{})"),
       "InvalidRequest at id"},
      {"an id that is a list", replaced(good(), R"("id":1)", R"("id":[1])"),
       "InvalidRequest at id"},
      {"no input", R"({"id":1,"op":"schedulingPolicy.admit"})", "InvalidRequest at input"},
      {"input null", R"({"id":1,"op":"schedulingPolicy.admit","input":null})",
       "InvalidRequest at input"},
      {"input a list", R"({"id":1,"op":"schedulingPolicy.admit","input":[]})",
       "InvalidRequest at input"},
      {"input a text", R"({"id":1,"op":"schedulingPolicy.admit","input":"{}"})",
       "InvalidRequest at input"},
      {"an empty input", R"({"id":1,"op":"schedulingPolicy.admit","input":{}})",
       "InvalidRequest at pod"},
      {"pod null", admit("", "null"), "InvalidRequest at pod"},
      {"an unknown part", admit(R"("polices":[])"), "InvalidRequest at polices"},
      {"an unknown part that is null", admit(R"("x":null)"), "InvalidRequest at x"},
      {"a part of another operation", admit(R"("labels":{})"), "InvalidRequest at labels"},
  };
  check_errors(cases);
}

TEST_CASE("an error echoes the id, once it can be read") {
  struct IdCase {
    const char* request;
    const char* id;
  };
  constexpr IdCase cases[] = {
      {R"({"id":"a","op":"x"})", R"("a")"},
      {R"({"id":5,"op":"x"})", "5"},
      {R"({"id":null,"op":"x"})", "null"},
      {R"({"op":"x"})", "null"},
      {R"({"id":{"a":1},"op":"x"})", "null"},
      {R"({"id":5,"op":"x")", "null"},
      {R"({"input":{"pod":5},"op":"schedulingPolicy.admit","id":"last"})", R"("last")"},
      {R"({"id":5,"op":"x","input":{"a":1,"a":2}})", "5"},
      {R"({"id":5,"op":"x","id":6})", "null"},
  };
  for (const IdCase& c : cases) {
    CAPTURE(c.request);
    const Json reply(schedpol::testing::evaluated(c.request));
    CHECK(reply.at("/id") == c.id);
    CHECK(reply.at("/error") != "absent");
  }
}

TEST_CASE("a duplicate key anywhere is an error, even where nothing looks at it") {
  const Case cases[] = {
      {"in the request", replaced(good(), R"("id":1)", R"("id":1,"id":1)"), "InvalidJson at id"},
      {"the op", replaced(good(), R"("id":1)", R"("op":"x","id":1)"), "InvalidJson at op"},
      {"the input", replaced(good(), R"("id":1)", R"("input":{},"id":1)"), "InvalidJson at input"},
      {"in the input", replaced(good(), R"("options":{})", R"("options":{},"pod":{})"),
       "InvalidJson at pod"},
      {"in the pod", replaced(good(), R"("kind":"Pod")", R"("kind":"Pod","kind":"Pod")"),
       "InvalidJson at pod.kind"},
      {"in labels", replaced(good(), R"("app":"web")", R"("app":"a","\u0061pp":"b")"),
       "InvalidJson at pod.metadata.labels.app"},
      {"in what is not looked at", replaced(good(), R"("x":1.0e3)", R"("x":1,"x":2)"),
       "InvalidJson at pod.spec.containers[0].x"},
      {"in a policy", replaced(good(), R"("affinities":{})", R"("affinities":{},"affinities":{})"),
       "InvalidJson at policies[0].spec.allowed.affinities"},
      {"a widened list", replaced(good(), R"("nodeSelectors":{)", R"("nodeSelectors":{"disk":[],)"),
       "InvalidJson at policies[0].spec.allowed.nodeSelectors.disk"},
      {"in the options",
       replaced(good(), R"("options":{})",
                R"("options":{"nodeName":"Ignore","nodeName":"Ignore"})"),
       "InvalidJson at options.nodeName"},
      {"behind a number of 64 bits",
       replaced(good(), R"("id":1)", R"("n":9007199254740992000,"op":"x","id":1)"),
       "InvalidJson at op"},
      {"behind a double", replaced(good(), R"("id":1)", R"("n":1e295,"op":"x","id":1)"),
       "InvalidJson at op"},
  };
  check_errors(cases);
}

TEST_CASE("a pod that cannot be read is an error") {
  const Case cases[] = {
      {"a list", admit("", "[]"), "InvalidObject at pod"},
      {"another kind", admit("", R"({"kind":"Node"})"), "InvalidObject at pod.kind"},
      {"a list of pods", admit("", R"({"kind":"List","items":[]})"), "InvalidObject at pod.kind"},
      {"spec", admit("", R"({"spec":[]})"), "InvalidObject at pod.spec"},
      {"a number for a text", admit("", R"({"spec":{"schedulerName":5}})"),
       "InvalidObject at pod.spec.schedulerName"},
      {"a toleration", admit("", R"({"spec":{"tolerations":[5]}})"),
       "InvalidObject at pod.spec.tolerations[0]"},
      {"in a template", admit("", R"({"kind":"Job","spec":{"template":{"spec":{"nodeName":[]}}}})"),
       "InvalidObject at pod.spec.template.spec.nodeName"},
      {"seconds with a fraction",
       replaced(good(), R"("tolerationSeconds":30)", R"("tolerationSeconds":-1.5e0)"),
       "InvalidObject at pod.spec.tolerations[0].tolerationSeconds"},
  };
  check_errors(cases);
}

TEST_CASE("a policy that cannot be read is an error, not a policy less") {
  const Case cases[] = {
      {"no list", admit(R"("policies":{})"), "InvalidObject at policies"},
      {"a name", admit_by(R"("restricted")"), "InvalidObject at policies[0]"},
      {"null", admit_by("null"), "InvalidObject at policies[0].metadata.name"},
      {"without a name", admit_by(R"({"spec":{}})"), "InvalidObject at policies[0].metadata.name"},
      {"an unknown field", admit_by(R"({"metadata":{"name":"p"},"spec":{"allow":{}}})"),
       "InvalidObject at policies[0].spec.allow"},
      {"an unknown field in the second",
       admit_by(R"({"metadata":{"name":"p"}},{"metadata":{"name":"q"},"spec":{"required":
                   {"schedulerName":"a"}}})"),
       "InvalidObject at policies[1].spec.required.schedulerName"},
      {"a section without a name", admit_by(R"({"metadata":{"name":"p"},"spec":{"":{}}})"),
       "InvalidObject at policies[0].spec."},
      {"another kind", admit_by(R"({"kind":"RuntimeClass","metadata":{"name":"p"}})"),
       "InvalidObject at policies[0].kind"},
      {"two of one name",
       admit_by(R"({"metadata":{"name":"p"}},{"metadata":{"name":"q"}},{"metadata":{"name":"p"}})"),
       "InvalidObject at policies[2].metadata.name"},
      {"both spellings of a field", admit_by(R"({"metadata":{"name":"p"},"spec":{"required":
                   {"schedulerNames":["a"],"SchedulerNames":["b"]}}})"),
       "InvalidObject at policies[0].spec.required.SchedulerNames"},
      {"both spellings of the kind",
       admit_by(R"({"kind":"SchedulingPolicy","Kind":"SchedulingPolicy","metadata":{"name":"p"}})"),
       "InvalidObject at policies[0].Kind"},
      {"both spellings of the affinities",
       admit_by(R"({"metadata":{"name":"p"},"spec":{"allowedAffinities":{},
                   "allowed":{"affinities":{"nodeAffinities":{}}}}})"),
       "InvalidObject at policies[0].spec.allowedAffinities"},
      {"a text for a list", admit_by(R"({"metadata":{"name":"p"},"spec":{"allowed":
                                        {"schedulerNames":"default-scheduler"}}})"),
       "InvalidObject at policies[0].spec.allowed.schedulerNames"},
      {"null in a list of names", admit_by(R"({"metadata":{"name":"p"},"spec":{"allowed":
                                              {"schedulerNames":[null]}}})"),
       "InvalidObject at policies[0].spec.allowed.schedulerNames[0]"},
  };
  check_errors(cases);
}

TEST_CASE("an unknown strategy or option is an error, never the default") {
  const Case cases[] = {
      {"strategy", admit(R"("strategy":"Smart")"), "InvalidRequest at strategy"},
      {"strategy in other case", admit(R"("strategy":"smartDeepMerge")"),
       "InvalidRequest at strategy"},
      {"strategy a number", admit(R"("strategy":1)"), "InvalidRequest at strategy"},
      {"strategy a list", admit(R"("strategy":["SimpleMerge"])"), "InvalidRequest at strategy"},
      {"options a list", admit(R"("options":[])"), "InvalidRequest at options"},
      {"an unknown option", admit(R"("options":{"ignoreEverything":true})"),
       "InvalidRequest at options.ignoreEverything"},
      {"required affinity", admit(R"("options":{"requiredAffinity":"Any"})"),
       "InvalidRequest at options.requiredAffinity"},
      {"node name", admit(R"("options":{"nodeName":"ignore"})"),
       "InvalidRequest at options.nodeName"},
      {"node name a bool", admit(R"("options":{"nodeName":true})"),
       "InvalidRequest at options.nodeName"},
      {"exempt tolerations", admit(R"("options":{"exemptTolerations":[{"keys":["a"]}]})"),
       "InvalidRequest at options.exemptTolerations[0].keys"},
      {"exempt node selector", admit(R"("options":{"exemptNodeSelector":["a"]})"),
       "InvalidRequest at options.exemptNodeSelector"},
      {"the cluster's class", admit(R"("options":{"globalDefaultPriorityClass":[]})"),
       "InvalidRequest at options.globalDefaultPriorityClass"},
  };
  check_errors(cases);
}

TEST_CASE("what is too deep, too long or too much is an error") {
  const auto levels = [](std::string_view open, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += open;
    return text;
  };
  const std::string deep_list = levels("[", 100000) + "1" + levels("]", 100000);
  const std::string deep_map = levels(R"({"a":)", 100000) + "1" + levels("}", 100000);
  const std::string long_text = "\"" + std::string(50U << 20U, 'a') + "\"";
  std::string tolerations = "[{}";
  for (std::size_t i = 0; i < schedpol::max_tolerations; ++i) tolerations += ",{}";
  tolerations += "]";
  const Case cases[] = {
      {"100,000 levels of lists", deep_list, "LimitExceeded at "},
      {"100,000 levels of maps", deep_map, "LimitExceeded at "},
      {"100,000 levels in a pod", admit("", R"({"spec":{"x":)" + deep_list + "}}"),
       "LimitExceeded at "},
      {"50 MB in a pod", admit("", R"({"spec":{"schedulerName":)" + long_text + "}}"),
       "LimitExceeded at "},
      {"50 MB in the id", replaced(good(), R"("id":1)", R"("id":)" + long_text),
       "LimitExceeded at "},
      {"50 MB of spaces", std::string(50U << 20U, ' ') + good(), "LimitExceeded at "},
      {"too many tolerations", admit("", R"({"spec":{"tolerations":)" + tolerations + "}}"),
       "LimitExceeded at pod.spec.tolerations"},
  };
  check_errors(cases);
}

TEST_CASE("a policy with more than one may have is an error, whatever else is wrong with it") {
  const auto policy = [](const std::string& name, std::string_view spec = "{}") {
    return R"({"metadata":{"name":")" + name + R"("},"spec":)" + std::string(spec) + "}";
  };
  const std::string too_long(schedpol::max_subdomain_bytes + 1, 'a');
  const std::string long_scheduler = R"("schedulerNames":[")" + too_long + R"("])";
  const Case cases[] = {
      {"its name", admit_by(policy("p") + "," + policy(too_long)),
       "LimitExceeded at policies[1].metadata.name"},
      {"a name in it",
       admit_by(policy("p") + "," + policy("q", R"({"allowed":{)" + long_scheduler + "}}")),
       "LimitExceeded at policies[1].spec.allowed.schedulerNames[0]"},
      {"after what is no limit",
       admit_by(policy(
           "p", R"({"required":{"nodeSelectors":{"a b":[]}},"allowed":{)" + long_scheduler + "}}")),
       "LimitExceeded at policies[0].spec.allowed.schedulerNames[0]"},
      {"the first of two policies",
       admit_by(policy("p", R"({"allowed":{)" + long_scheduler + "}}") + "," + policy(too_long)),
       "LimitExceeded at policies[0].spec.allowed.schedulerNames[0]"},
  };
  check_errors(cases);
  CHECK(schedpol::testing::Json(schedpol::testing::evaluated(admit_by(
                                    policy("p", R"({"required":{"nodeSelectors":{"a b":[]}}})"))))
            .at("/error") == "absent");
}

TEST_CASE("of several parts that are wrong the first that is read is told, in words") {
  const auto error = [](const std::string& input) {
    return schedpol::testing::Json(schedpol::testing::ask("runtimeClass.verify", input))
        .at("/error");
  };
  const std::string a = R"({"metadata":{"name":"a"}})";
  CHECK(error(R"({"pod":{"spec":5},"runtimeClasses":[{"metadata":5}]})").find("pod.spec") !=
        std::string::npos);
  CHECK(error(R"({"pod":{},"runtimeClasses":[)" + a + "," + a + R"(,null],"more":1})") ==
        R"({"code":"InvalidObject","message":"`runtimeClasses[1].metadata.name`: duplicate value )"
        R"(`a`: another object has this name","field":"runtimeClasses[1].metadata.name"})");
  CHECK(
      error(R"({"pod":{},"runtimeClasses":[null]})") ==
      R"({"code":"InvalidObject","message":"`runtimeClasses[0].metadata.name`: required value: an )"
      R"(object is told by its name","field":"runtimeClasses[0].metadata.name"})");
}

TEST_CASE("lists hold as many objects as the document has bytes for, and 4,096 in any case") {
  using schedpol::max_listed_objects;
  constexpr std::string_view exists = R"({"key":"a","operator":"Exists"},)";
  static_assert(exists.size() == schedpol::min_bytes_of_listed);
  const auto terms = [](std::size_t count, std::string_view item) {
    std::string list;
    for (std::size_t i = 0; i < count; ++i) list += item;
    list.back() = ']';
    return admit("", R"({"spec":{"affinity":{"nodeAffinity":{)"
                     R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":)"
                     R"([{"matchExpressions":[)" +
                         list + "}]}}}}}");
  };
  const std::string limit =
      "LimitExceeded at pod.spec.affinity.nodeAffinity."
      "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions";
  CHECK(verdict_of(Json(schedpol::testing::evaluated(terms(max_listed_objects - 1, "{},")))) !=
        limit);
  CHECK(error_of(terms(max_listed_objects, "{},")) == limit);
  CHECK(verdict_of(Json(schedpol::testing::evaluated(terms(2 * max_listed_objects, exists)))) !=
        limit);
  CHECK(error_of(terms(2 * max_listed_objects, R"({"key":"a"},)")) == limit);
}

TEST_CASE("levels that are never closed are an error") {
  const std::string open(100000, '[');
  const Json reply(schedpol::testing::evaluated(open));
  CHECK(reply.valid());
  CHECK(reply.at("/error") != "absent");
  check_still_answers();
}

TEST_CASE("long texts within the limit are answered, and shown shortened") {
  const std::string name(1U << 20U, 'a');
  const Json reply(
      schedpol::testing::evaluated(admit(R"("policies":[{"metadata":{"name":"p"}}])",
                                         R"({"spec":{"schedulerName":")" + name + R"("}})")));
  CHECK(verdict_of(reply) == "SchedulerNameNotAllowed spec.schedulerName");
  CHECK(reply.string_at("/result/violations/0/value") == name);
  CHECK(reply.string_at("/result/violations/0/message").size() < 1000);
}

TEST_CASE("a policy that breaks the rules of policies is listed, and does not permit more") {
  const Json errors(schedpol::testing::evaluated(
      R"({"id":1,"op":"schedulingPolicy.validate","input":{"policy":{"metadata":{"name":"p"},)"
      R"("spec":{"required":{"schedulerNames":[]}}}}})"));
  CHECK(errors.at("/result/errors/0/type") == R"("FieldValueRequired")");
  CHECK(errors.at("/result/errors/0/field") == R"("spec.required.schedulerNames")");
  CHECK(errors.at("/result/errors/1") == "absent");
  const Json reply(schedpol::testing::evaluated(
      admit_by(R"({"metadata":{"name":"p"},"spec":{"required":{"schedulerNames":[]}}})")));
  CHECK(verdict_of(reply) == "SchedulerNameNotAllowed spec.schedulerName");
}

TEST_CASE("messages stay on one line, whatever the input has in it") {
  for (const char* text :
       {R"(a\nb)", R"(\u0000\u001b[31m)", R"(`)", R"(\\)", R"(\")", R"(\u2028)"}) {
    CAPTURE(text);
    const std::string unknown = std::string(R"({"op":")") + text + R"("})";
    CHECK(error_of(unknown) == "UnknownOp at op");
    const Json reply(schedpol::testing::evaluated(
        admit_by(std::string(R"({"metadata":{"name":"p"},"spec":{")") + text + R"(":1}})")));
    CHECK(reply.valid());
    CHECK(reply.at("/error/code") == R"("InvalidObject")");
    CHECK(reply.string_at("/error/message").find('\n') == std::string::npos);
  }
}

TEST_CASE("a null where a policy would give or permit something is an error, not an empty value") {
  const Case cases[] = {
      {"a default toleration",
       admit_by(R"({"metadata":{"name":"p"},"spec":{"default":{"tolerations":[null]}}})"),
       "InvalidObject at policies[0].spec.default.tolerations[0]"},
      {"a default label",
       admit_by(R"({"metadata":{"name":"p"},"spec":{"default":{"nodeSelector":{"disk":null}}}})"),
       "InvalidObject at policies[0].spec.default.nodeSelector[disk]"},
      {"a default term",
       admit_by(R"({"metadata":{"name":"p"},"spec":{"default":{"affinity":{"nodeAffinity":)"
                R"({"requiredDuringSchedulingIgnoredDuringExecution":)"
                R"({"nodeSelectorTerms":[null]}}}}}})"),
       "InvalidObject at policies[0].spec.default.affinity.nodeAffinity."
       "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"},
  };
  check_errors(cases);
}

TEST_CASE("an id that is there twice is not echoed, whatever else is there twice") {
  const Json reply(schedpol::testing::evaluated(R"({"id":1,"a":{"x":1,"x":2},"id":2,"op":"x"})"));
  CHECK(reply.at("/id") == "null");
  const Json other(schedpol::testing::evaluated(R"({"id":1,"a":{"x":1,"x":2},"op":"x"})"));
  CHECK(other.at("/id") == "1");
}

}  // namespace bad_input_test
