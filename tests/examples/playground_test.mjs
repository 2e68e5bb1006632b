// SPDX-License-Identifier: Apache-2.0
// The page in Chromium: each example is clicked, and what it shows is what the program `evaluate` says; a link and the
// keyboard do what they promise, a phone scrolls nothing sideways, and nothing is asked of any host.
//
//     playground_test.mjs PAGE EVALUATE PLAYWRIGHT [PICTURES]
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const [pageFile, evaluate, playwright, pictures] = process.argv.slice(2);
const { chromium } = (await import(pathToFileURL(resolve(playwright, "index.js")))).default;
const address = pathToFileURL(resolve(pageFile)).href;
const VERDICTS = {
  "Denied, with the nearest fix": "Denied",
  "Changed by defaults": "Allowed, and changed",
  "RuntimeClass: overhead and nodes": "Allowed, and changed",
  "PodSchedulingPolicy: a pool of nodes": "Allowed, and changed",
  "MetadataPolicy: a scheduler by label": "Allowed, and changed",
  "ResourcePolicy: a plan of replicas": "5 of 6 replicas are placed",
  "Compare: a pod that tells the difference": "Some pods are no longer allowed, and some are that were not",
  "Several systems, one only audits": "Allowed, and changed",
  "Suggest: what these objects need": "Needed: 2 policies, 3 bindings",
  "A policy that cannot be read": "This cannot be read or used; a cluster would deny it",
};

let browser;
const requests = [];
before(async () => {
  browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
});
after(() => browser?.close());

/** The page as it is opened; what goes wrong in it is a failure. */
async function open(to = address, options = {}) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })).newPage();
  page.errors = [];
  page.on("pageerror", (error) => page.errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(to);
  await page.waitForSelector("body[data-ready]");
  return page;
}
const text = (page, selector) => page.locator(selector).textContent();
const native = (request) => execFileSync(evaluate, { input: `${request}\n` }).toString().trimEnd();
const picture = (page, name) => pictures && page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });

test("each example shows what the library says", async () => {
  const page = await open();
  const buttons = await page.locator("#examples button").all();
  const titles = await Promise.all(buttons.map((button) => button.textContent()));
  assert.deepEqual(titles, Object.keys(VERDICTS));
  for (const [i, button] of buttons.entries()) {
    await button.click();
    assert.equal(await text(page, "#verdict"), VERDICTS[titles[i]]);
    assert.equal(await text(page, "#reply"), native(await text(page, "#request")), titles[i]);
    const { result } = JSON.parse(await text(page, "#reply"));
    if (result?.allowed !== undefined) assert.equal(result.allowed, (await text(page, "#verdict")).startsWith("Allowed"));
    await picture(page, `desktop-${i + 1}`);
  }
  assert.deepEqual(page.errors, []);
});

test("a link shows the same, also after a change by hand", async () => {
  const page = await open();
  await page.fill("#right", "kind: Pod\nspec:\n  schedulerName: ängstlich\n");
  await page.click("#link");
  const other = await open(page.url());
  for (const selector of ["#verdict", "#request", "#reply"]) assert.equal(await text(other, selector), await text(page, selector));
  assert.match(await text(other, "#request"), /ängstlich/);
  assert.equal(await text(other, "#verdict"), "Denied");
});

test("what is shown comes as text", async () => {
  const page = await open();
  await page.fill("#right", `kind: Pod\nspec:\n  schedulerName: "<img src=x onerror=alert(1)>"\n`);
  await page.click("#link");
  assert.match(await text(page, "#answer"), /<img src=x/);
  assert.equal(await page.locator("#answer img").count(), 0);
});

test("what cannot be read is told, and is no verdict that allows", async () => {
  const page = await open();
  for (const [right, told] of [["kind: [Pod", /InvalidYaml/], ["", /One object/], ["kind: Pod\nspec: 5\n", /InvalidObject/]]) {
    await page.fill("#right", right);
    await page.click("#link");
    assert.match(await text(page, "#answer"), told);
    assert.match(await text(page, "#verdict"), /cannot be read/);
  }
});

test("a line that cannot be read is marked, and the keyboard goes there", async () => {
  const page = await open();
  const above = "# above\n".repeat(59);
  await page.fill("#right", `${above}kind: Pod\nkind: Job\n`);
  await page.click("#link");
  assert.equal(await page.getAttribute("#left", "aria-invalid"), "false");
  assert.equal(await page.getAttribute("#right", "aria-invalid"), "true");
  assert.match(await text(page, "#right-mistake"), /^Line 61, column 1: /);
  assert.equal(await page.getAttribute("#right", "aria-describedby"), "right-mistake");
  // Below the marked line there is an empty one, and as much space as above the first.
  const mark = () => page.locator("#right").evaluate((editor) => {
    const { backgroundPositionY, paddingTop, lineHeight } = getComputedStyle(editor);
    const top = editor.scrollHeight - parseFloat(paddingTop) - 2 * parseFloat(lineHeight);
    const isShown = editor.scrollTop <= top && top < editor.scrollTop + editor.clientHeight;
    return { isShown, isAtLine: Math.abs(parseFloat(backgroundPositionY) - top) < 2 };
  });
  assert.deepEqual(await mark(), { isShown: true, isAtLine: true });
  await picture(page, "mistake");
  await page.locator("#right").evaluate((editor) => (editor.scrollTop = 0));
  await page.focus("#right");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate("document.activeElement.textContent"), "Line 61");
  await page.keyboard.press("Enter");
  assert.deepEqual(await mark(), { isShown: true, isAtLine: true });
  assert.equal(await page.evaluate("document.activeElement.id"), "right");
  assert.equal(await page.evaluate("document.activeElement.selectionStart"), `${above}kind: Pod\n`.length);
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Delete");
  await page.waitForSelector('#right[aria-invalid="false"]');
  assert.equal(await text(page, "#right-mistake"), "");
});

test("the line of a field that cannot be used is marked in the text that it is from", async () => {
  const page = await open();
  const settings = "apiVersion: schedpol.io/v1alpha1\nkind: EngineConfiguration\npolicyUse: Every\nsystems:\n- system: SchedulingPolicy\n";
  const policy = (spec) => `${settings}---\napiVersion: schedpol.io/v1alpha1\nkind: SchedulingPolicy\nmetadata: {name: a}\nspec:\n${spec}`;
  const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n";
  const good = [policy("  allowed: {schedulerNames: []}\n"), `${pod}  containers: []\n`];
  for (const [left, right, editor, line, column, told] of [
    [policy("  allowed:\n    schedulerNames: []\n    # a typo\n    toleration: []\n"), good[1], "left", 14, 5, /toleration/],
    [policy("  allowed:\n    tolerations:\n    - keys: []\n    - {keys: [a],\n       operator: [Exists]}\n"), good[1], "left", 14, 5, /operator/],
    [good[0], `${pod}  tolerations:\n  - key: a\n  - key:\n      b: c\n`, "right", 7, 3, /key/],
    [good[0], `# one\n---\n${pod}  nodeSelector:\n    a: b\n    example.com/c: [d]\n`, "right", 9, 5, /example\.com/],
  ]) {
    await page.fill("#left", left);
    await page.fill("#right", right);
    await page.click("#link");
    const other = editor === "left" ? "right" : "left";
    assert.equal(await page.getAttribute(`#${editor}`, "aria-invalid"), "true", right + left);
    assert.equal(await page.getAttribute(`#${other}`, "aria-invalid"), "false");
    const mistake = await text(page, `#${editor}-mistake`);
    assert.ok(mistake.startsWith(`Line ${line}, column ${column}: `), mistake);
    assert.match(mistake, told);
    assert.match(await text(page, "#verdict"), /cannot be read or used/);
  }
  await page.fill("#left", good[0]);
  await page.fill("#right", good[1]);
  await page.click("#link");
  assert.equal(await text(page, "#left-mistake") + await text(page, "#right-mistake"), "");
  assert.equal(await text(page, "#verdict"), "Allowed as it is");
});

test("the merged policy is YAML that can be read again", async () => {
  const page = await open();
  await page.locator("#examples button").first().click();
  const merged = () => page.locator("#answer section", { hasText: "The merged SchedulingPolicy" }).locator("pre").textContent();
  const shown = await merged();
  assert.match(shown, /^apiVersion: schedpol\.io\/v1alpha1\nkind: SchedulingPolicy\nmetadata:\n  name: merged\nspec:\n/);
  assert.match(shown, /\n  allowed:\n    schedulerNames: \[default-scheduler, gpu-scheduler\]\n/);
  assert.match(shown, /\n    tolerations:\n    - effects: \[NoSchedule\]\n|\n    tolerations:\n    - keys: \[gpu\]\n/);
  const settings = (await page.inputValue("#left")).split("---")[0];
  await page.fill("#left", `${settings}---\n${shown}`);
  await page.click("#link");
  assert.equal(await merged(), shown);
});

test("a text that is too long is refused at once, and what is nearly as long is answered", async () => {
  const page = await open();
  const podOf = (bytes) => `apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n${
    Array.from({ length: bytes / 50 }, (_, i) => `    key-${String(i).padStart(8, "0")}: ${"v".repeat(31)}\n`).join("")}spec: {}\n`;
  const before = await page.inputValue("#right");
  // What the browser asks before it takes a text from the clipboard.
  const paste = (data) => page.locator("#right").evaluate((editor, text) => {
    editor.select();
    editor.dispatchEvent(new InputEvent("beforeinput", { data: text, inputType: "insertFromPaste", bubbles: true, cancelable: true }));
    return editor.value.length;
  }, data);
  assert.equal(await paste(podOf(3_000_000)), before.length);
  assert.match(await text(page, "#right-mistake"), /^This was not taken\. .*1 MiB/);
  assert.equal(await paste(podOf(500_000)), podOf(500_000).length);
  await page.click("#link");
  assert.match(await text(page, "#verdict"), /Allowed|Denied/);
  assert.match(await text(page, "#copied"), /too long for a link/);
  assert.ok((await text(page, "#request")).length < 200_000);
  await page.evaluate(`document.getElementById("right").value = "x".repeat(1_500_000)`);
  await page.click("#link");
  assert.match(await text(page, "#answer"), /this page reads 1 MiB/);
  assert.match(await text(page, "#verdict"), /cannot be read/);
  assert.deepEqual(page.errors, []);
});

test("what is suggested says why, is YAML that can be read again, and allows what runs", async () => {
  const page = await open();
  await page.locator("#examples button", { hasText: "Suggest" }).click();
  const shown = await text(page, "#suggested");
  assert.match(shown, /^    schedulerNames:\n    - default-scheduler  # needed by 1 pod and 1 other object of 2 service accounts, such as Deployment ml\/train$/m);
  assert.match(shown, /^      pool:\n      - gpu  # needed by 1 object of 1 service account, such as Deployment ml\/train; 1 of 2 nodes$/m);
  assert.match(shown, /^    - \{keys: \[gpu\], operators: \[Exists\], effects: \[NoSchedule\]\}  # needed by 1 object .*; 1 of 2 nodes$/m);
  assert.match(await text(page, "#answer"), /Proof, by deciding\s*2 objects allowed/);
  const settings = (await page.inputValue("#left")).split("---")[0];
  await page.fill("#left", `${settings}---\n${shown}`);
  await page.click("#link");
  assert.equal(await text(page, "#verdict"), "Nothing is missing");
  await page.fill("#left", "");
  await page.fill("#right", "kind: Pod\nmetadata: {name: p, uid: u, creationTimestamp: t}\nspec: {nodeName: node-1}\n");
  await page.click("#link");
  assert.match(await text(page, "#verdict"), /1 object cannot be helped/);
  assert.match(await text(page, "#answer"), /Pod default\/p: nobody can tell whether it named its node/);
  await page.fill("#right", "kind: Pod\nspec:\n  tolerations: {}\n");
  await page.click("#link");
  assert.match(await text(page, "#right-mistake"), /^Line 3, column 3: /);
  assert.deepEqual(page.errors, []);
});

test("the keyboard alone chooses an example", async () => {
  const page = await open();
  const second = Object.keys(VERDICTS)[1];
  for (let i = 0; i < 10 && (await page.evaluate("document.activeElement.textContent")) !== second; ++i) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await text(page, "#verdict"), VERDICTS[second]);
  assert.notEqual(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "none");
});

test("what nothing governs is told", async () => {
  const page = await open();
  const asked = "kind: Pod\nspec:\n  nodeSelector: {kubernetes.io/arch: amd64}\n";
  await page.fill("#right", `${asked}  runtimeClassName: gvisor\n`);
  await page.click("#link");
  assert.match(await text(page, "#answer"), /Nothing governs\s*spec\.runtimeClassName: gvisor/);
  await page.fill("#right", asked);
  await page.click("#link");
  assert.doesNotMatch(await text(page, "#answer"), /Nothing governs/);
  assert.deepEqual(page.errors, []);
});

test("a phone scrolls nothing sideways, and dark is dark", async () => {
  const page = await open(address, { viewport: { width: 375, height: 740 }, colorScheme: "dark" });
  for (const [i, button] of (await page.locator("#examples button").all()).entries()) {
    await button.click();
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `example ${i}`);
    // What a tap changes is in sight.
    const { y, height } = await page.locator("#verdict").boundingBox();
    assert.ok(y >= 0 && y + height < 740, `the verdict of example ${i} is at ${y}`);
    assert.equal(await text(page, "#verdict"), Object.values(VERDICTS)[i]);
    await picture(page, `phone-dark-${i + 1}`);
  }
  const [red] = (await page.evaluate("getComputedStyle(document.body).backgroundColor")).match(/\d+/g);
  assert.ok(Number(red) < 60);
});

test("nothing is asked of any host", () => {
  assert.ok(requests.length > 0);
  assert.deepEqual(requests.filter((url) => !/^(file|data|blob):/.test(url)), []);
});
