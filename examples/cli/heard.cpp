// SPDX-License-Identifier: Apache-2.0
#include "heard.hpp"

#include "decide.hpp"

#include "../support/json_members.hpp"

#include <schedpol/core/limits.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/rbac/usable.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

namespace cli {

namespace {

namespace engine = schedpol::engine;
using schedpol::ErrorType;
using schedpol::FieldPath;
using schedpol::json::RawObject;

/// Reads one line.
class HeardReader {
 public:
  HeardReader(const Place& place, Problems& problems) : place_(place), problems_(problems) {}

  std::optional<engine::RunningObject> read(const std::string& json) {
    auto members = schedpol::json::decode<RawObject>(json);
    for (const schedpol::FieldError& error : members.errors()) problems_.add(place_, error);
    if (!members) return std::nullopt;
    const RawObject& line = *members;
    if (support::member<std::string>(line, "kind") != "AdmissionReview")
      return fail({"kind"}, ErrorType::not_supported, "a need is an AdmissionReview");
    RawObject heard;
    if (!support::read_member(line, "heard", heard) || heard.empty())
      return fail(heard_, ErrorType::required,
                  "tells how often the need was heard, and whose it is");
    engine::RunningObject read;
    std::int64_t count = 0;
    if (!support::read_member(heard, "count", count) || count < 1 || count > most_heard) {
      return fail(heard_.child("count"), ErrorType::invalid,
                  "must be a number from 1 to " + std::to_string(most_heard));
    }
    read.heard = static_cast<std::size_t>(count);
    RawObject example;
    if (!support::read_member(heard, "example", example) ||
        !support::read_member(example, "kind", read.owner.kind) || read.owner.kind.empty() ||
        !support::read_member(example, "namespace", read.owner.namespace_) ||
        !support::read_member(example, "name", read.owner.name)) {
      return fail(heard_.child("example"), ErrorType::invalid,
                  "must have the kind, the namespace and the name of an object");
    }
    return read_request_of(json, heard, std::move(read));
  }

 private:
  std::optional<engine::RunningObject> fail(const FieldPath& field, ErrorType type,
                                            const std::string& detail) {
    problems_.add(place_, {type, field, "", detail});
    return std::nullopt;
  }

  std::optional<engine::RunningObject> read_request_of(const std::string& json,
                                                       const RawObject& heard,
                                                       engine::RunningObject&& read) {
    auto asked = read_request(json, schedpol::default_namespace, {});
    for (const schedpol::FieldError& error : asked.errors()) problems_.add(place_, error);
    if (!asked) return std::nullopt;
    if (!asked->pod || asked->pod->operation != engine::Operation::create)
      return fail({"request"}, ErrorType::invalid, "must create a pod or a pod template");
    read.request = *std::move(asked->pod);
    const schedpol::Pod& pod = read.request.object;
    const std::string subject = "system:serviceaccount:" + std::string(namespace_of(pod.metadata)) +
                                ':' + std::string(schedpol::rbac::account_of(pod));
    if (support::member<std::string>(heard, "subject") != subject) {
      return fail(heard_.child("subject"), ErrorType::invalid,
                  "must be that of the object, `" + subject + "`");
    }
    return std::move(read);
  }

  const FieldPath heard_{"heard"};
  const Place& place_;
  Problems& problems_;
};

/// The next line without its end; of one that is too long, what is enough to say so.
bool read_line(std::istream& from, std::string& line) {
  line.clear();
  std::streambuf& bytes = *from.rdbuf();
  for (int byte = bytes.sbumpc(); byte != EOF; byte = bytes.sbumpc()) {
    if (byte == '\n') return true;
    if (line.size() <= schedpol::max_document_bytes) line.push_back(static_cast<char>(byte));
  }
  return !line.empty();
}

/// Needs, equal ones once.
class HeardNeeds {
 public:
  explicit HeardNeeds(Problems& problems) : problems_(problems) {}

  void read(std::istream& from, const std::string& name) {
    Place place{.file = name, .line = 0, .column = 1};
    std::string line;
    while (read_line(from, line)) {
      ++place.line;
      if (auto read = HeardReader(place, problems_).read(line)) add(*std::move(read));
    }
  }

  [[nodiscard]] std::vector<engine::RunningObject> take() && { return std::move(all_); }

 private:
  void add(engine::RunningObject&& read) {
    const auto [found, is_new] =
        places_.try_emplace(schedpol::json::encode(read.request.object), all_.size());
    if (is_new) {
      all_.push_back(std::move(read));
    } else {
      all_[found->second].heard += read.heard;
    }
  }

  Problems& problems_;
  std::vector<engine::RunningObject> all_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace

std::vector<engine::RunningObject> read_heard(const Arguments& arguments, Input& input,
                                              Problems& problems) {
  HeardNeeds needs(problems);
  for (const std::string& path : arguments.from) {
    if (path == "-") {
      if (input.take_stdin()) needs.read(std::cin, arguments.stdin_name);
      continue;
    }
    std::error_code error;
    std::ifstream file;
    if (!std::filesystem::is_directory(path, error)) file.open(path, std::ios::binary);
    if (file.is_open()) {
      needs.read(file, path);
    } else {
      problems.add(to_string(Place{.file = path}) + ": cannot be read");
    }
  }
  return std::move(needs).take();
}

}  // namespace cli
