# SPDX-License-Identifier: Apache-2.0
"""What the SchedulingPolicy proposal says."""

import copy

from proposals.documents import SCHEDULING, block
from proposals.pods import (
    EVERYTHING, EVERY_TOLERATION, HARD, NODE, NODE_AFFINITY, NO_TOLERATION, POD_AFFINITY, POD_ANTI_AFFINITY,
    PREFERRED, affinity, denied, hard, selects, soft, tolerates)

ARCH, OS = "beta.kubernetes.io/arch", "beta.kubernetes.io/os"
REGION, ZONE = "failure-domain.beta.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone"
AUTHORIZED = "kubernetes.io/authorized-region"

# An example is about one field. A policy that permits no scheduler allows no pod, so it is asked beside this one.
BASE = {"metadata": {"name": "zz-base"}, "spec": {"allowed": {"schedulerNames": ["default-scheduler"]}}}


def an_absent_field_allows_nothing(t):
    [skeleton] = t.documents(block(SCHEDULING, "SchedulingPolicy > SchedulingPolicy content"))
    t.expect("the skeleton is a policy", t.errors(skeleton), [])
    t.admits([skeleton], [
        ("an absent field allows no item", EVERYTHING,
         denied("SchedulerNameNotAllowed", "spec.schedulerName") + denied("NodeNameNotAllowed", "spec.nodeName") +
         denied("PriorityClassNameNotAllowed", "spec.priorityClassName") +
         denied("NodeSelectorNotAllowed", "spec.nodeSelector[disk]") + NO_TOLERATION +
         denied("AffinityNotAllowed", NODE, "spec.affinity.podAffinity", "spec.affinity.podAntiAffinity")),
        ("where schedulerNames are absent no scheduler is allowed", {},
         denied("SchedulerNameNotAllowed", "spec.schedulerName"))])
    t.admits([skeleton, BASE], [("beside another policy it takes nothing away", {}, None)])
    t.expect("pods of whoever may use no policy are denied", t.verdict({}, []), denied("NoUsablePolicy", "spec"))
    skeleton["metadata"]["namespace"] = "team-a"
    t.expect("a policy is in no namespace", [error.split()[1] for error in t.errors(skeleton)], ["metadata.namespace"])


def scheduler_names(t):
    policies = t.documents(block(SCHEDULING, "Scheduler name > required", 1))
    other = denied("SchedulerNameRequired", "spec.schedulerName")
    t.admits(policies, [
        ("one of the required schedulers", {"schedulerName": "green-scheduler"}, None),
        ("the other of the required schedulers", {"schedulerName": "my-scheduler"}, None),
        ("not one of the required schedulers", {"schedulerName": "red-scheduler"}, other),
        ("no scheduler where some are required", {}, other)])
    t.admits(policies + [BASE], [("a required scheduler, though more are allowed", {}, other)])

    [policy] = t.documents(block(SCHEDULING, "Scheduler name > required", 2))
    t.expect("no empty list of required schedulers", t.errors(policy),
             denied("FieldValueRequired", "spec.required.schedulerNames"))
    t.admits([policy, BASE], [("an empty list is as if it were not there", {}, None)])

    other = denied("SchedulerNameNotAllowed", "spec.schedulerName")
    t.admits(t.documents(block(SCHEDULING, "Scheduler name > allowed", 1)), [
        ("one of the allowed schedulers", {"schedulerName": "green-scheduler"}, None),
        ("the other of the allowed schedulers", {"schedulerName": "my-scheduler"}, None),
        ("not one of the allowed schedulers", {"schedulerName": "red-scheduler"}, other),
        ("the default scheduler is allowed by name only", {}, other)])
    t.admits(t.documents(block(SCHEDULING, "Scheduler name > allowed", 2)), [
        ("an empty list allows all schedulers", {"schedulerName": "red-scheduler"}, None),
        ("the default scheduler is one of all", {}, None)])

    t.admits(t.documents(block(SCHEDULING, "Scheduler name > default")), [
        ("the default scheduler of the policy", {}, {"schedulerName": "my-scheduler"}),
        ("the default is permitted", {"schedulerName": "my-scheduler"}, None),
        ("a default permits no other", {"schedulerName": "red-scheduler"}, other)])


def allowed_tolerations(t):
    policies = t.documents(block(SCHEDULING, "Allowed > Fine-grain allowed tolerations")) + [BASE]
    t.admits(policies, [
        ("no tolerations", {}, None),
        ("key, value and effect are the pattern's", tolerates(("mykey", "Equal", "value", "NoSchedule")), None),
        ("no operator is Equal", tolerates(("mykey", None, "value", "NoSchedule")), None),
        ("the other pattern: its key and its effect", tolerates(("other_key", "Exists", None, "NoExecute")), None),
        ("one of each pattern", tolerates(("other_key", "Exists", None, "NoExecute"),
                                          ("mykey", "Equal", "value", "NoSchedule")), None),
        ("another value", tolerates(("mykey", "Equal", "other", "NoSchedule")), NO_TOLERATION),
        ("another effect", tolerates(("mykey", "Equal", "value", "NoExecute")), NO_TOLERATION),
        ("every effect", tolerates(("mykey", "Equal", "value")), NO_TOLERATION),
        ("every value", tolerates(("mykey", "Exists", None, "NoSchedule")), NO_TOLERATION),
        ("the key of one pattern with the rest of the other", tolerates(("mykey", "Exists", None, "NoExecute")),
         NO_TOLERATION),
        ("every key", tolerates((None, "Exists", None, "NoExecute")), NO_TOLERATION),
        ("each toleration has to match a pattern",
         tolerates(("mykey", "Equal", "value", "NoSchedule"), ("gpu", "Exists")),
         denied("TolerationNotAllowed", "spec.tolerations[1]"))])

    where = "Allowed > Coarse-grain allowed tolerations"
    t.admits(t.documents(block(SCHEDULING, where, 1)) + [BASE], [
        ("PreferNoSchedule with a value", tolerates(("a", "Equal", "b", "PreferNoSchedule")), None),
        ("PreferNoSchedule with any value", tolerates(("a", "Exists", None, "PreferNoSchedule")), None),
        ("PreferNoSchedule with any key", tolerates((None, "Exists", None, "PreferNoSchedule")), None),
        ("NoSchedule by a key's existence", tolerates(("a", "Exists", None, "NoSchedule")), None),
        ("NoSchedule by any key's existence", tolerates((None, "Exists", None, "NoSchedule")), None),
        ("NoSchedule with a value", tolerates(("a", "Equal", "b", "NoSchedule")), NO_TOLERATION),
        ("NoExecute taints are not tolerated", tolerates(("a", "Exists", None, "NoExecute")), NO_TOLERATION),
        ("every effect is NoExecute too", EVERY_TOLERATION, NO_TOLERATION)])
    every, spelled_out = (t.documents(block(SCHEDULING, where, index)) + [BASE] for index in (2, 3))
    for how, policies in (("an empty list", every), ("four empty lists", spelled_out)):
        t.admits(policies, [
            (f"{how}: a value", tolerates(("a", "Equal", "b", "NoExecute")), None),
            (f"{how}: every taint", EVERY_TOLERATION, None)])
    t.expect("an empty list and a pattern of empty lists are the same", t.ask(
        "schedulingPolicy.compare", before={"policies": every}, after={"policies": spelled_out}),
        {"relation": "Equivalent"})


def default_tolerations(t):
    [policy] = t.documents(block(SCHEDULING, "Tolerations > default"))
    defaults = tolerates(("mykey", "Equal", "value", "NoSchedule"), ("mykey", "Equal", "other_value", "NoSchedule"),
                         ("other_key", "Exists", None, "NoExecute"))
    t.admits([policy, BASE], [
        ("where there are none the defaults are added, one a value", {}, defaults),
        ("the defaults are permitted", defaults, None),
        ("where there are some nothing is added", tolerates(("other_key", "Exists", None, "NoExecute")), None),
        ("the defaults permit no others", tolerates(("mykey", "Equal", "third_value", "NoSchedule")), NO_TOLERATION)])
    policy["spec"]["default"]["tolerations"] = []
    t.expect("no empty array of default tolerations", t.errors(policy),
             denied("FieldValueRequired", "spec.default.tolerations"))


def priority_classes(t):
    t.admits(t.documents(block(SCHEDULING, "Priority classes > Only allow a single priority class")) + [BASE], [
        ("the single class is the default", {}, {"priorityClassName": "high-priority"}),
        ("the single class", {"priorityClassName": "high-priority"}, None),
        ("no class but the single one", {"priorityClassName": "low"},
         denied("PriorityClassNameRequired", "spec.priorityClassName"))])
    where = "Priority classes > Allow all priorities"
    t.admits(t.documents(block(SCHEDULING, where, 1)) + [BASE], [
        ("all classes are allowed", {"priorityClassName": "low"}, None),
        ("no class is mandatory", {}, None)])
    [policy] = t.documents(block(SCHEDULING, where, 2))
    t.expect("no empty list of required classes", t.errors(policy),
             denied("FieldValueRequired", "spec.required.priorityClassNames"))


def node_selectors(t):
    [policy] = t.documents(block(SCHEDULING, "Examples > Complete policy"))
    amd64 = {ARCH: "amd64"}
    t.admits([policy, BASE], [
        ("no node selector: the default is assigned", {}, selects(**amd64)),
        ("one of the required values", selects(**amd64), None),
        ("the other of the required values", selects(**{ARCH: "arm64"}), None),
        ("not one of the required values", selects(**{ARCH: "s390x"}),
         denied("NodeSelectorRequired", f"spec.nodeSelector[{ARCH}]")),
        ("optionally an ssd, and the default", selects(disk="ssd"), selects(disk="ssd", **amd64)),
        ("optionally an hdd, and the default", selects(disk="hdd"), selects(disk="hdd", **amd64)),
        ("no other disk", selects(disk="nvme"), denied("NodeSelectorNotAllowed", "spec.nodeSelector[disk]")),
        ("all of the allowed ones at once", selects(disk="ssd", **{REGION: "anywhere", ARCH: "amd64"}), None),
        ("optionally any region", selects(**{REGION: "anywhere", ARCH: "arm64"}), None),
        ("no other key", selects(gpu="true"), denied("NodeSelectorNotAllowed", "spec.nodeSelector[gpu]"))])
    del policy["spec"]["default"]
    t.admits([policy, BASE], [("what is required has to be present", {},
                               denied("NodeSelectorRequired", f"spec.nodeSelector[{ARCH}]"))])
    zones = ["eu-west-1a", "eu-west-1b", "eu-west-1c"]
    t.admits(t.documents(block(SCHEDULING, "Examples > Allowed-only policy")) + [BASE], [
        ("no node selector where none is required", {}, None),
        *((f"a listed zone, {zone}", selects(**{ZONE: zone}), None) for zone in zones),
        ("a zone that is not listed", selects(**{ZONE: "eu-west-1d"}),
         denied("NodeSelectorNotAllowed", f"spec.nodeSelector[{ZONE}]"))])


def basic_affinities(t):
    [policy] = t.documents(block(SCHEDULING, "Examples > Basic policy", 1))
    amd64, arm64 = ((ARCH, "In", value) for value in ("amd64", "arm64"))
    default = hard([amd64])
    first = f"{HARD}.nodeSelectorTerms[0].matchExpressions"
    t.expect("the basic policy is a policy", t.errors(policy), [])
    t.admits([policy, BASE], [
        ("no affinity: the default", {}, affinity(nodeAffinity=default)),
        ("amd64", affinity(nodeAffinity=default), None),
        ("arm64", affinity(nodeAffinity=hard([arm64])), None),
        ("both of the values", affinity(nodeAffinity=hard([(ARCH, "In", "arm64", "amd64")])), None),
        ("another value", affinity(nodeAffinity=hard([(ARCH, "In", "s390x")])),
         denied("AffinityNotAllowed", f"{first}[0]") + denied("AffinityRequired", HARD)),
        ("a value beside another one", affinity(nodeAffinity=hard([(ARCH, "In", "amd64", "s390x")])),
         denied("AffinityNotAllowed", f"{first}[0]") + denied("AffinityRequired", HARD)),
        ("optionally a region", affinity(nodeAffinity=hard([amd64, (REGION, "In", "eu-2")])), None),
        ("any combination of keys, operators and values", affinity(nodeAffinity=hard(
            [arm64, (AUTHORIZED, "NotIn", "us-1"), (REGION, "In", "us-1", "eu-2")])), None),
        ("a combination of none of them", affinity(nodeAffinity=hard([amd64, (AUTHORIZED, "Exists")])),
         denied("AffinityNotAllowed", f"{first}[1]")),
        ("what is optional does not do for what is required", affinity(nodeAffinity=hard([(REGION, "In", "eu-2")])),
         denied("AffinityRequired", HARD)),
        ("nor does a term that is an alternative", affinity(nodeAffinity=hard([amd64], [(REGION, "In", "eu-2")])),
         denied("AffinityRequired", HARD)),
        ("node affinity is hard only", affinity(nodeAffinity={**default, **soft(amd64)}),
         denied("AffinityNotAllowed", f"{NODE}.{PREFERRED}")),
        ("all pod anti-affinity, and the default", POD_ANTI_AFFINITY,
         affinity(nodeAffinity=default, **POD_ANTI_AFFINITY["affinity"])),
        ("soft pod anti-affinity, and the default",
         affinity(podAntiAffinity={PREFERRED: [{"weight": 1, "podAffinityTerm": {"topologyKey": "host"}}]}),
         affinity(nodeAffinity=default,
                  podAntiAffinity={PREFERRED: [{"weight": 1, "podAffinityTerm": {"topologyKey": "host"}}]})),
        ("no pod affinity", POD_AFFINITY, denied("AffinityNotAllowed", "spec.affinity.podAffinity"))])
    preferences = {"metadata": {"name": "preferences"},
                   "spec": {"allowed": {"affinities": {"nodeAffinities": {PREFERRED: {}}}}}}
    preferring = soft(("disk", "In", "ssd"))
    t.admits([policy, preferences, BASE], [
        ("the default of one mode, beside preferences", affinity(nodeAffinity=preferring),
         affinity(nodeAffinity={**preferring, **default}))])


def affinities_without_full_combinatory(t):
    [policy] = t.documents(block(SCHEDULING, "Examples > Basic policy", 2))
    first = f"{HARD}.nodeSelectorTerms[0].matchExpressions"
    region, no_zone = (REGION, "In", "eu-2"), (ZONE, "NotIn", "dc1")
    t.admits([policy, BASE], [
        ("the same regions as before", affinity(nodeAffinity=hard([region])), None),
        ("in addition a zone that it is not", affinity(nodeAffinity=hard([no_zone])), None),
        ("both", affinity(nodeAffinity=hard([region, no_zone])), None),
        ("not a zone that it is", affinity(nodeAffinity=hard([(ZONE, "In", "dc1")])),
         denied("AffinityNotAllowed", f"{first}[0]")),
        ("not the zones of one with the regions of the other", affinity(nodeAffinity=hard([(ZONE, "NotIn", "eu-2")])),
         denied("AffinityNotAllowed", f"{first}[0]")),
        ("the same pod anti-affinities as before", POD_ANTI_AFFINITY, None),
        ("and no pod affinities", POD_AFFINITY, denied("AffinityNotAllowed", "spec.affinity.podAffinity"))])


def all_affinities(t):
    where = "Examples > Allow-all policy"
    short, kind_by_kind = (t.documents(block(SCHEDULING, where, index)) + [BASE] for index in (1, 2))
    for how, policies in (("an empty map", short), ("three empty kinds", kind_by_kind)):
        t.admits(policies, [
            (f"{how}: node affinity", NODE_AFFINITY, None),
            (f"{how}: pod affinity", POD_AFFINITY, None),
            (f"{how}: pod anti-affinity", POD_ANTI_AFFINITY, None)])
    t.expect("an empty map and three empty kinds are the same", t.ask(
        "schedulingPolicy.compare", before={"policies": short}, after={"policies": kind_by_kind}),
        {"relation": "Equivalent"})
    t.admits(t.documents(block(SCHEDULING, where, 3)) + [BASE], [
        ("only node affinities, required and preferred", NODE_AFFINITY, None),
        ("no pod affinities where they are absent", POD_AFFINITY,
         denied("AffinityNotAllowed", "spec.affinity.podAffinity")),
        ("no pod anti-affinities where they are absent", POD_ANTI_AFFINITY,
         denied("AffinityNotAllowed", "spec.affinity.podAntiAffinity"))])
    t.admits([BASE], [
        ("no affinity of whatever kind where all are absent", {"affinity": EVERYTHING["affinity"]},
         denied("AffinityNotAllowed", NODE, "spec.affinity.podAffinity", "spec.affinity.podAntiAffinity"))])


def spelled(value):
    """With the names that fields have in the library, for those of the document."""
    if isinstance(value, dict):
        return {name.replace("priorityClasse", "priorityClass"): spelled(part) for name, part in value.items()}
    return value


def merges(t):
    above = "Multiple SchedulingPolicies considerations > "
    for option, strategy in (("Option1: smart deep merge", "SmartDeepMerge"),
                             ("Option2: first-seen wins, ever", "FirstSeenWins"),
                             ("Option3: simple merge", "SimpleMerge")):
        policies = t.documents(block(SCHEDULING, above + option, 1))
        [result] = t.documents(block(SCHEDULING, above + option, 2))
        t.expect(f"{option}: first in alphabetic order", [policy["metadata"]["name"] for policy in policies],
                 ["schedpol-a", "schedpol-b"])
        for how, order in (("as listed", policies), ("in the other order", policies[::-1])):
            merged = t.ask("schedulingPolicy.merge", policies=order, strategy=strategy)
            t.expect(f"{option}: the merged policy, {how}", merged["spec"], spelled(result["spec"]))
        for policy in (*policies, result):  # without a scheduler none of them allows a pod
            policy["spec"]["allowed"]["schedulerNames"] = []
        t.expect(f"{option}: the two decide as the merged policy", t.ask(
            "schedulingPolicy.compare", before={"policies": policies, "strategy": strategy},
            after={"policies": [result], "strategy": strategy}), {"relation": "Equivalent"})

    policies = t.documents(block(SCHEDULING, above + "Option1: smart deep merge", 1))
    given = {"nodeSelector": {ARCH: "amd64", OS: "Linux"}, "priorityClassName": "bronze"}
    t.admits(policies + [BASE], [
        ("merged: both give defaults", {}, given),
        ("merged: what either allows", selects(disk="sata"), {**given, "nodeSelector": {**given["nodeSelector"],
                                                                                       "disk": "sata"}}),
        ("merged: what the first allows", selects(disk="ssd"), {**given, "nodeSelector": {**given["nodeSelector"],
                                                                                         "disk": "ssd"}}),
        ("merged: the first list of a key wins", selects(**{ARCH: "i386"}),
         denied("NodeSelectorRequired", f"spec.nodeSelector[{ARCH}]"))])


def default_policies(t):
    where = "Default SchedulingPolicies > Restricted policy"
    restricted, by_selector, by_affinity = (t.documents(block(SCHEDULING, where, index)) for index in (1, 2, 3))
    privileged = t.documents(block(SCHEDULING, "Default SchedulingPolicies > Privileged Policy"))
    for policies in (restricted, by_selector, by_affinity, privileged):
        t.expect(f"{policies[0]['metadata']['name']} is a policy", t.errors(policies[0]), [])
    t.admits(restricted, [
        ("restricted: the default scheduler", {}, None),
        ("restricted: the default scheduler by name", {"schedulerName": "default-scheduler"}, None),
        ("restricted: no other scheduler", {"schedulerName": "my-scheduler"},
         denied("SchedulerNameNotAllowed", "spec.schedulerName")),
        ("restricted: nothing past the scheduler", {"nodeName": "n1"}, denied("NodeNameNotAllowed", "spec.nodeName")),
        ("restricted: no tolerations", EVERY_TOLERATION, NO_TOLERATION),
        ("restricted: no node selectors", selects(disk="ssd"),
         denied("NodeSelectorNotAllowed", "spec.nodeSelector[disk]")),
        ("restricted: no node affinities", NODE_AFFINITY, denied("AffinityNotAllowed", NODE)),
        ("restricted: no pod affinities", POD_AFFINITY, denied("AffinityNotAllowed", "spec.affinity.podAffinity")),
        ("restricted: no pod anti-affinities", POD_ANTI_AFFINITY,
         denied("AffinityNotAllowed", "spec.affinity.podAntiAffinity"))])
    t.admits(privileged, [
        ("privileged: all schedulers, classes, selectors, affinities and tolerations", EVERYTHING, None),
        ("privileged: nothing is given", {}, None)])

    scheduler = {"schedulerName": "default-scheduler"}
    t.admits(by_selector, [
        ("by node selector: what is not set is injected", {}, {**scheduler, **selects(**{ARCH: "amd64", OS: "Linux"})}),
        ("by node selector: pick one of each", {**scheduler, **selects(**{ARCH: "arm64", OS: "Windows"})}, None),
        ("by node selector: key by key", selects(**{OS: "Windows"}),
         {**scheduler, **selects(**{ARCH: "amd64", OS: "Windows"})}),
        ("by node selector: not one of the values", selects(**{OS: "Plan9"}),
         denied("NodeSelectorRequired", f"spec.nodeSelector[{OS}]")),
        ("by node selector: the scheduler is required", {"schedulerName": "my-scheduler"},
         denied("SchedulerNameRequired", "spec.schedulerName"))])
    amd64, arm64 = ((ARCH, "In", value) for value in ("amd64", "arm64"))
    linux, windows = ((OS, "In", value) for value in ("Linux", "Windows"))
    t.admits(by_affinity, [
        ("by affinity: what is not set is injected, both at once", {},
         {**scheduler, **affinity(nodeAffinity=hard([amd64, linux]))}),
        ("by affinity: one of each", {**scheduler, **affinity(nodeAffinity=hard([arm64, windows]))}, None),
        ("by affinity: one of each, or others",
         {**scheduler, **affinity(nodeAffinity=hard([arm64, windows], [amd64, linux]))}, None),
        ("by affinity: only one of the two", affinity(nodeAffinity=hard([arm64])), denied("AffinityRequired", HARD)),
        ("by affinity: either of the two", affinity(nodeAffinity=hard([arm64], [windows])),
         denied("AffinityRequired", HARD, HARD))])
    # Alternatives that each have what is required are a default as they are.
    alternatives = hard([amd64, linux], [arm64, windows])
    by_affinity[0]["spec"]["default"]["affinity"]["nodeAffinity"] = alternatives
    t.admits(by_affinity, [("the elements of a default are added", {},
                            {**scheduler, **affinity(nodeAffinity=alternatives)})])


def built_in_objects(t):
    """Each object of the document is one that the library brings: to the letter, but that `privileged` permits every value
    of the fields since the proposal too."""
    built_in = t.ask("schedulingPolicy.builtin", nodeLabels="Proposal")

    def built_in_like(kind, document):
        return next((item for item in built_in[kind] if item["metadata"]["name"] == document["metadata"]["name"]), None)

    where = "Default SchedulingPolicies > Restricted policy"
    for key in (*(block(SCHEDULING, where, index) for index in (1, 2, 3)),
                block(SCHEDULING, "Default SchedulingPolicies > Privileged Policy")):
        [policy] = t.documents(key)
        ours, wanted = (t.ask("schedulingPolicy.merge", policies=[of])["spec"]
                        for of in (built_in_like("policies", policy), policy))
        for field in ("runtimeClassNames", "topologySpreadConstraints", "schedulingGates", "resourceClaims"):
            if policy["metadata"]["name"] == "privileged":
                wanted["allowed"][field] = []
        t.expect(f"{policy['metadata']['name']} is built in", ours, wanted)
    for index, kind in enumerate(("clusterRoles", "clusterRoleBindings", "roleBindings"), 1):
        [wanted] = t.documents(block(SCHEDULING, "Detailed Design > RBAC", index))
        ours = built_in_like(kind, wanted) or {}
        t.expect(f"{wanted['metadata']['name']} of {kind} is built in",
                 {name: ours.get(name) for name in wanted}, wanted)


def service_account(namespace, name="default"):
    return {"name": f"system:serviceaccount:{namespace}:{name}",
            "groups": ["system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated"]}


def grants(t):
    [role], [for_all], [for_system] = (t.documents(block(SCHEDULING, "Detailed Design > RBAC", index))
                                       for index in (1, 2, 3))
    [restricted] = t.documents(block(SCHEDULING, "Default SchedulingPolicies > Restricted policy", 1))
    [privileged] = t.documents(block(SCHEDULING, "Default SchedulingPolicies > Privileged Policy"))
    policies = {policy["metadata"]["name"]: policy for policy in (restricted, privileged)}
    # The role that the third one refers to, which the document leaves to the reader.
    second = copy.deepcopy(role)
    second["metadata"]["name"] = for_system["roleRef"]["name"]
    second["rules"][0]["resourceNames"] = ["privileged"]
    in_system = for_system["metadata"]["namespace"]

    def usable(user, namespace, roles=(role, second), bindings=(for_all,)):
        return t.ask("rbac.usablePolicies", user=user, namespace=namespace, policies=list(policies),
                     clusterRoles=list(roles), clusterRoleBindings=list(bindings), roleBindings=[for_system])["usable"]

    nobody = {"name": "system:anonymous", "groups": ["system:unauthenticated"]}
    for words, got, wanted in [
            ("any service account may use the default scheduler", usable(service_account("team-a"), "team-a"),
             ["restricted"]),
            ("pods of kube-system have no restriction", usable(service_account(in_system), in_system),
             ["privileged", "restricted"]),
            ("its service accounts elsewhere do", usable(service_account(in_system), "team-a"), ["restricted"]),
            ("others' service accounts there do", usable(service_account("team-a"), in_system), ["restricted"]),
            ("a role that is not there grants nothing", usable(service_account(in_system), in_system, [role]),
             ["restricted"]),
            ("without its binding a role grants nothing", usable(service_account("team-a"), "team-a", bindings=[]), []),
            ("whoever is not authenticated may use nothing", usable(nobody, "team-a"), [])]:
        t.expect(words, got, wanted)
    listing = copy.deepcopy(role)
    listing["rules"][0]["verbs"] = ["get", "list"]
    t.expect("the verb is use", usable(service_account("team-a"), "team-a", [listing]), [])

    for namespace, wanted in (("team-a", denied("PriorityClassNameNotAllowed", "spec.priorityClassName")),
                              (in_system, {"priorityClassName": "gold"})):
        granted = [policies[name] for name in usable(service_account(namespace), namespace)]
        t.admits(granted, [
            (f"all usable policies together decide, in {namespace}", {"priorityClassName": "gold"}, wanted)])


CHECKS = [
    an_absent_field_allows_nothing, scheduler_names, allowed_tolerations, default_tolerations, priority_classes,
    node_selectors, basic_affinities, affinities_without_full_combinatory, all_affinities, merges, default_policies,
    built_in_objects, grants]
