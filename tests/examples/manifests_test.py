# SPDX-License-Identifier: Apache-2.0
"""The manifests install what they say: files that are all listed, objects that agree with each other about names,
ports, paths and groups, rights that the programs use and no others, rules that decide what their comments say,
policies to start with under which a cluster works, and a certificate that is renewed without a new CA.

    manifests_test.py SOURCE_ROOT [PATH_TO_REVIEW_BINARY [PATH_TO_WEBHOOK_BINARY PATH_TO_SCHEDULER_BINARY]]

Needs yaml and jsonschema; with the binaries, pods are judged by the policies to start with, the webhook runs by
what is installed, on an API server of the tests, and the scheduler extender by a CA that was changed.
"""

import base64
import contextlib
import copy
import importlib.util
import json
import pathlib
import re
import shutil
import ssl
import stat
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

SKIPPED = 77
missing = [name for name in ("yaml", "jsonschema") if importlib.util.find_spec(name) is None]
if missing:
    print(f"SKIPPED: the python module {missing[0]} is not here")
    sys.exit(SKIPPED)

import yaml  # pylint: disable=wrong-import-position

import api_server  # pylint: disable=wrong-import-position
import cel  # pylint: disable=wrong-import-position
import crds_test  # pylint: disable=wrong-import-position

TIMEOUT_SECONDS = 120
GROUP = "schedpol.io"
POLICIES = {GROUP: ["schedulingpolicies", "metadatapolicies"],
            "kupid.gardener.cloud": ["podschedulingpolicies", "clusterpodschedulingpolicies"],
            "scheduling.sigs.x-k8s.io": ["resourcepolicies"]}
CLUSTER_KINDS = {"Namespace", "CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding", "SchedulingPolicy",
                 "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy",
                 "ValidatingAdmissionPolicyBinding"}


class UniqueKeyLoader(yaml.SafeLoader):
    """Refuses a key that stands twice in a map, of which one would be lost."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.YAMLError(f"{key} stands twice in line {node.start_mark.line + 1}")
        return super().construct_mapping(node, deep)


class Manifests:
    def __init__(self, root, review=None, webhook=None, scheduler=None):
        self.root, self.folder = root, root / "examples/manifests"
        self.review, self.webhook, self.scheduler = review, webhook, scheduler
        self.crds = crds_test.load(root)
        self.files = {path.relative_to(self.folder).as_posix(): list(
            yaml.load_all(path.read_text(encoding="utf-8"), UniqueKeyLoader))
            for path in sorted(self.folder.rglob("*.yaml"))}
        self.kustomizations = {name: self.files.pop(name)[0]
                               for name in ("kustomization.yaml", "policies/kustomization.yaml")}
        # Of a CRD that a cluster may lack, and so installed by itself.
        self.alerts, = self.files.pop("alerts.yaml")
        self.documents = [document for found in self.files.values() for document in found]
        self.namespace = self.one("Namespace")["metadata"]["name"]

    def all(self, kind):
        return [document for document in self.documents if document["kind"] == kind]

    def one(self, kind, name=None):
        found = [document for document in self.all(kind) if name in (None, document["metadata"]["name"])]
        if len(found) != 1:
            raise LookupError(f"{len(found)} objects of kind {kind}, {name}")
        return found[0]

    def webhooks(self):
        for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
            for configuration in self.all(kind):
                for webhook in configuration["webhooks"]:
                    yield kind, webhook


def every_file_has_a_purpose_and_is_installed(manifests):
    names = []
    for name, documents in {**manifests.files, **{n: [d] for n, d in manifests.kustomizations.items()}}.items():
        text = (manifests.folder / name).read_text(encoding="utf-8")
        if not text.startswith("# SPDX-License-Identifier: Apache-2.0\n# ") or not text.isascii():
            yield f"{name}: starts with its licence and what it is for, in ASCII"
        for document in documents:
            if not {"apiVersion", "kind"} <= set(document):
                yield f"{name}: a document is no Kubernetes object"
            elif "metadata" in document:
                names.append((document["kind"], document["metadata"]["name"]))
                place = None if document["kind"] in CLUSTER_KINDS else manifests.namespace
                if document["metadata"].get("namespace") != place:
                    yield f"{name}: {names[-1]} is in {document['metadata'].get('namespace')}"
    yield from (f"{name} is declared twice" for name in set(names) if names.count(name) > 1)
    together = manifests.kustomizations["kustomization.yaml"]["resources"]
    listed = together + [f"policies/{name}" for name in manifests.kustomizations["policies/kustomization.yaml"]["resources"]]
    if sorted(listed) != sorted(manifests.files):
        yield f"of {sorted(manifests.files)} the kustomizations list {sorted(listed)}"
    # kubectl maps all kinds before it applies any, so an object of a CRD's kind cannot come with the CRD.
    kinds = {document["kind"] for name in together for document in manifests.files.get(name, [])}
    yield from (f"{kind} is installed together with its CRD" for kind in kinds & set(manifests.crds))
    readme = (manifests.folder / "README.md").read_text(encoding="utf-8")
    for name in [*manifests.files, "Containerfile", "make_certificate.sh"]:
        if f"]({name})" not in readme and not name.startswith("crds/"):
            yield f"README.md: does not say what {name} is for"


def the_certificate_gets_everywhere(manifests):
    kustomization = manifests.kustomizations["kustomization.yaml"]
    secret, = kustomization["secretGenerator"]
    if (secret["namespace"], secret["type"]) != (manifests.namespace, "kubernetes.io/tls"):
        yield f"the Secret is {secret}"
    if {pathlib.PurePath(path).name for path in secret["files"]} != {"tls.crt", "tls.key", "ca.crt"}:
        yield f"the Secret has {secret['files']}: the key of the CA stays where it is"
    folder, = {str(pathlib.PurePath(path).parent) for path in secret["files"]}
    for name, line in ((".gitignore", f"{folder}/"), (".dockerignore", f"**/{folder}")):
        if line not in (manifests.root / name).read_text(encoding="utf-8").splitlines():
            yield f"{name}: lets keys out"
    if not kustomization["generatorOptions"]["disableNameSuffixHash"]:
        yield "pods are rolled, or left behind, when the certificate is renewed"
    replacement, = kustomization["replacements"]
    if replacement["source"] != {"kind": "Secret", "name": secret["name"], "fieldPath": "data.[ca.crt]"}:
        yield f"the caBundle is taken from {replacement['source']}"
    targets = {target["select"]["kind"]: target for target in replacement["targets"]}
    for kind, webhook in manifests.webhooks():
        target = targets.get(kind, {})
        if target.get("fieldPaths") != ["webhooks.*.clientConfig.caBundle"] or not target["options"]["create"] or (
                target["select"] != {"kind": kind}):
            yield f"{kind}: gets no caBundle"
        if "caBundle" in webhook["clientConfig"]:
            yield f"{kind}: {webhook['name']} has a caBundle of its own"
    for deployment in manifests.all("Deployment"):
        volumes = {volume["name"]: volume for volume in deployment["spec"]["template"]["spec"]["volumes"]}
        mounted = volumes["tls"]["secret"]
        if mounted["secretName"] != secret["name"] or mounted["defaultMode"] & 0o007:
            yield f"{deployment['metadata']['name']}: mounts {mounted}"


def webhooks_lock_nobody_out(manifests):
    needed = {"kube-system", "kube-node-lease", "kube-public", manifests.namespace}
    names = []
    for kind, webhook in manifests.webhooks():
        name, mutating = webhook["name"], kind.startswith("Mutating")
        names.append((mutating, name))
        service = manifests.one("Service", "schedpol-webhook")
        wanted = {"failurePolicy": "Fail", "matchPolicy": "Equivalent", "sideEffects": "None", "timeoutSeconds": 5,
                  "admissionReviewVersions": ["v1"], "objectSelector": None,
                  "reinvocationPolicy": "IfNeeded" if mutating else None,
                  "clientConfig": {"service": {
                      "name": service["metadata"]["name"], "namespace": service["metadata"]["namespace"],
                      "path": "/admit" if mutating else "/validate", "port": service["spec"]["ports"][0]["port"]}}}
        for field, value in wanted.items():
            if webhook.get(field) != value:
                yield f"{kind}: {name}: {field} is {webhook.get(field)}, not {value}"
        resources = {}
        for rule in webhook["rules"]:
            group, = rule["apiGroups"]
            resources[group] = rule["resources"]
            if rule["operations"] != ["CREATE", "UPDATE"] or any("/" in resource for resource in rule["resources"]):
                yield f"{kind}: {name}: has the rule {rule}"
        selector = webhook.get("namespaceSelector", {})
        if name == f"metadata.{GROUP}":
            rule, = webhook["rules"]
            if (rule["apiGroups"], rule["apiVersions"], rule["resources"], rule["scope"]) != (["*"], ["*"], ["*"], "Namespaced"):
                yield f"{kind}: {name}: is asked about {rule}"
            if selector.get("matchLabels") != {f"{GROUP}/metadata-policies": "enabled"}:
                yield f"{kind}: {name}: is asked about namespaces that nobody chose: {selector}"
        elif name == f"policies.{GROUP}":
            if resources != POLICIES or "namespaceSelector" in webhook:
                yield f"{kind}: {name}: is asked about {resources}, or not everywhere"
            continue
        elif "matchLabels" in selector or {group: set(found) for group, found in resources.items()} != {
                "": {"pods", "podtemplates", "replicationcontrollers"},
                "apps": {"replicasets", "deployments", "statefulsets", "daemonsets"}, "batch": {"jobs", "cronjobs"}}:
            yield f"{kind}: {name}: is asked about {resources}"
        expression, = selector["matchExpressions"]
        if (expression["key"], expression["operator"], set(expression["values"])) != (
                "kubernetes.io/metadata.name", "NotIn", needed):
            yield f"{kind}: {name}: leaves out {selector}"
    if sorted(names) != [(False, f"metadata.{GROUP}"), (False, f"pods.{GROUP}"), (False, f"policies.{GROUP}"),
                         (True, f"metadata.{GROUP}"), (True, f"pods.{GROUP}")]:
        yield f"there are the webhooks {names}"


def holds(conditions, **variables):
    asked = variables["request"]
    variables["request"] = {"userInfo": {"username": "somebody"}, **asked, "kind": {"group": "", **asked.get("kind", {})}}
    return all(cel.evaluate(condition["expression"], **variables) is True for condition in conditions)


# Updates, and whether they have to be asked about: what nobody decides by must not wait for a webhook.
UPDATES = [("Pod", {"metadata": new, "spec": {"nodeName": "n"}}, {"metadata": old, "spec": {"nodeName": "n"}}, asked)
           for new, old, asked in (
               ({}, {}, False), ({}, {"finalizers": ["f"]}, False), ({"labels": {"a": "b"}}, {"labels": {"a": "b"}}, False),
               ({"labels": {"a": "b"}}, {"labels": {"a": "c"}}, True), ({"labels": {"a": "b"}}, {}, True),
               ({}, {"labels": {"a": "b"}}, True), ({"annotations": {"a": "b"}}, {"annotations": {}}, True),
               ({"annotations": {"a": "b"}}, {}, True), ({}, {"annotations": {"a": "b"}}, True))]
UPDATES += [("Deployment", {"metadata": {}, "spec": {"replicas": 2}}, {"metadata": {}, "spec": {"replicas": 1}}, True),
            ("PodTemplate", {"metadata": {}, "template": {}}, {"metadata": {}, "template": {}}, True)]


def controlled_workloads_are_not_asked_about(manifests):
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u"}
    spec = {"kind": "SchedulingPolicy", "metadata": {"name": "p"}, "spec": {"allowed": {}}}
    labelled = {**spec, "metadata": {"name": "p", "labels": {"a": "b"}}}
    for kind, webhook in manifests.webhooks():
        if webhook["name"].startswith("pods."):
            cases = [("ReplicaSet", owners, asked) for owners, asked in (
                (None, True), ([], True), ([owner], True), ([{**owner, "controller": False}], True),
                ([{**owner, "controller": True}], False), ([owner, {**owner, "controller": True}], False))]
            cases += [("Pod", [{**owner, "controller": True}], True), ("Pod", None, True), ("Deployment", None, True)]
            # What a custom resource controls nobody decided on; a ReplicaSet it would only make again.
            cases += [(name, [{"controller": True, "apiVersion": version, "kind": of, "name": "x", "uid": "u"}], asked)
                      for name, version, of, asked in (
                          ("StatefulSet", "druid.gardener.cloud/v1alpha1", "Etcd", True),
                          ("ReplicaSet", "argoproj.io/v1alpha1", "Rollout", False),
                          ("StatefulSet", "example.com/v1", "Deployment", True), ("Job", "batch/v1", "CronJob", False),
                          ("Job", "example.com/v1", "CronJob", True), ("Deployment", "v1", "Pod", True),
                          ("ReplicaSet", "v1", "ReplicationController", False))]
            for name, owners, asked in cases:
                item = {"kind": name, "metadata": {"name": "x", **({} if owners is None else {"ownerReferences": owners})}}
                request = {"kind": {"kind": name}, "operation": "CREATE"}
                if holds(webhook["matchConditions"], request=request, object=item, oldObject=None) != asked:
                    yield f"{kind}: {item} is {'not ' if asked else ''}asked about"
            for name, new, old, asked in UPDATES:
                request = {"kind": {"kind": name}, "operation": "UPDATE"}
                if holds(webhook["matchConditions"], request=request, object=new, oldObject=old) != asked:
                    yield f"{kind}: {name} {new} from {old} is {'not ' if asked else ''}asked about"
                # What the extender writes may be nothing else, so nobody adds to it.
                request["userInfo"] = {"username": f"system:serviceaccount:{manifests.namespace}:schedpol-scheduler"}
                if holds(webhook["matchConditions"], request=request, object=new, oldObject=old):
                    yield f"{kind}: the extender's {new} from {old} is asked about"
        elif webhook["name"].startswith("metadata."):
            for name, new, old, asked in UPDATES:
                request = {"kind": {"kind": name}, "operation": "UPDATE"}
                of_metadata = asked and new["metadata"] != old["metadata"]
                if holds(webhook["matchConditions"], request=request, object=new, oldObject=old) != of_metadata:
                    yield f"{kind}: {name} {new} from {old} is {'not ' if of_metadata else ''}asked about"
            for group, name, user, asked in (
                    ("", "ConfigMap", "someone", True), (GROUP, "MetadataPolicy", "someone", False),
                    ("scheduling.sigs.x-k8s.io", "ResourcePolicy", "someone", False),
                    ("", "Event", "someone", False), ("events.k8s.io", "Event", "someone", False),
                    ("coordination.k8s.io", "Lease", "someone", False), ("discovery.k8s.io", "EndpointSlice", "someone", False),
                    ("example.com", "Event", "someone", True), ("example.com", "Lease", "someone", True),
                    ("", "ConfigMap", "system:serviceaccount:kube-system:root-ca-cert-publisher", False),
                    ("", "ConfigMap", "system:kube-controller-manager", False), ("", "Secret", "system:node:n", False),
                    ("", "ConfigMap", "system:serviceaccount:shop:kube-system", True), ("", "ConfigMap", "system:nodes", True),
                    ("", "ConfigMap", "system:serviceaccount:kube-systems:a", True)):
                request = {"kind": {"group": group, "kind": name}, "operation": "CREATE", "userInfo": {"username": user}}
                if holds(webhook["matchConditions"], request=request, object={"metadata": {}}, oldObject=None) != asked:
                    yield f"{kind}: {group}/{name} by {user} is {'not ' if asked else ''}asked about"
        else:
            for operation, new, old, asked in (("CREATE", spec, None, True), ("UPDATE", spec, spec, False),
                                               ("UPDATE", labelled, spec, False),
                                               ("UPDATE", {**spec, "spec": {"required": {}}}, spec, True),
                                               ("UPDATE", spec, {"kind": "SchedulingPolicy", "metadata": {}}, True)):
                request = {"kind": {"kind": "SchedulingPolicy"}, "operation": operation}
                if holds(webhook["matchConditions"], request=request, object=new, oldObject=old) != asked:
                    yield f"{kind}: {operation} of {new} from {old} is {'not ' if asked else ''}asked about"


def nulls_do_not_get_lost(manifests):
    policy = manifests.one("ValidatingAdmissionPolicy", f"nulls.{GROUP}")["spec"]
    found = {rule["apiGroups"][0]: rule["resources"] for rule in policy["matchConstraints"]["resourceRules"]}
    if found != POLICIES or policy["failurePolicy"] != "Fail":
        yield f"asked about {found}"
    for written, allowed in (
            ({"spec": {"allowed": {"affinities": {"nodeAffinities": None}}}}, False),
            ({"spec": {"podSelector": {"matchLabels": {"app": None}}}}, False), ({"spec": None}, False),
            ({"spec": {"allowed": {"affinities": {}}}}, True), ({"spec": {"rules": []}}, True),
            ({"metadata": {"name": "p", "creationTimestamp": None}, "spec": {}}, True),
            ({"metadata": {"name": "p", "creationTimestamp": None}, "spec": {"allowed": None}}, False),
            ({"metadata": {"annotations": {"a": 'says "null": null'}}, "spec": {}}, True)):
        # kubectl drops nulls from what it sends, and keeps them in the annotation, written without spaces.
        annotation = json.dumps(written, separators=(",", ":"))
        item = {"metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": annotation}}}
        variables = {"object": item, "request": {}, "oldObject": None}
        if not holds(policy["matchConditions"], **variables) or holds(policy["validations"], **variables) != allowed:
            yield f"{written} is {'not ' if allowed else ''}allowed"
    for item in ({"metadata": {}}, {"metadata": {"annotations": {"a": "b"}}}):
        if holds(policy["matchConditions"], object=item, request={}, oldObject=None):
            yield f"{item} was not applied"


def the_scheduler_writes_one_annotation(manifests):
    policy = manifests.one("ValidatingAdmissionPolicy", f"deletion-costs.{GROUP}")["spec"]
    constraint, = policy["matchConstraints"]["resourceRules"]
    # It may not create pods, so it only has to be held back when it updates one.
    if (constraint["apiGroups"], constraint["resources"], constraint["operations"]) != ([""], ["pods"], ["UPDATE"]) or policy["failurePolicy"] != "Fail":
        yield f"asked about {constraint}"
    cost, other = "controller.kubernetes.io/pod-deletion-cost", "example.com/other"
    pod = {"metadata": {"name": "p", "namespace": "shop", "labels": {"a": "b"}, "annotations": {other: "x", cost: "1"}}, "spec": {"nodeName": "n"}}

    def changed(path, value):
        item = copy.deepcopy(pod)
        *parents, last = path
        place = item
        for parent in parents:
            place = place[parent]
        if value is None:
            del place[last]
        else:
            place[last] = value
        return item

    bare = {"metadata": {"name": "p", "namespace": "shop"}, "spec": {"nodeName": "n"}}
    woken = {"metadata": {**pod["metadata"], "annotations": {**pod["metadata"]["annotations"], "schedpol.io/woken": "1"}}}
    own = {"namespace": manifests.namespace}
    cases = [
        ({**pod, "metadata": {**woken["metadata"], **own}}, {**pod, "metadata": {**pod["metadata"], **own}}, True),
        ({**pod, "metadata": {**woken["metadata"], "namespace": "shop"}}, {**pod, "metadata": {**pod["metadata"], "namespace": "shop"}}, False),
        (pod, pod, True), (changed(("metadata", "annotations", cost), "2"), pod, True),
        (changed(("metadata", "annotations", cost), None), pod, True),
        (changed(("metadata", "annotations", other), "y"), pod, False),
        (changed(("metadata", "annotations", other), None), pod, False),
        (changed(("metadata", "annotations", "new"), "y"), pod, False),
        (changed(("metadata", "annotations"), None), pod, False),
        (changed(("metadata", "labels", "a"), "c"), pod, False), (changed(("metadata", "labels"), None), pod, False),
        (changed(("metadata", "finalizers"), ["x"]), pod, False),
        (changed(("metadata", "ownerReferences"), [{"uid": "u"}]), pod, False),
        (changed(("spec", "nodeName"), "m"), pod, False), (changed(("spec", "containers"), []), pod, False),
        ({**bare, "metadata": {"namespace": "shop", "annotations": {cost: "1"}}}, bare, True), (bare, bare, True),
        ({**bare, "metadata": {"namespace": "shop", "annotations": {other: "1"}}}, bare, False)]
    account = f"system:serviceaccount:{manifests.namespace}:schedpol-scheduler"
    for new, old, allowed in cases:
        request = {"userInfo": {"username": account}}
        if not holds(policy["matchConditions"], request=request, object=new, oldObject=old) or holds(
                policy["validations"], request=request, object=new, oldObject=old) != allowed:
            yield f"{new} from {old} is {'not ' if allowed else ''}allowed"
    if holds(policy["matchConditions"], request={"userInfo": {"username": "someone"}}, object=pod, oldObject=pod):
        yield "others are held back"


def admission_policies_are_bound(manifests):
    bound = {binding["spec"]["policyName"]: binding["spec"] for binding in manifests.all("ValidatingAdmissionPolicyBinding")}
    for policy in manifests.all("ValidatingAdmissionPolicy"):
        if bound.pop(policy["metadata"]["name"], {}).get("validationActions") != ["Deny"]:
            yield f"{policy['metadata']['name']}: denies nothing"
        for validation in policy["spec"]["validations"]:
            if not re.fullmatch(r"[a-z][^\n]{9,}[^.\n]", validation["message"]):
                yield f"{policy['metadata']['name']}: {validation['message']!r} is no sentence"
    yield from (f"{name} is bound and not there" for name in bound)


WATCH, PATCH = ["list", "watch"], ["patch"]
RIGHTS = {
    "schedpol-webhook": {
        **{(group, resource): WATCH for group, resources in POLICIES.items() for resource in resources},
        **{(group, f"{resource}/status"): PATCH for group, resources in POLICIES.items() for resource in resources},
        ("", "namespaces"): WATCH, ("node.k8s.io", "runtimeclasses"): WATCH,
        **{("rbac.authorization.k8s.io", resource): WATCH
           for resource in ("roles", "rolebindings", "clusterroles", "clusterrolebindings")}},
    "schedpol-scheduler": {("scheduling.sigs.x-k8s.io", "resourcepolicies"): WATCH, ("", "nodes"): WATCH,
                           ("scheduling.sigs.x-k8s.io", "resourcepolicies/status"): PATCH, ("", "pods"): WATCH + PATCH},
}


def watched(source):
    """The group and resource of each Collection that a program's source names, or a variable holds the group of."""
    text = source.read_text(encoding="utf-8")
    groups = {"own": GROUP, **dict(re.findall(r'const std::string (\w+) = "([^"]*)";', text))}
    found = {(group.strip('"') if group.startswith('"') else groups[group], resource) for group, resource in re.findall(
        r'\{("[-.\w]*"|\w+), "v\w+", "(\w+)", "[A-Z]\w+"\}', text)}
    for group, resource in re.findall(r'\{(?:\.group = "([-.\w]+)",\s*)?\.version = "v\w+",\s*\.resource = "(\w+)"', text):
        found.add((group, resource))
    return found


def policies_of_the_library(root):
    """The group and resource of each kind that has an API version in the list of the library's lists."""
    library = root / "include" / "schedpol"
    kinds = re.findall(r'\{"(\w+)", in_\w+,\s+(\w+)::api_version', (library / "engine" / "system.hpp").read_text(encoding="utf-8"))
    for kind, system in kinds:
        text = (library / system / "policy.hpp").read_text(encoding="utf-8")
        group = re.search(r'api_version = (?:"([^"/]+)/|own_api_version)', text)[1] or GROUP
        yield group, re.sub("y$", "ie", kind.lower()) + "s"


def nobody_may_more_than_needed(manifests):
    """What the programs use: they list and watch what they decide by, and patch what they have to say."""
    for program, source in (("webhook", ["support/cluster_source.cpp"]),
                             ("scheduler", ["scheduler/cluster_view.cpp", "scheduler/cluster_view.hpp"])):
        follows = {right for right, verbs in RIGHTS[f"schedpol-{program}"].items() if set(WATCH) <= set(verbs)}
        policies = set(policies_of_the_library(manifests.root)) if program == "webhook" else set()
        if policies.union(*(watched(manifests.root / "examples" / one) for one in source)) != follows:
            yield f"{program}: follows something else than {sorted(follows)}"
    for account in manifests.all("ServiceAccount"):
        name, granted = account["metadata"]["name"], {}
        if account["automountServiceAccountToken"]:
            yield f"{name}: its token gets to whoever runs as it"
        for binding in manifests.all("ClusterRoleBinding"):
            if {"kind": "ServiceAccount", "name": name, "namespace": manifests.namespace} in binding["subjects"]:
                for rule in manifests.one(binding["roleRef"]["kind"], binding["roleRef"]["name"])["rules"]:
                    for group in rule["apiGroups"]:
                        granted.update({(group, resource): rule["verbs"] for resource in rule["resources"]})
        if granted != RIGHTS[name]:
            yield f"{name}: may {granted}"
    bound = {binding["roleRef"]["name"] for binding in manifests.all("ClusterRoleBinding")}
    for role in manifests.all("ClusterRole"):
        for rule in role["rules"]:
            if rule["verbs"] == ["use"] and (rule["apiGroups"], rule["resources"]) != ([GROUP], ["schedulingpolicies"]):
                yield f"{role['metadata']['name']}: lets use {rule}"
            for used in rule.get("resourceNames", []):
                manifests.one("SchedulingPolicy", used)
        aggregated = role["metadata"].get("labels", {})
        if role["metadata"]["name"] not in bound | {"schedpol:use-privileged"} and not aggregated:
            yield f"{role['metadata']['name']} is bound to nobody"
    if {account["metadata"]["name"] for account in manifests.all("ServiceAccount")} != set(RIGHTS):
        yield "there are other accounts"


def who_sees_a_namespace_sees_its_policies(manifests):
    """By the ClusterRole view, which the API server puts into edit and admin too; nobody writes them by that."""
    role = manifests.one("ClusterRole", "schedpol:view")
    if role["metadata"]["labels"] != {"rbac.authorization.k8s.io/aggregate-to-view": "true"}:
        yield f"it is part of {role['metadata']['labels']}"
    if {group: rule["resources"] for rule in role["rules"] for group in rule["apiGroups"]} != POLICIES:
        yield "it does not let see all kinds of policies, or others"
    if any(rule["verbs"] != ["get", "list", "watch"] for rule in role["rules"]):
        yield "it lets do more than see"


def what_an_upgrade_drops_is_pruned(manifests):
    for name, part in (("kustomization.yaml", "schedpol"), ("policies/kustomization.yaml", "schedpol-policies")):
        # Without includeSelectors and includeTemplates: they would change what cannot be changed.
        if manifests.kustomizations[name].get("labels") != [{"pairs": {"app.kubernetes.io/part-of": part}}]:
            yield f"{name}: its objects are not told from others by a label of their own"


def only_the_port_is_open(manifests):
    for deployment in manifests.all("Deployment"):
        name, template = deployment["metadata"]["name"], deployment["spec"]["template"]
        policy = manifests.one("NetworkPolicy", name)["spec"]
        if not policy["podSelector"]["matchLabels"].items() <= template["metadata"]["labels"].items() or (
                policy["policyTypes"] != ["Ingress", "Egress"]):
            yield f"{name}: is guarded by {policy}"
        port, = template["spec"]["containers"][0]["ports"]
        for rule in policy["ingress"]:
            if rule["ports"] != [{"protocol": "TCP", "port": port["name"]}] or not rule["from"]:
                yield f"{name}: is reached by {rule}"
        if [{one["port"] for one in rule["ports"]} for rule in policy["egress"]] != [{443, 6443}]:
            yield f"{name}: reaches {policy['egress']}"


def there_is_one_group(manifests):
    groups = {kind: crd.manifest["spec"]["group"] for kind, crd in manifests.crds.items()}
    plurals = {}
    for crd in manifests.crds.values():
        plurals.setdefault(crd.manifest["spec"]["group"], set()).add(crd.manifest["spec"]["names"]["plural"])
    if plurals != {group: set(found) for group, found in POLICIES.items()}:
        yield f"the CRDs are of {plurals}"
    for document in manifests.documents:
        if document["kind"] in groups and document["apiVersion"] != f"{groups[document['kind']]}/v1alpha1":
            yield f"{document['metadata']['name']}: is of {document['apiVersion']}"
    # Which group RBAC is asked for is that of the policies, unless the settings name another one.
    settings, = (json.loads(text) for text in manifests.one("ConfigMap")["data"].values())
    if settings.get("access", {}).get("apiGroup", GROUP) != GROUP:
        yield f"the webhook asks RBAC for {settings['access']}"
    source = (manifests.root / "include/schedpol/core/api_version.hpp").read_text(encoding="utf-8")
    if f'own_api_version = "{GROUP}/v1alpha1"' not in source:
        yield "the programs watch the policies of another group"


def options_of(container):
    return dict((argument.split("=", 1) + [""])[:2] for argument in container["args"])


def programs_take_their_flags(manifests):
    """Each is one that the program's source adds, and what README.md has Prometheus read is counted somewhere."""
    support = "".join(path.read_text(encoding="utf-8") for path in (manifests.root / "examples/support").glob("*.?pp"))
    added = r'(?:text|path|number|toggle|add)\(\s*"(--[-a-z]+)"'
    for deployment in manifests.all("Deployment"):
        name = deployment["metadata"]["name"]
        folder = manifests.root / "examples" / name.removeprefix("schedpol-")
        source = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.cpp"))
        known = set(re.findall(added, support + source))
        for option in options_of(deployment["spec"]["template"]["spec"]["containers"][0]):
            if option not in known:
                yield f"{name}: takes no {option}"
    for metric in re.findall(r"`(schedpol_\w+)`", (manifests.folder / "README.md").read_text(encoding="utf-8")):
        if metric not in support:
            yield f"README.md: nothing counts {metric}"


def alerts_are_of_what_is_counted(manifests):
    """Each names a metric that a program has, and a label of it that there is, and says what it means."""
    source = "".join(path.read_text(encoding="utf-8") for path in (manifests.root / "examples").glob("*/*.cpp"))
    if manifests.alerts["metadata"]["namespace"] != manifests.namespace:
        yield "they are in another namespace"
    if "[alerts.yaml](alerts.yaml)" not in (manifests.folder / "README.md").read_text(encoding="utf-8"):
        yield "README.md does not say what they are for"
    for group in manifests.alerts["spec"]["groups"]:
        for rule in group["rules"]:
            metrics = re.findall(r"schedpol_\w+", rule["expr"])
            if not metrics or not rule["annotations"]["summary"]:
                yield f"{rule['alert']}: {rule}"
            for metric in metrics:
                if f'"{metric}"' not in source:
                    yield f"{rule['alert']}: nothing counts {metric}"
                counted = source.partition(f'"{metric}"')[2].partition(";")[0]
                for label in set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])) - {"instance"}:
                    if f'"{label}"' not in counted:
                        yield f"{rule['alert']}: {metric} has no label {label}"


def programs_are_reached(manifests):
    kustomization = manifests.kustomizations["kustomization.yaml"]
    recipe = (manifests.folder / "Containerfile").read_text(encoding="utf-8")
    image, = kustomization["images"]
    for deployment in manifests.all("Deployment"):
        name = deployment["metadata"]["name"]
        template = deployment["spec"]["template"]
        pod, labels = template["spec"], template["metadata"]["labels"]
        container, = pod["containers"]
        service, account = manifests.one("Service", name), manifests.one("ServiceAccount", name)
        selectors = {"Deployment": deployment["spec"]["selector"]["matchLabels"], "Service": service["spec"]["selector"]}
        for constraint in pod.get("topologySpreadConstraints", []):
            selectors[f"spread by {constraint['topologyKey']}"] = constraint["labelSelector"]["matchLabels"]
        others = [other["spec"]["template"]["metadata"]["labels"] for other in manifests.all("Deployment") if other != deployment]
        for place, selector in selectors.items():
            if not selector or not selector.items() <= labels.items() or any(
                    selector.items() <= other.items() for other in others):
                yield f"{name}: {place} selects {selector}"
        if pod["serviceAccountName"] != account["metadata"]["name"] or not pod["automountServiceAccountToken"]:
            yield f"{name}: runs as {pod['serviceAccountName']}, or without its token"
        if container["image"] != image["name"] or container["command"] != [name] or (
                not re.search(rf"^COPY --from=build .*/{name} .*/usr/bin/$", recipe, re.MULTILINE)):
            yield f"{name}: runs {container['command']} of {container['image']}"
        options = options_of(container)
        if "--in-cluster" not in options or not {"--listen", "--cert", "--key", "--drain"} <= set(options):
            yield f"{name}: is started with {container['args']}"
        port, = container["ports"]
        front, = service["spec"]["ports"]
        if str(port["containerPort"]) != options["--listen"].rpartition(":")[2]:
            yield f"{name}: the port {port} is not where the server listens"
        if front["port"] != 443 or front["targetPort"] != port["name"]:
            yield f"{name}: the Service leads to {front}"
        for probe, path in (("startupProbe", "/healthz"), ("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")):
            if container[probe]["httpGet"] != {"path": path, "port": port["name"], "scheme": "HTTPS"}:
                yield f"{name}: {probe} asks {container[probe]['httpGet']}"
        mounts = {mount["name"]: mount for mount in container["volumeMounts"]}
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        if set(mounts) != set(volumes) or any(not mount.get("readOnly") or "subPath" in mount for mount in mounts.values()):
            yield f"{name}: volumes are mounted read-only and whole"
        for volume in volumes.values():
            if "configMap" in volume:
                manifests.one("ConfigMap", volume["configMap"]["name"])
        paths = {mount["mountPath"] for mount in mounts.values()}
        used = {str(pathlib.PurePosixPath(value).parent) for value in options.values() if value.startswith("/")}
        if used != paths:
            yield f"{name}: uses {used} and mounts {paths}"
        if {options[name] for name in ("--cert", "--key", "--client-ca-file") if name in options} != {f"{mounts['tls']['mountPath']}/{item['path']}"
                                                     for item in volumes["tls"]["secret"]["items"]}:
            yield f"{name}: its certificate is not what is mounted"
        slowest = max(webhook["timeoutSeconds"] for _, webhook in manifests.webhooks())
        if pod["terminationGracePeriodSeconds"] <= int(options["--drain"]) + slowest:
            yield f"{name}: has not the time to end"


def programs_are_confined(manifests):
    for deployment in manifests.all("Deployment"):
        name, pod = deployment["metadata"]["name"], deployment["spec"]["template"]["spec"]
        container, = pod["containers"]
        security = pod["securityContext"]
        if not security["runAsNonRoot"] or security["seccompProfile"] != {"type": "RuntimeDefault"}:
            yield f"{name}: runs with {security}"
        if f"USER {security['runAsUser']}:{security['runAsGroup']}" not in (
                manifests.folder / "Containerfile").read_text(encoding="utf-8"):
            yield f"{name}: runs as {security['runAsUser']}, for whom the image is not made"
        if container["securityContext"] != {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                            "capabilities": {"drop": ["ALL"]}}:
            yield f"{name}: runs with {container['securityContext']}"
        if any(pod.get(field) for field in ("hostNetwork", "hostPID", "hostIPC")):
            yield f"{name}: shares the host's"
        resources = container["resources"]
        if not {"cpu", "memory"} <= set(resources["requests"]) or "memory" not in resources["limits"]:
            yield f"{name}: asks for no resources"
    labels = manifests.one("Namespace")["metadata"]["labels"]
    if labels["pod-security.kubernetes.io/enforce"] != "restricted":
        yield "the namespace lets anything run"


def the_scheduler_is_told_where_to_ask(manifests):
    folder = manifests.root / "examples/scheduler"
    configuration = yaml.safe_load((folder / "kube-scheduler-configuration.yaml").read_text(encoding="utf-8"))
    extender, = configuration["extenders"]
    service = manifests.one("Service", "schedpol-scheduler")["metadata"]
    if extender["tlsConfig"].get("serverName") != f"{service['name']}.{service['namespace']}.svc" or (
            "caFile" not in extender["tlsConfig"]) or extender["tlsConfig"].get("insecure"):
        yield f"the extender is not known by its certificate: {extender['tlsConfig']}"
    options = options_of(manifests.one("Deployment", service["name"])["spec"]["template"]["spec"]["containers"][0])
    if "--client-ca-file" not in options or not {"certFile", "keyFile"} <= set(extender["tlsConfig"]):
        yield "anybody is answered, or kube-scheduler is not"
    if configuration["percentageOfNodesToScore"] != 100:
        yield "from 100 nodes on it is asked about a part of them"
    if not extender["enableHTTPS"] or not extender["urlPrefix"].startswith("https://") or extender["ignorable"]:
        yield f"the extender is asked {extender}"
    routes = (folder / "scheduler.cpp").read_text(encoding="utf-8")
    verbs = [verb for field, verb in extender.items() if field.endswith("Verb")]
    if not verbs or any(f'"/{verb}"' not in routes for verb in verbs):
        yield f"the extender answers no {verbs}"


def as_many_run_as_can(manifests):
    webhook, scheduler = (manifests.one("Deployment", f"schedpol-{name}")["spec"] for name in ("webhook", "scheduler"))
    budget = manifests.one("PodDisruptionBudget")["spec"]
    if budget["selector"] != webhook["selector"] or not 0 < budget["minAvailable"] < webhook["replicas"]:
        yield "no webhook may be drained, or all may"
    if webhook["strategy"]["rollingUpdate"]["maxUnavailable"] != 0 or not webhook["template"]["spec"]["topologySpreadConstraints"]:
        yield "the webhooks may all be away"
    if scheduler["replicas"] != 1 or scheduler["strategy"] != {"type": "Recreate"}:
        yield "two extenders do not know of each other what they gave away"


def request(pod, user="system:serviceaccount:kube-system:replicaset-controller", groups=(), operation="CREATE"):
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "u", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "operation": operation,
        "resource": {"group": "", "version": "v1", "resource": "pods"}, "namespace": "shop", "name": pod["metadata"]["name"],
        "userInfo": {"username": user, "groups": ["system:authenticated", *groups]}, "object": pod}}


def pod_of(spec, **metadata):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "shop", **metadata},
            "spec": {"schedulerName": "default-scheduler", "serviceAccountName": "default",
                     "containers": [{"name": "c", "image": "i"}], **spec}}


# What Kubernetes puts into every pod, and into those of a DaemonSet, before a webhook sees them.
EVERY_PODS = [{"key": f"node.kubernetes.io/{taint}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
              for taint in ("not-ready", "unreachable")]
DAEMONS = [{"key": f"node.kubernetes.io/{taint}", "operator": "Exists", "effect": effect} for taint, effect in (
    ("not-ready", "NoExecute"), ("unreachable", "NoExecute"), ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"), ("pid-pressure", "NoSchedule"), ("unschedulable", "NoSchedule"),
    ("network-unavailable", "NoSchedule"))]
THIS_NODE = {"nodeAffinity": {crds_test.REQUIRED: {"nodeSelectorTerms": [
    {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]}]}}}
DAEMON_SET_CONTROLLER = "system:serviceaccount:kube-system:daemon-set-controller"
OWNED = [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "u", "controller": True}]
MIRROR = {"annotations": {"kubernetes.io/config.mirror": "h", "kubernetes.io/config.source": "file"}}

STARTS = [
    (request(pod_of({"tolerations": EVERY_PODS})), True),
    # A globalDefault class: Priority has put in what nobody wrote.
    (request(pod_of({"tolerations": EVERY_PODS, "priorityClassName": "normal", "priority": 10})), True),
    (request(pod_of({"tolerations": DAEMONS, "affinity": THIS_NODE}, ownerReferences=OWNED), DAEMON_SET_CONTROLLER), True),
    (request(pod_of({"nodeName": "node-1", "tolerations": [{"operator": "Exists", "effect": "NoExecute"}]}, **MIRROR),
             "system:node:node-1", ["system:nodes"]), True),
    (request(pod_of({"tolerations": EVERY_PODS, "nodeSelector": {"kubernetes.io/os": "linux"}, "affinity": {
        "podAntiAffinity": {crds_test.PREFERRED: [{"weight": 1, "podAffinityTerm": {
            "topologyKey": "kubernetes.io/hostname", "labelSelector": {}}}]}}})), True),
    # Nobody else gets what those get.
    (request(pod_of({"tolerations": DAEMONS, "affinity": THIS_NODE}, ownerReferences=OWNED), "someone"), False),
    (request(pod_of({"nodeName": "node-1"}, **MIRROR), "someone"), False),
    (request(pod_of({"nodeName": "node-1"})), False), (request(pod_of({"schedulerName": "mine"})), False),
    (request(pod_of({"tolerations": [{"operator": "Exists"}]})), False),
    (request(pod_of({"nodeSelector": {"node-role.kubernetes.io/control-plane": ""}})), False),
    # Who may use `privileged` may do all of that.
    (request(pod_of({"tolerations": [{"operator": "Exists"}], "nodeName": "node-1", "schedulerName": "mine",
                     "serviceAccountName": "agent"})), True),
]
AGENT = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
         "metadata": {"name": "schedpol-privileged", "namespace": "shop"},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "schedpol:use-privileged"},
         "subjects": [{"kind": "ServiceAccount", "name": "agent", "namespace": "shop"}]}


def policies_to_start_with_are_good(manifests):
    for document in manifests.documents:
        if document["kind"] in manifests.crds:
            unknown, fields, stored = manifests.crds[document["kind"]].errors(document)
            if unknown or fields or stored != document:
                yield f"{document['metadata']['name']}: is no policy that the CRD takes: {unknown + fields}"
    if manifests.review is None:
        print("policies_to_start_with_are_good: SKIPPED: no review binary was given")
        return
    objects = [document for name in manifests.files if name.startswith("policies/") for document in manifests.files[name]]
    objects += [{"access": {"apiGroup": GROUP}, **json.loads(text)} for text in manifests.one("ConfigMap")["data"].values()]
    objects += [AGENT, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}]
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "policies.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}), encoding="utf-8")
        done = subprocess.run([manifests.review, file], input="\n".join(json.dumps(review) for review, _ in STARTS).encode(),
                              capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode != 0 or done.stderr:
        yield f"the library refuses them: {done.stderr.decode()}"
        return
    for (review, allowed), line in zip(STARTS, done.stdout.splitlines(), strict=True):
        response = json.loads(line)["response"]
        changed = [change["path"] for change in json.loads(base64.b64decode(response.get("patch", "W10=")))]
        if response["allowed"] != allowed or any(path.startswith("/spec") for path in changed):
            yield f"{review['request']['object']} by {review['request']['userInfo']['username']}: {response}"


TEMPLATE = {"spec": {"tolerations": [{"operator": "Exists"}]}}
TEMPLATED = {"Rollout": {"template": TEMPLATE}, "CloneSet": {"template": TEMPLATE},
             "JobSet": {"replicatedJobs": [{"name": "a", "template": {"spec": {"template": TEMPLATE}}}]}}


def custom_resources_are_decided_on_by_the_lines_for_them(manifests):
    """README.md's: each rule asks about what its template is of, and the policies to start with deny it there."""
    section = (manifests.folder / "README.md").read_text(encoding="utf-8").split("## Custom resources that have pods")[1]
    rules = yaml.safe_load(re.search(r"```yaml\n(.*?)```", section, re.DOTALL)[1])
    templates = json.loads("{" + re.search(r"```json\n(.*?)```", section, re.DOTALL)[1] + "}")["templates"]
    pods = [rule for _, webhook in manifests.webhooks() if webhook["name"].startswith("pods.") for rule in webhook["rules"]]
    for rule, template in zip(rules, templates, strict=True):
        if rule != pods[0] | {"apiGroups": [template["group"]], "apiVersions": ["*"],
                              "resources": [template["kind"].lower() + "s"]}:
            yield f"{rule} is not about {template}"
    if {template["kind"] for template in templates} != set(TEMPLATED):
        yield f"there is an object of other kinds than {templates}"
    if manifests.review is None:
        return
    settings = [json.loads(text) for text in manifests.one("ConfigMap")["data"].values()]
    settings[0] |= {"access": {"apiGroup": GROUP}, "templates": templates}
    objects = [document for name in manifests.files if name.startswith("policies/") for document in manifests.files[name]]
    reviews = [{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "u", "kind": {"group": template["group"], "version": "v1", "kind": template["kind"]}, "operation": "CREATE",
        "namespace": "shop", "userInfo": {"username": "someone"},
        "object": {"metadata": {"name": "x"}, "spec": TEMPLATED[template["kind"]]}}} for template in templates]
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "policies.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": settings + objects}), encoding="utf-8")
        done = subprocess.run([manifests.review, file], input="\n".join(map(json.dumps, reviews)).encode(),
                              capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    for template, line in zip(templates, done.stdout.splitlines(), strict=True):
        causes = json.loads(line)["response"]["status"]["details"]["causes"]
        wanted = template["path"].replace("[*]", "[0]") + ".spec.tolerations[0]"
        if [cause["field"] for cause in causes] != [wanted]:
            yield f"{template['kind']}: {causes}"


def asked(port, authority, path, document=None, client=None):
    """The body of the answer; nothing when there is none. `client` is a folder with a certificate to show."""
    trusted = ssl.create_default_context(cafile=authority)
    if client is not None:
        trusted.load_cert_chain(client / "client.crt", client / "client.key")
    question = urllib.request.Request(f"https://localhost:{port}{path}", headers={"Content-Type": "application/json"},
                                      data=None if document is None else json.dumps(document).encode())
    try:
        with urllib.request.urlopen(question, context=trusted, timeout=TIMEOUT_SECONDS) as answer:
            return answer.read().decode()
    except OSError:
        return ""


def wait_until(condition):
    end = time.monotonic() + TIMEOUT_SECONDS
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)


def the_webhook_runs_by_what_is_installed(manifests):
    """It decides by the shipped policies and settings, asks for what it has the right to and for all of that, and what
    it says of a policy is what the CRD takes."""
    if manifests.webhook is None:
        print("the_webhook_runs_by_what_is_installed: SKIPPED: no webhook binary was given")
        return
    resources = {kind: resource for resource, (_, kind) in api_server.TYPES.items()}
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as ending:
        work = pathlib.Path(scratch)
        server = api_server.ApiServer(work)
        ending.callback(server.stop)
        for document in [*manifests.documents, AGENT, {"kind": "Namespace", "metadata": {"name": "shop"}}]:
            if document["kind"] in resources:
                server.put(resources[document["kind"]], document)
        # A policy of each other kind, so that a condition is written for it.
        for kind in set(manifests.crds) - {"SchedulingPolicy"}:
            server.put(resources[kind], manifests.crds[kind].object({}))
        (work / "engine.json").write_text(*manifests.one("ConfigMap")["data"].values(), encoding="utf-8")
        run("sh", manifests.folder / "make_certificate.sh", work / "certificates")
        process = subprocess.Popen(
            [manifests.webhook, *server.options(), f"--configuration={work / 'engine.json'}", "--listen=127.0.0.1:0",
             f"--cert={work / 'certificates/tls.crt'}", f"--key={work / 'certificates/tls.key'}", "--drain=0"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        ending.callback(process.communicate)
        ending.callback(process.terminate)
        port, authority = process.stdout.readline().decode().strip().rpartition(":")[2], work / "certificates/ca.crt"
        wait_until(lambda: asked(port, authority, "/readyz"))
        for review, allowed in STARTS:
            response = json.loads(asked(port, authority, "/validate", review))["response"]
            if response["allowed"] != allowed:
                yield f"{review['request']['object']} by {review['request']['userInfo']['username']}: {response}"
        wait_until(lambda: len({request.resource for request in server.requests("patch")}) == len(manifests.crds))
        used = {}
        for one in server.requests():
            used.setdefault(one.resource + "/status" * (one.verb == "patch"), set()).add(one.verb)
        granted = {resource: set(verbs) for (_, resource), verbs in RIGHTS["schedpol-webhook"].items()}
        if used != granted:
            yield f"of {granted} it uses {used}"
        for kind, crd in manifests.crds.items():
            policy = server.get(resources[kind], *(("", "baseline") if kind == "SchedulingPolicy" else
                                                   (crd.object({})["metadata"].get("namespace", ""), "my-policy")))
            unknown, fields, stored = crd.errors(policy)
            if unknown or fields or [one["status"] for one in stored["status"]["conditions"]] != ["True"]:
                yield f"{kind}: of {policy} the CRD refuses {unknown + fields}"


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=TIMEOUT_SECONDS,
                          check=False)


def is_valid_for(folder, days):
    """Whether the certificate ends within a day of that."""
    return [run("openssl", "x509", "-in", folder, "-noout", "-checkend", day * 86400).returncode
            for day in (days - 1, days + 1)] == [0, 1]


def certificates_are_trusted_and_renewed(manifests):
    script = manifests.folder / "make_certificate.sh"
    services = {f"DNS:{service['metadata']['name']}.{manifests.namespace}.svc" for service in manifests.all("Service")}
    with tempfile.TemporaryDirectory() as scratch:
        authorities = set()
        for directory, names, wanted in (
                ("by default", [], services | {"DNS:localhost", "IP Address:127.0.0.1"}),
                ("named", ["hook.example.com", "10.0.0.1"], {"DNS:hook.example.com", "IP Address:10.0.0.1"}),
                ("named", ["again.example.com"], {"DNS:again.example.com"})):
            folder = pathlib.Path(scratch) / directory
            before = {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}
            made = run("sh", script, folder, *names)
            if made.returncode != 0 or made.stderr or made.stdout:
                yield f"{directory}: exit status {made.returncode}: {made.stderr}{made.stdout}"
                return
            ca, cert, key = folder / "ca.crt", folder / "tls.crt", folder / "tls.key"
            files = {path.name: path.read_bytes() for path in folder.iterdir()}
            if set(files) != {"ca.crt", "ca.key", "tls.crt", "tls.key", "client.crt", "client.key"}:
                yield f"{directory}: has {sorted(files)}"
            for name, bytes_before in before.items():
                if (files[name] == bytes_before) != name.startswith("ca."):
                    yield f"{directory}: {name} is {'' if name.startswith('ca.') else 'not '}renewed"
            authorities.add(files["ca.crt"])
            for secret in (key, folder / "ca.key", folder / "client.key"):
                if stat.S_IMODE(secret.stat().st_mode) != 0o600:
                    yield f"{directory}: {secret.name} has the mode {stat.S_IMODE(secret.stat().st_mode):o}"
            shown = run("openssl", "x509", "-in", cert, "-noout", "-ext", "subjectAltName").stdout
            found = {name.strip() for name in shown.splitlines()[-1].split(",")}
            if found != wanted:
                yield f"{directory}: the certificate is for {found}, not {wanted}"
            strict = ("openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", ca)
            as_client = ("openssl", "verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", ca)
            for name, server, client in (("tls.crt", 0, 2), ("client.crt", 2, 0)):
                if [run(*how, folder / name).returncode for how in (strict, as_client)] != [server, client]:
                    yield f"{directory}: {name} is good for something else"
            for name in wanted:
                kind, _, value = name.partition(":")
                check = "-verify_ip" if kind.startswith("IP") else "-verify_hostname"
                if run(*strict, check, value, cert).returncode != 0:
                    yield f"{directory}: not accepted for {name}"
            if run(*strict, "-verify_hostname", "other.example.com", cert).returncode == 0:
                yield f"{directory}: accepted for a name that it is not for"
            if run("openssl", "verify", "-no-CAfile", "-no-CApath", "-no-CAstore", cert).returncode == 0:
                yield f"{directory}: accepted without its CA"
            if not is_valid_for(cert, 365) or not is_valid_for(ca, 3650):
                yield f"{directory}: is not valid for a year, or its CA for ten"
            public = run("openssl", "pkey", "-in", key, "-pubout").stdout
            if not public or public != run("openssl", "x509", "-in", cert, "-noout", "-pubkey").stdout:
                yield f"{directory}: the key is not the certificate's"
        if len(authorities) != 2:
            yield "two directories share a CA, or one has two"
        folder = pathlib.Path(scratch) / "named"
        kept = (folder / "tls.crt").read_bytes()
        run("openssl", "req", "-new", "-x509", "-key", folder / "ca.key", "-subj", "/CN=ends soon", "-days", 365,
            "-out", folder / "ca.crt")
        ending = run("sh", script, folder)
        (folder / "ca.key").unlink()
        keyless = run("sh", script, folder)
        if ending.returncode != 1 or keyless.returncode != 1 or (folder / "tls.crt").read_bytes() != kept:
            yield f"renewed without a CA that lasts: {ending.stderr}{keyless.stderr}"
        for arguments in ([], [""], [f"{scratch}/bad", ""], [f"{scratch}/bad", "a,DNS:b"], [f"{scratch}/bad", "a b"]):
            if run("sh", script, *arguments).returncode != 2 or (pathlib.Path(scratch) / "bad").exists():
                yield f"{arguments}: taken for names"


def change_of_the_ca(manifests, folder):
    """README.md's lines, each a list of arguments, with `folder` for the certificates."""
    text = (manifests.folder / "README.md").read_text(encoding="utf-8").split("To change\nit", 1)[1]
    for line in text.split("```sh\n", 1)[1].split("```", 1)[0].splitlines():
        command = line.partition("#")[0].split()
        yield [{"examples/manifests/make_certificate.sh": manifests.folder / "make_certificate.sh",
                "examples/manifests/certificates": folder}.get(part, part) for part in command]


def a_ca_is_changed_without_a_gap(manifests):
    """After each line of README.md the Secret and the copies of kube-scheduler change one after the other, whichever
    first, and each of them is read at once or only when its program is started again."""
    with tempfile.TemporaryDirectory() as scratch:
        steps = [pathlib.Path(scratch) / "0"]
        run("sh", manifests.folder / "make_certificate.sh", steps[0])
        for number in range(1, 4):
            steps.append(pathlib.Path(scratch) / str(number))
            shutil.copytree(steps[-2], steps[-1])
            line = list(change_of_the_ca(manifests, steps[-1]))[number - 1]
            done = run(*line)
            if done.returncode != 0:
                yield f"{line}: {done.stderr}"
            # A step is not skipped, nor begun twice.
            for option, refused in (("--new-ca", number < 3), ("--forget-old-ca", number == 1)):
                again = pathlib.Path(scratch) / "again"
                shutil.copytree(steps[-1], again)
                before = {path.name: path.read_bytes() for path in again.iterdir()}
                status = run("sh", manifests.folder / "make_certificate.sh", option, again).returncode
                if (status != 0) != refused or (refused and before != {path.name: path.read_bytes() for path in again.iterdir()}):
                    yield f"after line {number} {option} ends with {status}"
                shutil.rmtree(again)
        if len(list(change_of_the_ca(manifests, ""))) != 3:
            yield "README.md has other lines"

        def trusted(authority, certificate, name, purpose):
            return run("openssl", "verify", "-x509_strict", "-purpose", purpose, "-CAfile", authority / "ca.crt",
                       certificate / name).returncode == 0
        for name, purpose in (("tls.crt", "sslserver"), ("client.crt", "sslclient")):
            for one, other in zip(steps, steps[1:]):
                yield from (f"{name} of {certificate.name} is not trusted by ca.crt of {authority.name}"
                            for authority, certificate in ((one, one), (one, other), (other, one), (other, other))
                            if not trusted(authority, certificate, name, purpose))
            if trusted(steps[-1], steps[0], name, purpose):
                yield f"{name} of the old CA is trusted for ever"
        if manifests.scheduler is None:
            print("a_ca_is_changed_without_a_gap: SKIPPED: no scheduler binary was given")
            return
        yield from both_start_with_the_new_ca(manifests, steps[0], steps[-1], pathlib.Path(scratch))


def both_start_with_the_new_ca(manifests, old, new, work):
    """The extender answers a kube-scheduler that was started after the change, and none that was left behind."""
    with contextlib.ExitStack() as ending:
        server = api_server.ApiServer(work)
        ending.callback(server.stop)
        server.put("nodes", {"metadata": {"name": "n"}})
        pod = {"metadata": {"name": "p", "namespace": "shop", "uid": "u"}, "spec": {"containers": []}}
        server.put("pods", pod)
        process = subprocess.Popen(
            [manifests.scheduler, *server.options(), "--listen=127.0.0.1:0", f"--cert={new}/tls.crt", f"--key={new}/tls.key",
             f"--client-ca-file={new}/ca.crt", "--drain=0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        ending.callback(process.communicate)
        ending.callback(process.terminate)
        port = process.stdout.readline().decode().strip().rpartition(":")[2]
        wait_until(lambda: asked(port, new / "ca.crt", "/readyz"))
        question = {"Pod": pod, "NodeNames": ["n"]}
        for authority, client, answered in ((new, new, True), (new, old, False), (old, new, False), (new, None, False)):
            said = asked(port, authority / "ca.crt", "/filter", question, client)
            if (json.loads(said).get("NodeNames") == ["n"] if said else False) != answered:
                yield f"a kube-scheduler with ca.crt of {authority.name} and client.crt of {client} is told {said!r}"


def main():
    if len(sys.argv) not in (2, 3, 5):
        print(__doc__)
        return 1
    manifests = Manifests(pathlib.Path(sys.argv[1]), *sys.argv[2:])
    checks = [every_file_has_a_purpose_and_is_installed, the_certificate_gets_everywhere, webhooks_lock_nobody_out,
              controlled_workloads_are_not_asked_about, nulls_do_not_get_lost, the_scheduler_writes_one_annotation,
              admission_policies_are_bound, nobody_may_more_than_needed,
              who_sees_a_namespace_sees_its_policies, what_an_upgrade_drops_is_pruned, only_the_port_is_open, there_is_one_group,
              programs_take_their_flags, alerts_are_of_what_is_counted, programs_are_reached,
              programs_are_confined, the_scheduler_is_told_where_to_ask, as_many_run_as_can, policies_to_start_with_are_good,
              custom_resources_are_decided_on_by_the_lines_for_them]
    has_openssl = shutil.which("openssl") is not None
    if has_openssl:
        checks += [certificates_are_trusted_and_renewed, a_ca_is_changed_without_a_gap, the_webhook_runs_by_what_is_installed]
    failed = 0
    for check in checks:
        for problem in check(manifests):
            print(f"{check.__name__}: {problem}")
            failed += 1
    print(f"{len(manifests.files)} manifests, {len(checks)} checks, {failed} problems")
    if failed == 0 and not has_openssl:
        print("SKIPPED: openssl is not here; the manifests alone are good")
        return SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
