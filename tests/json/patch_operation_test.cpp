// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/patch_operation.hpp>

#include "../support/print.hpp"

#include <schedpol/json/encode.hpp>

#include <string>
#include <string_view>

namespace patch_operation_test {

using schedpol::json::Patch;
using schedpol::json::PatchOp;
using schedpol::json::PatchOperation;

TEST_CASE("operations have the names of the RFC") {
  std::string names;
  for (const PatchOp op : {PatchOp::add, PatchOp::remove, PatchOp::replace, PatchOp::move,
                           PatchOp::copy, PatchOp::test})
    names.append(to_string(op)).append(" ");
  CHECK(names == "add remove replace move copy test ");
}

TEST_CASE("an operation is written as JSON Patch has it") {
  using schedpol::json::encode;
  CHECK(encode(PatchOperation{PatchOp::add, "/a", R"({"b":1})"}) ==
        R"({"op":"add","path":"/a","value":{"b":1}})");
  CHECK(encode(PatchOperation{PatchOp::replace, "/a~1b", "\"x\""}) ==
        R"({"op":"replace","path":"/a~1b","value":"x"})");
  CHECK(encode(PatchOperation{PatchOp::remove, "/a", "ignored"}) ==
        R"({"op":"remove","path":"/a"})");
  CHECK(encode(PatchOperation{PatchOp::test, "", "[1]"}) ==
        R"({"op":"test","path":"","value":[1]})");
  CHECK(encode(PatchOperation{.op = PatchOp::move, .path = "/a", .from = "/\"b"}) ==
        R"({"op":"move","from":"/\"b","path":"/a"})");
  CHECK(encode(PatchOperation{.op = PatchOp::copy, .path = "/-", .from = ""}) ==
        R"({"op":"copy","from":"","path":"/-"})");
  CHECK(encode(Patch{}) == "[]");
}

}  // namespace patch_operation_test
