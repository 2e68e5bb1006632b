// SPDX-License-Identifier: Apache-2.0
// The page: from the two texts to a request of `evaluate`, and from its reply to what is shown. What comes from texts
// goes into the page as text, never as HTML.

const $ = (id) => document.getElementById(id);
const TITLES = {
  decide: ["Policies", "Object"],
  compare: ["Policies before", "Policies after"],
  plan: ["ResourcePolicies, nodes and other pods", "Pod"],
  suggest: ["What is there already, and nodes", "Objects, as a cluster prints them"],
};
const WAIT_AFTER_KEY_MS = 250;
// What a page answers at once; the command line reads files of any length.
const MOST_BYTES = 1 << 20;
const MOST_TYPED = 10_000; // letters that a browser puts into a text by itself
const MOST_SHOWN = 100_000; // letters of a request or a reply
const MOST_IN_LINK = 64_000; // letters of an address
const MOST_COMPARED = 4_000_000; // pairs of lines
const AROUND = 20; // lines that stay the same, shown before and after what does not

/** An element with attributes and children; a text among them stays a text. */
function element(name, attributes = {}, ...children) {
  const isSvg = ["svg", "g", "rect", "path", "text", "title"].includes(name);
  const made = isSvg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}
const titled = (title, ...children) => element("section", {}, element("h2", {}, title), ...children);
const list = (lines) => element("ul", {}, ...lines.map((line) => element("li", {}, line)));
const code = (text) => element("code", {}, text);
/** A message of the library, in which what stands between ` is code. */
const marked = (text) => element("span", {}, ...text.split("`").map((part, i) => (i % 2 === 0 ? part : code(part))));
const verdict = (isGood, text) => element("p", { class: `verdict ${isGood ? "good" : "bad"}`, id: "verdict" }, text);
const shownAsYaml = (value) => element("pre", { tabindex: "0" }, toYaml(value));
const ofKind = (objects, ...kinds) => objects.filter(({ kind }) => kinds.includes(kind));

/** A text as YAML has it, between quotes where it would be read as something else. */
function scalarOfYaml(value) {
  const isPlain = typeof value === "string" && /^[A-Za-z][\w./-]*$/.test(value) &&
    !/^(y|n|yes|no|on|off|true|false|null)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}

/** A value of JSON as people write it in manifests: lists of texts in a line, of objects one below the other. */
function toYaml(value, indent = "") {
  const isBlock = (each) => each !== null && typeof each === "object" && Object.keys(each).length > 0;
  if (!isBlock(value)) return `${scalarOfYaml(value)}\n`;
  if (Array.isArray(value)) {
    if (!value.some(isBlock)) return `[${value.map(scalarOfYaml).join(", ")}]\n`;
    return value.map((each) => `${indent}- ${toYaml(each, `${indent}  `).trimStart()}`).join("");
  }
  return Object.entries(value).map(([name, each]) => {
    const isBelow = isBlock(each) && !(Array.isArray(each) && !each.some(isBlock));
    const below = Array.isArray(each) ? indent : `${indent}  `;
    return `${indent}${scalarOfYaml(name)}:${isBelow ? "\n" : " "}${toYaml(each, below)}`;
  }).join("");
}

/** The request of a question. */
function requestOf(question, left, right, replicas) {
  const one = () => {
    if (right.length !== 1) throw new Error(`One object is asked about; there are ${right.length} on the right.`);
    return right[0];
  };
  switch (question) {
    case "compare": {
      const side = (objects) => {
        const { strategy, options } = ofKind(objects, "EngineConfiguration")[0] ?? {};
        return { policies: ofKind(objects, "SchedulingPolicy"), strategy, options };
      };
      return { op: "schedulingPolicy.compare", input: { before: side(left), after: side(right) } };
    }
    case "plan":
      return {
        op: "resourcePolicy.plan",
        input: {
          pod: one(), replicas, policies: ofKind(left, "ResourcePolicy"), nodes: ofKind(left, "Node"), pods: ofKind(left, "Pod"),
        },
      };
    case "suggest": {
      const nodes = ofKind(left, "Node");
      const configuration = left.filter(({ kind }) => kind !== "Node");
      const there = configuration.length > 0 ? { configuration } : {};
      return { op: "engine.suggest", input: { ...there, objects: right, nodes } };
    }
    default:
      return { op: "engine.decide", input: { configuration: left, object: one() } };
  }
}

/** The lines of two texts, each with " ", "-" or "+": what is common at both ends stays, and the longest common
    subsequence of what is between them, where that is not too long. */
function diff(before, after) {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const least = Math.min(a.length, b.length);
  let first = 0;
  while (first < least && a[first] === b[first]) ++first;
  let last = 0;
  while (last < least - first && a[a.length - 1 - last] === b[b.length - 1 - last]) ++last;
  const middle = ([...lines]) => lines.slice(first, lines.length - last);
  const same = (lines) => lines.map((line) => [" ", line]);
  return [...same(a.slice(0, first)), ...diffOfLines(middle(a), middle(b)), ...same(a.slice(a.length - last))];
}

function diffOfLines(a, b) {
  if (a.length * b.length > MOST_COMPARED) return [...a.map((line) => ["-", line]), ...b.map((line) => ["+", line])];
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; --i)
    for (let j = b.length - 1; j >= 0; --j)
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const lines = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) lines.push([" ", a[i++], j++]);
    else if (j === b.length || (i < a.length && common[i + 1][j] >= common[i][j + 1])) lines.push(["-", a[i++]]);
    else lines.push(["+", b[j++]]);
  }
  return lines;
}

function showDiff(before, after) {
  const classes = { " ": "same", "-": "minus", "+": "plus" };
  const [from, to] = [before, after].map((value) => toYaml(value).trimEnd());
  const all = diff(from, to);
  const changed = all.flatMap(([sign], i) => (sign === " " ? [] : [i]));
  let next = 0; // of what has changed
  const lines = [];
  all.forEach(([sign, line], i) => {
    if (changed[next] < i) ++next;
    const isNear = changed[next] - i <= AROUND || i - changed[next - 1] <= AROUND;
    if (isNear) lines.push(element("span", { class: classes[sign] }, `${sign} ${line}`));
    else if (lines.at(-1)?.textContent !== "…") lines.push(element("span", { class: "quiet" }, "…"));
  });
  return element("pre", { class: "diff", tabindex: "0" }, ...lines);
}

/** Lines from policies to the fields that they permit, deny or set. */
function picture(links) {
  const policies = [...new Set(links.map(({ policy }) => policy))];
  const fields = [...new Set(links.map(({ field }) => field))];
  const [width, row, box, letter] = [Math.max(340, Math.min(900, $("answer").clientWidth - 4)), 42, 28, 8];
  const [left, right] = [0.28, 0.54].map((part) => Math.floor(width * part));
  const height = row * Math.max(policies.length, fields.length);
  const middle = (names, name) => (height * (names.indexOf(name) + 0.5)) / names.length;
  const short = (text, column) => {
    const most = Math.floor((column - 16) / letter);
    return text.length <= most ? text : `…${text.slice(1 - most)}`;
  };
  const boxes = (names, x, column, classOf) => names.map((name) => element("g", {},
    element("title", {}, name),
    element("rect", { x, y: middle(names, name) - box / 2, width: column, height: box, rx: 5, class: classOf(name) }),
    element("text", { x: x + 8, y: middle(names, name) + 4 }, short(name, column))));
  const isDenied = (field) => links.some((link) => link.field === field && link.does === "denies");
  const lines = links.map(({ policy, does, field }) => {
    const [from, to, x1, x2] = [middle(policies, policy), middle(fields, field), left + 1, width - right - 1];
    const bend = (x2 - x1) / 2;
    return element("path", { class: does, d: `M${x1} ${from} C${x1 + bend} ${from} ${x2 - bend} ${to} ${x2} ${to}` },
      element("title", {}, `${policy} ${does} ${field}`));
  });
  const key = ["permits", "denies", "sets"].flatMap((does) => [
    element("svg", { class: "key", viewBox: "0 0 40 8", "aria-hidden": "true" }, element("path", { class: does, d: "M0 4 H40" })), does]);
  const spoken = links.map(({ policy, does, field }) => `${policy} ${does} ${field}`).join("; ");
  return element("figure", {},
    element("svg", { viewBox: `0 0 ${width} ${height}`, style: `max-width:${width}px`, role: "img", "aria-label": spoken },
      ...lines, ...boxes(policies, 1, left, () => ""), ...boxes(fields, width - right - 1, right, (field) => (isDenied(field) ? "denied" : ""))),
    element("figcaption", {}, ...key));
}

/** What `evaluate` says besides; null where it cannot, as of an object that is no Pod. */
function besides(library, op, input) {
  try {
    return library.evaluate(op, input);
  } catch {
    return null;
  }
}

function showDecision(library, { configuration, object }, decision) {
  const violations = decision.steps.flatMap(({ system, mode, violations }) => violations.map((each) => ({ system, mode, ...each })));
  const changes = decision.steps.flatMap(({ system, mode, changes }) => changes.map((each) => ({ system, mode, ...each })));
  const enforced = (each) => each.mode === "Enforce";
  const not = (each) => (enforced(each) ? "" : ` (${each.mode}: only told)`);
  const isChanged = decision.patch.length > 0;
  const shown = [verdict(decision.allowed,
    decision.allowed ? (isChanged ? "Allowed, and changed" : "Allowed as it is") : "Denied")];
  const parts = [];
  if (violations.length > 0)
    parts.push(titled(decision.allowed ? "What is only told" : "Why",
      list(violations.map((each) => marked(`${each.system}: ${each.message}${not(each)}`)))));
  if (decision.nearestFix?.length > 0)
    parts.push(titled("The nearest fix", list(decision.nearestFix.map(({ field, from, to }) =>
      element("span", {}, to === null ? "remove " : "set ", code(field),
        to === null ? "" : ` to ${JSON.stringify(to)}`, from === null ? "" : ` (it is ${JSON.stringify(from)})`)))));
  if (decision.ungoverned?.length > 0)
    parts.push(titled("Nothing governs", list(decision.ungoverned.map(({ field, value }) =>
      element("span", {}, code(field), `: ${value}`)))));
  if (changes.length > 0)
    parts.push(titled("Changes", list(changes.map((each) => element("span", {}, `${each.system}: `, code(each.field),
      ` ${JSON.stringify(each.from)} → ${JSON.stringify(each.to)}${each.policy ? ` by ${each.policy}` : ""}${not(each)}`)))));
  if (decision.warnings?.length > 0) parts.push(titled("Warnings", list(decision.warnings.map(marked))));
  if (isChanged) parts.push(titled("The object, before and after", showDiff(object, decision.object)));

  const settings = ofKind(configuration, "EngineConfiguration")[0] ?? {};
  const policies = ofKind(configuration, "SchedulingPolicy");
  const links = changes.filter(({ policy }) => policy).map(({ policy, field }) => ({ policy, field, does: "sets" }));
  for (const { policies: by, field } of violations) for (const policy of by ?? []) links.push({ policy, field, does: "denies" });
  if (policies.length > 0 && settings.policyUse === "Every") {
    const { strategy, options } = settings;
    const explained = besides(library, "schedulingPolicy.explain", { pod: object, policies, strategy, options });
    for (const { ruling, field, by } of explained?.items ?? [])
      if (ruling === "Permitted") for (const { policy } of by) links.push({ policy, field, does: "permits" });
    const merged = besides(library, "schedulingPolicy.merge", { policies, strategy });
    const { apiVersion, kind } = policies[0];
    if (merged)
      parts.push(titled("The merged SchedulingPolicy",
        shownAsYaml({ apiVersion, kind, metadata: { name: "merged" }, spec: merged.spec })));
  }
  const unique = [...new Map(links.map((link) => [JSON.stringify(link), link])).values()];
  if (unique.length > 0) shown.push(titled("Which policy decided what", picture(unique)));
  return [...shown, element("div", { class: "parts" }, ...parts)];
}

const RELATIONS = {
  Equivalent: "No pod: both allow the same ones",
  Stricter: "Stricter: some pods are no longer allowed",
  Looser: "Looser: some pods are allowed that were not",
  Incomparable: "Some pods are no longer allowed, and some are that were not",
};

function showComparison(comparison) {
  const witness = (title, pod) => (pod ? titled(title, shownAsYaml(pod)) : null);
  return [
    verdict(comparison.relation === "Equivalent", RELATIONS[comparison.relation] ?? comparison.relation),
    element("div", { class: "parts" }, ...[
      witness("A pod that was allowed, and is not any more", comparison.allowedBefore),
      witness("A pod that is allowed, and was not", comparison.allowedAfter)].filter((each) => each !== null)),
  ];
}

function showPlan({ policies, replicas }, { placements, scaleDown }) {
  const placed = placements.filter(({ code }) => code === "Success");
  const left = placements.filter(({ code }) => code !== "Success");
  const slot = ({ pod, node, reason }, extra) => element("span", { class: `slot ${node ? "" : "none"}` }, `${pod}${node ? ` on ${node}` : `: ${reason}`}${extra}`);
  const goes = ({ pod }) => ` · goes ${scaleDown.indexOf(pod) + 1}.`;
  const unit = (title, limits, slots) => element("div", { class: "unit" },
    element("p", {}, element("strong", {}, title), element("span", { class: "quiet" }, limits)), element("div", { class: "slots" }, ...slots));
  const units = policies.length === 1 ? policies[0].spec?.units ?? [] : [];
  const shown = units.map(({ name, priority, maxCount }, i) => {
    const inUnit = placed.filter((placement) => placement.unit === i);
    const free = maxCount === undefined ? [] : Array.from({ length: Math.min(50, Math.max(0, maxCount - inUnit.length)) },
      () => element("span", { class: "slot free" }, "not by this plan"));
    return unit(name ?? `unit ${i}`, ` priority ${priority ?? 0}, ${maxCount === undefined ? "any number" : `at most ${maxCount}`}`,
      [...inUnit.map((placement) => slot(placement, goes(placement))), ...free]);
  });
  const elsewhere = placed.filter((placement) => !(placement.unit < units.length));
  if (elsewhere.length > 0) shown.push(unit(units.length > 0 ? "outside all units" : "placed", "", elsewhere.map((each) => slot(each, goes(each)))));
  if (left.length > 0) shown.push(unit("nowhere", "", left.map((placement) => slot(placement, ""))));
  return [
    verdict(left.length === 0, `${placed.length} of ${replicas} replicas are placed`),
    titled("The units, by what is placed in them", element("div", { class: "units" }, ...shown)),
    element("p", { class: "quiet" }, "“goes 1.” is the first to go when the replicas are scaled down."),
  ];
}

const many = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
const nameOf = ({ kind, namespace, name }) => `${kind} ${namespace}/${name}`;

/** Who needs an entry, and what it opens. */
function reasonOf({ pods, others, accounts, example, nodes, preempted }) {
  const needing = [...(pods > 0 ? [many(pods, "pod")] : []), ...(others > 0 ? [many(others, pods > 0 ? "other object" : "object")] : [])];
  return [`needed by ${needing.join(" and ")} of ${many(accounts, "service account")}, such as ${nameOf(example)}`,
    ...(nodes ? [`${nodes.count} of ${many(nodes.all, "node")}`] : []),
    ...(preempted ? [`may preempt ${preempted.count} of ${many(preempted.all, "pod")}`] : [])].join("; ");
}

/** A policy as YAML, with a comment behind each of its entries: each has a line of its own, in their order. */
function commentedYaml(policy, entries) {
  const left = new Map(entries.map((entry) => [entry.entry, entry]));
  const isBlock = (value) => value !== null && typeof value === "object" && Object.keys(value).length > 0;
  const write = (value, place, indent) => {
    const entry = left.get(place);
    if (entry || !isBlock(value)) return ` ${inline(value)}${entry ? `  # ${reasonOf(entry)}` : ""}\n`;
    if (Array.isArray(value)) {
      return `\n${value.map((each, i) => {
        const below = write(each, `${place}[${i}]`, `${indent}  `);
        return `${indent}-${below.startsWith("\n") ? ` ${below.trimStart()}` : below}`;
      }).join("")}`;
    }
    const isKeyed = place.endsWith("nodeSelectors");
    return `\n${Object.entries(value).map(([name, each]) =>
      `${indent}${scalarOfYaml(name)}:${write(each, isKeyed ? `${place}[${name}]` : `${place}${place && "."}${name}`,
        Array.isArray(each) ? indent : `${indent}  `)}`).join("")}`;
  };
  const { spec, ...head } = policy;
  return `${toYaml(head)}spec:${write(spec, "", "  ")}`;
}
/** A value in a line. */
function inline(value) {
  if (value === null || typeof value !== "object") return scalarOfYaml(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  return `{${Object.entries(value).map(([name, each]) => `${scalarOfYaml(name)}: ${inline(each)}`).join(", ")}}`;
}

function showSuggestion(suggestion) {
  const { policies, roles, bindings, entries, undecided, unsatisfiable, excess, fragile, proof } = suggestion;
  const unmet = [...undecided, ...unsatisfiable];
  const told = (needs) => list(needs.map(({ owner, pods, reason, violations = [] }) => element("span", {},
    `${nameOf(owner)}${pods > 1 ? ` (${many(pods, "pod")})` : ""}: ${reason ?? ""}`,
    ...violations.flatMap(({ message }) => [" ", marked(message)]))));
  const yaml = [...policies.map((policy) => commentedYaml(policy, entries.filter(({ policy: of }) => of === policy.metadata.name))),
    ...roles.map((role) => toYaml(role)), ...bindings.map((binding) => toYaml(binding))].join("---\n");
  const isNeeded = policies.length + roles.length + bindings.length > 0;
  // The comments make its lines long, so that it has the whole width.
  const shown = isNeeded ? [titled("What is suggested", element("pre", { tabindex: "0", id: "suggested" }, yaml))] : [];
  const parts = [];
  if (undecided.length > 0) parts.push(titled("Nobody can tell what these need", told(undecided)));
  if (unsatisfiable.length > 0) parts.push(titled("No permission helps these", told(unsatisfiable)));
  parts.push(titled("Proof, by deciding", list([
    `${many(proof.allowed, "object")} allowed${proof.denied.length > 0 ? `, ${proof.denied.length} denied` : ""}`,
    `${proof.entries} entries and ${many(proof.subjects, "subject")} of bindings are needed: without any one of them, another object is denied`,
    `${many(excess, "grant")} of an entry to a service account that does not need it`,
    `if each owner is left out in turn, ${fragile.denied} of ${many(fragile.owners, "owner")} would be denied by what the others need`])));
  const summary = isNeeded ? `Needed: ${policies.length} ${policies.length === 1 ? "policy" : "policies"}, ${many(bindings.length, "binding")}`
    : proof.allowed > 0 ? "Nothing is missing" : "There is nothing to decide on";
  return [verdict(unmet.length === 0 && proof.allowed > 0, unmet.length === 0 ? summary : `${summary}; ${many(unmet.length, "object")} cannot be helped`),
    ...shown, element("div", { class: "parts" }, ...parts)];
}

function showProblems(problems) {
  return [verdict(false, "This cannot be read or used; a cluster would deny it"),
    list(problems.map(({ code: word, field, message }) => `${word ? `${word}: ` : ""}${message || field}`).map(marked))];
}

/** Scrolls to the line of an editor that is marked. */
function showMark(editor) {
  editor.scrollTop = parseFloat(getComputedStyle(editor).backgroundPositionY) - editor.clientHeight / 2;
  editor.scrollLeft = 0;
}

/** Marks the line of an editor that cannot be read, or none. Its number is the way there. */
function mark(editor, problem = { message: "" }) {
  const [, line, column, why] = problem.message.match(/^(\d+):(\d+): ([^]*)$/) ?? [];
  editor.setAttribute("aria-invalid", String(line !== undefined));
  $(`${editor.id}-mistake`).replaceChildren();
  if (line === undefined) return;
  editor.style.setProperty("--line-number", line);
  const go = element("button", { type: "button" }, `Line ${line}`);
  go.addEventListener("click", () => {
    const start = editor.value.split("\n", line - 1).reduce((sum, before) => sum + before.length + 1, column - 1);
    editor.focus();
    editor.setSelectionRange(start, start);
    showMark(editor);
  });
  $(`${editor.id}-mistake`).append(go, ", column ", column, ": ", marked(why));
  // Who writes there sees the place, and may be about to go on elsewhere.
  if (document.activeElement !== editor) showMark(editor);
}

/** The objects in an editor, and what keeps it from being read, which is marked there. */
function read(library, editor) {
  try {
    const objects = library.yamlToObjects(editor.value);
    mark(editor);
    return { objects, problems: [] };
  } catch (error) {
    if (!(error instanceof SchedpolError)) throw error;
    mark(editor, error.problems[0]);
    return { objects: [], problems: error.problems };
  }
}

/** The steps of a field: names, keys and indices. */
const stepsOf = (field) => [...field.matchAll(/\[(\d+)\]|\[([^\]]*)\]|([^.[\]]+)/g)]
  .map(([, index, key, name]) => (index === undefined ? key ?? name : Number(index)));

/** Whether a value has a field, be it null. */
const has = (value, steps) => steps.length === 0 ||
  (value !== null && typeof value === "object" && steps[0] in value && has(value[steps[0]], steps.slice(1)));

/** The first line with which a text has a field of its object of that index: so many lines are read as the whole is. */
function lineOf(library, text, index, steps) {
  const lines = text.split("\n");
  const isThere = (count) => {
    for (; count <= lines.length; ++count) {
      try {
        const object = library.yamlToObjects(lines.slice(0, count).join("\n"))[index];
        return object !== undefined && has(object, steps);
      } catch (error) {
        if (!(error instanceof SchedpolError)) throw error; // what begins in this line ends in a later one
      }
    }
    return true;
  };
  let [first, last] = [1, lines.length];
  while (first < last) {
    const middle = Math.floor((first + last) / 2);
    if (isThere(middle)) last = middle;
    else first = middle + 1;
  }
  return first;
}

/** Marks the line of what an error of `evaluate` is about, in the editor that it is from. */
function markField(library, input, sides, error) {
  let steps = stepsOf(error.field ?? "");
  for (let value = input; steps.length > 0 && value !== null && typeof value === "object"; steps = steps.slice(1)) {
    value = value[steps[0]];
    const side = sides.findIndex(({ objects }) => objects.includes(value));
    if (side < 0) continue;
    const editor = $(["left", "right"][side]);
    const isShort = editor.value.length <= MOST_IN_LINK && !editor.value.trimStart().startsWith("{");
    if (!isShort) return;
    let below = steps.slice(1);
    while (!has(value, below)) below = below.slice(0, -1);
    const line = lineOf(library, editor.value, sides[side].objects.indexOf(value), below);
    const column = editor.value.split("\n")[line - 1].search(/\S|$/) + 1;
    return mark(editor, { message: `${line}:${column}: ${error.message}` });
  }
}

const tooLong = (bytes) => `The texts would have ${(bytes / MOST_BYTES).toFixed(1)} MiB, and this page reads 1 MiB. ` +
  "The program `schedpol` reads files of any length.";

/** A long text is put in by the page, because a browser takes many seconds for that; what would make the texts too long
    is not taken. */
function takeLongText(event) {
  const text = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
  if (text.length < MOST_TYPED) return;
  event.preventDefault();
  const editor = event.target;
  const bytes = $("left").value.length + $("right").value.length + text.length;
  if (bytes > MOST_BYTES) {
    $(`${editor.id}-mistake`).replaceChildren("This was not taken. ", marked(tooLong(bytes)));
    return;
  }
  editor.setRangeText(text, editor.selectionStart, editor.selectionEnd, "end");
  editor.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

/** Asks the question that the form has, and shows the answer. */
function answer(library) {
  const question = $("question").value;
  $("replicas-label").hidden = question !== "plan";
  [$("left-title").textContent, $("right-title").textContent] = TITLES[question];
  $("request").textContent = $("reply").textContent = "";
  let shown;
  try {
    const bytes = $("left").value.length + $("right").value.length;
    if (bytes > MOST_BYTES) throw new Error(tooLong(bytes));
    const sides = ["left", "right"].map((id) => read(library, $(id)));
    const problems = sides.flatMap((side) => side.problems);
    if (problems.length > 0) throw new SchedpolError(problems);
    const [left, right] = sides.map((side) => side.objects);
    const request = requestOf(question, left, right, Number($("replicas").value));
    const asked = JSON.stringify(request);
    const replied = library.evaluateText(asked);
    $("request").textContent = start(asked);
    $("reply").textContent = start(replied);
    const { result, error } = JSON.parse(replied);
    if (error) {
      markField(library, request.input, sides, error);
      shown = showProblems([error]);
    } else if (question === "decide") shown = showDecision(library, request.input, result);
    else if (question === "compare") shown = showComparison(result);
    else if (question === "suggest") shown = showSuggestion(result);
    else shown = showPlan(request.input, result);
  } catch (error) {
    shown = showProblems(error.problems ?? [{ message: error.message }]);
  }
  const [first, ...rest] = shown;
  $("outcome").replaceChildren(first);
  $("answer").replaceChildren(...rest);
}

/** A text, or how it begins where nobody would read it to its end. */
const start = (text) => (text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}… and ${text.length - MOST_SHOWN} more letters`);

const lettersOf = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
const encoded = (state) => btoa(lettersOf(new TextEncoder().encode(JSON.stringify(state))))
  .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const decoded = (text) => JSON.parse(new TextDecoder().decode(
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0))));

/** The state of the form: what a link holds, and what an example is. */
const state = () => ({
  question: $("question").value, left: $("left").value, right: $("right").value, replicas: Number($("replicas").value),
});
function restore({ question = "decide", left = "", right = "", replicas = 6 }) {
  $("question").value = question in TITLES ? question : "decide";
  [$("left").value, $("right").value, $("replicas").value] = [left, right, replicas].map(String);
}

/** Restores what the address holds; false where it holds nothing that can be read. */
function restoreAddress() {
  try {
    restore(decoded(location.hash.slice(1)));
    return true;
  } catch {
    return false;
  }
}

async function moduleOf(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

const library = bind(await moduleOf(MODULE));
const buttons = EXAMPLES.map((example) => element("button", { type: "button", "aria-pressed": "false" }, example.title));
const press = (pressed) => buttons.forEach((button) => button.setAttribute("aria-pressed", button === pressed));
/** Answers, and writes the link; false where it would be too long. */
const change = () => {
  answer(library);
  const asked = state();
  const isShort = asked.left.length + asked.right.length <= MOST_IN_LINK;
  history.replaceState(null, "", isShort ? `#${encoded(asked)}` : "#");
  return isShort;
};
buttons.forEach((button, i) => button.addEventListener("click", () => {
  restore(EXAMPLES[i]);
  press(button);
  change();
}));
$("examples").append(...buttons);
let waiting;
$("form").addEventListener("input", () => {
  press(null);
  clearTimeout(waiting);
  waiting = setTimeout(change, WAIT_AFTER_KEY_MS);
});
$("form").addEventListener("beforeinput", takeLongText);
$("form").addEventListener("submit", (event) => event.preventDefault());
$("link").addEventListener("click", async () => {
  if (!change()) {
    $("copied").textContent = "This is too long for a link.";
    return;
  }
  try {
    await navigator.clipboard.writeText(location.href);
    $("copied").textContent = "Copied.";
  } catch {
    $("copied").textContent = "The address of this page is the link.";
  }
});
addEventListener("hashchange", () => restoreAddress() && answer(library));
if (restoreAddress()) answer(library);
else buttons[0].click();
document.body.dataset.ready = "true";
