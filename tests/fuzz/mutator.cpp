// SPDX-License-Identifier: Apache-2.0
// How libFuzzer changes inputs that are JSON: values are exchanged, repeated, removed, and put in
// place of one another, and words, numbers and texts become others. Bytes that are no JSON, and one
// input in sixteen, are changed as bytes.

#include "value.hpp"

#include "../support/random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace schedpol::fuzz {

namespace {

using Random = testing::Random;

/// Words that decide something, and scalars at the edges.
const std::vector<std::string> scalars = {R"("")",
                                          R"("In")",
                                          R"("NotIn")",
                                          R"("Exists")",
                                          R"("DoesNotExist")",
                                          R"("Gt")",
                                          R"("Lt")",
                                          R"("Equal")",
                                          R"("NoSchedule")",
                                          R"("NoExecute")",
                                          R"("PreferNoSchedule")",
                                          R"("Pod")",
                                          R"("Deployment")",
                                          R"("CronJob")",
                                          R"("CREATE")",
                                          R"("UPDATE")",
                                          R"("Enforce")",
                                          R"("Warn")",
                                          R"("Audit")",
                                          R"("Rbac")",
                                          R"("Every")",
                                          R"("SmartDeepMerge")",
                                          R"("FirstSeenWins")",
                                          R"("SimpleMerge")",
                                          R"("EveryTerm")",
                                          R"("Present")",
                                          R"("Ignore")",
                                          R"("default-scheduler")",
                                          R"("a")",
                                          R"("b")",
                                          R"("x/y")",
                                          R"("~1")",
                                          R"("a~b/c")",
                                          R"("\u00e9\n\"")",
                                          R"("\ud83d\ude00")",
                                          R"("]")",
                                          R"("*")",
                                          R"("100m")",
                                          R"("1.5Gi")",
                                          R"("-1e3")",
                                          R"("9223372036854775807")",
                                          "null",
                                          "true",
                                          "false",
                                          "0",
                                          "-0",
                                          "1",
                                          "-1",
                                          "1.5",
                                          "1e3",
                                          "2147483648",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "18446744073709551615",
                                          "1e400",
                                          "[]",
                                          "{}",
                                          "[null]",
                                          "[{}]",
                                          "[\"\"]"};

void collect(Value& value, std::vector<Value*>& all) {
  all.push_back(&value);
  for (Value& member : value.members) collect(member, all);
}

std::vector<Value*> all_of(Value& value) {
  std::vector<Value*> all;
  collect(value, all);
  return all;
}

/// Puts a value in place of another one, whose key stays.
void put(Value& place, Value value) {
  value.key = place.key;
  place = std::move(value);
}

Value from_list(Random& random) {
  return parse(random.pick(scalars)).value_or(Value());
}

/// Changes the bytes of a scalar; a text stays one.
void change_bytes(std::string& scalar) {
  const bool text = scalar.size() >= 2 && scalar.front() == '"';
  std::vector<std::uint8_t> bytes(scalar.begin(), scalar.end());
  if (text) bytes.assign(scalar.begin() + 1, scalar.end() - 1);
  const std::size_t size = bytes.size();
  bytes.resize(size + 16);
  bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
  const std::string changed(bytes.begin(), bytes.end());
  if (text) scalar = "\"" + changed + "\"";
  if (!text && !changed.empty()) scalar = changed;
}

/// Changes the members of a value; false where it has none to change.
bool change_members(Value& value, Random& random) {
  auto& members = value.members;
  if (members.empty()) return false;
  const std::size_t at = random.below(members.size());
  const auto place = members.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random.below(4)) {
    case 0: members.erase(place); break;
    case 1: std::swap(members[at], members[random.below(members.size())]); break;
    case 2: {
      const auto member = *place;
      members.insert(place, random.chance(10) ? 1 + random.below(64) : 1, member);
      break;
    }
    default: std::swap(members[at].key, members[random.below(members.size())].key); break;
  }
  return true;
}

void change(Value& root, const Value& other, Random& random) {
  auto all = all_of(root);
  Value donors = other;
  const auto given = all_of(donors);
  Value& value = *all[random.below(all.size())];
  switch (random.below(8)) {
    case 0: put(value, from_list(random)); break;
    case 1:
    case 2: put(value, *given[random.below(given.size())]); break;
    case 3:
      if (value.kind == Value::Kind::scalar) change_bytes(value.scalar);
      break;
    case 4: {  // a member of another object, with its name
      const Value& from = *given[random.below(given.size())];
      if (from.kind == value.kind && !from.members.empty())
        value.members.push_back(from.members[random.below(from.members.size())]);
      break;
    }
    case 5:
      if (value.kind == Value::Kind::object && !value.members.empty()) {
        std::string& key = value.members[random.below(value.members.size())].key;
        const Value name = from_list(random);
        if (random.chance(50))
          change_bytes(key);
        else if (name.kind == Value::Kind::scalar)
          key = name.scalar;
      }
      break;
    default:
      for (int tries = 0; tries < 8 && !change_members(*all[random.below(all.size())], random);)
        ++tries;
      break;
  }
}

std::size_t changed(std::string_view bytes, std::string_view other, std::uint8_t* data,
                    std::size_t most, Random& random) {
  auto root = parse(bytes);
  if (!root || random.below(16) == 0) return 0;
  const auto donors = parse(other);
  for (std::size_t i = 1 + random.below(4); i > 0; --i)
    change(*root, donors ? *donors : *root, random);
  const std::string text = print(*root);
  if (text.size() > most) return 0;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

std::string copy(const std::uint8_t* data, std::size_t size) {
  return {data, data + size};
}

}  // namespace

}  // namespace schedpol::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace schedpol;
  testing::Random random(seed);
  const std::string bytes = fuzz::copy(data, size);
  const std::size_t changed = fuzz::changed(bytes, bytes, data, most, random);
  return changed == 0 ? LLVMFuzzerMutate(data, size, most) : changed;
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second,
                                                 std::size_t second_size, std::uint8_t* out,
                                                 std::size_t most, unsigned seed) {
  using namespace schedpol;
  testing::Random random(seed);
  return fuzz::changed(fuzz::copy(first, first_size), fuzz::copy(second, second_size), out, most,
                       random);
}
