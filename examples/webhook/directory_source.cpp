// SPDX-License-Identifier: Apache-2.0
#include "directory_source.hpp"

#include "../support/files.hpp"
#include "../support/log.hpp"
#include "../support/yaml/object_reader.hpp"

#include <schedpol/json/configuration.hpp>

#include <system_error>

namespace webhook {

namespace {

/// What a problem of a file, or of an object, is called.
std::string line_of(const std::string& path, const std::vector<schedpol::FieldError>& errors) {
  std::string line = path + ": " + message(errors.front());
  if (errors.size() > 1) line += ", and " + std::to_string(errors.size() - 1) + " more";
  return line;
}

bool is_yaml(const std::filesystem::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml";
}

/// The objects of a YAML file as the JSON of one list; what is wrong is in `problem`.
std::string list_of_yaml(const std::string& path, std::string_view bytes, std::string& problem) {
  std::string list = R"({"apiVersion":"v1","kind":"List","items":[)";
  support::yaml::ObjectReader reader(bytes);
  schedpol::engine::Configuration alone;
  for (support::yaml::Object object; problem.empty() && reader.next(object);) {
    const auto errors = schedpol::json::add_objects(alone, object.json());
    if (!errors.empty()) {
      const support::yaml::Place place = object.locate(errors.front().field).value;
      problem = line_of(support::yaml::to_string(path, place), errors);
    }
    if (list.back() != '[') list += ',';
    list += object.json();
  }
  if (reader.error()) problem = to_string(path, *reader.error());
  return list + "]}";
}

support::Family<support::Counter>& reloads_in(support::Metrics& metrics) {
  return metrics.counters("schedpol_policy_reloads_total", "Sets of policy files that were read.",
                          {"result"});
}

}  // namespace

DirectorySource::DirectorySource(std::filesystem::path directory, support::Metrics& metrics)
    : directory_(std::move(directory)),
      good_reloads_(reloads_in(metrics).with({"good"})),
      bad_reloads_(reloads_in(metrics).with({"bad"})) {}

std::string DirectorySource::path_of(const std::string& name) const {
  return (directory_ / name).string();
}

std::optional<DirectorySource::Files> DirectorySource::read() const {
  Files files;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory_, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::filesystem::path& path = entry->path();
    std::string name = path.filename().string();
    if (name.front() != '.' && (path.extension() == ".json" || is_yaml(path)))
      files.emplace(std::move(name), support::read_file(path));
  }
  // Part of a directory could lack the very policy that denies.
  if (error) return std::nullopt;
  return files;
}

void DirectorySource::refresh() {
  std::optional<Files> files = read();
  if (seen_ && *seen_ == files) return;
  // A volume may change between two files. Such a mixture is not there a second time.
  if (read() != files) return;
  seen_ = std::move(files);
  std::vector<std::string> stale;
  if (*seen_) {
    take_in(**seen_, stale);
  } else {
    stale.push_back(directory_.string() + ": cannot be read");
  }
  for (const std::string& line : stale)
    support::log_error("a policy file is not in force", {{"reason", line}});
  (stale.empty() ? good_reloads_ : bad_reloads_).add();
  const std::lock_guard lock(mutex_);
  status_.stale = std::move(stale);
}

void DirectorySource::take_in(const Files& files, std::vector<std::string>& stale) {
  schedpol::engine::Configuration configuration;
  std::map<std::string, std::string> good;
  bool is_whole = true;
  for (const auto& [name, bytes] : files) {
    std::string problem;
    if (!bytes) problem = path_of(name) + ": cannot be read";
    std::string json = bytes.value_or("");
    if (bytes && is_yaml(name)) json = list_of_yaml(path_of(name), *bytes, problem);
    if (problem.empty()) {
      const auto errors = schedpol::json::add_objects(configuration, json);
      if (errors.empty()) {
        good.emplace(name, std::move(json));
        continue;
      }
      problem = line_of(path_of(name), errors);
    }
    const auto before = good_.find(name);
    if (before != good_.end() &&
        schedpol::json::add_objects(configuration, before->second).empty()) {
      good.insert(*before);
      stale.push_back(problem + "; in force as it was before");
    } else {
      is_whole = false;
      stale.push_back(problem);
    }
  }
  bool is_ready = false;
  {
    const std::lock_guard lock(mutex_);
    is_ready = status_.ready;
  }
  if (is_ready && good == good_) return;
  const auto engine = schedpol::engine::compile(configuration);
  if (!engine) {
    stale.push_back(line_of(directory_.string(), engine.errors()));
    is_whole = false;
  }
  // What a file holds that was never right nobody knows. What was in force without it may stay.
  if (!engine || (!is_whole && !is_ready)) return;

  good_ = std::move(good);
  std::vector<std::string> problems;
  for (const schedpol::FieldError& error : engine->problems()) problems.push_back(message(error));
  engine_.put(std::make_shared<const schedpol::engine::Engine>(*engine));
  std::string generation;
  {
    const std::lock_guard lock(mutex_);
    status_.ready = true;
    generation = std::to_string(++status_.generation);
    status_.problems = problems;
  }
  support::log_info("policies are in force", {{"directory", directory_.string()},
                                              {"generation", generation},
                                              {"files", std::to_string(files.size())}});
  for (const std::string& problem : problems)
    support::log_warning("an object cannot be used", {{"reason", problem}});
}

}  // namespace webhook
