// SPDX-License-Identifier: Apache-2.0
// `evaluate`: an input is a request. Every request has one answer on one line, a result or an
// error; what an operation makes of an object obeys the laws of admissions, and merges those of
// merges.

#include "fuzz.hpp"
#include "value.hpp"

#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/evaluate.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

using schedpol::fuzz::law;
using schedpol::fuzz::same;
using schedpol::fuzz::Value;

namespace {

/// The result of an operation; nothing for an error.
std::optional<Value> ask(std::string_view op, const Value& input) {
  const auto reply = schedpol::fuzz::parse(schedpol::json::evaluate(
      std::string(R"({"op":)").append(op).append(R"(,"input":)") + print(input) + "}"));
  const Value* result = reply ? reply->find("result") : nullptr;
  return result == nullptr ? std::nullopt : std::optional(*result);
}

Value with(Value input, std::string_view name, const Value& value) {
  for (Value& member : input.members)
    if (member.key == '"' + std::string(name) + '"') {
      std::string key = std::move(member.key);
      member = value;
      member.key = std::move(key);
    }
  return input;
}

/// What was denied is as it came; the patch makes the object; asked about it again, nothing more.
void check_admission(std::string_view op, const Value& input, const Value& result) {
  const Value* object = result.find("object");
  const bool is_of_object = op == R"("metadataPolicy.admit")" || op == R"("engine.asCreated")";
  const std::string_view name = is_of_object ? "object" : "pod";
  const Value* asked = input.find(name);
  if (object == nullptr || asked == nullptr) return;
  const bool allowed = result.at("allowed") != "false";
  law(allowed || same(*asked, *object), "what is denied is unchanged", print(input), print(result));
  law(allowed || result.at("patch") == "[]", "what is denied has no patch", print(input));
  const auto patched = schedpol::json::apply_patch(print(*asked), result.at("patch"));
  law(patched && same(*patched, print(*object)), "the patch makes the object", print(input),
      print(result));
  law(same(*asked, *object) == (result.at("patch") == "[]"), "a patch changes something",
      print(input), print(result));
  // Rules of MetadataPolicies may undo one another.
  if (!allowed || name == "object" || op == R"("metadataPolicy.chooseScheduler")") return;
  const auto again = ask(op, with(input, name, *object));
  law(again && again->at("allowed") != "false" && again->at("patch") == "[]",
      "asked twice, nothing more", print(input), again ? print(*again) : "an error");
}

/// In another order a merge is the same.
void check_merge(const Value& input, const Value& result) {
  const Value* policies = input.find("policies");
  if (policies == nullptr || policies->kind != Value::Kind::list) return;
  Value other = *policies;
  std::reverse(other.members.begin(), other.members.end());
  const auto again = ask(R"("schedulingPolicy.merge")", with(input, "policies", other));
  law(again && again->at("spec") == result.at("spec"), "a merge takes policies in any order",
      print(input), again ? print(*again) : "an error");
}

void check_result(std::string_view op, const Value& input, const Value& result) {
  if (result.find("patch") != nullptr) check_admission(op, input, result);
  if (op == R"("schedulingPolicy.merge")") check_merge(input, result);
  if (op == R"("schedulingPolicy.checkUpdate")") {
    law((result.at("allowed") == "true") == (result.at("violations") == "[]"),
        "what is denied has a reason", print(input));
    const Value* updated = input.find("new");
    if (updated == nullptr || input.find("old") == nullptr) return;
    const auto again = ask(op, with(input, "old", *updated));
    law(again && again->at("allowed") == "true", "an update to the same adds nothing",
        print(input));
  }
  if (op == R"("tolerations.merge")") {
    const Value* merged = result.find("tolerations");
    const auto again = ask(op, with(with(input, "first", *merged), "second", *merged));
    law(again && print(*again) == print(result), "what is merged covers itself", print(input));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view request = schedpol::fuzz::text(data, size);
  std::string answer;
  {
    const schedpol::fuzz::Cost cost;
    answer = schedpol::json::evaluate(request);
    // A suggestion decides on each object once more for each entry and each subject.
    const bool is_suggestion = request.find("engine.suggest") != request.npos;
    cost.is_within(size, is_suggestion ? 8 : 1);
  }
  law(answer == schedpol::json::evaluate(request), "a request has one answer", request, answer);
  law(request.find('\n') != request.npos || answer.find('\n') == answer.npos,
      "an answer stands on one line", request, answer);
  const auto reply = schedpol::fuzz::parse(answer);
  law(reply && (reply->find("result") == nullptr) != (reply->find("error") == nullptr),
      "an answer is a result or an error", request, answer);
  const Value* result = reply->find("result");
  if (result == nullptr) return 0;
  const auto asked = schedpol::fuzz::parse(request);
  law(asked.has_value(), "what is answered is JSON", request, answer);
  if (const Value* input = asked->find("input")) check_result(asked->at("op"), *input, *result);
  return 0;
}
