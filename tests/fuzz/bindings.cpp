// SPDX-License-Identifier: Apache-2.0
// The C ABI: an input is {"policies": ..., "object": ...}, with what else is asked in "asked", and
// what is none is given to every function. A text ends with a NUL, what is refused is no decision,
// and what is decided on an object alone is what is decided on the same object in a review.

#include "../../examples/bindings/schedpol.h"

#include "fuzz.hpp"
#include "value.hpp"

#include <string>
#include <string_view>

using schedpol::fuzz::law;

namespace {

std::string take(schedpol_text text) {
  law(text.data != nullptr && text.data[text.length] == '\0', "a text ends with a NUL");
  std::string copy(text.data, text.length);
  schedpol_text_free(&text);
  return copy;
}

schedpol_engine engine_of(const std::string& policies) {
  const schedpol_text document = {policies.data(), policies.size()};
  schedpol_engine engine = 0;
  schedpol_text errors;
  const schedpol_status status = schedpol_engine_new(&document, 1, &engine, &errors);
  law((status == SCHEDPOL_OK) == (engine != 0), "there is an engine or an error", policies);
  if (status != SCHEDPOL_OK)
    law(status == SCHEDPOL_REFUSED && take(errors).size() > 2, "an error is told", policies);
  return engine;
}

void check(schedpol_engine engine, const std::string& object, const std::string& asked) {
  schedpol_text text;
  const schedpol_status status =
      schedpol_decide(engine, object.data(), object.size(), asked.data(), asked.size(), &text);
  law(engine != 0 || status == SCHEDPOL_NO_ENGINE, "no engine decides nothing", object);
  if (engine == 0) return;
  law(status == SCHEDPOL_OK || status == SCHEDPOL_REFUSED, "it is decided or refused", object);
  const std::string answer = take(text);
  const auto decided = schedpol::fuzz::parse(answer);
  const std::string review =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
      R"("operation":"CREATE","kind":{"group":"","version":"v1","kind":"Pod"},"object":)" +
      object + "}}";
  law(schedpol_review(engine, review.data(), review.size(), SCHEDPOL_MUTATING, &text) ==
          SCHEDPOL_OK,
      "a review is answered", review);
  const auto reviewed = schedpol::fuzz::parse(take(text));
  law(decided && reviewed, "an answer is JSON", object);
  const auto parsed = schedpol::fuzz::parse(object);
  law(status == SCHEDPOL_REFUSED || parsed, "what is decided on is JSON", object);
  if (status == SCHEDPOL_REFUSED) return law(answer.starts_with("[{"), "errors are a list", answer);
  const bool allowed = decided->at("allowed") == "true";
  law(allowed || decided->at("patch").size() <= 2, "what is denied has no patch", object, answer);
  // The review is one of a Pod; what no system looks at may be unreadable in it.
  if (!asked.empty() || parsed->at("kind") != R"("Pod")" || parsed->at("apiVersion") != R"("v1")")
    return;
  const auto* response = reviewed->find("response");
  law((response->at("allowed") == "true") == allowed, "an object is decided on as in a review",
      object, answer + "\n" + print(*reviewed));
  law((response->find("patch") != nullptr) == (decided->at("patch").size() > 2),
      "an object is changed as in a review", object, answer + "\n" + print(*reviewed));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(schedpol::fuzz::text(data, size));
  const auto input = schedpol::fuzz::parse(text);
  const bool both = input && input->find("policies") != nullptr && input->find("object") != nullptr;
  const bool asks = both && input->find("asked") != nullptr;
  const schedpol_engine engine = engine_of(both ? input->at("policies") : text);
  check(engine, both ? input->at("object") : text, asks ? input->at("asked") : "");
  if (!both) {
    check(engine, "{}", text);
    schedpol_text reply;
    law(schedpol_evaluate(text.data(), text.size(), &reply) == SCHEDPOL_OK,
        "a request is answered");
    take(reply);
    if (schedpol_review(engine, text.data(), text.size(), SCHEDPOL_VALIDATING, &reply) ==
        SCHEDPOL_OK)
      take(reply);
  }
  law((schedpol_engine_free(engine) == SCHEDPOL_OK) == (engine != 0), "an engine is freed");
  law(schedpol_engine_free(engine) == SCHEDPOL_NO_ENGINE, "an engine is freed once");
  return 0;
}
