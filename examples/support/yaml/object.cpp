// SPDX-License-Identifier: Apache-2.0
#include "object.hpp"

#include "json_text.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace support::yaml {

Location Object::locate(const schedpol::FieldPath& path) const {
  using Kind = schedpol::FieldPath::Step::Kind;
  Location location{place_, place_, true};
  std::size_t at = 0;
  for (const schedpol::FieldPath::Step& step : path.steps()) {
    const auto member = step.kind == Kind::index ? find_item(json_, at, step.index)
                                                 : find_member(json_, at, step.name);
    if (!member || member->key >= written_) {
      location.exact = false;
      break;
    }
    at = member->value;
    location.key = place_of(member->key);
    location.value = place_of(at);
  }
  return location;
}

Place Object::place_of(std::size_t offset) const {
  if (marks_.empty()) return behind(place_, std::string_view(json_).substr(0, offset));
  const auto next =
      std::upper_bound(marks_.begin(), marks_.end(), offset,
                       [](std::size_t wanted, const Mark& mark) { return wanted < mark.offset; });
  return next == marks_.begin() ? place_ : Place{next[-1].line, next[-1].column};
}

void Object::clear(Place place) {
  json_.clear();
  source_.clear();
  warnings_.clear();
  marks_.clear();
  place_ = place;
  written_ = 0;
}

}  // namespace support::yaml
