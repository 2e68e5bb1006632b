// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/evaluate.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <schedpol/core/workload.hpp>
#include <schedpol/json/apply_patch.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace conformance_test {

#ifndef SCHEDPOL_TEST_CONFORMANCE_DIR
#error "SCHEDPOL_TEST_CONFORMANCE_DIR names the directory of the conformance vectors"
#endif

using schedpol::testing::canonical;
using schedpol::testing::Compare;
using schedpol::testing::Json;
using schedpol::testing::request;
using simdjson::dom::element;
namespace json = schedpol::json;

// The operations that vectors are known for. Another one in a file is a failure, because nothing
// here would say how to compare its result.
constexpr std::array<std::string_view, 21> known_ops = {"affinity.validate",
                                                        "engine.asCreated",
                                                        "engine.suggest",
                                                        "labelSelector.matches",
                                                        "labels.validate",
                                                        "metadataPolicy.admit",
                                                        "nodeAffinity.matches",
                                                        "pod.filterNodes",
                                                        "pod.qosClass",
                                                        "pod.requests",
                                                        "podSchedulingPolicy.inject",
                                                        "quantity.compare",
                                                        "rbac.usablePolicies",
                                                        "resourcePolicy.deletionCosts",
                                                        "resourcePolicy.schedule",
                                                        "runtimeClass.admit",
                                                        "schedulingPolicy.admit",
                                                        "schedulingPolicy.merge",
                                                        "taints.findUntolerated",
                                                        "tolerations.merge",
                                                        "tolerations.validate"};

std::vector<std::filesystem::path> vector_files() {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(SCHEDPOL_TEST_CONFORMANCE_DIR, error)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

// The (code, field) of each violation; each once.
std::set<std::string> violations_of(element violations) {
  std::set<std::string> found;
  for (const auto violation : violations.get_array()) {
    found.insert(std::string(violation["code"].get_string().value()) + " " +
                 std::string(violation["field"].get_string().value()));
  }
  return found;
}

// The same input with another part of that name.
std::string with_part(element input, std::string_view part, std::string_view object) {
  std::string text = "{";
  for (const auto member : input.get_object()) {
    if (text.size() > 1) text += ",";
    text += json::encode(std::string(member.key)) + ":";
    text += member.key == part ? std::string(object) : std::string(simdjson::minify(member.value));
  }
  return text + "}";
}

void check_admitted_spec(element expected_spec, const Json& reply) {
  const auto kind = schedpol::pod_kind(reply.string_at("/result/object/kind"));
  std::string pointer = "/result/object";
  for (const std::string_view step : template_steps(kind.value_or(schedpol::PodKind::pod)))
    pointer.append("/").append(step);
  pointer += "/spec";
  CHECK(canonical(reply.at(pointer), Compare::loosely) ==
        canonical(expected_spec, Compare::loosely));
}

// The field and type of each validation error, in their order.
std::vector<std::string> errors_of(element errors) {
  std::vector<std::string> found;
  for (const auto error : errors.get_array()) {
    found.push_back(std::string(error["type"].get_string().value()) + " " +
                    std::string(error["field"].get_string().value()));
  }
  return found;
}

// The codes that the reasons of a denial are given by, each once.
std::set<std::string> codes_of(element violations) {
  std::set<std::string> found;
  for (const auto violation : violations.get_array()) {
    found.emplace(violation["code"].get_string().value());
  }
  return found;
}
std::set<std::string> texts_of(element list) {
  std::set<std::string> found;
  for (const auto text : list.get_array()) found.emplace(text.get_string().value());
  return found;
}

// What holds for every operation that answers with an object, whatever the vector expects: a patch
// applied to the input gives the object, what is denied is unchanged, and doing it again changes
// nothing.
void check_patch_laws(std::string_view op, std::string_view part, element input,
                      const Json& reply) {
  const std::string before = simdjson::minify(input[part].value());
  const std::string patch = reply.at("/result/patch");
  const auto patched = json::apply_patch(before, patch);
  REQUIRE(patched);
  CHECK(canonical(*patched) == canonical(reply.at("/result/object")));
  if (op != "engine.asCreated") CHECK((patch == "[]") == (reply.at("/result/changes") == "[]"));
  if (reply.at("/result/allowed") == "false") {
    CHECK(patch == "[]");
    CHECK(canonical(reply.at("/result/object")) == canonical(before));
    return;
  }
  // Rules on metadata see what the last pass wrote, so only the others come to rest at once.
  if (op == "metadataPolicy.admit") return;
  const Json again(schedpol::testing::evaluated(
      request(op, with_part(input, part, reply.at("/result/object")))));
  REQUIRE(again.valid());
  CHECK(again.at("/result/allowed") == reply.at("/result/allowed"));
  CHECK(again.at("/result/patch") == "[]");
  CHECK(again.at("/result/changes") == (op == "engine.asCreated" ? "absent" : "[]"));
}

void check_vector(const Json& vector) {
  const std::string op = vector.string_at("/op");
  CAPTURE(op);
  REQUIRE(std::find(known_ops.begin(), known_ops.end(), op) != known_ops.end());
  const Json reply(schedpol::testing::evaluated(vector.text()));
  CAPTURE(reply.text());
  REQUIRE(reply.valid());
  CHECK(reply.at("/id") == vector.at("/id"));
  if (vector.at("/expected/error") == "true") {
    CHECK(reply.at("/error") != "absent");
    return;
  }
  REQUIRE(reply.at("/error") == "absent");
  const element input = vector.root()["input"].value();
  std::size_t compared = 0;
  for (const auto member : vector.root()["expected"].get_object()) {
    const std::string name(member.key);
    CAPTURE(name);
    ++compared;
    if (op != "schedulingPolicy.merge" && name == "spec") {
      check_admitted_spec(member.value, reply);
      continue;
    }
    if (op == "runtimeClass.admit" && name == "reasons") {
      CHECK(codes_of(reply.root()["result"]["violations"].value()) == texts_of(member.value));
      continue;
    }
    if (op == "metadataPolicy.admit" && name == "metadata") {
      CHECK(canonical(reply.at("/result/object/metadata"), Compare::loosely) ==
            canonical(member.value, Compare::loosely));
      continue;
    }
    element actual;
    REQUIRE(reply.root()["result"][name].get(actual) == simdjson::SUCCESS);
    if (name == "violations") {
      CHECK(violations_of(actual) == violations_of(member.value));
    } else if (name == "errors") {
      CHECK(errors_of(actual) == errors_of(member.value));
    } else {
      const bool exactly = op == "schedulingPolicy.merge" && name == "spec";
      const Compare compare = exactly ? Compare::exactly : Compare::loosely;
      CHECK(canonical(actual, compare) == canonical(member.value, compare));
    }
  }
  CHECK(compared > 0);
  if (reply.at("/result/patch") != "absent") {
    const bool is_of_object = op == "metadataPolicy.admit" || op == "engine.asCreated";
    check_patch_laws(op, is_of_object ? "object" : "pod", input, reply);
  }
}

TEST_CASE("every conformance vector is answered as expected") {
  const auto files = vector_files();
  REQUIRE_MESSAGE(!files.empty(), "no vectors in " SCHEDPOL_TEST_CONFORMANCE_DIR);
  for (const auto& file : files) {
    const std::string file_name = file.filename().string();
    CAPTURE(file_name);
    const auto lines = lines_of(file);
    CHECK(lines.size() > 0);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::size_t line = i + 1;
      CAPTURE(line);
      const Json vector(lines[i]);
      REQUIRE(vector.valid());
      const std::string id = vector.string_at("/id");
      CAPTURE(id);
      check_vector(vector);
    }
  }
}

TEST_CASE("the vectors cover every operation they are known for, and both decisions on pods") {
  std::set<std::string> ops;
  std::set<std::string> decisions;
  for (const auto& file : vector_files()) {
    for (const std::string& line : lines_of(file)) {
      const Json vector(line);
      ops.insert(vector.string_at("/op"));
      decisions.insert(vector.at("/expected/allowed"));
    }
  }
  for (const std::string_view op : known_ops) {
    CAPTURE(op);
    CHECK(ops.contains(std::string(op)));
  }
  CHECK(decisions.contains("true"));
  CHECK(decisions.contains("false"));
}

TEST_CASE("documents that differ only in what is empty are one, but not in maps and selectors") {
  struct Case {
    const char* name;
    const char* a;
    const char* b;
    bool loosely_equal;
  };
  const Case cases[] = {
      {"absent and null", R"({})", R"({"x":null})", true},
      {"absent and an empty list", R"({})", R"({"x":[]})", true},
      {"absent and an empty object", R"({})", R"({"x":{"y":{}}})", true},
      {"absent and an empty string", R"({"z":1})", R"({"z":1,"x":""})", true},
      {"order of fields", R"({"a":1,"b":2})", R"({"b":2,"a":1})", true},
      {"order of items", R"([1,2])", R"([2,1])", false},
      {"zero is a value", R"({})", R"({"x":0})", false},
      {"false is a value", R"({})", R"({"x":false})", false},
      {"a label without value", R"({"labels":{}})", R"({"labels":{"a":""}})", false},
      {"no labels", R"({})", R"({"labels":{}})", true},
      {"a node selector key", R"({"nodeSelector":null})", R"({"nodeSelector":{"a":""}})", false},
      {"an empty selector", R"({})", R"({"labelSelector":{}})", false},
      {"a null selector", R"({})", R"({"labelSelector":null})", true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK((canonical(c.a, Compare::loosely) == canonical(c.b, Compare::loosely)) ==
          c.loosely_equal);
  }
  CHECK(canonical(R"({"a":1,"b":[]})") == canonical(R"({"b":[],"a":1})"));
  CHECK(canonical(R"({"a":1,"b":[]})") != canonical(R"({"a":1})"));
}

}  // namespace conformance_test
