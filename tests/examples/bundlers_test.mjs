// SPDX-License-Identifier: Apache-2.0
// The package for Node as it is published, in a program that has nothing but it: two decisions in Node, and in Chromium,
// bundled by esbuild and by vite; and what TypeScript makes of its types.
//
//     bundlers_test.mjs PACKAGE.tgz BINDINGS TOOLS SCRATCH
//
// TOOLS/node_modules has esbuild, vite, typescript and playwright-core.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const [archive, bindings, tools, program] = process.argv.slice(2).map((place) => resolve(place));
const { chromium } = (await import(pathToFileURL(join(tools, "node_modules", "playwright-core", "index.js")))).default;
const INPUTS = ["policies.json", "pod.json", "denied.json"];
const DECIDE = `
const engine = new Engine(policies);
const decisions = [pod, denied].map((object) => engine.decide(object)).map(({ allowed, patch, reasons }) => ({ allowed, patch, reasons }));`;
const IMPORTS = INPUTS.map((file) => `import ${file.split(".")[0]} from "./${file}" with { type: "json" };\n`).join("");
const PAGE = '<!doctype html><body><script type="module" src="./page.js"></script>';

const put = (name, text) => writeFileSync(join(program, name), text);
const tool = (name, ...words) => execFileSync(join(tools, "node_modules", ".bin", name), words, { cwd: program, stdio: "pipe" }).toString();
const node = (...words) => execFileSync(process.execPath, words, { cwd: program, stdio: "pipe" }).toString();

/** What a program says, of which a failure has to tell more than its status. */
function said(f) {
  try {
    return f();
  } catch (error) {
    throw new Error(`${error.message}\n${error.stdout}`);
  }
}

let browser;
let wanted;
before(async () => {
  rmSync(program, { recursive: true, force: true });
  mkdirSync(program, { recursive: true });
  for (const file of INPUTS) copyFileSync(join(bindings, file), join(program, file));
  put("package.json", '{ "type": "module" }');
  const read = INPUTS.map((file) => `const ${file.split(".")[0]} = readFileSync("${file}");\n`).join("");
  put("decide.mjs", `import { readFileSync } from "node:fs";\nimport { Engine } from "schedpol";\n${read}${DECIDE}\nconsole.log(JSON.stringify(decisions));`);
  put("page.js", `import { Engine } from "schedpol";\n${IMPORTS}${DECIDE}\ndocument.body.textContent = JSON.stringify(decisions);
document.body.dataset.decided = "";`);
  put("index.html", PAGE);
  const installed = execFileSync("npm", ["install", "--no-audit", "--no-fund", archive], { cwd: program, stdio: "pipe", encoding: "utf8" });
  assert.doesNotMatch(installed, /warn/);
  wanted = JSON.parse(node("decide.mjs"));
  browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
});
after(() => browser?.close());

/** What the page in a folder of the program decides. */
async function decidedBy(folder) {
  const types = { ".html": "text/html", ".js": "text/javascript" }; // the module has the type of a server that knows none
  const server = createServer((request, response) => {
    const name = request.url === "/" ? "/index.html" : request.url;
    try {
      response.setHeader("Content-Type", types[extname(name)] ?? "application/octet-stream");
      response.end(readFileSync(join(program, folder, name)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((listens) => server.listen(0, "127.0.0.1", listens));
  try {
    const page = await browser.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForSelector("body[data-decided]").catch((error) => assert.fail(`${error.message}: ${errors}`));
    return JSON.parse(await page.locator("body").textContent());
  } finally {
    server.close();
  }
}

test("it decides in Node, imported or required", () => {
  assert.deepEqual(wanted.map(({ allowed }) => allowed), [true, false]);
  put("required.cjs", `const { readFileSync } = require("node:fs");\nconst { Engine } = require("schedpol");\n
const decision = new Engine(readFileSync("policies.json")).decide(readFileSync("denied.json"));\nconsole.log(JSON.stringify(decision.reasons));`);
  assert.deepEqual(JSON.parse(node("--no-warnings", "required.cjs")), wanted[1].reasons);
});

test("library.js and the module can be had one by one", () => {
  put("bound.mjs", `import { readFileSync } from "node:fs";\nimport { bind } from "schedpol/library.js";
const module = new WebAssembly.Module(readFileSync(new URL(import.meta.resolve("schedpol/schedpol.wasm"))));
console.log(bind(module).evaluate("quantity.compare", { a: "1Gi", b: "1G" }).compare);`);
  assert.equal(node("bound.mjs"), "1\n");
});

test("esbuild bundles it for a browser", async () => {
  said(() => tool("esbuild", "page.js", "--bundle", "--format=esm", "--outfile=with-esbuild/page.js", "--log-level=warning"));
  put("with-esbuild/index.html", PAGE);
  copyFileSync(join(program, "node_modules", "schedpol", "schedpol.wasm"), join(program, "with-esbuild", "schedpol.wasm"));
  assert.deepEqual(await decidedBy("with-esbuild"), wanted);
});

test("vite bundles it for a browser", async () => {
  said(() => tool("vite", "build", "--outDir", "with-vite", "--logLevel", "warn"));
  assert.deepEqual(await decidedBy("with-vite"), wanted);
});

test("TypeScript knows its types, imported or required, and what is no document", () => {
  const use = 'const decision = new Engine("{}").decide({ kind: "Pod" });\nexport const reasons: string[] = decision.reasons;\n';
  const bound = 'import { bind } from "schedpol/library.js";\nexport const bindTo: (module: WebAssembly.Module) => { evaluate(op: string, input: object): any } = bind;\n';
  put("types.mts", `import { Engine } from "schedpol";\n${bound}${use}`);
  put("types.cts", `import { Engine } from "schedpol";\n${use}`);
  put("wrong.cts", 'import { Engine } from "schedpol";\nnew Engine(1);\n');
  const check = (module, ...files) => said(() => tool("tsc", "--noEmit", "--strict", "--types", "", "--module", module, ...files));
  for (const module of ["node16", "nodenext"]) {
    check(module, "types.mts", "types.cts");
    assert.throws(() => check(module, "wrong.cts"), /TS2345/);
  }
});
