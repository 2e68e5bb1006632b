// SPDX-License-Identifier: Apache-2.0
#include "rules.hpp"

#include "kinds.hpp"

#include "../support/json_members.hpp"

#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace cli {

namespace {

using schedpol::FieldPath;
using schedpol::json::RawMessage;
using schedpol::json::RawObject;

/// Makes the whole document of what stands in a place; of an empty text, without it.
using Rebuild = std::function<std::string(const std::string&)>;

/// Parts that say what a policy is about, and not what it decides.
bool is_rule_part(std::string_view name) {
  return !is_among("apiVersion handler kind metadata namespaceSelector podSelector status", name);
}

class RuleWalk {
 public:
  explicit RuleWalk(bool keeps_indices) : keeps_indices_(keeps_indices) {}

  void visit(const FieldPath& path, std::string_view name, const std::string& json,
             const Rebuild& rebuild) {
    if (json.starts_with("{") && json != "{}" && name != "overhead") {
      const RawObject members = support::read_object(json);
      // The entries of these are keys, whatever they are called.
      const bool is_map = name == "nodeSelector" || name == "nodeSelectors";
      for (const auto& [member, value] : members) {
        if (path.empty() && !is_rule_part(member)) continue;
        if (path == FieldPath{"spec"} && !is_rule_part(member)) continue;
        const auto with = [&members, &rebuild, key = member](const std::string& part) {
          RawObject left = members;
          left[key].json = part;
          if (part.empty()) left.erase(key);
          return rebuild(left.empty() ? std::string() : schedpol::json::encode(left));
        };
        visit(is_map ? path.key(member) : path.child(member), is_map ? "" : member, value.json,
              with);
      }
    } else if (json.starts_with("[") && json != "[]") {
      visit_items(path, name, json, rebuild);
    } else if (!json.empty()) {
      rules_.push_back({path, rebuild("")});
    }
  }

  [[nodiscard]] std::vector<Rule> take() && { return std::move(rules_); }

 private:
  void visit_items(const FieldPath& path, std::string_view name, const std::string& json,
                   const Rebuild& rebuild) {
    const auto read = schedpol::json::decode<std::vector<RawMessage>>(json);
    if (!read) return;
    const std::vector<RawMessage>& items = *read;
    // Terms that a policy allows or requires are made of entries; one that it gives is an entry.
    const auto steps = path.steps();
    const bool has_entries = name == "nodeSelectorTerms" &&
                             std::any_of(steps.begin(), steps.end(), [](const auto& step) {
                               return step.name == "affinities";
                             });
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto with = [&](const std::string& part) {
        std::vector<RawMessage> left = items;
        left[i].json = part.empty() && keeps_indices_ ? "{}" : part;
        if (left[i].json.empty()) left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        return rebuild(left.empty() ? std::string() : schedpol::json::encode(left));
      };
      if (has_entries)
        visit(path.index(i), "", items[i].json, with);
      else
        rules_.push_back({path.index(i), with("")});
    }
  }

  /// The rules of a MetadataPolicy are told by their index, so one that does nothing takes the place.
  bool keeps_indices_;
  std::vector<Rule> rules_;
};

}  // namespace

std::vector<Rule> rules_of(std::string_view json) {
  const auto kind = schedpol::json::kind_of(support::read_object(json));
  if (kind == "ResourcePolicy") return {{{}, {}}};
  RuleWalk walk(kind == "MetadataPolicy");
  walk.visit({}, "", std::string(json), [](const std::string& whole) { return whole; });
  return std::move(walk).take();
}

}  // namespace cli
