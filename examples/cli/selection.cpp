// SPDX-License-Identifier: Apache-2.0
#include "selection.hpp"

#include "../support/json_members.hpp"
#include "../support/printable.hpp"

#include <schedpol/base/did_you_mean.hpp>
#include <schedpol/base/quoting.hpp>

#include <filesystem>
#include <iostream>
#include <span>
#include <string_view>
#include <utility>

namespace cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view any_folders = "**";

/// `*` and `?` in a name. What a `*` has taken is taken back as far as the next one needs.
bool matches(std::string_view glob, std::string_view name) {
  std::size_t at = 0;
  std::size_t star = std::string_view::npos;
  std::size_t behind_star = 0;
  std::size_t i = 0;
  while (i < name.size()) {
    if (at < glob.size() && glob[at] == '*') {
      star = at++;
      behind_star = i;
    } else if (at < glob.size() && (glob[at] == '?' || glob[at] == name[i])) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++behind_star;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', at) == std::string_view::npos;
}

/// The same for paths, whose parts are names.
bool matches(std::span<const std::string> glob, std::span<const std::string> path) {
  while (!glob.empty() && glob[0] != any_folders) {
    if (path.empty() || !matches(glob[0], path[0])) return false;
    glob = glob.subspan(1);
    path = path.subspan(1);
  }
  if (glob.empty()) return path.empty();
  glob = glob.subspan(1);
  if (glob.empty()) return true;
  for (; !path.empty(); path = path.subspan(1))
    if (matches(glob, path)) return true;
  return matches(glob, path);
}

std::vector<std::string> names_of(const std::string& path) {
  std::vector<std::string> names;
  for (const fs::path& name : fs::path(path).lexically_normal())
    if (!name.empty()) names.push_back(name.string());
  return names;
}

/// What Kustomize and Helm keep beside manifests.
bool is_of_a_tool(const std::string& file) {
  const std::string stem = fs::path(file).stem().string();
  return stem == "kustomization" || stem == "Kustomization" || stem == "Chart" ||
         stem.starts_with("values");
}

/// The proposal of SchedulingPolicy writes `Kind`.
bool may_be_object(const schedpol::json::RawObject& members) {
  return members.contains("apiVersion") || members.contains("kind") || members.contains("Kind");
}

/// `2 files and 1 object`, of those that there are.
std::string counted_both(std::size_t files, std::string_view of_files, std::size_t objects,
                         std::string_view what, std::string_view of_objects) {
  std::string text;
  if (files > 0) text = counted(files, "file") + std::string(of_files);
  if (objects > 0)
    text += (text.empty() ? "" : " and ") + counted(objects, what) + std::string(of_objects);
  return text;
}

std::string json_counts(std::size_t files, std::string_view what, std::size_t objects) {
  return json_object(
      {{"files", std::to_string(files)}, {std::string(what), std::to_string(objects)}});
}

}  // namespace

Selection::Selection(const Arguments& arguments) {
  for (const std::string& glob : arguments.excluded) {
    Exclusion& exclusion = globs_.emplace_back(Exclusion{.text = glob});
    exclusion.names = names_of(glob);
    exclusion.names.emplace(exclusion.names.begin(), any_folders);
    exclusion.names.emplace_back(any_folders);
  }
  for (const std::string& kind : arguments.excluded_kinds) kinds_.push_back({.text = kind});
}

bool Selection::excludes_path(const std::string& path) {
  if (globs_.empty() || path.empty()) return false;
  const std::vector<std::string> names = names_of(path);
  bool is_excluded = false;
  for (Exclusion& glob : globs_) {
    if (!matches(glob.names, names)) continue;
    glob.excludes_any = true;
    is_excluded = true;
  }
  return is_excluded;
}

bool Selection::excludes_kind(const std::string& kind) {
  seen_kinds_.insert(kind);
  bool is_excluded = false;
  for (Exclusion& excluded : kinds_) {
    if (excluded.text != kind) continue;
    excluded.excludes_any = true;
    is_excluded = true;
  }
  return is_excluded;
}

Choice Selection::choose(const std::string& file, Within within) {
  if (excludes_path(file)) {
    ++excluded_files_;
    return Choice::excluded;
  }
  if (within == Within::folder && is_of_a_tool(file)) {
    ++files_of_tools_;
    return Choice::passed_over;
  }
  return Choice::looked_at;
}

Choice Selection::choose(const support::yaml::Object& object, Within within) {
  bool is_excluded = excludes_path(object.source());
  if (within == Within::folder || !kinds_.empty()) {
    const schedpol::json::RawObject members = support::read_object(object.json());
    if (within == Within::folder && !may_be_object(members)) {
      ++documents_;
      return Choice::passed_over;
    }
    if (!kinds_.empty() && excludes_kind(schedpol::json::kind_of(members))) is_excluded = true;
  }
  if (!is_excluded) return Choice::looked_at;
  ++excluded_objects_;
  return Choice::excluded;
}

void Selection::say_needless() const {
  const auto say = [](std::string_view option, const std::string& text, const std::string& hint) {
    std::cerr << support::printable("schedpol: --" + std::string(option) + " " +
                                    schedpol::in_backticks(text) + " excludes nothing" + hint)
              << '\n';
  };
  for (const Exclusion& glob : globs_)
    if (!glob.excludes_any) say("exclude", glob.text, "");
  const std::vector<std::string_view> seen(seen_kinds_.begin(), seen_kinds_.end());
  for (const Exclusion& kind : kinds_)
    if (!kind.excludes_any) say("exclude-kind", kind.text, schedpol::did_you_mean(kind.text, seen));
}

void Selection::finish(Summary& summary) const {
  say_needless();
  const std::string excluded = counted_both(excluded_files_, "", excluded_objects_, "object", "");
  if (!excluded.empty()) summary.lines.push_back(excluded + " excluded");
  const std::string passed = counted_both(files_of_tools_, " of Kustomize or Helm", documents_,
                                          "document", " without apiVersion and kind");
  if (!passed.empty()) summary.lines.push_back("passed over in folders: " + passed);
  summary.members.emplace_back("excluded",
                               json_counts(excluded_files_, "objects", excluded_objects_));
  summary.members.emplace_back("passedOver", json_counts(files_of_tools_, "documents", documents_));
}

void Selection::finish() const {
  Summary summary;
  finish(summary);
  for (const std::string& line : summary.lines) std::cerr << "schedpol: " << line << '\n';
}

}  // namespace cli
