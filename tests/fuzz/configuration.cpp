// SPDX-License-Identifier: Apache-2.0
// `add_objects` and `engine::compile`: an input is the objects of a configuration. All of them are
// added or none is, those that cannot be read as problems, what is written is read back, and an
// engine has problems exactly where `validate` finds some.

#include "fuzz.hpp"

#include <schedpol/engine/engine.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <string>
#include <string_view>

using schedpol::engine::Configuration;
using schedpol::fuzz::law;
using schedpol::scheduling_policy::SchedulingPolicy;
using schedpol::scheduling_policy::SchedulingPolicySpec;

namespace {

template <class Object>
bool says_the_same(const Object& a, const Object& b) {
  return a == b;
}
SchedulingPolicySpec merged(const SchedulingPolicy& policy) {
  return schedpol::scheduling_policy::merge({&policy, 1}).spec();
}
// What lists nothing is written as absent, which a merge takes it for.
bool says_the_same(const SchedulingPolicy& a, const SchedulingPolicy& b) {
  return a == b || (a.metadata == b.metadata && merged(a) == merged(b));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = schedpol::fuzz::text(data, size);
  const schedpol::fuzz::Cost cost;
  Configuration configuration;
  const auto errors = schedpol::json::add_objects(configuration, text);
  if (!errors.empty()) {
    cost.is_within(size);
    law(configuration == Configuration(), "a document with errors adds nothing", text);
    return 0;
  }
  const auto problems = validate(configuration);
  const auto engine = schedpol::engine::compile(configuration);
  cost.is_within(size, 3);
  law(engine ? engine->problems().empty() == problems.empty() : !problems.empty(),
      "what is valid has no problems, and nothing else", text,
      engine ? "" : message(engine.errors().front()));
  Configuration again;
  law(schedpol::json::add_objects(again, text).empty() && again == configuration,
      "a document has one reading", text);
  for_each_list(configuration.objects, [&](const auto& list, const auto&) {
    for (const auto& object : list) {
      const std::string written = schedpol::json::encode(object);
      const auto read = schedpol::json::decode<std::decay_t<decltype(object)>>(written);
      law(read && says_the_same(*read, object), "what is written is read back", text, written);
      law(schedpol::json::encode(*read) == written, "what is read back is written the same", text,
          written);
    }
  });
  return 0;
}
