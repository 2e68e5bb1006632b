// SPDX-License-Identifier: Apache-2.0

export { Decision, SchedpolError } from "./index.js";

/** The functions of the package, on a module that is compiled. */
export function bind(module: WebAssembly.Module): Pick<
  typeof import("./index.js"),
  "Engine" | "asCreated" | "evaluate" | "evaluateText" | "suggest" | "yamlToObjects"
>;
