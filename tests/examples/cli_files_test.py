# SPDX-License-Identifier: Apache-2.0
"""The command line and files: which of them, and which of their objects, are looked at, and how the others are counted.

    cli_files_test.py PROGRAM SOURCE_ROOT
"""

import sys

sys.dont_write_bytecode = True
from cli_support import deployment, meta, pod, policy, run

SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": meta("web", "shop")}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": meta("n")}
CASES = {"apiVersion": "schedpol.io/v1alpha1", "kind": "PolicyTest", "policies": ["../policies"],
         "cases": [{"name": "c", "object": pod(), "expect": {"allowed": True}}]}
FILES = {"policies/p.yaml": policy("p", allowed={"schedulerNames": ["default-scheduler"]}),
         "policies/old/q.yaml": policy("q", allowed={"schedulerNames": ["old"]}),
         "objects/web.yaml": deployment("web", "shop"), "objects/a/db.yaml": deployment("db", "shop"),
         "objects/a/b/old.yaml": deployment("old", "shop", schedulerName="old"), "objects/a/b/svc.json": SERVICE,
         "nodes.yaml": NODE, "tests/t.yaml": CASES}
# What reads policies, objects, nodes or cases of these files.
COMMANDS = {
    "check": ["check", "policies", "--for", "objects"], "explain": ["explain", "policies", "--for", "objects"],
    "lint": ["lint", "policies"], "diff": ["diff", "policies", "policies/p.yaml", "--for", "objects"],
    "merge": ["merge", "policies"], "test": ["test", "tests"],
    "plan": ["plan", "policies", "--for", "objects/web.yaml", "--nodes", "nodes.yaml"]}


def globs_name_the_ends_of_paths(cli, _):
    """Of files, or of folders that they are in; `**` is any number of folders."""
    every = ["db", "old", "web"]
    place = cli.folder(FILES)
    for glob, left in (("old.yaml", ["db", "web"]), ("a", ["web"]), ("b", ["db", "web"]), ("a/b", ["db", "web"]), ("a/*", ["web"]),
                       ("objects/**/b", ["db", "web"]), ("**/old.yaml", ["db", "web"]), ("objects/**/old.yaml", ["db", "web"]),
                       ("a/**/db.yaml", ["old", "web"]), ("?b.yaml", ["old", "web"]), ("*e*.yaml", ["db", "old"]), ("./objects/a", ["web"]),
                       ("b/", ["db", "web"]), ("o*d.yaml", ["db", "web"]),
                       ("web", every), ("yaml", every), ("*.json", every), ("b/db.yaml", every), ("/a", every), ("a/?", ["db", "web"]),
                       ("objects/*/old.yaml", every), ("*", []), ("**", []), ("objects", []), ("*b*", [])):
        done = cli("check", "policies", "--for", "./objects", "--exclude", glob, "-o", "json", place=place)
        found = done.json()
        names = sorted(one["name"] for one in found["results"] if one["kind"] == "Deployment")
        if names != left or done.status != (0 if left else 2):
            yield f"{glob}: {names}: {done}"


def what_is_excluded_is_counted(cli, _):
    """In the closing lines of every command; on stderr where there are none."""
    place = cli.folder(FILES)
    for command, arguments in COMMANDS.items():
        done = cli(*arguments, "--exclude", "old", place=place)
        line, where = ("schedpol: 1 file excluded", done.err) if command in ("merge", "plan") else ("1 file excluded", done.out)
        if line not in where.splitlines():
            yield f"{command}: {done}"
    done = cli("check", "policies/p.yaml", "--for", "objects", "--exclude", "b", "--exclude-kind", "Deployment", "-o", "json", place=place)
    if done.status != 2 or done.json()["summary"]["excluded"] != {"files": 2, "objects": 2}:
        yield f"all of it: {done}"
    done = cli("check", "policies/p.yaml", "--for", "objects", "--exclude", "b", "--exclude-kind", "Pod", place=place)
    if done.status != 0 or "\n2 files excluded\n" not in done.out or "2 objects looked at: 2 allowed" not in done.out:
        yield f"some: {done}"
    done = cli("check", "policies/p.yaml", "--for", "objects", "--exclude-kind", "Service", "--exclude", "old.yaml", place=place)
    if done.status != 0 or "\n1 file and 1 object excluded\n" not in done.out:
        yield f"both: {done}"


def nothing_is_no_glob_and_no_kind(cli, _):
    """Such as a variable that is not set: it excluded all."""
    place = cli.folder(FILES)
    for command, arguments in COMMANDS.items():
        for option in ("--exclude", "--exclude-kind"):
            for said in ([option, ""], [option, "none", option, ""]):
                done = cli(*arguments, *said, place=place)
                if (done.status, done.out) != (2, "") or not done.err.startswith(f"schedpol: {option}: must not be empty\n"):
                    yield f"{command} {said}: {done}"


def what_excludes_nothing_is_said(cli, _):
    """On stderr, with the kind that was nearly meant; it makes nothing a failure."""
    place = cli.folder(FILES)
    for options, said in ((["--exclude", "*.yml"], "--exclude `*.yml` excludes nothing"),
                          (["--exclude-kind", "service"], "--exclude-kind `service` excludes nothing, did you mean `Service`"),
                          (["--exclude-kind", "Ingress"], "--exclude-kind `Ingress` excludes nothing")):
        done = cli("check", "policies/p.yaml", "--for", "objects/web.yaml", "--for", "objects/a/b/svc.json", *options, place=place)
        if done.status != 0 or done.err != f"schedpol: {said}\n" or "excluded" in done.out:
            yield f"{options}: {done}"
    for command, arguments in COMMANDS.items():
        done = cli(*arguments, "--exclude", "none", "--exclude-kind", "None", place=place)
        if "--exclude `none` excludes nothing" not in done.err or "--exclude-kind `None` excludes nothing" not in done.err:
            yield f"{command}: {done}"


def nothing_is_left_is_no_pass(cli, _):
    """Whatever is excluded, by its file or by its kind."""
    place = cli.folder(FILES)
    for command, arguments in COMMANDS.items():
        for options in (["--exclude", "policies"], ["--exclude-kind", "SchedulingPolicy"]):
            done = cli(*arguments, *options, place=place)
            if done.status != 2 or not done.err:
                yield f"{command}: {options}: {done}"
    for command, exclude, kind in (("check", "objects", "Deployment"), ("explain", "objects", "Deployment"), ("diff", "objects", "Deployment"),
                                   ("plan", "objects", "Deployment"), ("plan", "nodes.yaml", "Node"), ("test", "tests", "PolicyTest")):
        for options in (["--exclude", exclude], ["--exclude-kind", kind]):
            done = cli(*COMMANDS[command], *options, place=place)
            if done.status != 2 or not done.err:
                yield f"{command}: {options}: {done}"


def a_named_file_may_be_excluded(cli, _):
    """A shell's glob may have named it; the others are looked at."""
    done = cli("check", "policies/p.yaml", "--for", "objects/web.yaml", "--for", "objects/a/b/old.yaml", "--exclude", "old.yaml", files=FILES)
    if done.status != 0 or "1 object looked at: 1 allowed" not in done.out or "\n1 file excluded\n" not in done.out:
        yield str(done)


def an_exclusion_has_one_value(cli, _):
    """Unlike paths, of which one option may have many: what comes behind it is an operand."""
    for arguments in (["check", "--exclude", "old", "--exclude-kind", "Service", "policies", "--for", "objects"],
                      ["check", "--exclude=old", "policies", "--for", "objects", "--exclude-kind=Service"]):
        done = cli(*arguments, files=FILES)
        if done.status != 1 or "1 file and 1 object excluded" not in done.out:
            yield f"{arguments}: {done}"


def what_helm_renders_is_excluded_by_its_template(cli, _):
    """The template is its file, and each object counts."""
    rendered = "".join(f"---\n# Source: shop/templates/{name}.yaml\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\n"
                       for name in ("web", "tests/probe"))
    done = cli("check", "policies/p.yaml", "--for", "-", "--exclude", "templates/tests", files=FILES, stdin=rendered.replace("name: tests/", "name: "))
    if done.status != 0 or "probe" in done.out or "\n1 object excluded\n" not in done.out:
        yield str(done)


def what_is_no_object_is_passed_over_in_folders(cli, _):
    """And counted; named by itself it is an error, and alone it is no pass. What says only one of the two is misspelt."""
    tools = {"base/kustomization.yaml": "resources: [web.yaml]\n", "base/Chart.yaml": "name: web\n", "base/values-prod.yaml": "replicas: 3\n"}
    files = FILES | tools | {"base/web.yaml": deployment("web", "shop"), "base/compose.yaml": "services: {web: {image: x}}\n",
                             "base/list.json": "[1, 2]", "base/half.yaml": [{"a": 1}, pod("p", "shop")]}
    place = cli.folder(files)
    done = cli("check", "policies/p.yaml", "--for", "base", place=place)
    if done.status != 0 or done.err or "2 objects looked at: 2 allowed" not in done.out or \
            "\npassed over in folders: 3 files of Kustomize or Helm and 3 documents without apiVersion and kind\n" not in done.out:
        yield str(done)
    for name in ("values-prod", "compose", "Chart"):
        done = cli("check", "policies/p.yaml", "--for", f"base/{name}.yaml", place=place)
        if done.status != 2 or f"base/{name}.yaml:1:1: " not in done.err:
            yield f"{name}: {done}"
    if cli("check", "policies/p.yaml", "--for", "base", files=FILES | tools | {"base/x.yaml": "a: 1\n"}).status != 2:
        yield "nothing but these"
    for name, object_ in (("no kind", {"apiVersion": "v1", "metadata": meta("p")}), ("no version", {"kind": "Pood", "metadata": meta("p")})):
        if cli("check", "policies/p.yaml", "--for", "base", files=FILES | {"base/x.yaml": object_, "base/web.yaml": deployment()}).status != 2:
            yield name


def passed_over_policies_are_counted(cli, _):
    """A policy in a file that is called like values of a chart is no policy, and the closing line says so."""
    files = {"p/p.yaml": policy("p"), "p/values-q.yaml": policy("q"), "p/README.json": {"about": "these"}}
    for command in (["lint", "p"], ["check", "p", "--for", "-"], ["diff", "p", "p"]):
        done = cli(*command, files=files, stdin=pod())
        if done.status != 0 or "\npassed over in folders: " not in done.out or "of Kustomize or Helm and" not in done.out:
            yield f"{command}: {done}"
    done = cli("lint", "p", "-o", "json", files=files)
    if done.json()["summary"]["passedOver"] != {"files": 1, "documents": 1}:
        yield str(done)
    done = cli("merge", "p", files=files)
    if done.err != "schedpol: passed over in folders: 1 file of Kustomize or Helm and 1 document without apiVersion and kind\n":
        yield str(done)


CHECKS = (globs_name_the_ends_of_paths, what_is_excluded_is_counted, nothing_is_no_glob_and_no_kind,
          what_excludes_nothing_is_said, nothing_is_left_is_no_pass,
          a_named_file_may_be_excluded, an_exclusion_has_one_value, what_helm_renders_is_excluded_by_its_template, what_is_no_object_is_passed_over_in_folders,
          passed_over_policies_are_counted)

if __name__ == "__main__":
    sys.exit(run(__doc__, CHECKS))
