// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The objects that a command decides on, of which those of a cluster may be very many.
///
/// 1. What nobody stored, and whatever is no pod, is handed over as it is read.
/// 2. A stored pod is asked about as it was when it was created, once its owners are known: at the end.
///    Alike pods of one controller are one subject. What is kept grows with workloads and with pods
///    that differ, not with pods.
/// 3. With `--as-stored` all is handed over as it stands.

#include "commands.hpp"
#include "decide.hpp"
#include "input.hpp"
#include "policies.hpp"
#include "terminal.hpp"

#include <schedpol/core/admission.hpp>
#include <schedpol/insight/suggest.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace cli {

/// An object, or alike pods.
struct Subject {
  AdmissionRequest asked{};
  std::size_t pods = 0;  ///< that are alike; none: an object as it stands
  /// What the pods have and their template has not, or the other way round, besides what the policies
  /// make of them.
  std::vector<schedpol::Change> differences{};
  bool lacks_template = false;      ///< their controller's is not among the objects
  std::vector<Finding> warnings{};  ///< fields that are misspelt; a cluster stores none of these
  std::optional<schedpol::engine::GivenPriority> priority{};  ///< that the API server gave the pods
};

class Inventory {
 public:
  using Take = std::function<void(const Subject&, const Source&)>;

  /// To be decided on by these engines.
  Inventory(std::vector<schedpol::engine::Engine> engines, const Arguments& arguments,
            Problems& problems);
  Inventory(const PolicySet& policies, const Arguments& arguments, Problems& problems)
      : Inventory(std::vector{policies.engine}, arguments, problems) {}

  /// Reads all objects that the arguments name.
  void read(Input& input, const Take& take);

 private:
  /// Alike pods of one controller: the first of them, and where it stands.
  struct AlikePods {
    schedpol::engine::StoredObject first{};
    Place place{};
    std::size_t pods = 0;
  };

  void look_at(const Source& source, const schedpol::json::Document& document, const Take& take);
  /// Whether it is a stored pod.
  bool keep(const Source& source, const schedpol::json::Document& document);
  void add(schedpol::engine::StoredObject&& object, Place&& place);
  void finish(const Take& take);
  [[nodiscard]] std::vector<schedpol::Change> differences(const schedpol::Pod& from,
                                                          const schedpol::Pod& pod) const;

  std::vector<schedpol::engine::Engine> engines_;
  std::vector<schedpol::engine::TemplatePath> paths_;  ///< that any of them has
  const Arguments& arguments_;
  Problems& problems_;
  std::vector<schedpol::Pod> workloads_;
  std::vector<AlikePods> alike_;
  std::unordered_map<std::string, std::size_t> numbers_;  ///< of those, by what tells them apart
};

/// Entries about alike pods, of which those that say the same of one owner become one:
/// `412 pods of Deployment shop/web`.
class GroupedEntries {
 public:
  explicit GroupedEntries(Reporter& reporter) : reporter_(reporter) {}

  /// Adds the entry about a subject; one that is no pods of a cluster is reported at once.
  void add(const Subject& subject, Entry&& entry);
  void finish();

 private:
  struct Group {
    Entry entry{};
    std::size_t pods = 0;
  };

  Reporter& reporter_;
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace cli
