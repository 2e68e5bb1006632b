# SPDX-License-Identifier: Apache-2.0
"""`schedpol suggest` on clusters that are made up (`support/inventory.py`): what it suggests allows everything, no part of
it can be taken away, and it depends on nothing but what there is.

    cli_suggest_test.py PROGRAM SOURCE_ROOT
"""

import copy
import json
import pathlib
import random
import sys

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from cli_support import deployment, engine, pod, policy, run
from inventory import Inventory, listed

STRATEGIES = ("SmartDeepMerge", "FirstSeenWins", "SimpleMerge")
STORED = {"uid": "1", "creationTimestamp": "2026-01-01T00:00:00Z"}
GPU = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}


def objects_of(suggestion):
    return suggestion["policies"] + suggestion["roles"] + suggestion["bindings"]


def a_cluster_is_allowed_and_nothing_is_needless(cli, _):
    for seed, strategy in enumerate(STRATEGIES):
        files = {"inventory.json": listed(Inventory(seed, pods=1200, templates=120, accounts=40).objects),
                 "nodes.json": listed(Inventory(seed, 0, 0).nodes())}
        options = ("--components", "All", "--strategy", strategy)
        done = cli("suggest", "inventory.json", "--nodes", "nodes.json", *options, files=files)
        if done.status != 0 or "Proof, by deciding: " not in done.out or " denied" in done.out.split(";")[0]:
            yield f"{strategy}: {done.status} {done.out[:600]} {done.err}"
            continue
        if " of 403 nodes" not in done.out or "; may preempt " not in done.out or "# needed by " not in done.out:
            yield f"{strategy}: the entries are not described"
        (done.place / "suggested.yaml").write_text(done.out)
        for what, arguments, said in (
                ("lint", ("lint", "suggested.yaml"), "policies looked at\n"),
                ("check", ("check", "suggested.yaml", "--for", "inventory.json", "--only-denied"), "objects looked at: "),
                ("prove", ("suggest", "inventory.json", "--prove", "suggested.yaml"), "Proof, by deciding: "),
                ("again", ("suggest", "inventory.json", "--existing", "suggested.yaml"), ": 0 policies with 0 entries, 0 bindings.")):
            again = cli(*arguments, place=done.place)
            if again.status != 0 or said not in again.out or again.err:
                yield f"{strategy}, {what}: {again.status} {again.out[-800:]} {again.err}"
            if what == "lint" and again.out.count("\n") != 1:
                yield f"{strategy}: lint has something to say: {again.out[:800]}"


def it_does_not_depend_on_the_order(cli, _):
    made = Inventory(7, pods=600, templates=60, accounts=20).objects
    texts = set()
    for seed in range(3):
        random.Random(seed).shuffle(made)
        texts.add(cli("suggest", "-", "--components", "All", "--common", "30", stdin=listed(made)).out)
    if len(texts) != 1:
        yield f"{len(texts)} answers"


def no_entry_and_no_subject_can_be_taken_away(cli, _):
    """Each is taken out of the objects, and `check` asked."""
    for strategy in STRATEGIES:
        made = Inventory(3, pods=60, templates=14, accounts=5).objects
        arguments = ("--components", "All", "--strategy", strategy)
        done = cli("suggest", "inventory.json", "-o", "json", *arguments, files={"inventory.json": listed(made)})
        whole = objects_of(done.json())
        settings = engine("SchedulingPolicy", policyUse="Rbac", strategy=strategy, options={"governs": "All"})

        def denied(objects, place=done.place, settings=settings):
            (place / "with.json").write_text(json.dumps(listed([settings, *objects])))
            return cli("check", "with.json", "--for", "inventory.json", "--only-denied", place=place).status == 1

        if denied(whole):
            yield f"{strategy}: the whole denies"
        tried = 0
        for number, one in enumerate(whole):
            for path in removable(one):
                changed = copy.deepcopy(whole)
                take_out(changed[number], path)
                tried += 1
                if not denied(changed):
                    yield f"{strategy}: nobody needs {path} of {one['metadata']['name']}"
        if tried < 20:
            yield f"{strategy}: only {tried} parts"


def removable(one):
    """The paths of what can be taken out of an object: items of the innermost lists of a policy, but for those of
    patterns, and the subjects of a binding."""
    if one["kind"] == "SchedulingPolicy":
        yield from items_of(one["spec"]["allowed"], ("spec", "allowed"))
    elif one["kind"].endswith("Binding"):
        yield from (("subjects", i) for i in range(len(one["subjects"])))


def items_of(value, path):
    if isinstance(value, dict):
        for key, below in value.items():
            yield from items_of(below, path + (key,))
    elif isinstance(value, list) and path[-1] == "nodeSelectorTerms":
        for i, term in enumerate(value):
            yield from items_of(term, path + (i,))
    elif isinstance(value, list):
        yield from (path + (i,) for i in range(len(value)))


def take_out(one, path):
    """What lists nothing then is taken out, too: an empty list would permit anything."""
    *above, last = path
    at = one
    for step in above:
        at = at[step]
    del at[last]
    if not at and len(above) > 1 and above[-1] != "subjects":
        take_out(one, above)


def one_more_deployment_only_adds(cli, _):
    made = Inventory(5, pods=500, templates=50, accounts=15).objects
    first = cli("suggest", "inventory.json", files={"inventory.json": listed(made)})
    (first.place / "existing.yaml").write_text(first.out)
    more = deployment("trainer", "team-00", serviceAccountName="brand-new", tolerations=[GPU], nodeSelector={"pool": "gpu", "disk": "nvme"})
    (first.place / "inventory.json").write_text(json.dumps(listed([*made, more])))
    second = cli("suggest", "inventory.json", "--existing", "existing.yaml", "-o", "json", place=first.place)
    suggestion = second.json()
    accounts = {subject["name"] for binding in suggestion["bindings"] for subject in binding["subjects"]}
    if second.status != 0 or accounts != {"brand-new"} or len(suggestion["policies"]) != 1 or len(suggestion["roles"]) != 1:
        yield f"{second}"
    names = {(one["kind"], one["metadata"]["name"]) for one in objects_of(suggestion)}
    if any(f'name: "{name}"' in first.out for _, name in names):
        yield f"what is there is written again: {names}"
    (first.place / "more.json").write_text(json.dumps(listed(objects_of(suggestion))))
    both = cli("check", "existing.yaml", "more.json", "--for", "inventory.json", "--only-denied", place=first.place)
    if both.status != 0:
        yield f"both: {both}"


def what_is_not_helped_is_told(cli, _):
    bare = pod("bare", "shop", nodeName="node-1", schedulerName="default-scheduler")
    bare["metadata"] |= STORED
    kata = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "kata"}, "handler": "kata"}
    cases = [
        ("a bare pod", {}, (), bare, 1, "# Undecided: Pod shop/bare: nobody can tell whether it named its node"),
        ("a class that is not there", {"there.yaml": kata}, ("--existing", "there.yaml"), pod(runtimeClassName="gvisor"), 1,
         "# Not helped by a permission: Pod n/p: no permission is missing"),
        ("a requirement", {"there.yaml": [engine("SchedulingPolicy"), policy("p", required={"nodeSelectors": {"disk": ["ssd"]}})]},
         ("--existing", "there.yaml"), pod(), 1, ": a requirement is not met"),
        ("nothing to decide on", {}, (), {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}, 2, ""),
        ("a pod that has run", {}, (), {**bare, "status": {"phase": "Failed"}}, 2, ""),
        ("a component that there is not", {}, ("--components", "volumes"), pod(), 2, ""),
        ("a configuration that says it", {"there.yaml": engine("SchedulingPolicy")},
         ("--existing", "there.yaml", "--components", "All"), pod(), 2, "")]
    for name, files, arguments, asked, status, said in cases:
        done = cli("suggest", "-", *arguments, files=files, stdin=asked)
        if done.status != status or said not in done.out or (status == 2 and (done.out or not done.err)):
            yield f"{name}: {done}"


def a_proof_fails_where_something_is_needless_or_missing(cli, _):
    asked = [deployment("web"), deployment("trainer", "ml", tolerations=[GPU])]
    done = cli("suggest", "objects.yaml", "-o", "json", files={"objects.yaml": asked})
    suggestion = done.json()
    if done.status != 0 or suggestion["proof"]["entries"] != 2 or suggestion["proof"]["subjects"] != 3:
        yield f"{done}"
    wrong = copy.deepcopy(suggestion)
    wrong["policies"][0]["spec"]["allowed"]["priorityClassNames"] = ["gold"]
    wrong["bindings"][0]["subjects"].append({"kind": "ServiceAccount", "name": "cron", "namespace": "ml"})
    wrong["bindings"] = [one for one in wrong["bindings"] if one["metadata"]["namespace"] == "ml"]
    (done.place / "wrong.json").write_text(json.dumps(listed(objects_of(wrong))))
    failed = cli("suggest", "objects.yaml", "--prove", "wrong.json", place=done.place)
    for said in ("Nobody needs allowed.priorityClassNames[0] of ", "Nobody needs the subject ml/cron of ", "Denied: Deployment shop/web"):
        if failed.status != 1 or said not in failed.out:
            yield f"{said}: {failed}"
    if cli("suggest", "objects.yaml", "--prove", "objects.yaml", place=done.place).status != 2:
        yield "objects are no policies"


def knobs(cli, _):
    asked = [deployment(name, serviceAccountName=name, tolerations=tolerations, nodeSelector=selector) for name, tolerations, selector in (
        ("a", [GPU], {"disk": "ssd"}), ("b", [GPU], {"disk": "hdd"}), ("c", [], {"kubernetes.io/hostname": "n"}))]
    cases = [(("--subject", "namespace"), 'system:serviceaccounts:shop"'),
             (("--common", "60"), 'kind: "ClusterRoleBinding"'),
             (("--max-policies", "1"), "1 policy with 5 entries"),
             (("--generalise", "disk"), "disk: []"),
             (("--any-node-names",), "kubernetes.io/hostname: []")]
    for arguments, said in cases:
        done = cli("suggest", "-", *arguments, stdin=asked)
        if done.status != 0 or said not in done.out:
            yield f"{arguments}: {done}"


def need(count=1, name="train", account="default", kind="Pod", namespace="ml", **spec):
    """A line of a webhook's /needs."""
    asking = pod(name, namespace, serviceAccountName=account, schedulerName="default-scheduler", **spec)
    del asking["metadata"]["name"]
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "heard": {"count": count, "subject": f"system:serviceaccount:{namespace}:{account}", "denied": [],
                      "example": {"kind": kind, "namespace": namespace, "name": name, "user": "jane"}},
            "request": {"operation": "CREATE", "namespace": namespace, "object": asking}}


def baseline():
    """Everybody may use the default scheduler."""
    group = "rbac.authorization.k8s.io"
    return [policy("baseline", allowed={"schedulerNames": ["default-scheduler"]}),
            {"apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": {"name": "use-baseline"}, "rules": [
                {"apiGroups": ["schedpol.io"], "resources": ["schedulingpolicies"], "resourceNames": ["baseline"], "verbs": ["use"]}]},
            {"apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "use-baseline"},
             "subjects": [{"kind": "Group", "name": "system:serviceaccounts", "apiGroup": group}],
             "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "use-baseline"}}]


def lines_of(*needs):
    return "".join(json.dumps(one) + "\n" for one in needs)


def what_was_heard_is_needed(cli, _):
    there = [engine("SchedulingPolicy", policyUse="Rbac"), *baseline()]
    gpu, disk = {"tolerations": [GPU]}, {"nodeSelector": {"disk": "ssd"}}
    files = {"there.yaml": there, "a.jsonl": lines_of(need(1200, **gpu), need(2, "web-", kind="Rollout", **disk)), "empty.jsonl": "",
             "b.jsonl": lines_of(need(34, "other", **gpu), need(account="crawler", **gpu)), "objects.yaml": deployment("train", "ml", **gpu)}
    # The arguments, the status, what is said, the heard counts of the entries.
    cases = [(("--from", "a.jsonl"), 0, "# What 0 pods, 0 other objects and 2 heard requests need and nothing permits yet: 1 policy with 2 entries", [1200, 2]),
             (("--from", "a.jsonl"), 0, "# heard 1,200 times, of 1 service account, such as Pod ml/train\n", [1200, 2]),
             (("--from", "a.jsonl"), 0, "# heard 2 times, of 1 service account, such as Rollout ml/web-\n", [1200, 2]),
             (("--from", "a.jsonl", "--from", "b.jsonl"), 0, "# heard 1,235 times, of 2 service accounts, such as Pod ml/train\n", [2, 1235]),
             (("--from", "a.jsonl", "empty.jsonl", "b.jsonl"), 0, "and 3 heard requests need", [2, 1235]),
             (("objects.yaml", "--from", "a.jsonl"), 0,
              "# needed by 1 object of 1 service account, such as Deployment ml/train; heard 1,200 times\n", [1200, 2]),
             (("objects.yaml",), 0, "# What 0 pods and 1 other object need", [0]),
             (("--from", "empty.jsonl"), 2, "", []),
             ((), 2, "", [])]
    place = cli.folder(files)
    for arguments, status, said, heard in cases:
        done = cli("suggest", *arguments, "--existing", "there.yaml", place=place)
        if done.status != status or said not in done.out or bool(done.err) != (status == 2):
            yield f"{arguments}: {done}"
        if status != 0:
            continue
        entries = cli("suggest", *arguments, "--existing", "there.yaml", "-o", "json", place=place).json()["entries"]
        if sorted(one.get("heard", 0) for one in entries) != sorted(heard):
            yield f"{arguments}: {entries}"
        (place / "suggested.yaml").write_text(done.out)
        proved = cli("suggest", *arguments, "--existing", "there.yaml", "--prove", "suggested.yaml", place=place)
        if proved.status != 0 or "Nobody needs" in proved.out:
            yield f"{arguments}: {proved}"
    if cli("suggest", "--from", "-", "--existing", "there.yaml", place=place, stdin=files["a.jsonl"]).out != \
            cli("suggest", "--from", "a.jsonl", "--existing", "there.yaml", place=place).out:
        yield "a pipe is another file"


def each_line_that_is_no_need_is_told(cli, _):
    def without(*path):
        one = need(tolerations=[GPU])
        at = one
        for step in path[:-1]:
            at = at[step]
        del at[path[-1]]
        return one

    def with_(value, *path):
        one = need(tolerations=[GPU])
        at = one
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value
        return one
    cases = [("no JSON", "{", "not valid JSON"), ("YAML", "kind: AdmissionReview", "not valid JSON"), ("nothing", "", "not valid JSON"),
             ("two in a line", json.dumps(need()) * 2, "not valid JSON"), ("a key twice", '{"kind":"a","kind":"b"}', "duplicate"),
             ("no UTF-8", b'{"kind":"\xff"}', "not valid JSON"), ("too long", "[" + "1," * (9 << 20) + "1]", "at most 16777216 bytes"),
             ("a list", "[]", ""), ("cut", json.dumps(need())[:-1], "not valid JSON"),
             ("another object", pod(), "`kind`: "), ("nothing heard", without("heard"), "`heard`: "),
             ("no count", without("heard", "count"), "`heard.count`: "), ("a count of none", with_(0, "heard", "count"), "`heard.count`: "),
             ("a count below none", with_(-1, "heard", "count"), "`heard.count`: "),
             ("a count beyond all", with_(10**13, "heard", "count"), "`heard.count`: "),
             ("a count that is no number", with_("3", "heard", "count"), "`heard.count`: "),
             ("no subject", without("heard", "subject"), "`heard.subject`: "),
             ("a subject that is not the object's", with_("system:serviceaccount:kube-system:default", "heard", "subject"),
              "must be that of the object, `system:serviceaccount:ml:default`"),
             ("no example", without("heard", "example"), "`heard.example`: "),
             ("an example without a kind", without("heard", "example", "kind"), "`heard.example`: "),
             ("a name that is none", with_(7, "heard", "example", "name"), "`heard.example`: "),
             ("no request", without("request"), "`request`: "), ("no object", without("request", "object"), "`request.object`: "),
             ("a deletion", with_("DELETE", "request", "operation"), "`request`: invalid value: must create a pod"),
             ("an object without a pod", with_({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}, "request", "object"),
              "`request`: invalid value: must create a pod"),
             ("a broken pod", with_(7, "request", "object", "spec", "tolerations"), "`request.object.spec.tolerations`: ")]
    for name, line, said in cases:
        good = lines_of(need(tolerations=[GPU])).encode()
        line = line if isinstance(line, (str, bytes)) else json.dumps(line)
        line = line.encode() if isinstance(line, str) else line
        done = cli("suggest", "--from", "needs.jsonl", files={"needs.jsonl": good + line + b"\n" + good})
        if done.status != 2 or done.out or not done.err.startswith("needs.jsonl:2:1: ") or said not in done.err or done.err.count("\n") != 1:
            yield f"{name}: {done}"
    for arguments, said in ((("--from", "gone.jsonl"), "gone.jsonl: cannot be read"), (("--from", "."), ".: cannot be read"),
                            (("-", "--from", "-"), "<stdin>: cannot be read twice")):
        done = cli("suggest", *arguments, stdin=lines_of(need(tolerations=[GPU])))
        if done.status != 2 or done.out or said not in done.err:
            yield f"{arguments}: {done}"
    last = cli("suggest", "--from", "-", stdin=lines_of(need(tolerations=[GPU]))[:-1])
    if last.status != 0 or last.err:
        yield f"a last line without its end: {last}"


if __name__ == "__main__":
    sys.exit(run(__doc__, [
        a_cluster_is_allowed_and_nothing_is_needless, it_does_not_depend_on_the_order, no_entry_and_no_subject_can_be_taken_away,
        one_more_deployment_only_adds, what_is_not_helped_is_told, a_proof_fails_where_something_is_needless_or_missing, knobs,
        what_was_heard_is_needed, each_line_that_is_no_need_is_told]))
