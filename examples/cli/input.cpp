// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include "kinds.hpp"

#include "../support/json_members.hpp"
#include "../support/printable.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/core/workload.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

namespace cli {

namespace {

namespace fs = std::filesystem;

/// What a folder is read for.
bool is_manifest(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}
bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with(".");
}

std::string shown(std::string_view name) {
  return to_string(Place{.file = std::string(name)});
}

std::string because(int error) {
  return std::generic_category().message(error);
}

/// What tells whether a file was written to.
struct FileState {
  std::uintmax_t size = 0;
  fs::file_time_type written{};

  static FileState of(const std::string& path) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    return {size, fs::last_write_time(path, error)};
  }
  friend bool operator==(const FileState&, const FileState&) = default;
};

/// The one of these fields that has a template in it; empty where none has.
schedpol::FieldPath templated(const schedpol::json::RawObject& object,
                              const schedpol::FieldPath& part,
                              std::span<const std::string_view> fields) {
  schedpol::json::RawObject members = object;
  for (const schedpol::FieldPath::Step& step : part.steps()) {
    const auto found = members.find(step.name);
    if (found == members.end()) return {};
    members = support::read_object(std::string(found->second.json));
  }
  for (const std::string_view field : fields) {
    const auto found = members.find(field);
    if (found != members.end() && found->second.json.find("{{") != std::string::npos)
      return part.child(field);
  }
  return {};
}

/// The same of what names an object and schedules its pods: none of that has a brace.
schedpol::FieldPath templated(const schedpol::json::RawObject& object) {
  constexpr std::string_view names[] = {"name", "generateName", "namespace"};
  schedpol::FieldPath found = templated(object, {"metadata"}, names);
  const auto kind = schedpol::pod_kind(schedpol::json::kind_of(object));
  if (found.empty() && kind)
    found = templated(object, schedpol::field_path(*kind, {"spec"}), scheduling_fields);
  return found;
}

/// Why what was read is no object of a cluster, and where that is seen; empty where it may be one.
std::optional<std::pair<Place, std::string>> why_no_object(const Source& source) {
  const std::string& json = source.object.json();
  const bool may_be_status = json.find("\"Status\"") != std::string::npos;
  const bool may_be_template = json.find("{{") != std::string::npos;
  if (!may_be_status && !may_be_template) return std::nullopt;
  const schedpol::json::RawObject object = support::read_object(json);
  if (support::member<std::string>(object, "kind") == "Status" &&
      support::member<std::string>(object, "apiVersion") == "v1") {
    auto said = support::member<std::string>(object, "message");
    if (said.empty()) said = support::member<std::string>(object, "reason");
    return std::pair(source.place(),
                     "this is no object, but a Status, with which an API server answers" +
                         (said.empty() ? "" : ": " + schedpol::in_backticks(said)));
  }
  const schedpol::FieldPath field = templated(object);
  if (field.empty()) return std::nullopt;
  return std::pair(source.place(field), std::string(support::yaml::not_rendered));
}

}  // namespace

void Problems::add(std::string text) {
  std::cerr << support::printable(text) << '\n';
  if (texts_.size() < schedpol::max_reported_errors) texts_.push_back(std::move(text));
}

void Problems::add(const Place& place, const schedpol::FieldError& error) {
  add(to_string(place) + ": " + message(error));
}

std::vector<Finding> warnings_of(const Source& source) {
  std::vector<Finding> warnings;
  for (const support::yaml::Message& warning : source.object.warnings())
    warnings.push_back({Level::warning,
                        "YamlSurprise",
                        {source.file, warning.place.line, warning.place.column},
                        warning.text});
  return warnings;
}

void warn(const std::vector<Finding>& warnings) {
  for (const Finding& warning : warnings)
    std::cerr << to_string(warning.place) << ": warning: " << support::printable(warning.text)
              << '\n';
}

Place Source::place(const schedpol::FieldPath& field) const {
  if (!whole.file.empty()) return whole;
  const support::yaml::Place at = field.empty() ? object.place() : object.locate(field).key;
  if (object.source().empty()) return {file, at.line, at.column};
  return {object.source(), at.line + 1 - std::min(at.line, object.place().line), at.column};
}

bool Input::take_stdin() {
  const bool is_first = !std::exchange(is_stdin_read_, true);
  if (!is_first) problems_.add(stdin_name_ + ": cannot be read twice");
  return is_first;
}

void Input::read(const std::vector<std::string>& paths, const Take& take, EmptyLists empty_lists) {
  for (const std::string& path : paths) {
    const std::size_t read_before = bytes_read_;
    const auto lacks_objects = [&](std::size_t objects) {
      const bool may_be = empty_lists == EmptyLists::are_fine && bytes_read_ > read_before;
      return objects == 0 && !may_be && !problems_.any();
    };
    std::error_code error;
    if (path == "-") {
      if (!take_stdin()) continue;
      is_stream_ = true;
      if (lacks_objects(read_objects(STDIN_FILENO, stdin_name_, Within::named, take)))
        problems_.add(shown(stdin_name_) + ": there is no object in it");
    } else if (fs::is_directory(path, error)) {
      if (lacks_objects(read_folder(path, take)))
        problems_.add(shown(path) + ": there is no object in its *.yaml, *.yml and *.json");
    } else if (selection_.choose(path, Within::named) == Choice::looked_at &&
               lacks_objects(read_file(path, Within::named, take))) {
      problems_.add(shown(path) + ": there is no object in it");
    }
  }
}

std::size_t Input::read_folder(const std::string& path, const Take& take) {
  std::vector<std::string> files;
  std::size_t objects = 0;
  std::error_code error;
  fs::recursive_directory_iterator at(path, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code of_entry;
    const bool is_folder = at->is_directory(of_entry);
    if (is_hidden(at->path())) {
      if (is_folder) at.disable_recursion_pending();
    } else if (!is_folder && is_manifest(at->path())) {
      std::string file = at->path().generic_string();
      const Choice choice = selection_.choose(file, Within::folder);
      if (choice == Choice::excluded) ++objects;
      if (choice == Choice::looked_at) files.push_back(std::move(file));
    }
  }
  if (error) problems_.add(shown(path) + ": cannot be read: " + error.message());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    if (fs::is_regular_file(file, error)) {
      objects += read_file(file, Within::folder, take);
    } else {
      problems_.add(shown(file) + ": is no file that can be read");
    }
  }
  return objects;
}

std::size_t Input::read_file(const std::string& path, Within within, const Take& take) {
  int flags = O_RDONLY;
#if defined(O_BINARY)  // Windows
  flags |= O_BINARY;
#endif
  const int file = open(path.c_str(), flags);
  if (file < 0) {
    problems_.add(shown(path) + ": cannot be read: " + because(errno));
    return 0;
  }
  std::error_code error;
  const bool is_regular = fs::is_regular_file(path, error);
  const FileState before = FileState::of(path);
  if (is_regular) {
    bytes_ += static_cast<std::size_t>(before.size);
  } else {
    is_stream_ = true;
  }
  const std::size_t objects = read_objects(file, path, within, take);
  if (is_regular && FileState::of(path) != before)
    problems_.add(shown(path) + ": changed while it was read");
  close(file);
  return objects;
}

std::size_t Input::read_objects(int file, const std::string& name, Within within,
                                const Take& take) {
  int failure = 0;
  support::yaml::ObjectReader reader(
      [&](char* bytes, std::size_t size) -> std::optional<std::size_t> {
        std::ptrdiff_t got = 0;
        do got = ::read(file, bytes, static_cast<unsigned>(size));
        while (got < 0 && errno == EINTR);
        if (got < 0) {
          failure = errno;
          return std::nullopt;
        }
        bytes_read_ += static_cast<std::size_t>(got);
        return static_cast<std::size_t>(got);
      });
  std::size_t objects = 0;
  Source source{.file = name};
  while (reader.next(source.object)) {
    const Choice choice = selection_.choose(source.object, within);
    if (choice != Choice::passed_over) ++objects;
    if (choice != Choice::looked_at) continue;
    if (const auto why = why_no_object(source)) {
      problems_.add(to_string(why->first) + ": " + why->second);
      continue;
    }
    take(source, reader.document());
  }
  if (failure != 0) {
    problems_.add(shown(name) + ": cannot be read: " + because(failure));
  } else if (reader.error()) {
    problems_.add(to_string(shown(name), *reader.error()));
  }
  return objects;
}

}  // namespace cli
