// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/decode.hpp>

#include <schedpol/engine/as_created.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <string>

namespace json_as_created_test {

using namespace schedpol;
using engine::NodeNamedBy;
using engine::StoredObject;
using testing::result_or_error;

std::string stored(const std::string& metadata, const std::string& spec = R"("nodeName":"n1")",
                   const std::string& rest = "") {
  return R"({"kind":"Pod","metadata":{"name":"p","uid":"1","creationTimestamp":"2026-01-01T00:00:00Z")" +
         metadata + R"(},"spec":{)" + spec + "}" + rest + "}";
}
const std::string of_set =
    R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","name":"s","controller":true}])";

std::string ask_as_created(const std::string& object, const std::string& owners = "[]") {
  return result_or_error("engine.asCreated",
                         R"({"object":)" + object + R"(,"owners":)" + owners + "}");
}

TEST_CASE("engine.asCreated answers with the pod as it was created, and a patch") {
  CHECK(ask_as_created(stored(of_set, R"("x":1,"nodeName":"n1")")) ==
        R"({"askedAs":"Created","object":)" + stored(of_set, R"("x":1)") +
            R"(,"patch":[{"op":"remove","path":"/spec/nodeName"}]})");
  const std::string naming =
      R"({"apiVersion":"v1","kind":"List","items":[{"kind":"StatefulSet","metadata":{"name":"s"},)"
      R"("spec":{"template":{"spec":{"nodeName":"n1"}}}}]})";
  CHECK(ask_as_created(stored(of_set), naming) ==
        R"({"askedAs":"Created","object":)" + stored(of_set) + R"(,"patch":[]})");
}

TEST_CASE("engine.asCreated says what is not looked at, and what cannot be told") {
  CHECK(ask_as_created(stored("")) == R"({"askedAs":"Undecided","object":)" + stored("", "") +
                                          R"(,"patch":[{"op":"remove","path":"/spec/nodeName"}]})");
  CHECK(ask_as_created(stored("", "", R"(,"status":{"phase":"Succeeded"})")) ==
        R"({"askedAs":"Terminal"})");
  CHECK(ask_as_created(stored(R"(,"annotations":{"kubernetes.io/config.mirror":"x"})")) ==
        R"({"askedAs":"MirrorPod"})");
  const std::string dry_run = R"({"metadata":{"creationTimestamp":null},"spec":{"nodeName":"n"}})";
  CHECK(ask_as_created(dry_run) ==
        R"({"askedAs":"ItStands","object":)" + dry_run + R"(,"patch":[]})");
  CHECK(result_or_error("engine.asCreated", "{}") == "InvalidRequest at object");
}

TEST_CASE("managed fields say who named the node") {
  const auto named_by = [](const std::string& managed) {
    const auto read = json::decode<StoredObject>(stored(R"(,"managedFields":)" + managed));
    REQUIRE(read);
    return read->node_named_by;
  };
  const std::string node = R"("fieldsV1":{"f:spec":{"f:nodeName":{}}})";
  struct Case {
    std::string managed;
    NodeNamedBy by;
  };
  const Case cases[] = {
      {"null", NodeNamedBy::unknown},
      {"[]", NodeNamedBy::unknown},
      {R"([{"manager":"kubectl","fieldsV1":{"f:spec":{"f:containers":{}}}}])",
       NodeNamedBy::scheduler},
      {R"([{"manager":"a","fieldsV1":{}},{"manager":"kubectl",)" + node + "}]",
       NodeNamedBy::author},
      {R"([{"manager":"kubectl","subresource":"",)" + node + "}]", NodeNamedBy::author},
      {R"([{"manager":"kubelet","subresource":"status",)" + node + "}]", NodeNamedBy::scheduler},
  };
  for (const Case& c : cases) {
    CAPTURE(c.managed);
    CHECK(named_by(c.managed) == c.by);
  }
}

TEST_CASE("a workload says that it is stored above its template") {
  const auto read = json::decode<StoredObject>(
      R"({"kind":"Deployment","metadata":{"uid":"2","creationTimestamp":"t"},)"
      R"("spec":{"template":{"metadata":{"creationTimestamp":null}}}})");
  REQUIRE(read);
  CHECK(is_stored(*read));
  const auto wrong = json::decode<StoredObject>(R"({"metadata":{"creationTimestamp":1}})");
  REQUIRE(wrong.errors().size() == 1);
  CHECK(to_string(wrong.errors()[0].field) == "metadata.creationTimestamp");
}

}  // namespace json_as_created_test
