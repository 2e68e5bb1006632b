// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { Engine, SchedpolError, asCreated, evaluate, suggest, yamlToObjects } from "schedpol";
import { input, place, read } from "./inputs.js";

const policies = input("policies.json");
const pod = input("pod.json");
const denied = input("denied.json");
const gpuTeam = JSON.parse(policies).items[2];

/** The code and field of what is thrown. */
function refusal(f) {
  try {
    f();
  } catch (error) {
    assert.ok(error instanceof SchedpolError, error);
    assert.notEqual(error.message, "");
    return `${error.code} at ${error.field}`;
  }
  return "no refusal";
}

test("the example prints the decisions", () => {
  const printed = execFileSync(process.execPath, [place("examples/bindings/node/example/decide.js"), place("examples/bindings")]);
  assert.equal(printed.toString(), read("tests/examples/bindings_decisions.txt"));
});

test("a pod is changed and another one denied", () => {
  const engine = new Engine(policies);
  const changed = engine.decide(pod);
  assert.equal(changed.allowed, true);
  assert.equal(changed.patch[0].path, "/spec/priorityClassName");
  assert.equal(changed.object.spec.priorityClassName, "batch");
  assert.deepEqual(changed.reasons, []);
  const refused = engine.decide(JSON.parse(denied));
  assert.equal(refused.allowed, false);
  assert.deepEqual(refused.patch, []);
  assert.deepEqual(refused.object, JSON.parse(denied));
  assert.equal(refused.steps[0].violations[0].code, "SchedulerNameNotAllowed");
  assert.equal(refused.nearestFix[0].field, "spec.schedulerName");
});

test("what nothing governs is told", () => {
  const engine = new Engine(policies);
  const decision = engine.decide({ kind: "Pod", spec: { runtimeClassName: "gvisor" } });
  assert.equal(decision.allowed, true);
  assert.deepEqual(decision.ungoverned, [{ field: "spec.runtimeClassName", value: "gvisor" }]);
  assert.deepEqual(engine.decide(pod).ungoverned, []);
});

test("a text is no list", () => {
  const engine = new Engine(policies);
  for (const document of [pod, Buffer.from(pod)]) {
    assert.throws(() => engine.decideMany(document), { name: "TypeError", message: "`objects` must be a list" });
  }
  assert.equal(refusal(() => engine.decide(pod, { user: { name: "jo", groups: "system:masters" } })), "InvalidObject at user.groups");
});

test("what is asked besides is asked", () => {
  const engine = new Engine(policies);
  const asked = { old: JSON.parse(pod), namespace: "research", user: { name: "jo", groups: ["dev"] }, phase: "Validating" };
  const { allowed, patch } = engine.decide(pod, asked);
  assert.deepEqual({ allowed, patch }, { allowed: true, patch: [] });
  assert.equal(refusal(() => engine.decide(pod, { namespace: "shop" })), "InvalidRequest at object.metadata.namespace");
});

test("what cannot be read is an error with code and field", () => {
  for (const [wanted, documents] of [
    ["FieldValueInvalid at documents[0]", [""]],
    ["FieldValueNotSupported at documents[1].kind", [policies, { kind: "Gateway" }]],
    ["FieldValueRequired at systems", [gpuTeam]],
  ]) assert.equal(refusal(() => new Engine(...documents)), wanted);
  const engine = new Engine(policies);
  for (const [wanted, object] of [
    ["InvalidJson at object", ""],
    ["InvalidJson at object", `{}, "user": {"name": "admin"}`],
    ["InvalidObject at object.spec", { spec: 5 }],
    ["LimitExceeded at object", `${"[".repeat(100_000)}1]`],
  ]) assert.ok(refusal(() => engine.decide(object)).startsWith(wanted), wanted);
});

test("an engine changes by another one", () => {
  const engine = new Engine(policies);
  const stricter = engine.without(gpuTeam);
  const again = stricter.with(gpuTeam);
  assert.deepEqual([engine, stricter, again].map((each) => each.decide(pod).allowed), [true, false, true]);
  assert.equal(refusal(() => engine.with({ kind: "Gateway" })), "FieldValueNotSupported at documents[0].kind");
});

test("an object that is wrong is a problem of the engine", () => {
  const engine = new Engine(policies, { ...gpuTeam, metadata: { name: "wrong" }, spec: { required: 5 } });
  assert.deepEqual(engine.problems.map(({ field }) => field), ["SchedulingPolicy[wrong].spec.required"]);
  assert.equal(engine.decide(pod).allowed, false);
});

test("many objects are decided on, and one that cannot be read is denied", () => {
  const decisions = new Engine(policies).decideMany([pod, denied, "garbage"]);
  assert.deepEqual(decisions.map(({ allowed }) => allowed), [true, false, false]);
  assert.equal(decisions[2].problems[0].code, "InvalidJson");
  assert.equal(decisions[2].reasons.length, 1);
});

test("a review is answered by one", () => {
  const engine = new Engine(policies);
  for (const [review, phase] of [[input("review.json"), "Mutating"], ["garbage", "Validating"]])
    assert.equal(engine.review(review, phase).response.allowed, false);
  assert.throws(() => engine.review(input("review.json"), "Sleeping"), { code: "InvalidArgument" });
});

test("an operation is evaluated", () => {
  assert.equal(evaluate("quantity.compare", { a: "1Gi", b: "1G" }).compare, 1);
  assert.equal(refusal(() => evaluate("quantity.compare", { a: "1Gi", b: "many" })), "InvalidObject at b");
});

test("YAML is read", () => {
  assert.deepEqual(yamlToObjects("kind: Pod\n---\nkind: Job\n"), [{ kind: "Pod" }, { kind: "Job" }]);
  assert.equal(refusal(() => yamlToObjects("kind: [Pod\n")), "InvalidYaml at ");
});

test("an engine that is closed answers nothing", () => {
  const engine = new Engine(policies);
  engine.close();
  engine.close();
  for (const ask of [() => engine.decide(pod), () => engine.decideMany([pod]), () => engine.problems, () => engine.with(gpuTeam)])
    assert.throws(ask, { code: "NoEngine" });
  assert.equal(new Engine(policies).decide(pod).allowed, true);
});

test("memory that runs out is an error, and other engines can be made", () => {
  const engine = new Engine(policies);
  const large = new Uint8Array(2 ** 31 + 2 ** 30);
  assert.throws(() => engine.decideMany([pod, large]), { code: "NoMemory" });
  assert.equal(new Engine(policies).decide(pod).allowed, true);
});

const running = {
  kind: "Pod",
  metadata: {
    name: "web-0", namespace: "shop", uid: "1", creationTimestamp: "2026-01-01T00:00:00Z",
    ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "web", controller: true }],
  },
  spec: { nodeName: "n1", tolerations: [{ key: "gpu", operator: "Exists" }] },
};

test("a pod is told as it was created", () => {
  const created = asCreated(JSON.stringify(running));
  assert.equal(created.askedAs, "Created");
  assert.deepEqual(created.patch, [{ op: "remove", path: "/spec/nodeName" }]);
  assert.equal(created.object.spec.nodeName, undefined);
  assert.deepEqual(asCreated({ ...running, status: { phase: "Failed" } }), { askedAs: "Terminal", object: null, patch: [] });
});

test("what is suggested allows what runs", () => {
  const settings = { kind: "EngineConfiguration", systems: [{ system: "SchedulingPolicy" }] };
  const suggestion = suggest([running], { configuration: [settings], generalise: ["disk"] });
  assert.deepEqual(suggestion.entries.map(({ entry }) => entry), ["allowed.schedulerNames[0]", "allowed.tolerations[0]"]);
  const made = [...suggestion.policies, ...suggestion.roles, ...suggestion.bindings];
  const { object } = asCreated(running);
  assert.equal(new Engine(settings).decide(object).allowed, false);
  assert.equal(new Engine(settings, ...made).decide(object).allowed, true);
  const listed = new TextEncoder().encode(JSON.stringify({ kind: "List", apiVersion: "v1", items: [running] }));
  const again = suggest(listed, { configuration: [settings, ...made] });
  assert.deepEqual([again.policies, again.roles, again.bindings, again.proof.allowed], [[], [], [], 1]);
  assert.equal(refusal(() => suggest([{ kind: "Pod", spec: 1 }])), "InvalidObject at objects[0].spec");
  assert.equal(refusal(() => suggest([], { common: 1 })), "InvalidObject at options.common");
});
