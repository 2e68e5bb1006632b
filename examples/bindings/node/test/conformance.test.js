// SPDX-License-Identifier: Apache-2.0
// The conformance vectors. With SCHEDPOL_REPLIES, a directory with the replies of the library itself, byte for byte.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { evaluateText } from "schedpol";
import { place, read } from "./inputs.js";

const files = readdirSync(place("tests/conformance")).filter((name) => name.endsWith(".jsonl"));
const empty = { string: "", number: 0, boolean: false };

test("there are vectors", () => assert.ok(files.length > 20));

for (const file of files) {
  test(file, () => {
    const requests = read(`tests/conformance/${file}`).trimEnd().split("\n");
    const replies = requests.map((request) => evaluateText(request));
    requests.forEach((request, i) => {
      const { id, expected } = JSON.parse(request);
      const reply = JSON.parse(replies[i]);
      assert.equal(reply.id, id);
      assert.equal("error" in reply, "error" in expected, id);
      for (const [name, value] of Object.entries(expected))
        if (name !== "error" && typeof value in empty) assert.equal(reply.result[name] ?? empty[typeof value], value, id);
    });
    const native = process.env.SCHEDPOL_REPLIES;
    if (native) assert.equal(`${replies.join("\n")}\n`, readFileSync(join(native, file), "utf8"));
  });
}
