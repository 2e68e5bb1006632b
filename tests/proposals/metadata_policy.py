# SPDX-License-Identifier: Apache-2.0
"""What the MetadataPolicy proposal says: the rules that its comments describe, and its sentences."""

import re

from proposals.documents import METADATA

# Of the example rules of MetadataPolicy, those whose condition is the opposite of what they are called.
MISNAMED_RULES = {"require": "rejects what has the label", "forbid": "rejects what has not got it"}


NAME, QOS = (f"scheduler.alpha.kubernetes.io/{name}" for name in ("name", "qos"))


def metadata_policy(*rules, name="rules", namespace="team-a"):
    return {"kind": "MetadataPolicy", "metadata": {"name": name, "namespace": namespace},
            "spec": {"rules": list(rules)}}


def rule(predicate, action):
    return {"policyPredicate": predicate, "policyAction": action}


def label_is(key, present):
    return {"labelSelector": {"matchExpressions": [{"key": key, "operator": "Exists" if present else "DoesNotExist"}]}}


def rules_of(action, condition):
    """The rules that do what a sentence says: of alternatives one each, since criteria are all to be met."""
    if action == "reject object":
        does = {"reject": True}
    else:
        what, key, value = re.fullmatch(r"add (label|annotation) (\w+)=(\w+)", action).groups()
        does = {f"updated{what.capitalize()}s": {key: value}}
    label = re.fullmatch(r"label with key (\w+) is( not)? present", condition)
    if label:
        return [rule(label_is(label[1], not label[2]), does)]
    return [rule({"annotationSelector": {"matchLabels": {key: value}}}, does)
            for key, value in re.findall(r"(\w+)=(\w+)", condition)]


def objects_of_any_kind(metadata):
    """Pods and what is none."""
    for kind in ("ConfigMap", "Secret", "Service", "Deployment", "Pod"):
        yield {"kind": kind, "metadata": {"name": "object", "namespace": "team-a", **metadata}}


def metadata_verdicts(t, policies, metadata):
    """What becomes of the labels and annotations of objects of any kind: the same; None where it is rejected."""
    verdicts = []
    for thing in objects_of_any_kind(metadata):
        reply = t.ask("metadataPolicy.admit", object=thing, policies=policies)
        after = {field: reply["object"]["metadata"].get(field, {}) for field in ("labels", "annotations")}
        if not reply["allowed"]:
            t.expect("what is rejected is not mutated", reply["object"], thing)
        verdicts.append(after if reply["allowed"] else None)
    t.expect("policies are applied to all objects alike", verdicts, verdicts[:1] * len(verdicts))
    return verdicts[0]


def example_rules(t):
    text = t.texts[METADATA]
    comment = re.search(r"// Example rules:\n((?://.*\n)+)", text)[1]
    sentences = [re.fullmatch(r"//\s+(.*?) if (.*?)(?: \(i\.e\. (\w+) X\))?", line) for line in comment.splitlines()]
    t.expect("four example rules", len(sentences), 4)
    misnamed = {}
    for sentence in sentences:
        action, condition, called = sentence.groups()
        about = called or "either annotation"
        policy = metadata_policy(*rules_of(action, condition))
        cases = ([({}, {}), ({"X": "Y"}, {}), ({"X": "Z"}, {}), ({}, {"X": "Y"})] if called else
                 [({}, {}), ({}, {"C": "D"}), ({}, {"E": "F"}), ({}, {"C": "D", "E": "F"}), ({}, {"C": "F"}),
                  ({"C": "D"}, {})])
        for labels, annotations in cases:
            if called:
                is_met = ("X" in labels) != (" not " in condition)
            else:
                is_met = annotations.get("C") == "D" or annotations.get("E") == "F"
            wanted = {"labels": dict(labels), "annotations": dict(annotations)}
            if is_met and action == "reject object":
                wanted = None
            elif is_met and called:
                wanted["labels"]["X"] = "Y"
            elif is_met:
                wanted["annotations"]["A"] = "B"
            t.expect(f"{about}: labels {labels}, annotations {annotations}", metadata_verdicts(
                t, [policy], {"labels": labels, "annotations": annotations}), wanted)
        if called in ("require", "forbid"):
            without, having = (metadata_verdicts(t, [policy], {"labels": labels}) for labels in ({}, {"X": "Y"}))
            is_as_called = (without is None, having is None) == (called == "require", called == "forbid")
            if not is_as_called:
                misnamed[called] = "rejects what has the label" if having is None else "rejects what has not got it"
    t.expect("the two names that are exchanged, and no others", misnamed, MISNAMED_RULES)


def rules_together(t):
    reject, add = {"reject": True}, {"updatedLabels": {"tier": "gold"}, "updatedAnnotations": {"by": "policy"}}
    has = {"labels": {"X": "Y"}}
    both = {**label_is("X", True), "annotationSelector": {"matchLabels": {"C": "D"}}}
    for words, policies, metadata, wanted in [
            ("all criteria: both are met", [metadata_policy(rule(both, reject))], {**has, "annotations": {"C": "D"}},
             None),
            ("all criteria: only the label", [metadata_policy(rule(both, reject))], has, {**has, "annotations": {}}),
            ("all criteria: only the annotation", [metadata_policy(rule(both, reject))], {"annotations": {"C": "D"}},
             {"labels": {}, "annotations": {"C": "D"}}),
            ("every rule is applied", [metadata_policy(rule({}, {"updatedLabels": {"a": "1"}}),
                                                       rule({}, {"updatedLabels": {"b": "2"}}))], {},
             {"labels": {"a": "1", "b": "2"}, "annotations": {}}),
            ("labels and annotations are updated at once", [metadata_policy(rule({}, add))],
             {"labels": {"tier": "lead"}}, {"labels": {"tier": "gold"}, "annotations": {"by": "policy"}}),
            ("any rule that rejects", [metadata_policy(rule({}, add), rule(label_is("X", True), reject))], has, None),
            ("any policy that rejects", [metadata_policy(rule({}, add)),
                                         metadata_policy(rule(label_is("X", True), reject), name="reject")], has, None),
            ("a rejecting rule applies nothing", [metadata_policy(rule(label_is("X", True), {**reject, **add}))], has,
             None),
            ("nor where it is not met", [metadata_policy(rule(label_is("X", True), {**reject, **add}))], {},
             {"labels": {}, "annotations": {}}),
            ("policies are per namespace", [metadata_policy(rule({}, reject), namespace="team-b")], has,
             {**has, "annotations": {}})]:
        t.expect(words, metadata_verdicts(t, policies, metadata), wanted)


def keys_in(value):
    """The names of all fields that stand in an object."""
    if isinstance(value, dict):
        return set(value).union(*map(keys_in, value.values()))
    return set().union(*map(keys_in, value)) if isinstance(value, list) else set()


def metadata_types(t):
    tags = set(re.findall(r'json:"?(\w+)', t.texts[METADATA]))
    policy = metadata_policy(rule({"labelSelector": {}, "annotationSelector": {}},
                                  {"reject": False, "updatedLabels": {}, "updatedAnnotations": {}}))
    listed = {"kind": "MetadataPolicyList", "metadata": {"resourceVersion": "1"}, "items": [policy]}
    t.expect("the fields of the types", tags - keys_in(listed), set())
    t.expect("a policy of all of them is read",
             t.is_refused("metadataPolicy.admit", object={}, policies=[policy]), False)
    t.expect("a list of policies is read", t.is_refused("engine.analyze", configuration=[listed]), False)


def schedulers_by_quality_of_service(t):
    text = t.texts[METADATA]
    classes = re.split(r",\s*", re.search(r"QOS is one of ([\w, ]+)\)", text)[1])
    t.expect("the annotation", re.search(r"annotation (\S+/qos):", text)[1], QOS)
    resources = {
        "Guaranteed": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1000m", "memory": "1Gi"}},
        "Burstable": {"requests": {"cpu": "1"}}, "BestEffort": {}}
    t.expect("the classes", sorted(classes), sorted(resources))
    policy = metadata_policy(*(rule({"annotationSelector": {"matchLabels": {QOS: name}}},
                                    {"updatedAnnotations": {NAME: f"{name.lower()}-scheduler"}}) for name in classes))

    def chosen(of, annotations=None):
        pod = {"metadata": {"name": "p", "namespace": "team-a", "annotations": annotations or {}},
               "spec": {"containers": [{"name": "c", "resources": of}]}}
        after = t.ask("metadataPolicy.chooseScheduler", pod=pod, policies=[policy])["object"]
        return [after["metadata"]["annotations"][QOS], after["spec"].get("schedulerName")]

    for name in classes:
        wanted = [name, f"{name.lower()}-scheduler"]
        t.expect(f"{name} by requests and limits, and its scheduler", chosen(resources[name]), wanted)
        t.expect(f"{name}, whatever the user wrote", chosen(resources[name], {QOS: "Guaranteed"}), wanted)
    t.expect("a limit counts as the request where there is none",
             chosen({"limits": resources["Guaranteed"]["limits"]}), ["Guaranteed", "guaranteed-scheduler"])


CHECKS = [example_rules, rules_together, metadata_types, schedulers_by_quality_of_service]
