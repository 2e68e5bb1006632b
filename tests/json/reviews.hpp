// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reviews, and the engines that answer them.

#include <schedpol/insight/adviser.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/review.hpp>

#include "../support/count_allocations.hpp"
#include "../support/json.hpp"
#include "../support/print.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace reviews {

using namespace schedpol;
using engine::Engine;
using engine::Phase;
using json::Outcome;
using testing::Json;

inline Engine engine_of(std::string_view systems, std::string_view objects) {
  engine::Configuration configuration;
  const std::string settings = R"({"kind":"EngineConfiguration","policyUse":"Every","systems":[)" +
                               std::string(systems) + "]}";
  REQUIRE(json::add_objects(configuration, settings).empty());
  const std::string list = R"({"kind":"List","items":[)" + std::string(objects) + "]}";
  const auto errors = json::add_objects(configuration, list);
  for (const FieldError& error : errors) MESSAGE(message(error));
  REQUIRE(errors.empty());
  const auto engine = compile(configuration);
  for (const FieldError& error : engine.errors()) MESSAGE(message(error));
  REQUIRE(engine);
  return *engine;
}

inline constexpr std::string_view batch_policy =
    R"({"kind":"SchedulingPolicy","metadata":{"name":"batch"},"spec":{)"
    R"("allowed":{"tolerations":[{"keys":["spot"],"operators":[],"effects":[]}]},)"
    R"("default":{"schedulerName":"batch","nodeSelector":{"a/b.c":"d"}}}})";

inline Engine batch_engine() {
  return engine_of(R"({"system":"SchedulingPolicy"})", batch_policy);
}

// A review of `object`; `more` are further members of the request, each with a comma in front.
inline std::string review_of(std::string_view group, std::string_view kind, std::string_view object,
                             std::string_view operation = "CREATE", std::string_view more = "") {
  std::string text =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1",)";
  text.append(R"("kind":{"group":")")
      .append(group)
      .append(R"(","version":"v1","kind":")")
      .append(kind);
  text.append(R"("},"namespace":"n","operation":")").append(operation).append(R"(")").append(more);
  return text.append(R"(,"object":)").append(object).append("}}");
}

inline std::string decoded(std::string_view base64) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  std::size_t bits = 0;
  std::uint32_t value = 0;
  for (const char c : base64) {
    if (c == '=') break;
    value = value << 6U | static_cast<std::uint32_t>(digits.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    text += static_cast<char>(value >> bits & 255U);
  }
  return text;
}

inline constexpr std::string_view team_policy =
    R"({"kind":"MetadataPolicy","metadata":{"name":"m","namespace":"n"},"spec":{"rules":[)"
    R"({"policyPredicate":{"labelSelector":{"matchExpressions":[{"key":"team","operator":"DoesNotExist"}]}},)"
    R"("policyAction":{"updatedLabels":{"team":"shop"}}},)"
    R"({"policyPredicate":{"labelSelector":{"matchExpressions":[{"key":"forbidden","operator":"Exists"}]}},)"
    R"("policyAction":{"reject":true}}]}})";

}  // namespace reviews
