# SPDX-License-Identifier: Apache-2.0
"""The command line and what is governed: what nothing governs is told and allowed, what is listed in vain is an error of lint,
and with `governs` each of the fields that the proposal does not have is judged, merged, compared and covered by cases.

    cli_governs_test.py PROGRAM SOURCE_ROOT
"""

import sys

sys.dont_write_bytecode = True
from cli_support import engine, pod, policy, run

PROPOSAL = ["schedulerNames", "priorityClassNames", "nodeSelectors", "tolerations", "affinities"]
SPREAD = {"maxSkew": 1, "topologyKey": "host", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {}}
# Of each field what a policy allows, what a pod asks for instead, where that stands, its text, and what is denied.
FIELDS = {
    "runtimeClassNames": (["gvisor"], {"runtimeClassName": "kata"}, "spec.runtimeClassName", "kata",
                          "runtime class `kata` is not allowed by `p` (permitted: `gvisor`) [RuntimeClassNameNotAllowed]"),
    "topologySpreadConstraints": (
        [{"topologyKeys": ["zone"], "whenUnsatisfiable": ["DoNotSchedule"]}], {"topologySpreadConstraints": [SPREAD]},
        "spec.topologySpreadConstraints[0]", "host:ScheduleAnyway",
        "topology spread constraint `host:ScheduleAnyway` is not allowed by `p` (permitted: `{topologyKeys: [zone], "
        "whenUnsatisfiable: [DoNotSchedule]}`) [TopologySpreadConstraintNotAllowed]"),
    "schedulingGates": (["quota"], {"schedulingGates": [{"name": "own"}]}, "spec.schedulingGates[0].name", "own",
                        "scheduling gate `own` is not allowed by `p` (permitted: `quota`) [SchedulingGateNotAllowed]"),
    "resourceClaims": (["gpu"], {"resourceClaims": [{"name": "r", "resourceClaimName": "fpga"}]},
                       "spec.resourceClaims[0].resourceClaimName", "fpga",
                       "resource claim `fpga` is not allowed by `p` (permitted: `gpu`) [ResourceClaimNotAllowed]"),
}
# What a pod asks for that is allowed.
ALLOWED = {"runtimeClassNames": {"runtimeClassName": "gvisor"}, "schedulingGates": {"schedulingGates": [{"name": "quota"}]},
           "topologySpreadConstraints": {"topologySpreadConstraints": [
               SPREAD | {"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}]},
           "resourceClaims": {"resourceClaims": [{"name": "r", "resourceClaimTemplateName": "gpu"}]}}


def governing(folder, governs, **allowed):
    settings = {"options": {"governs": governs}} if governs else {}
    return {f"{folder}/engine.yaml": engine("SchedulingPolicy", **settings),
            f"{folder}/p.yaml": policy("p", {"schedulerNames": ["default-scheduler"]} | allowed)}


def what_nothing_governs_is_told(cli, _):
    for name, (allowed, spec, field, value, _) in FIELDS.items():
        for governs in (None, "Proposal", [*PROPOSAL, *(other for other in FIELDS if other != name)]):
            files = governing("p", governs, **{name: allowed}) | {"pod.yaml": pod(**spec)}
            done = cli("check", "p", "--for", "pod.yaml", files=files)
            if done.status != 0 or done.out.split("\n\n")[0] != \
                    f"allowed   Pod n/p  pod.yaml:1:1\n  nothing governs\n    {field}: {value}":
                yield f"check of {name} by {governs}: {done}"
            item = cli("check", "p", "--for", "pod.yaml", "-o", "json", place=done.place).json()["results"][0]
            if item.get("ungoverned") != [{"field": field, "value": value}] or item["findings"]:
                yield f"check of {name} by {governs}: {item}"
            done = cli("explain", "p", "--for", "pod.yaml", "-o", "json", place=done.place)
            items = done.json()["results"][0]["items"]
            if done.status != 0 or [(one["field"], one["value"]) for one in items if one["ruling"] == "Ungoverned"] != [(field, value)]:
                yield f"explain of {name} by {governs}: {items}"
            done = cli("lint", "p", "-o", "json", place=done.place)
            found = [(one["code"], one["level"], one["message"]) for entry in done.json()["results"] for one in entry["findings"]]
            if done.status != 1 or found != [
                    ("Ungoverned", "error", f"`p`: `allowed.{name}`: has no effect until `options.governs` lists it")]:
                yield f"lint of {name} by {governs}: {found}"


def what_is_governed_is_denied(cli, _):
    for name, (allowed, spec, field, value, why) in FIELDS.items():
        for governs in ("All", [*PROPOSAL, name]):
            files = governing("p", governs, **{name: allowed}) | {
                "pod.yaml": pod(**spec), "good.yaml": pod(**ALLOWED[name]), "any.yaml": policy("p2", {name: []})}
            done = cli("check", "p", "--for", "pod.yaml", files=files)
            fix = field.removesuffix(".name").removesuffix(".resourceClaimName")
            if done.status != 1 or f"error: `{field}`: {why}\n  it would be allowed with\n  - {fix}: {value}\n" not in done.out:
                yield f"check of {name} by {governs}: {done}"
            for policies, objects in ((["p"], "good.yaml"), (["p", "any.yaml"], "pod.yaml")):
                done = cli("check", *policies, "--for", objects, place=done.place)
                if done.status != 0 or "nothing governs" in done.out:
                    yield f"check of {objects} with {policies} for {name} by {governs}: {done}"
            done = cli("lint", "p", place=done.place)
            if done.status != 0:
                yield f"lint of {name} by {governs}: {done}"


def diff_tells_what_governing_a_field_does(cli, _):
    for name, (allowed, spec, _, _, why) in FIELDS.items():
        files = governing("before", None, **{name: allowed}) | governing("after", [*PROPOSAL, *FIELDS], **{name: allowed}) | {
            "pod.yaml": pod(**spec)}
        done = cli("diff", "before", "after", "--for", "pod.yaml", files=files)
        if done.status != 1 or not done.out.startswith("Stricter  SchedulingPolicies\n") or \
                "changed   EngineConfiguration\n" not in done.out or why not in done.out or "1 denied now" not in done.out:
            yield f"diff of {name}: {done}"
        done = cli("diff", "after", "before", "--for", "pod.yaml", place=done.place)
        if done.status != 1 or not done.out.startswith("Looser    SchedulingPolicies\n") or "1 allowed now" not in done.out:
            yield f"diff back of {name}: {done}"


def merge_says_whose_entries_they_are(cli, _):
    given = {"runtimeClassName": "gvisor"}
    for name, (allowed, *_) in FIELDS.items():
        more = [{"topologyKeys": ["rack"], "whenUnsatisfiable": []}] if name == "topologySpreadConstraints" else ["more"]
        files = {"policies.yaml": [engine("SchedulingPolicy", options={"governs": "All"}), policy("a", {name: allowed}, default=given),
                                   policy("b", {name: more}, default={"runtimeClassName": "kata"})]}
        done = cli("merge", "policies.yaml", files=files)
        lines = [line.partition("#")[2].strip() for line in done.out.splitlines() if line.startswith("      - ")]
        if done.status != 0 or lines != ["`a`", "`b`"] or "runtimeClassName: \"gvisor\"  # `a`" not in done.out or \
                "# lost: default.runtimeClassName of `b`" not in done.out:
            yield f"merge of {name}: {done}"


def cases_cover_the_entries(cli, _):
    """A rule is depended on by the case that it allows, and by no other."""
    for name, (allowed, spec, field, _, why) in FIELDS.items():
        code = why.rpartition("[")[2].rstrip("]")
        denied = {"name": "denied", "object": pod(**spec), "expect": {"allowed": False, "reasons": [
            {"code": code, "field": field, "policy": "p"}]}}
        good = {"name": "allowed", "object": pod(**ALLOWED[name]), "expect": {"allowed": True, "changes": []}}
        for cases, uncovered in (([denied, good], []), ([denied], [f"SchedulingPolicy[p].spec.allowed.{name}[0]"])):
            files = governing("p", [name], **{name: allowed}) | {"cases.yaml": {
                "apiVersion": "schedpol.io/v1alpha1", "kind": "PolicyTest", "policies": ["p"], "cases": cases}}
            done = cli("test", "cases.yaml", "--coverage", "-o", "json", files=files)
            missing = [rule for rule in done.json()["summary"]["uncovered"] if "schedulerNames" not in rule]
            if done.status != 0 or missing != uncovered:
                yield f"{name}, {len(cases)} cases: {done}"


def shipped_example(cli, root):
    place = root / "examples/cli/sandboxes"
    done = cli("check", "policies", "--for", "miner.yaml", place=place)
    readme = (root / "examples/cli/README.md").read_text(encoding="utf-8")
    if done.status != 1 or f"```text\n{done.out}```" not in readme:
        yield f"README.md shows something else than {done}"
    done = cli("test", "tests.yaml", "--coverage", place=place)
    if done.status != 0 or done.out.splitlines()[-1] != "3 of 3 cases as expected, 4 of 4 rules depended on":
        yield f"{done}"


if __name__ == "__main__":
    sys.exit(run(__doc__, [what_nothing_governs_is_told, what_is_governed_is_denied, diff_tells_what_governing_a_field_does,
                           merge_says_whose_entries_they_are, cases_cover_the_entries, shipped_example]))
