// SPDX-License-Identifier: Apache-2.0
// The C ABI: an input is {"policies": ..., "object": ...}, and what is none is given to every
// function. A text ends with a NUL, no engine allows nothing, and what is decided on an object
// alone is what is decided on the same object in a review.

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
  schedpol_text_free(text);
  return copy;
}

schedpol_engine* engine_of(const std::string& policies) {
  schedpol_text errors;
  schedpol_engine* engine = schedpol_engine_new(policies.data(), policies.size(), &errors);
  law((engine == nullptr) == (errors.data != nullptr), "there is an engine or an error", policies);
  schedpol_text_free(errors);
  return engine;
}

void check(schedpol_engine* engine, const std::string& object) {
  const auto decided =
      schedpol::fuzz::parse(take(schedpol_decide(engine, object.data(), object.size())));
  const std::string review =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
      R"("operation":"CREATE","kind":{"group":"","version":"v1","kind":"Pod"},"object":)" +
      object + "}}";
  const auto reviewed =
      schedpol::fuzz::parse(take(schedpol_review(engine, review.data(), review.size())));
  law(decided && reviewed, "an answer is JSON", object);
  const bool allowed = decided->at("allowed") == "true";
  law(engine != nullptr || !allowed, "no engine allows nothing", object, print(*decided));
  law(allowed || decided->at("patch").size() <= 2, "what is denied has no patch", object,
      print(*decided));
  // The review is one of a Pod; what no system looks at may be unreadable in it.
  const auto parsed = schedpol::fuzz::parse(object);
  if (!parsed || decided->find("errors") != nullptr || parsed->at("kind") != R"("Pod")" ||
      parsed->at("apiVersion") != R"("v1")")
    return;
  const auto* response = reviewed->find("response");
  law((response->at("allowed") == "true") == allowed, "an object is decided on as in a review",
      object, print(*decided) + "\n" + print(*reviewed));
  law((response->find("patch") != nullptr) == (decided->at("patch").size() > 2),
      "an object is changed as in a review", object, print(*decided) + "\n" + print(*reviewed));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(schedpol::fuzz::text(data, size));
  const auto input = schedpol::fuzz::parse(text);
  const bool both = input && input->find("policies") != nullptr && input->find("object") != nullptr;
  schedpol_engine* engine = engine_of(both ? input->at("policies") : text);
  check(engine, both ? input->at("object") : text);
  check(nullptr, both ? input->at("object") : text);
  if (!both) {
    take(schedpol_evaluate(text.data(), text.size()));
    take(schedpol_review(engine, text.data(), text.size()));
  }
  schedpol_engine_free(engine);
  return 0;
}
