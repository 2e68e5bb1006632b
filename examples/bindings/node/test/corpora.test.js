// SPDX-License-Identifier: Apache-2.0
// The corpora of the fuzz targets, where SCHEDPOL_REPLIES has what the library itself answers to them.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SchedpolError, evaluateText, yamlToObjects } from "schedpol";
import { place } from "./inputs.js";

const native = process.env.SCHEDPOL_REPLIES;
const corpora = place("tests/fuzz/corpus");

function read(yaml) {
  try {
    return yamlToObjects(yaml);
  } catch (error) {
    assert.ok(error instanceof SchedpolError, error);
    return error.problems;
  }
}

for (const corpus of readdirSync(corpora)) {
  test(`the corpus ${corpus}`, { skip: native ? false : "there are no replies of the library itself" }, () => {
    const files = readdirSync(join(corpora, corpus));
    assert.ok(files.length > 0);
    for (const file of files) {
      const input = readFileSync(join(corpora, corpus, file));
      const wanted = (kind) => readFileSync(join(native, "corpus", corpus, `${file}.${kind}`), "utf8");
      assert.equal(evaluateText(input), wanted("reply"), file);
      const said = JSON.parse(wanted("yaml"));
      assert.deepEqual(read(input), said.items ?? said, file);
    }
  });
}
