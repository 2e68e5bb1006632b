// SPDX-License-Identifier: Apache-2.0
// The library in Node: the module is the file beside this one.
import { readFileSync } from "node:fs";
import { bind } from "./library.js";

export { Decision, SchedpolError } from "./library.js";
export const { Engine, asCreated, evaluate, evaluateText, suggest, yamlToObjects } =
  bind(new WebAssembly.Module(readFileSync(new URL("schedpol.wasm", import.meta.url))));
