# SPDX-License-Identifier: Apache-2.0
"""The command line and AdmissionReviews: it takes them as the review of the library does.

    cli_reviews_test.py PROGRAM SOURCE_ROOT
"""

import sys

sys.dont_write_bytecode = True
from cli_support import deployment, engine, meta, pod, policy, run, text_of

ROLLOUT = {"group": "argoproj.io", "kind": "Rollout", "path": "spec.template"}
FILES = {"policies/p.yaml": policy("p", allowed={"priorityClassNames": [], "tolerations": []}, default={"priorityClassName": "low"}),
         "policies/e.yaml": engine("SchedulingPolicy", templates=[ROLLOUT])}


def review(operation, **request):
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "request": {"uid": "u", "operation": operation, "namespace": "shop"} | request}


def of_kind(group, kind):
    return {"group": group, "version": "v1", "kind": kind}


def rollout(spec):
    return deployment() | {"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "spec": {"template": {"spec": spec}}}


def cron_job(spec):
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": meta("web", "shop"),
            "spec": {"jobTemplate": {"spec": {"template": {"spec": spec}}}}}


def a_template_is_another_one_by_what_it_says(cli, _):
    """Members may stand in any order, and a number may be written otherwise."""
    spec = '{"containers": [{"name": "c", "image": "i"}], "terminationGracePeriodSeconds": 30, "hostNetwork": true}'
    same = '{"hostNetwork": true, "terminationGracePeriodSeconds": 3e1, "containers": [{"image": "i", "name": "\\u0063"}]}'
    cases = [("the same", spec, "not looked at"), ("written otherwise", same, "not looked at"),
             ("another image", spec.replace('"i"', '"j"'), "changed"), ("another number", spec.replace("30", "31"), "changed"),
             ("another order of a list", spec.replace("[{", '[{"name": "d"}, {'), "changed"),
             ("less", spec.replace(', "hostNetwork": true', ""), "changed")]
    for make in (lambda spec: deployment(**spec), cron_job, rollout):
        for name, now, verdict in cases:
            text = text_of(review("UPDATE", object=make({"is": "new"}), oldObject=make({"is": "old"})))
            text = text.replace('{"is": "new"}', now).replace('{"is": "old"}', spec)
            done = cli("check", "policies", "--for", "-", "-o", "json", files=FILES, stdin=text)
            found = [(one["kind"], one["verdict"]) for one in done.json()["results"]]
            if found != [(make({})["kind"], verdict)]:
                yield f"{name}: {done}"


def an_object_of_another_kind_than_the_request_is_an_error(cli, _):
    """Also the old one; without a kind of the request the two have to be of one kind."""
    web, service = deployment(), {"apiVersion": "v1", "kind": "Service", "metadata": meta("web", "shop")}
    old_group = web | {"apiVersion": "extensions/v1beta1"}
    of_web, of_pod = of_kind("apps", "Deployment"), of_kind("", "Pod")
    kind, group = "is not the kind of the request", "is not of the group of the request"
    before = "of the object before the update"
    cases = [("CREATE", {"kind": of_web, "object": service}, f"`request.object.kind`: invalid value `Service`: {kind}"),
             ("CREATE", {"kind": of_web, "object": service}, f"`request.object.apiVersion`: invalid value `v1`: {group}"),
             ("CREATE", {"kind": of_pod, "object": service}, f"`request.object.kind`: invalid value `Service`: {kind}"),
             ("CREATE", {"kind": of_kind("", "Service"), "object": pod("p", "shop")}, f"`request.object.kind`: invalid value `Pod`: {kind}"),
             ("CREATE", {"kind": of_web, "object": old_group}, f"`request.object.apiVersion`: invalid value `extensions/v1beta1`: {group}"),
             ("UPDATE", {"kind": of_web, "object": web, "oldObject": service}, f"`request.oldObject.kind`: invalid value `Service`: {kind}"),
             ("UPDATE", {"kind": of_web, "object": web, "oldObject": old_group},
              f"`request.oldObject.apiVersion`: invalid value `extensions/v1beta1`: {group}"),
             ("UPDATE", {"object": web, "oldObject": service}, f"`request.object.kind`: invalid value `Deployment`: is not the kind {before}"),
             ("UPDATE", {"object": service, "oldObject": web}, f"`request.object.kind`: invalid value `Service`: is not the kind {before}"),
             ("UPDATE", {"object": service, "oldObject": service | {"kind": "ConfigMap"}},
              f"`request.object.kind`: invalid value `Service`: is not the kind {before}"),
             ("UPDATE", {"object": rollout({}), "oldObject": rollout({}) | {"kind": "Other"}},
              f"`request.object.kind`: invalid value `Rollout`: is not the kind {before}"),
             ("UPDATE", {"object": rollout({}), "oldObject": rollout({}) | {"apiVersion": "other.io/v1"}},
              f"`request.object.apiVersion`: invalid value `argoproj.io/v1alpha1`: is not the group {before}")]
    for operation, request, error in cases:
        done = cli("check", "policies", "--for", "-", files=FILES, stdin=[web, review(operation, **request)])
        if done.status != 2 or error not in done.err or "not looked at" in done.out:
            yield f"{error}: {done}"
    other_version = web | {"apiVersion": "apps/v1beta1"}
    for request in ({"kind": of_web, "object": web}, {"kind": of_web, "object": web, "oldObject": other_version},
                    {"object": web, "oldObject": other_version}, {"kind": of_web, "object": other_version}):
        done = cli("check", "policies", "--for", "-", files=FILES, stdin=review("UPDATE" if "oldObject" in request else "CREATE", **request))
        if "is not" in done.err:
            yield f"of one kind: {done}"


if __name__ == "__main__":
    sys.exit(run(__doc__, [a_template_is_another_one_by_what_it_says, an_object_of_another_kind_than_the_request_is_an_error]))
