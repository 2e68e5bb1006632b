// SPDX-License-Identifier: Apache-2.0
// Decides on two pods by policies: one is changed, one is denied.
//
// node decide.js DIRECTORY, which has policies.json, pod.json and denied.json
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Engine, SchedpolError } from "schedpol";

const read = (file) => readFileSync(join(process.argv[2], file));

/** What became of the object: the patch of one that is allowed; why another one is denied, and what would help. */
function show(decision) {
  console.log(`${decision.object.metadata.name}: ${decision.allowed ? "allowed" : "denied"}`);
  for (const { op, path, value } of decision.patch) console.log(`  ${op} ${path} ${JSON.stringify(value)}`);
  for (const reason of decision.reasons) console.log(`  ${reason}`);
  for (const { field, to } of decision.nearestFix) {
    console.log(`  it would be allowed with ${field}: ${JSON.stringify(to)}`);
  }
}

try {
  const engine = new Engine(read("policies.json"));
  for (const problem of engine.problems) console.log(`problem: ${problem.message}`);
  for (const file of ["pod.json", "denied.json"]) show(engine.decide(read(file)));
} catch (error) {
  if (!(error instanceof SchedpolError)) throw error;
  for (const { code, field } of error.problems) console.log(`${code} at ${field}`);
  process.exitCode = 1;
}
