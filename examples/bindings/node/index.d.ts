// SPDX-License-Identifier: Apache-2.0

/** An object, or a list of objects, of Kubernetes: as JSON, or what `JSON.parse` makes of it. */
export type Document = string | Uint8Array | object;

/** Something that is wrong: a word for what, the place in what was given, and a line for a person. */
export interface Problem {
  readonly code: string;
  readonly field: string;
  readonly message: string;
}

/** What was given cannot be read or used. That is no decision; whoever needs one has to deny. */
export class SchedpolError extends Error {
  readonly problems: readonly Problem[];
  /** Those of the first problem. */
  readonly code: string;
  readonly field: string;
}

/** What a policy does not permit. */
export interface Violation extends Problem {
  readonly value: unknown;
  readonly permitted: readonly unknown[];
  readonly policies: readonly string[];
}

/** A field, what it was, and what it is or would be; null is absent. */
export interface Change {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly policy?: string;
}

/** What one system said. */
export interface Step {
  readonly system: string;
  readonly mode: "Enforce" | "Warn" | "Audit";
  readonly violations: readonly Violation[];
  readonly changes: readonly Change[];
}

/** One operation of a JSON Patch (RFC 6902). */
export interface Operation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** What becomes of an object. */
export class Decision {
  private constructor();
  readonly allowed: boolean;
  readonly steps: readonly Step[];
  /** With the changes of all systems that enforce; as it came where it is denied. */
  readonly object: any;
  /** From the object that came to `object`. */
  readonly patch: readonly Operation[];
  /** What is odd but allowed. */
  readonly warnings: readonly string[];
  /** The fewest changes after which a denied object is allowed, where there are any. */
  readonly nearestFix: readonly Change[];
  /** What nothing governs, and so nothing denies (`options.governs` of the EngineConfiguration). */
  readonly ungoverned: readonly { readonly field: string; readonly value: string }[];
  /** Of an object of `decideMany` that cannot be read; it is denied. */
  readonly problems: readonly Problem[];
  /** Why it is denied, a line each. */
  get reasons(): string[];
}

export type Phase = "Mutating" | "Validating";

/** What there is to know besides the object. Nothing is its creation by its own service account. */
export interface Asked {
  /** The object before an update. */
  old?: object;
  operation?: "CREATE" | "UPDATE";
  namespace?: string;
  user?: { name: string; groups?: readonly string[] };
  phase?: Phase;
}

/**
 * Policies and settings, compiled: an EngineConfiguration, and policies, RuntimeClasses, Namespaces, roles and bindings,
 * in any number of documents. It never changes; `with` and `without` make another one.
 *
 * A document that cannot be read, or no EngineConfiguration, is a SchedpolError. A single object that is wrong stops
 * none of the others: it denies what it might have been about, and is one of `problems`.
 */
export class Engine {
  constructor(...documents: Document[]);
  /** This engine with these objects in the place of those that are called like them, or beside the others. */
  with(...documents: Document[]): Engine;
  /** This engine without the objects that are called like these, by kind, namespace and name. */
  without(...documents: Document[]): Engine;
  /** What is wrong with objects that cannot be used. */
  get problems(): Problem[];
  /** What becomes of an object. One without a kind is a Pod. */
  decide(object: Document, asked?: Asked): Decision;
  /** The same as JSON. */
  decideText(object: Document, asked?: Asked): string;
  /** The same of many objects. One that cannot be read is denied, and says why. */
  decideMany(objects: Iterable<Document>, asked?: Asked): Decision[];
  /** The AdmissionReview that answers one. A denial answers whatever cannot be read. */
  review(review: Document, phase?: Phase): any;
  /** Frees the engine; what is asked of it afterwards is an Error. It is freed with the object, too. */
  close(): void;
}

/** What a pod was when it was created. */
export interface CreatedObject {
  /** What is not looked at is `MirrorPod` or `Terminal`, what may have named its node `Undecided`. */
  readonly askedAs: "Created" | "ItStands" | "Undecided" | "MirrorPod" | "Terminal";
  /** null of what is not looked at. */
  readonly object: any;
  readonly patch: readonly Operation[];
}

/** By whom people know an object: its outermost controller, or itself. */
export interface Owner {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** An object for which nothing is granted, or of which nobody can tell what it needs. */
export interface UnmetNeed {
  readonly owner: Owner;
  readonly pods: number;
  readonly reason?: string;
  readonly violations?: readonly Violation[];
  /** How many violations are left out. */
  readonly moreViolations?: number;
}

/** So many of all. */
export interface OpenedCount {
  readonly count: number;
  readonly all: number;
}

/** An entry of a suggested policy, and why it is there. */
export interface SuggestedEntry {
  readonly policy: string;
  /** Below its `spec`: `allowed.tolerations[2]`. */
  readonly entry: string;
  readonly value: string;
  readonly pods: number;
  /** Objects that need it and stand for no pods of a cluster. */
  readonly others: number;
  readonly accounts: number;
  readonly example: Owner;
  readonly nodes?: OpenedCount;
  readonly preempted?: OpenedCount;
}

/** What deciding shows of what is suggested. */
export interface Proof {
  readonly allowed: number;
  readonly denied: readonly UnmetNeed[];
  readonly undecided: readonly UnmetNeed[];
  /** Entries and subjects of bindings: without any one of them, somebody is denied. */
  readonly entries: number;
  readonly subjects: number;
  readonly needlessEntries: readonly { readonly policy: string; readonly entry: string }[];
  readonly needlessSubjects: readonly { readonly namespace: string; readonly binding: string; readonly subject: string }[];
}

/** The least policies, roles and bindings under which objects are allowed, why, and the proof by deciding. */
export interface Suggestion {
  readonly policies: readonly any[];
  readonly roles: readonly any[];
  readonly bindings: readonly any[];
  readonly entries: readonly SuggestedEntry[];
  readonly undecided: readonly UnmetNeed[];
  readonly unsatisfiable: readonly UnmetNeed[];
  /** Grants of an entry to a service account that does not need it. */
  readonly excess: number;
  /** How many owners there are, and how many would be denied by what the others need if each is left out in turn. */
  readonly fragile: { readonly owners: number; readonly denied: number };
  readonly proof: Proof;
}

/** What there is to know besides the objects, and how much wider than what was seen, and to whom. */
export interface SuggestOptions {
  /** What is there already, an EngineConfiguration among it; without it nothing is. */
  configuration?: Document | readonly Document[];
  /** For what entries open. */
  nodes?: Document | readonly Document[];
  subject?: "ServiceAccount" | "Namespace";
  /** What so many percent of the subjects need is granted to all. */
  commonPercent?: number;
  /** Keys whose values become any. */
  generalise?: readonly string[];
  nodeNames?: "Listed" | "Any";
  /** 0: any number. */
  maxPolicies?: number;
}

/**
 * A pod that a cluster printed as it was when it was created: without what schedulers, controllers and the API server put
 * in. `owners` are workloads, those that pods were made by among them.
 */
export function asCreated(object: Document, owners?: Document | readonly Document[]): CreatedObject;

/**
 * The least SchedulingPolicies, roles and bindings under which objects are allowed, beside what is there. The objects are
 * pods and workloads as a cluster prints them, the List of `kubectl get -o json` or an array of them; a stored pod is asked
 * about as it was created. SchedpolError where they cannot be read.
 */
export function suggest(objects: Document | readonly Document[], options?: SuggestOptions): Suggestion;

/** The result of one operation, such as `quantity.compare`; SchedpolError where it has an error. */
export function evaluate(op: string, input: object): any;

/** The reply to a request `{"id", "op", "input"}`, which is a result or an error, as JSON. */
export function evaluateText(request: Document): string;

/** The objects in a stream of YAML, as Kubernetes reads them. */
export function yamlToObjects(yaml: string | Uint8Array): any[];
