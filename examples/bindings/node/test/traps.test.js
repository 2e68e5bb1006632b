// SPDX-License-Identifier: Apache-2.0
// What traps is an error, and the next call is answered by another instance. SCHEDPOL_SMALL_MODULE is a module whose
// stack and memory run out soon.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bind } from "../library.js";
import { input } from "./inputs.js";

const file = process.env.SCHEDPOL_SMALL_MODULE;
// Whether two templates are the same is found level by level.
const levels = 230;
const deep = `${"[".repeat(levels)}1${"]".repeat(levels)}`;
const workload =
  `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "n"}, ` +
  `"spec": {"template": {"spec": {"unknown": ${deep}}}}}`;
const update =
  `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "1", "operation": "UPDATE", ` +
  `"namespace": "n", "name": "a", "kind": {"group": "apps", "version": "v1", "kind": "Deployment"}, ` +
  `"resource": {"group": "apps", "version": "v1", "resource": "deployments"}, ` +
  `"object": ${workload}, "oldObject": ${workload}}}`;

test("a stack or a memory that runs out is an error, and the next call is answered", { skip: !file }, () => {
  const { Engine, evaluate } = bind(new WebAssembly.Module(readFileSync(file)));
  const [policies, pod] = [input("policies.json"), input("pod.json")];
  for (const [what, ask] of Object.entries({
    stack: (engine) => engine.review(update),
    memory: (engine) => engine.decide({ kind: "Pod", metadata: { annotations: { a: "x".repeat(800_000) } } }),
    "memory of a document": () => new Engine({ kind: "List", items: Array(20_000).fill({ kind: "Namespace" }) }),
  })) {
    const engine = new Engine(policies);
    assert.equal(engine.decide(pod).allowed, true);
    assert.throws(() => ask(engine), { code: "NoMemory" }, what);
    assert.throws(() => engine.decide(pod), { code: "NoMemory" }, "the engine went with its instance");
    engine.close();
    assert.equal(evaluate("quantity.compare", { a: "1Gi", b: "1G" }).compare, 1);
    assert.equal(new Engine(policies).decide(pod).allowed, true);
  }
});
