// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include "json_edit.hpp"
#include "misspelt_fields.hpp"

#include "../support/json_members.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/insight/compare.hpp>

#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace cli {

// What the members of each are called. A member that none of these names is an error.

static void read_members(CaseReader& reader, const CaseReader::Object& from, Reason& into) {
  reader.members(from, {"code", "field", "policy"});
  reader.read(from, "code", into.code);
  reader.read(from, "field", into.field);
  reader.read(from, "policy", into.policy);
}
static void read_members(CaseReader& reader, const CaseReader::Object& from, ExpectedChange& into) {
  reader.members(from, {"field", "from", "to", "policy"});
  reader.read(from, "field", into.field);
  reader.read(from, "from", into.from);
  reader.read(from, "to", into.to);
  reader.read(from, "policy", into.policy);
}
static void read_members(CaseReader& reader, const CaseReader::Object& from, Expectation& into) {
  reader.members(from, {"allowed", "lookedAt", "reasons", "moreReasons", "changes", "warnings",
                        "units", "relation"});
  reader.read(from, "allowed", into.allowed);
  reader.read(from, "lookedAt", into.looked_at);
  reader.read(from, "reasons", into.reasons);
  reader.read(from, "moreReasons", into.more_reasons);
  reader.read(from, "changes", into.changes);
  reader.read(from, "warnings", into.warnings);
  reader.read(from, "units", into.units);
  reader.read(from, "relation", into.relation);
}

namespace {

using schedpol::ErrorType;
using schedpol::FieldPath;
using schedpol::json::RawMessage;
using schedpol::json::RawObject;

/// What a case says before its parts are put together.
struct WrittenCase {
  std::string name{};
  std::string namespace_{};
  RawMessage object{};
  RawMessage old{};
  RawObject with{};
  std::int64_t replicas = 0;
  std::string nodes{};
  std::vector<std::string> before{};
  Expectation expect{};
};

struct WrittenFile {
  std::string api_version{};
  std::string kind{};
  std::vector<std::string> policies{};
  RawObject objects{};
  std::vector<WrittenCase> cases{};
};

struct FileReference {
  std::string file{};
  std::string kind{};
  std::string name{};
};

void read_members(CaseReader& reader, const CaseReader::Object& from, WrittenCase& into) {
  reader.members(from, {"name", "namespace", "object", "old", "with", "replicas", "nodes", "before",
                        "expect"});
  reader.read(from, "name", into.name);
  reader.read(from, "namespace", into.namespace_);
  reader.read(from, "object", into.object);
  reader.read(from, "old", into.old);
  reader.read(from, "with", into.with);
  reader.read(from, "replicas", into.replicas);
  reader.read(from, "nodes", into.nodes);
  reader.read(from, "before", into.before);
  reader.read(from, "expect", into.expect);
}
void read_members(CaseReader& reader, const CaseReader::Object& from, FileReference& into) {
  reader.members(from, {"file", "kind", "name"});
  reader.read(from, "file", into.file);
  reader.read(from, "kind", into.kind);
  reader.read(from, "name", into.name);
}
void read_members(CaseReader& reader, const CaseReader::Object& from, WrittenFile& into) {
  reader.members(from, {"apiVersion", "kind", "metadata", "policies", "objects", "cases"});
  reader.read(from, "apiVersion", into.api_version);
  reader.read(from, "kind", into.kind);
  reader.read(from, "policies", into.policies);
  reader.read(from, "objects", into.objects);
  reader.read(from, "cases", into.cases);
}

/// Puts a file of cases together.
class CaseBuilder {
 public:
  CaseBuilder(const Source& source, Selection& selection, Problems& problems)
      : source_(source), selection_(selection), problems_(problems) {}

  CaseFile build() && {
    CaseFile file{.source = source_};
    WrittenFile written;
    if (const auto root = reader_.parse(source_.object.json()))
      read_members(reader_, *root, written);
    if (written.kind != "PolicyTest")
      reader_.report(ErrorType::not_supported, FieldPath{"kind"}, written.kind,
                     "must be PolicyTest");
    if (written.api_version != schedpol::own_api_version)
      reader_.report(ErrorType::not_supported, FieldPath{"apiVersion"}, written.api_version,
                     "must be " + std::string(schedpol::own_api_version));
    if (written.policies.empty())
      reader_.report(ErrorType::required, FieldPath{"policies"}, "", "there is nothing to test");
    if (written.cases.empty())
      reader_.report(ErrorType::required, FieldPath{"cases"}, "", "there is nothing to test with");
    Input input("<stdin>", selection_, problems_);
    if (!written.policies.empty()) {
      auto policies = usable_policies(at_hand(written.policies),
                                      std::string(schedpol::default_namespace), input, problems_);
      if (policies) file.policies = *std::move(policies);
    }
    const auto templates = file.policies.engine.templates();
    templates_.assign(templates.begin(), templates.end());
    for (const auto& [name, json] : written.objects)
      objects_[name] = read_object(FieldPath{"objects"}.key(name), json.json);
    note_policies(file.policies);
    for (std::size_t i = 0; i < written.cases.size(); ++i)
      file.cases.push_back(built(std::move(written.cases[i]), FieldPath{"cases"}.index(i)));
    file.warnings = std::move(warnings_);
    for (const schedpol::FieldError& error : std::move(reader_).take_errors())
      problems_.add(source_.place(error.field), error);
    return file;
  }

 private:
  std::string at_hand(const std::string& path) const {
    return (std::filesystem::path(source_.file).parent_path() / path).generic_string();
  }
  std::vector<std::string> at_hand(std::vector<std::string> paths) const {
    for (std::string& path : paths) path = at_hand(path);
    return paths;
  }

  std::string read_object(const FieldPath& path, const std::string& json) {
    const RawObject members = support::read_object(json);
    if (!members.contains("file")) {
      note_misspelt(json, source_, path);
      return json;
    }
    FileReference reference;
    read_members(reader_, {path, members}, reference);
    std::string object;
    std::size_t found = 0;
    Input input("<stdin>", selection_, problems_);
    input.read({at_hand(reference.file)}, [&](const Source& source, const auto&) {
      const RawObject head = support::read_object(source.object.json());
      const auto metadata = head.find("metadata");
      const auto name =
          metadata == head.end()
              ? std::string()
              : support::member<std::string>(support::read_object(metadata->second.json), "name");
      if (!reference.kind.empty() && schedpol::json::kind_of(head) != reference.kind) return;
      if (!reference.name.empty() && name != reference.name) return;
      ++found;
      object = source.object.json();
      note_misspelt(object, source, {});
    });
    if (found != 1 && !problems_.any())
      reader_.report(ErrorType::invalid, path.child("file"), reference.file,
                     "has " + counted(found, "such object") + ", where `kind` and `name` tell one");
    return object;
  }

  void note_policies(const PolicySet& policies) {
    schedpol::engine::for_each_list(policies.configuration.objects,
                                    [&](const auto& list, schedpol::engine::ObjectKinds) {
                                      for (const auto& object : list)
                                        policies_.insert(object.metadata.name);
                                    });
  }

  /// What is wrong with the object otherwise is told where it is decided on.
  void note_misspelt(const std::string& json, const Source& source, const FieldPath& at) {
    const auto asked = read_request(json, schedpol::default_namespace, templates_);
    if (!asked) return;
    const std::vector<Finding> found = misspelt_fields(*asked, source, at);
    warnings_.insert(warnings_.end(), found.begin(), found.end());
  }

  /// A name of one of the objects, or the object itself.
  std::string object_of(const FieldPath& path, const std::string& json) {
    if (!json.starts_with("\"")) {
      if (!json.empty()) note_misspelt(json, source_, path);
      return json;
    }
    const auto name = schedpol::json::decode<std::string>(json);
    const auto found = name ? objects_.find(*name) : objects_.end();
    if (found != objects_.end()) return found->second;
    reader_.report(ErrorType::not_supported, path, name ? *name : "", "is not among the objects");
    return {};
  }

  Case built(WrittenCase written, const FieldPath& path) {
    Case one{.name = std::move(written.name),
             .namespace_ = std::move(written.namespace_),
             .expect = std::move(written.expect),
             .object = object_of(path.child("object"), written.object.json),
             .old = object_of(path.child("old"), written.old.json),
             .replicas = written.replicas,
             .nodes = written.nodes.empty() ? "" : at_hand(written.nodes),
             .before = at_hand(std::move(written.before)),
             .path = path};
    if (one.name.empty()) {
      required(path.child("name"), "a case is told by its name");
    } else if (!names_.insert(one.name).second) {
      reader_.report(ErrorType::duplicate, path.child("name"), one.name, "another case has it");
    }
    for (const auto& [field, value] : written.with)
      edit(one.object, path.child("with"), field, value);
    put_in_namespace(one, path);
    check_expectation(one, path.child("expect"));
    return one;
  }

  void edit(std::string& object, const FieldPath& path, const std::string& field,
            const RawMessage& value) {
    if (object.empty()) return;
    if (!is_looked_at(field, object, templates_)) {
      reader_.report(ErrorType::not_supported, path.key(field), field,
                     "is no field that a decision looks at");
    } else if (auto edited = with_field(object, field, value.json)) {
      object = *std::move(edited);
    } else {
      reader_.report(ErrorType::invalid, path.key(field), field, "is no path in the object");
    }
  }

  void put_in_namespace(Case& one, const FieldPath& path) {
    if (one.namespace_.empty()) return;
    for (std::string* object : {&one.object, &one.old}) {
      if (object->empty()) continue;
      const auto head = support::read_object(*object);
      const auto metadata = head.find("metadata");
      const auto own = metadata == head.end()
                           ? std::string()
                           : support::member<std::string>(
                                 support::read_object(metadata->second.json), "namespace");
      if (!own.empty() && own != one.namespace_)
        reader_.report(ErrorType::invalid, path.child("namespace"), one.namespace_,
                       "the metadata says " + schedpol::in_backticks(own));
    }
  }

  void required(FieldPath field, std::string why) {
    reader_.report(ErrorType::required, std::move(field), "", std::move(why));
  }
  void forbidden(FieldPath field, std::string why) {
    reader_.report(ErrorType::forbidden, std::move(field), "", std::move(why));
  }

  void check_expectation(const Case& one, const FieldPath& path) {
    const Expectation& expect = one.expect;
    const bool of_decision = expect.reasons || expect.changes || expect.warnings;
    if (expect.looked_at == false && (expect.allowed || of_decision))
      forbidden(path.child(expect.allowed ? "allowed" : "lookedAt"),
                "nobody decides on what is not looked at");
    if (!expect.allowed && !expect.looked_at &&
        (of_decision || (!expect.units && !expect.relation)))
      required(path.child("allowed"), "a case expects a decision");
    if ((expect.allowed || expect.looked_at || expect.units) && one.object.empty())
      required(one.path.child("object"), "there is nothing to decide on");
    if (expect.units && (one.replicas <= 0 || one.nodes.empty()))
      required(one.path.child(one.replicas <= 0 ? "replicas" : "nodes"), "replicas go to nodes");
    if (!expect.units && (one.replicas != 0 || !one.nodes.empty()))
      required(path.child("units"), "where replicas go is expected");
    if (expect.relation && one.before.empty())
      required(one.path.child("before"), "policies are compared with others");
    if (!expect.relation && !one.before.empty())
      required(path.child("relation"), "what becomes of the pods that are allowed is expected");
    if (expect.allowed == true && expect.reasons && !expect.reasons->empty())
      forbidden(path.child("reasons"), "an allowed object has none");
    if (expect.allowed == false && expect.changes && !expect.changes->empty())
      forbidden(path.child("changes"), "a denied object has none");
    check_list(path.child("reasons"), expect.reasons, one.object);
    check_list(path.child("changes"), expect.changes, one.object);
    check_list(path.child("warnings"), expect.warnings, one.object);
    if (expect.relation && expect.relation->empty())
      required(path.child("relation"), "one of them is expected");
    for (std::size_t i = 0; expect.relation && i < expect.relation->size(); ++i)
      check_relation(path.child("relation").index(i), (*expect.relation)[i]);
  }

  void check_relation(const FieldPath& path, const std::string& word) {
    using schedpol::scheduling_policy::Relation;
    for (const Relation known :
         {Relation::equivalent, Relation::stricter, Relation::looser, Relation::incomparable})
      if (to_string(known) == word) return;
    reader_.report(ErrorType::not_supported, path, word,
                   "supported are Equivalent, Stricter, Looser, Incomparable");
  }

  template <class T>
  void check_list(const FieldPath& path, const std::optional<std::vector<T>>& list,
                  const std::string& object) {
    for (std::size_t i = 0; list && i < list->size(); ++i) {
      const T& one = (*list)[i];
      if (one == T{}) required(path.index(i), "must say what is expected");
      if (one.policy && !policies_.contains(*one.policy))
        reader_.report(ErrorType::not_supported, path.index(i).child("policy"), *one.policy,
                       "there is no such policy");
      if (one.field && !object.empty() && !is_looked_at(*one.field, object, templates_))
        reader_.report(ErrorType::not_supported, path.index(i).child("field"), *one.field,
                       "is no field that a decision looks at");
    }
  }

  const Source& source_;
  Selection& selection_;
  Problems& problems_;
  CaseReader reader_;
  std::map<std::string, std::string> objects_;
  std::set<std::string> policies_;
  std::vector<schedpol::engine::TemplatePath> templates_;
  std::set<std::string> names_;
  std::vector<Finding> warnings_;
};

}  // namespace

std::vector<CaseFile> read_cases(const std::vector<std::string>& paths, Selection& selection,
                                 Problems& problems) {
  std::vector<Source> sources;
  Input input("<stdin>", selection, problems);
  input.read(paths, [&](const Source& source, const auto&) { sources.push_back(source); });
  std::vector<CaseFile> files;
  for (const Source& source : sources)
    files.push_back(CaseBuilder(source, selection, problems).build());
  return files;
}

}  // namespace cli
