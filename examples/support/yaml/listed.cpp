// SPDX-License-Identifier: Apache-2.0
#include "listed.hpp"

#include "json_text.hpp"

#include "../json_members.hpp"

namespace support::yaml {

Listed Listed::of(const std::string& json) {
  const schedpol::json::RawObject list = read_object(json);
  return {member<std::string>(list, "kind"), member<std::string>(list, "apiVersion")};
}

std::size_t Listed::complete(std::string& item) const {
  constexpr std::string_view list = "List";
  const bool is_told = kind.size() > list.size() && item.ends_with('}');
  // The proposal of SchedulingPolicy writes `Kind`.
  if (!is_told || find_member(item, 0, "kind") || find_member(item, 0, "Kind")) return item.size();
  item.pop_back();
  item.resize(item.find_last_not_of(" \t\r\n") + 1);
  const std::size_t had = item.size();
  const auto add = [&item](std::string_view name, std::string_view value) {
    if (item.back() != '{') item += ',';
    append_string(item, name);
    item += ':';
    append_string(item, value);
  };
  if (!find_member(item, 0, "apiVersion")) add("apiVersion", api_version);
  add("kind", std::string_view(kind).substr(0, kind.size() - list.size()));
  item += '}';
  return had;
}

}  // namespace support::yaml
