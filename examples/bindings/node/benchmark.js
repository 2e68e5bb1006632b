// SPDX-License-Identifier: Apache-2.0
// Decisions a second, text out of bytes: benchmark.js DIRECTORY THREADS SECONDS
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { Engine } from "schedpol";

if (isMainThread) {
  const [directory, threads, seconds] = process.argv.slice(2);
  const end = Date.now() + 1000 * Number(seconds);
  const counts = Array.from({ length: Number(threads) }, () => new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { directory, end } });
    worker.on("message", resolve);
    worker.on("error", reject);
  }));
  const total = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  console.log(Math.round(total / Number(seconds)));
} else {
  const { directory, end } = workerData;
  const engine = new Engine(readFileSync(join(directory, "policies.json")));
  const pod = readFileSync(join(directory, "pod.json"));
  let count = 0;
  for (; Date.now() < end; ++count)
    if (!engine.decideText(pod).includes('"allowed":true')) throw new Error("it is denied");
  parentPort.postMessage(count);
}
