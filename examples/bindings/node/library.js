// SPDX-License-Identifier: Apache-2.0
// The C ABI (schedpol.h) in a module of WebAssembly, as classes. Nothing here is Node's alone.

const STATUS = ["Ok", "Refused", "NoEngine", "NoMemory", "InvalidArgument", "Unsupported"];
const MESSAGES = { NoEngine: "the engine is closed", NoMemory: "memory ran out" };
const PHASES = ["Mutating", "Validating"];
const ABI_VERSION = 1;
const POINTER_BYTES = 4;
const TEXT_BYTES = 2 * POINTER_BYTES; // of a schedpol_text: data, length
const ENGINE_BYTES = 8;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What was given cannot be read or used. That is no decision; whoever needs one has to deny. */
export class SchedpolError extends Error {
  name = "SchedpolError";

  constructor(problems) {
    super(problems.map((problem) => problem.message).join("\n"));
    this.problems = problems;
    this.code = problems[0].code;
    this.field = problems[0].field;
  }
}

/** What is no fault of what was given. */
function failureOf(status) {
  const code = STATUS[status] ?? "Unknown";
  return Object.assign(new Error(MESSAGES[code] ?? `schedpol answers ${status}`), { code });
}
const failure = (code) => failureOf(STATUS.indexOf(code));

/** What becomes of an object. */
export class Decision {
  constructor({ allowed, steps = [], object = null, patch = [], warnings = [], nearestFix = [], ungoverned = [],
    problems = [] }) {
    Object.assign(this, { allowed: allowed === true, steps, object, patch, warnings, nearestFix, ungoverned, problems });
  }

  get reasons() {
    if (this.allowed) return [];
    const said = this.steps.filter((step) => step.mode === "Enforce").flatMap((step) => step.violations);
    return [...said, ...this.problems].map((reason) => reason.message);
  }
}

const textOf = (document) => (typeof document === "string" ? document : JSON.stringify(document) ?? "");
const bytesOf = (document) => (document instanceof Uint8Array ? document : encoder.encode(textOf(document)));

const isBytes = (document) => document instanceof Uint8Array;
const valueOf = (document) =>
  (typeof document === "string" || isBytes(document) ? JSON.parse(isBytes(document) ? decoder.decode(document) : document) : document);
const valuesOf = (documents) => (Array.isArray(documents) ? documents.map(valueOf) : valueOf(documents));

/** One instance of the module. A trap, when memory or stack runs out, leaves it unfit to be asked again. */
class Instance {
  constructor(module) {
    // The standard library of C names functions of the system, which nothing calls but what ends the program.
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      imports[from] ??= {};
      imports[from][name] = () => {
        throw new WebAssembly.RuntimeError(`the module calls ${name}`);
      };
    }
    this.c = new WebAssembly.Instance(module, imports).exports;
    this.hasEnded = false;
    this.c._initialize();
    const found = this.c.schedpol_abi_version();
    if (found !== ABI_VERSION) throw new Error(`the module is of ABI version ${found}`);
  }

  /** What `f(c, allocate)` returns. What it allocates is freed afterwards. */
  run(f) {
    if (this.hasEnded) throw failure("NoMemory");
    const allocated = [];
    const allocate = (size) => {
      const address = this.c.malloc(size || 1);
      if (address === 0) throw failure("NoMemory");
      allocated.push(address);
      return address;
    };
    try {
      return f(this.c, allocate);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
      this.hasEnded = true;
      throw failure("NoMemory");
    } finally {
      if (!this.hasEnded) allocated.forEach((address) => this.c.free(address));
    }
  }

  /** Bytes in the module: an address and a length. */
  put(bytes, allocate) {
    const address = allocate(bytes.length);
    new Uint8Array(this.c.memory.buffer, address, bytes.length).set(bytes);
    return [address, bytes.length];
  }

  /** The text that a function has written, which is given back. */
  take(text) {
    const [data, length] = new Uint32Array(this.c.memory.buffer, text, 2);
    const taken = data === 0 ? "" : decoder.decode(new Uint8Array(this.c.memory.buffer, data, length));
    this.c.schedpol_text_free(text);
    return taken;
  }

  /** The text that `call(c, bytes of each document..., text)` answers with. */
  ask(call, ...documents) {
    const [status, text] = this.run((c, allocate) => {
      const given = documents.map((bytes) => this.put(bytes, allocate));
      const answer = allocate(TEXT_BYTES);
      const became = call(c, ...given, answer);
      return [became, this.take(answer)];
    });
    return answered(status, text);
  }

  /** The number of an engine, by `make(c, array of texts, how many of them, place for the number, errors)`. */
  make(make, documents) {
    const [status, text, number] = this.run((c, allocate) => {
      const given = documents.map((document) => this.put(bytesOf(document), allocate));
      const texts = allocate(TEXT_BYTES * given.length);
      new Uint32Array(c.memory.buffer, texts, 2 * given.length).set(given.flat());
      const engine = allocate(ENGINE_BYTES);
      const errors = allocate(TEXT_BYTES);
      const became = make(c, texts, given.length, engine, errors);
      return [became, this.take(errors), new BigUint64Array(this.c.memory.buffer, engine, 1)[0]];
    });
    answered(status, text);
    return number;
  }
}

function answered(status, text) {
  if (STATUS[status] === "Ok") return text;
  if (STATUS[status] === "Refused") throw new SchedpolError(JSON.parse(text));
  throw failureOf(status);
}

/** An engine in an instance: a number, from a function of the C ABI that begins with what is `given`. */
class Made {
  constructor(instance, name, given, documents) {
    this.instance = instance;
    this.number = instance.make((c, ...made) => c[name](...given, ...made), documents);
  }

  free() {
    if (!this.instance.hasEnded) this.instance.run((c) => c.schedpol_engine_free(this.number));
  }
}

/** The functions of the package, on a module that is compiled. */
export function bind(module) {
  let current = new Instance(module);
  const instance = () => (current.hasEnded ? (current = new Instance(module)) : current);
  const forgotten = new FinalizationRegistry((made) => made.free());

  class Engine {
    #made;

    constructor(...documents) {
      const isMade = documents[0] instanceof Made;
      this.#made = isMade ? documents[0] : new Made(instance(), "schedpol_engine_new", [], documents);
      forgotten.register(this, this.#made, this);
    }

    #another(make, documents) {
      return new Engine(new Made(this.#made.instance, make, [this.#made.number], documents));
    }

    with(...documents) {
      return this.#another("schedpol_engine_with", documents);
    }

    without(...documents) {
      return this.#another("schedpol_engine_without", documents);
    }

    get problems() {
      return JSON.parse(this.#made.instance.ask((c, text) => c.schedpol_engine_problems(this.#made.number, text)));
    }

    decide(object, asked) {
      return new Decision(JSON.parse(this.decideText(object, asked)));
    }

    decideText(object, asked = "") {
      return this.#made.instance.ask(
        (c, [data, length], [besides, besidesLength], text) =>
          c.schedpol_decide(this.#made.number, data, length, besides, besidesLength, text),
        bytesOf(object), bytesOf(asked));
    }

    decideMany(objects, asked) {
      // A text and bytes could be iterated, too.
      if (typeof objects === "string" || ArrayBuffer.isView(objects)) throw new TypeError("`objects` must be a list");
      return Array.from(objects, (object) => {
        try {
          return this.decide(object, asked);
        } catch (error) {
          if (!(error instanceof SchedpolError)) throw error;
          return new Decision({ allowed: false, problems: error.problems });
        }
      });
    }

    review(review, phase = "Mutating") {
      return JSON.parse(this.#made.instance.ask(
        (c, [data, length], text) => c.schedpol_review(this.#made.number, data, length, PHASES.indexOf(phase), text),
        bytesOf(review)));
    }

    close() {
      forgotten.unregister(this);
      this.#made.free();
    }
  }

  const evaluateText = (request) => instance().ask(
    (c, [data, length], text) => c.schedpol_evaluate(data, length, text), bytesOf(request));

  function evaluate(op, input) {
    const { result, error } = JSON.parse(evaluateText({ op, input }));
    if (error) throw new SchedpolError([error]);
    return result;
  }

  const asCreated = (object, owners = []) => ({
    object: null, patch: [], ...evaluate("engine.asCreated", { object: valueOf(object), owners: valuesOf(owners) }),
  });

  function suggest(objects, { configuration, nodes = [], ...options } = {}) {
    const input = { objects: valuesOf(objects), nodes: valuesOf(nodes), options };
    if (configuration !== undefined) input.configuration = valuesOf(configuration);
    return evaluate("engine.suggest", input);
  }

  const yamlToObjects = (yaml) => JSON.parse(instance().ask(
    (c, [data, length], text) => c.schedpol_yaml_to_json(data, length, text), bytesOf(yaml))).items;

  return { Engine, asCreated, evaluate, evaluateText, suggest, yamlToObjects };
}
