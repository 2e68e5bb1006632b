# SPDX-License-Identifier: Apache-2.0
"""The lists "Add a field" and "Add a system" of CONTRIBUTING.md are whole: what is added to a copy of the repository in
those places, and in no others, decides.

    extension_test.py SOURCE_ROOT

The system is LabelPolicy, whose own files are in extension/label_policy/; the field is serviceAccountNames, which a
SchedulingPolicy is to rule as it rules priorityClassNames. Lines are put behind those of their neighbours.
"""

import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
OWN_FILES = ROOT / "tests/extension/label_policy"
NAMES = {"SYSTEM": "label_policy", "KIND": "LabelPolicy", "PLURAL": "labelpolicies"}
COMPILER = ["g++", "-std=c++20", "-O0", "-Wall", "-Werror", "-fno-exceptions", "-fno-rtti", "-fmax-errors=1", "-pipe"]


class Edit:
    """Something that is put behind a text of a file: in the same line, or in a line of its own."""

    def __init__(self, path, behind, text, inline=False):
        self.path, self.behind, self.text, self.inline = path, behind, text, inline

    def apply(self, content):
        """The content of the file with it; None where the neighbour is not there, or not once."""
        if content.count(self.behind) != 1:
            return None
        end = content.index(self.behind) + len(self.behind)
        if not self.inline:
            end = content.index("\n", end)
        return content[:end] + ("" if self.inline else "\n") + self.text + content[end:]


LIBRARY = "include/schedpol/"
CRD = "examples/manifests/crds/schedulingpolicies.yaml"


def codes(*named):
    """Violation codes with their texts, by the name, the spelling and the end of the message of each."""
    for name, spelling, said in named:
        yield Edit(LIBRARY + "core/admission.hpp", "  multiple_resource_policies,", f"  {name},")
        yield Edit(LIBRARY + "core/impl/admission.ipp",
                   'case ViolationCode::rejected_by_rule: return "RejectedByRule";',
                   f'    case ViolationCode::{name}: return "{spelling}";')
        yield Edit(LIBRARY + "core/impl/admission.ipp", "case ViolationCode::rejected_by_rule: return at + ",
                   f"    case ViolationCode::{name}: return {said};")
        yield Edit("examples/cli/codes.cpp", '"Change the labels or annotations that the rule selects."};',
                   f'    case Code::{name}: return {{"The pod lacks what is required.", add_it}};')


FIELD = [
    Edit(LIBRARY + "scheduling_policy/policy.hpp", "  AnyOr<Texts> priority_class_names{};",
         "  AnyOr<Texts> service_account_names{};"),
    Edit(LIBRARY + "scheduling_policy/policy.hpp", "  std::optional<std::string> priority_class_name{};",
         "  std::optional<std::string> service_account_name{};"),
    Edit(LIBRARY + "scheduling_policy/options.hpp", "  priority_class_names,", "  service_account_names,"),
    Edit(LIBRARY + "scheduling_policy/options.hpp", '"priorityClassNames",', ' "serviceAccountNames",', inline=True),
    *codes(("service_account_name_required", "ServiceAccountNameRequired", 'not_required("service account")'),
           ("service_account_name_not_allowed", "ServiceAccountNameNotAllowed", 'not_allowed("service account")')),
    Edit(LIBRARY + "scheduling_policy/impl/fields.hpp", ".derived = derived_from_priority_class}};",
         """inline constexpr NameField service_account_name_field = {
    .field = "serviceAccountName",
    .rules_field = "serviceAccountNames",
    .in_pod = &PodSpec::service_account_name,
    .member = &Defaults::service_account_name,
    .rules = &PolicySection::service_account_names,
    .component = Component::service_account_names,
    .codes = {ViolationCode::service_account_name_not_allowed, ViolationCode::service_account_name_required}};"""),
    Edit(LIBRARY + "scheduling_policy/impl/fields.hpp", "RowList<scheduler_name_field, priority_class_name_field,",
         " service_account_name_field,", inline=True),
    Edit(CRD, "priorityClassNames: *requiredNames", "                  serviceAccountNames: *requiredNames"),
    Edit(CRD, "priorityClassNames: *allowedNames", "                  serviceAccountNames: *allowedNames"),
    Edit(CRD, """The scheduler that places the pod.
                    type: string
                    maxLength: 253""", """                  serviceAccountName:
                    description: The service account of the pod.
                    type: string
                    maxLength: 253"""),
    Edit("examples/reference/SchedulingPolicy.yaml", "    priorityClassNames: [batch, training]",
         "    serviceAccountNames: [builder]"),
]

SYSTEM = [
    *(Edit(LIBRARY + "schedpol.hpp", "#include <schedpol/engine/system.hpp>",
           f"#include <schedpol/label_policy/{name}.hpp>") for name in ("admit", "compile", "policy", "validate")),
    Edit(LIBRARY + "engine/system.hpp", "  resource_policy,  ///<", "  label_policy,"),
    Edit(LIBRARY + "engine/system.hpp", "#include <schedpol/metadata_policy/policy.hpp>",
         "#include <schedpol/label_policy/policy.hpp>"),
    Edit(LIBRARY + "engine/system.hpp", "  std::vector<resource_policy::ResourcePolicy> resource_policies{};",
         "  std::vector<label_policy::LabelPolicy> label_policies{};"),
    Edit(LIBRARY + "engine/system.hpp", '{"ResourcePolicy", in_namespace, resource_policy::api_version, System::resource_policy}});',
         """  f(objects.label_policies,
    ObjectKinds{{"LabelPolicy", in_namespace, label_policy::api_version, System::label_policy}});"""),
    Edit(LIBRARY + "engine/impl/systems.ipp", "#include <schedpol/engine/impl/systems.hpp>",
         "#include <schedpol/engine/impl/systems/label_policy.hpp>"),
    Edit(LIBRARY + "engine/impl/systems.ipp", "       make<ResourcePolicySystem>},",
         '      {System::label_policy, "LabelPolicy", "label-policy", false, make<LabelPolicySystem>},'),
    Edit(LIBRARY + "json/impl/values.hpp", "#include <schedpol/json/impl/schema/metadata_policy.hpp>",
         "#include <schedpol/json/impl/schema/label_policy.hpp>"),
    Edit(LIBRARY + "json/impl/values.hpp", "ResourcePolicyValues{} +", " LabelPolicyValues{} +", inline=True),
    Edit(LIBRARY + "json/impl/evaluate.ipp", "#include <schedpol/json/impl/operations/engine.hpp>",
         "#include <schedpol/json/impl/operations/label_policy.hpp>"),
    Edit(LIBRARY + "json/impl/evaluate.ipp", "    engine_operations,", "    label_policy_operations,"),
    Edit(LIBRARY + "insight/impl/analyze.ipp", "#include <schedpol/insight/impl/systems/metadata_policy.hpp>",
         "#include <schedpol/insight/impl/systems/label_policy.hpp>"),
    Edit(LIBRARY + "insight/impl/analyze.ipp", "     resource_policy_texts},",
         """    {System::label_policy, analyze_label_policies, analyze_changed_label_policies,
     label_policy_texts},"""),
    *codes(("label_required", "LabelRequired", 'at + "label" + value + " is required by " + by')),
    Edit("examples/manifests/kustomization.yaml", "- crds/resourcepolicies.yaml", "- crds/labelpolicies.yaml"),
    Edit("examples/manifests/viewers.yaml", "resources: [schedulingpolicies, metadatapolicies", ", labelpolicies", inline=True),
    Edit("examples/manifests/webhook-rbac.yaml", "resources: [schedulingpolicies, metadatapolicies", ", labelpolicies",
         inline=True),
    Edit("examples/manifests/webhook-rbac.yaml", "resources: [schedulingpolicies/status, metadatapolicies/status",
         ", labelpolicies/status", inline=True),
    Edit("examples/manifests/webhook-configurations.yaml", "resources: [schedulingpolicies, metadatapolicies",
         ", labelpolicies", inline=True),
]

# What is compiled without the bodies of all else, and what of it does not compile with a line left out.
SYSTEMS_TABLE = "#include <schedpol/engine/impl/systems.ipp>"
FIELDS = "#include <schedpol/scheduling_policy/impl/fields.hpp>"
TEXTS = "#include <schedpol/core/impl/admission.ipp>"
TABLES = """#include <schedpol/insight/impl/analyze.ipp>
#include <schedpol/json/impl/evaluate.ipp>
namespace schedpol::json::detail {
static_assert([] {
  for (const auto& operations : all_operations)
    for (const NamedOperation& operation : operations)
      if (operation.name == "labelPolicy.validate") return true;
  return false;
}());
}"""
CONFIGURATION = "#include <schedpol/json/impl/configuration.ipp>"
NEEDED = [
    (CONFIGURATION, "json/impl/values.hpp", "LabelPolicyValues"),
    (SYSTEMS_TABLE, "engine/impl/systems.ipp", "make<LabelPolicySystem>"),
    (SYSTEMS_TABLE, "engine/system.hpp", "label_policies{}"),
    (SYSTEMS_TABLE, "engine/system.hpp", "  label_policy,"),
    (FIELDS, "scheduling_policy/impl/fields.hpp", "inline constexpr NameField"),
    (FIELDS, "scheduling_policy/impl/fields.hpp", " service_account_name_field,"),
    (FIELDS, "scheduling_policy/options.hpp", "  service_account_names,"),
    (FIELDS, "scheduling_policy/options.hpp", '"serviceAccountNames"'),
    (FIELDS, "scheduling_policy/policy.hpp", "AnyOr<Texts>"),
    (FIELDS, "scheduling_policy/policy.hpp", "std::optional<std::string>"),
    (FIELDS, "core/admission.hpp", "service_account_name_required"),
    (TEXTS, "core/impl/admission.ipp", '"ServiceAccountNameRequired"'),
    (TEXTS, "core/impl/admission.ipp", 'not_required("service account")'),
]


def section(name):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {name}\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert found, f"CONTRIBUTING.md has no section {name}"
    return found[1]


def places(name):
    """What a list names: the line of CONTRIBUTING.md for each place, a file or a folder of the system's own."""
    named = {}
    for line in re.findall(r"^\|.*\|$", section(name), re.MULTILINE)[2:]:
        for place in re.findall(r"`([^`]*[./][^`]*)`", line.split("|")[2]):
            for word, own in NAMES.items():
                place = place.replace(word, own)
            named[place] = line
    return named


def place_of(path):
    """A file as the lists name it."""
    path = path.removeprefix(LIBRARY)
    own = f"{NAMES['SYSTEM']}/"
    for folder in (own, f"tests/{own}"):
        if path.startswith(folder):
            return folder
    return path


def own_files():
    return {path.relative_to(OWN_FILES).as_posix(): path for path in sorted(OWN_FILES.rglob("*")) if path.is_file()}


def list_is_exact(name, touched):
    """A list names the places that were touched, and no others."""
    named = places(name)
    touched = {place_of(path) for path in touched}
    for place in sorted(touched - set(named)):
        yield f"CONTRIBUTING.md, {name}: does not name {place}"
    for place in sorted(set(named) - touched):
        yield f"CONTRIBUTING.md, {name}: names {place}, where nothing was to be added: {named[place]}"


class Copy:
    """A copy of what is edited, with the edits."""

    def __init__(self, folder):
        self.folder = folder
        shutil.copytree(ROOT / "include", folder / "include")
        self.problems = []
        for name, edits in (("Add a field", FIELD), ("Add a system", SYSTEM)):
            for edit in edits:
                path = folder / edit.path
                if not path.exists():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / edit.path, path)
                self.apply(name, edit)
        for path, source in own_files().items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / path)

    def apply(self, name, edit):
        path = self.folder / edit.path
        edited = edit.apply(path.read_text(encoding="utf-8"))
        if edited is None:
            line = places(name).get(place_of(edit.path), "no line")
            self.problems.append(f"{edit.path}: `{edit.behind}` is not there once, by which this line of CONTRIBUTING.md, "
                                 f"{name}, is done: {line}")
        else:
            path.write_text(edited, encoding="utf-8")

    def compiles(self, source, *options):
        run = subprocess.run([*COMPILER, *options, "-I", self.folder / "include", "-x", "c++", "-"], input=source,
                             text=True, capture_output=True, check=False)
        return "" if run.returncode == 0 else run.stderr or "fails"

    def without(self, path, text):
        """What an edit added, taken out: what was there, to be put back."""
        edits = [edit for edit in FIELD + SYSTEM if edit.path.removeprefix(LIBRARY) == path and text in edit.text]
        assert len(edits) == 1, f"{len(edits)} edits of {path} have {text}"
        file = self.folder / edits[0].path
        whole = file.read_text(encoding="utf-8")
        file.write_text(whole.replace(edits[0].text, ""), encoding="utf-8")
        return file, whole


def decides(copy):
    """What was added compiles and decides, and does not compile with a line left out."""
    declared = ("-DSCHEDPOL_COMPILED", "-fsyntax-only")
    for source in (TABLES, f'#include "{copy.folder}/examples/cli/codes.cpp"'):  # the program has the others
        if error := copy.compiles(source, *declared, "-I", ROOT / "examples/cli"):
            yield f"{source}: {error}"
    for source, path, text in NEEDED:
        file, whole = copy.without(path, text)
        if not copy.compiles(source, *declared):
            yield f"{path}: compiles without `{text.strip()}`"
        file.write_text(whole, encoding="utf-8")
    program = copy.folder / "decides"
    source = (copy.folder / f"tests/{NAMES['SYSTEM']}/decides.cpp").read_text(encoding="utf-8")
    if error := copy.compiles(source, "-o", program):
        yield f"the program: {error}"
        return
    run = subprocess.run([program], text=True, capture_output=True, check=False)
    if run.returncode != 0 or run.stdout:
        yield f"the program exits with {run.returncode}: {run.stdout}"


def main():
    if shutil.which(COMPILER[0]) is None:
        print(f"SKIPPED: {COMPILER[0]} is not here")
        return 77
    problems = [*list_is_exact("Add a field", [edit.path for edit in FIELD]),
                *list_is_exact("Add a system", [edit.path for edit in SYSTEM] + [*own_files()])]
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(pathlib.Path(folder))
        problems += copy.problems
        if not problems:
            problems += decides(copy)
    for problem in problems:
        print(problem)
    print(f"{len(FIELD)} lines of a field and {len(SYSTEM)} of a system added, {len(problems)} problems, "
          f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime:.0f} s of CPU")
    return 1 if problems else 0


sys.exit(main())
