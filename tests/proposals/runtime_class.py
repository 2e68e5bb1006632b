# SPDX-License-Identifier: Apache-2.0
"""What the RuntimeClass scheduling proposal says."""

import re

from proposals.documents import RUNTIME_CLASS, SCHEDULING, block, cut
from proposals.pods import NO_TOLERATION, affinity, denied, hard, selects, tolerates, toleration


def runtime_classes(t):
    text = t.texts[RUNTIME_CLASS]
    [struct] = cut(RUNTIME_CLASS, text, "go").values()
    fields = [name[0].lower() + name[1:] for name in re.findall(r"^    (\w+) [\w\[\].]+$", struct, re.MULTILINE)]
    t.expect("a node selector and tolerations", fields, ["nodeSelector", "tolerations"])
    selector_field, tolerations_field = fields
    windows_taint = re.search(r"Tainting Windows nodes with `([^`]+)`", text)[1]
    sandbox_taint = re.search(r'Tainting "sandbox" nodes with `([^`]+)`', text)[1]
    system = "kubernetes.io/os"

    def runtime_class(name, taint=None, **labels):
        return {"metadata": {"name": name}, "handler": name, "scheduling": {
            selector_field: labels,
            tolerations_field: [toleration(taint, "Exists", None, "NoSchedule")] if taint else []}}

    def node(name, taint=None, **labels):
        return {"metadata": {"name": name, "labels": labels},
                "spec": {"taints": [{"key": taint, "effect": "NoSchedule"}] if taint else []}}

    classes = [runtime_class("runc", **{system: "linux"}),
               runtime_class("runhcs", windows_taint, **{system: "windows"}),
               runtime_class("gvisor", sandbox_taint, sandbox="gvisor"),
               runtime_class("kata", sandbox_taint, sandbox="kata"),
               {"metadata": {"name": "anywhere"}, "handler": "runc"}]
    nodes = [node("linux", **{system: "linux"}), node("linux-gpu", **{system: "linux", "gpu": "true"}),
             node("windows", windows_taint, **{system: "windows"}),
             node("windows-gpu", windows_taint, **{system: "windows", "gpu": "true"}),
             node("gvisor", sandbox_taint, **{system: "linux", "sandbox": "gvisor"}),
             node("kata", sandbox_taint, **{system: "linux", "sandbox": "kata"})]

    def verdict(spec):
        reply = t.ask("runtimeClass.admit", pod={"spec": spec}, runtimeClasses=classes)
        if reply["allowed"]:
            return reply["object"]["spec"]
        return [f"{violation['code']} {violation['field']}" for violation in reply["violations"]]

    def lands_on(spec):
        return [node["metadata"]["name"] for node in nodes
                if t.ask("nodeAffinity.matches", pod={"spec": spec}, node=node)["matches"] and not t.ask(
                    "taints.findUntolerated", tolerations=spec.get("tolerations", []),
                    taints=node["spec"]["taints"])["untolerated"]]

    for words, spec, wanted in [
            ("a Linux runtime is scheduled to Linux nodes", {"runtimeClassName": "runc"}, ["linux", "linux-gpu"]),
            ("a Windows runtime, without worrying about constraints", {"runtimeClassName": "runhcs"},
             ["windows", "windows-gpu"]),
            ("gVisor where gVisor is", {"runtimeClassName": "gvisor"}, ["gvisor"]),
            ("Kata where Kata is", {"runtimeClassName": "kata"}, ["kata"]),
            ("default pods stay away from Windows and from sandboxes", {}, ["linux", "linux-gpu"]),
            ("scheduling is optional", {"runtimeClassName": "anywhere"}, ["linux", "linux-gpu"]),
            ("GPUs and a Linux runtime: an intersection", {"runtimeClassName": "runc", **selects(gpu="true")},
             ["linux-gpu"]),
            ("GPUs by affinity and a Windows runtime: an intersection",
             {"runtimeClassName": "runhcs", **affinity(nodeAffinity=hard([("gpu", "Exists")]))}, ["windows-gpu"])]:
        t.expect(words, lands_on(verdict(spec)), wanted)

    windows = tolerates((windows_taint, "Exists", None, "NoSchedule"))["tolerations"]
    own = tolerates(("gpu", "Exists"))["tolerations"]
    runhcs = {"runtimeClassName": "runhcs"}
    for words, spec, wanted in [
            ("both parts are merged into the pod", runhcs,
             {**runhcs, **selects(**{system: "windows"}), "tolerations": windows}),
            ("pairs are added to the pod's", {**runhcs, **selects(gpu="true")},
             {**runhcs, **selects(gpu="true", **{system: "windows"}), "tolerations": windows}),
            ("a key with the same value is no conflict", {**runhcs, **selects(**{system: "windows"})},
             {**runhcs, **selects(**{system: "windows"}), "tolerations": windows}),
            ("a key with a different value rejects the pod", {**runhcs, **selects(**{system: "linux"})},
             denied("NodeSelectorConflict", f"spec.nodeSelector[{system}]")),
            ("tolerations are appended", {**runhcs, "tolerations": own},
             {**runhcs, **selects(**{system: "windows"}), "tolerations": own + windows}),
            ("equivalent tolerations are merged", {**runhcs, "tolerations": windows},
             {**runhcs, **selects(**{system: "windows"}), "tolerations": windows}),
            ("a class that does not exist rejects the pod", {"runtimeClassName": "lost"},
             denied("RuntimeClassNotFound", "spec.runtimeClassName"))]:
        t.expect(words, verdict(spec), wanted)

    # Compatible with scheduling policies: what the class adds needs no permission, and counts as there.
    ours = classes[1]["scheduling"]
    options = {"exemptNodeSelector": ours[selector_field], "exemptTolerations": ours[tolerations_field]}
    [restricted] = t.documents(block(SCHEDULING, "Default SchedulingPolicies > Restricted policy", 1))
    systems = {"metadata": {"name": "systems"}, "spec": {
        "required": {"nodeSelectors": {system: ["linux", "windows"]}}, "default": {"nodeSelector": {system: "linux"}}}}
    demanded = {"metadata": {"name": "demanded"}, "spec": {"required": {"tolerations": [
        {"keys": [windows_taint], "operators": ["Exists"], "effects": ["NoSchedule"]}]}}}
    admitted = verdict(runhcs)
    t.admits([restricted], [("a class under the restricted policy", admitted, None)], options=options)
    t.admits([restricted], [("the same, written by the user", admitted,
                             denied("NodeSelectorNotAllowed", f"spec.nodeSelector[{system}]") + NO_TOLERATION)])
    t.admits([restricted, systems], [("a class gives what a policy requires", admitted, None)], options=options)
    t.admits([restricted, systems], [("without a class the policy's default", {}, selects(**{system: "linux"}))])
    t.admits([restricted, demanded], [("a class tolerates what a policy requires", admitted, None)], options=options)


CHECKS = [runtime_classes]
