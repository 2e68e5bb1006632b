// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The objects in files, folders and streams, one after another, each with its places.
///
/// 1. `-` is stdin. A folder is every `*.yaml`, `*.yml` and `*.json` in it and below it, in the order
///    of their names, but for what is hidden, and for what is no object (`selection.hpp`).
/// 2. An object of a document that Helm says the source of (`# Source:`) is called by that, and its
///    lines count from where the document begins: nobody knows those of the template.
/// 3. A path in which there is no object is a problem, unless its objects are excluded, and so is a file
///    in a folder that is none (waiting for a pipe could last for ever), and one that changes while it
///    is read.

#include "report.hpp"
#include "selection.hpp"

#include "../support/yaml/object_reader.hpp"

#include <schedpol/base/field_error.hpp>
#include <schedpol/base/field_path.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// What could not be looked at, said on stderr at once. The first `max_reported_errors` are kept.
class Problems {
 public:
  void add(std::string text);
  void add(const Place& place, const schedpol::FieldError& error);

  [[nodiscard]] bool any() const noexcept { return !texts_.empty(); }
  [[nodiscard]] const std::vector<std::string>& texts() const noexcept { return texts_; }

 private:
  std::vector<std::string> texts_;
};

/// An object and where it is from.
struct Source {
  support::yaml::Object object{};
  std::string file{};
  Place whole{};  ///< of an object whose text is not kept; without a file where it is

  /// Where a field of it stands, or the nearest one around it.
  [[nodiscard]] Place place(const schedpol::FieldPath& field = {}) const;
};

/// What of an object, or of a policy, may have been meant otherwise.
[[nodiscard]] std::vector<Finding> warnings_of(const Source& source);

/// Says it on stderr: it makes nothing a failure.
void warn(const std::vector<Finding>& warnings);

class Input {
 public:
  /// `document` is the object as it was parsed.
  using Take = std::function<void(const Source&, const schedpol::json::Document& document)>;

  Input(std::string stdin_name, Selection& selection, Problems& problems)
      : stdin_name_(std::move(stdin_name)), selection_(selection), problems_(problems) {}

  /// Whether a list may be empty. An empty file, folder or pipe never may.
  enum class EmptyLists { are_problems, are_fine };

  /// Hands over every object of these files, folders and `-`. Stdin is read once.
  void read(const std::vector<std::string>& paths, const Take& take,
            EmptyLists empty_lists = EmptyLists::are_problems);

  /// Whether stdin may be read; a second time it is a problem.
  [[nodiscard]] bool take_stdin();

  [[nodiscard]] std::size_t bytes_read() const noexcept { return bytes_read_; }
  /// Of the files so far; 0 where one of them is a stream.
  [[nodiscard]] std::size_t bytes_in_all() const noexcept { return is_stream_ ? 0 : bytes_; }

 private:
  // Each tells how many objects there are, with those that are excluded.
  std::size_t read_folder(const std::string& path, const Take& take);
  std::size_t read_file(const std::string& path, Within within, const Take& take);
  std::size_t read_objects(int file, const std::string& name, Within within, const Take& take);

  std::string stdin_name_;
  Selection& selection_;
  Problems& problems_;
  bool is_stdin_read_ = false;
  bool is_stream_ = false;
  std::size_t bytes_ = 0;
  std::size_t bytes_read_ = 0;
};

}  // namespace cli
