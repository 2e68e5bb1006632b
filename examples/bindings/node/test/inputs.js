// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const top = new URL("../../../../", import.meta.url);

export const place = (path) => fileURLToPath(new URL(path, top));
export const read = (path) => readFileSync(new URL(path, top), "utf8");
export const input = (name) => read(`examples/bindings/${name}`);
