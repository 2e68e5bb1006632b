// SPDX-License-Identifier: Apache-2.0
// The library in a browser: the module is fetched from beside this file, or from where a bundler has put it.
import { bind } from "./library.js";

const response = await fetch(new URL("schedpol.wasm", import.meta.url));
if (!response.ok) throw new Error(`${response.url} answers ${response.status}`);

export { Decision, SchedpolError } from "./library.js";
export const { Engine, asCreated, evaluate, evaluateText, suggest, yamlToObjects } =
  bind(await WebAssembly.compile(await response.arrayBuffer())); // whatever type the server says it is of
