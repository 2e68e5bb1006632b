// SPDX-License-Identifier: Apache-2.0
//! Evaluates Kubernetes pod scheduling policies: what a cluster with these policies makes of an object, and why.
//!
//! ```
//! let policies = br#"{"kind": "List", "items": [
//!     {"kind": "EngineConfiguration", "systems": [{"system": "SchedulingPolicy"}], "policyUse": "Every"},
//!     {"kind": "SchedulingPolicy", "metadata": {"name": "everyone"},
//!      "spec": {"allowed": {"schedulerNames": ["default-scheduler"]}}}]}"#;
//! let engine = schedpol::Engine::new(&[policies])?;
//! let decision = engine.decide(br#"{"kind": "Pod", "spec": {"schedulerName": "mine"}}"#, &Default::default())?;
//! assert!(!decision.allowed);
//! assert_eq!(decision.nearest_fix[0].field, "spec.schedulerName");
//! # Ok::<(), schedpol::Error>(())
//! ```
//!
//! Documents and objects are JSON. What cannot be read or used is an [`Error`]; a denial is a [`Decision`]. An
//! [`Engine`] is `Send` and `Sync`: any number of threads may ask it.

mod native;

use std::{error, ffi::CStr, fmt, os::raw::c_int};

use serde::{Deserialize, Serialize};
pub use serde_json::Value;

/// Something that is wrong: a word for what, the place in what was given, and a line for a person.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct Problem {
    pub code: String,
    pub field: String,
    pub message: String,
}

/// Why there is no answer. That is no decision; whoever needs one has to deny.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Error {
    /// What was given cannot be read or used.
    Refused(Vec<Problem>),
    /// Memory ran out.
    NoMemory,
    /// The library was built without it.
    Unsupported,
    /// The library that is linked is of another ABI version, or answers what it never should.
    Library(String),
}

impl Error {
    /// The code of the first thing that is wrong; empty where none was given.
    pub fn code(&self) -> &str {
        self.first().map_or("", |problem| &problem.code)
    }

    /// The place of the first thing that is wrong.
    pub fn field(&self) -> &str {
        self.first().map_or("", |problem| &problem.field)
    }

    fn first(&self) -> Option<&Problem> {
        match self {
            Error::Refused(problems) => problems.first(),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Refused(problems) => {
                let lines: Vec<&str> = problems
                    .iter()
                    .map(|problem| problem.message.as_str())
                    .collect();
                out.write_str(&lines.join("\n"))
            }
            Error::NoMemory => out.write_str("out of memory"),
            Error::Unsupported => out.write_str("schedpol was built without it"),
            Error::Library(why) => out.write_str(why),
        }
    }
}

impl error::Error for Error {}

/// The webhook that asks: before all mutators ran, or after.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum Phase {
    Mutating,
    Validating,
}

/// A user, as an API server knows it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct User {
    pub name: String,
    pub groups: Vec<String>,
}

/// What there is to know of a decision besides its object. Nothing is the creation by the object's own service
/// account, in the namespace that it names or `default`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Asked {
    /// The object before an update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<User>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
}

/// What became of an object.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    pub allowed: bool,
    /// What each system said, in their order.
    pub steps: Vec<Step>,
    /// With the changes of all systems that enforce; as it came where it is denied.
    pub object: Value,
    /// The JSON Patch (RFC 6902) from the object that came to `object`.
    pub patch: Vec<Operation>,
    /// What is odd but allowed.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The fewest changes after which a denied object is allowed, where there are any.
    #[serde(default)]
    pub nearest_fix: Vec<Change>,
    /// What nothing governs, and so nothing denies (`options.governs` of the EngineConfiguration).
    #[serde(default)]
    pub ungoverned: Vec<Ungoverned>,
}

impl Decision {
    /// Why it is denied.
    pub fn reasons(&self) -> impl Iterator<Item = &Violation> {
        let enforcing = self
            .steps
            .iter()
            .filter(|step| !self.allowed && step.mode == "Enforce");
        enforcing.flat_map(|step| &step.violations)
    }
}

/// What a pod asks for and nothing governs.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct Ungoverned {
    pub field: String,
    pub value: String,
}

/// What one system said.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Step {
    pub system: String,
    pub mode: String,
    pub violations: Vec<Violation>,
    pub changes: Vec<Change>,
}

/// What a policy does not permit.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Violation {
    pub code: String,
    pub field: String,
    pub value: Value,
    #[serde(default)]
    pub permitted: Vec<Value>,
    pub message: String,
    pub policies: Vec<String>,
}

/// A field, what it was, and what it is or would be; null is absent.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Change {
    pub field: String,
    pub from: Value,
    pub to: Value,
    pub policy: String,
}

/// An operation of a JSON Patch.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Operation {
    pub op: String,
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(default)]
    pub value: Value,
}

/// Policies and settings, compiled. It never changes; `with` and `without` make another one. Dropped, it is freed, and
/// what asks it afterwards does not compile:
///
/// ```compile_fail,E0382
/// # fn late(engine: schedpol::Engine) {
/// drop(engine);
/// let _ = engine.problems();
/// # }
/// ```
#[derive(Debug)]
pub struct Engine {
    number: u64,
}

impl Engine {
    /// An engine from documents, each an object or a list of them: one EngineConfiguration, and policies,
    /// RuntimeClasses, Namespaces, roles and bindings. A single object that is wrong stops none of the others: it
    /// denies what it might have been about, and is one of `problems`.
    pub fn new<T: AsRef<[u8]>>(documents: &[T]) -> Result<Self, Error> {
        // SAFETY: as of all calls here: pointers and lengths are of slices that outlive the call.
        let abi = unsafe { native::schedpol_abi_version() };
        if abi != native::ABI_VERSION {
            return Err(Error::Library(format!(
                "libschedpol is of ABI version {abi}"
            )));
        }
        Self::make(documents, |texts, count, made, errors| unsafe {
            native::schedpol_engine_new(texts, count, made, errors)
        })
    }

    /// This engine with these objects in the place of those that are called like them, or beside the others.
    pub fn with<T: AsRef<[u8]>>(&self, documents: &[T]) -> Result<Self, Error> {
        Self::make(documents, |texts, count, made, errors| unsafe {
            native::schedpol_engine_with(self.number, texts, count, made, errors)
        })
    }

    /// This engine without the objects that are called like these, by kind, namespace and name.
    pub fn without<T: AsRef<[u8]>>(&self, documents: &[T]) -> Result<Self, Error> {
        Self::make(documents, |texts, count, made, errors| unsafe {
            native::schedpol_engine_without(self.number, texts, count, made, errors)
        })
    }

    fn make<T: AsRef<[u8]>>(
        documents: &[T],
        f: impl FnOnce(*const native::Text, usize, *mut u64, *mut native::Text) -> c_int,
    ) -> Result<Self, Error> {
        let texts: Vec<_> = documents
            .iter()
            .map(|document| native::Text::borrowed(document.as_ref()))
            .collect();
        let mut number = 0;
        answer(native::call(|errors| {
            f(texts.as_ptr(), texts.len(), &mut number, errors)
        }))?;
        Ok(Engine { number })
    }

    /// What is wrong with objects that cannot be used.
    pub fn problems(&self) -> Result<Vec<Problem>, Error> {
        parse(&answer(native::call(|text| unsafe {
            native::schedpol_engine_problems(self.number, text)
        }))?)
    }

    /// What becomes of an object. One without a kind is a Pod.
    pub fn decide(&self, object: &[u8], asked: &Asked) -> Result<Decision, Error> {
        let asked = serde_json::to_vec(asked).map_err(|error| Error::Library(error.to_string()))?;
        parse(&self.decide_json(object, &asked)?)
    }

    /// The same as bytes; `asked` is an object of what there is to know besides, or nothing.
    pub fn decide_json(&self, object: &[u8], asked: &[u8]) -> Result<Vec<u8>, Error> {
        answer(native::call(|text| unsafe {
            native::schedpol_decide(
                self.number,
                object.as_ptr().cast(),
                object.len(),
                asked.as_ptr().cast(),
                asked.len(),
                text,
            )
        }))
    }

    /// The AdmissionReview that answers one. A denial answers whatever cannot be read.
    pub fn review(&self, review: &[u8], phase: Phase) -> Result<Vec<u8>, Error> {
        answer(native::call(|text| unsafe {
            native::schedpol_review(
                self.number,
                review.as_ptr().cast(),
                review.len(),
                phase as c_int,
                text,
            )
        }))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: a number is all that is given.
        unsafe { native::schedpol_engine_free(self.number) };
    }
}

/// The result of one operation, such as `quantity.compare`.
pub fn evaluate(op: &str, input: &Value) -> Result<Value, Error> {
    #[derive(Deserialize)]
    struct Reply {
        result: Option<Value>,
        error: Option<Problem>,
    }
    let request = serde_json::json!({"op": op, "input": input}).to_string();
    match parse(&evaluate_json(request.as_bytes())?)? {
        Reply {
            result: Some(result),
            ..
        } => Ok(result),
        Reply { error, .. } => Err(Error::Refused(error.into_iter().collect())),
    }
}

/// What a pod was when it was created.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct CreatedObject {
    /// `Created`, `ItStands` of what nobody stored and of a workload, `Undecided` of what may have named its node, and
    /// of what is not looked at `MirrorPod` or `Terminal`.
    pub asked_as: String,
    /// `None` of what is not looked at.
    pub object: Option<Value>,
    /// The JSON Patch (RFC 6902) from the object that came to `object`.
    #[serde(default)]
    pub patch: Vec<Operation>,
}

/// By whom people know an object: its outermost controller, or itself.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct Owner {
    pub kind: String,
    pub namespace: String,
    pub name: String,
}

/// An object for which nothing is granted, or of which nobody can tell what it needs.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct UnmetNeed {
    pub owner: Owner,
    pub pods: usize,
    #[serde(default)]
    pub reason: String,
    #[serde(default)]
    pub violations: Vec<Violation>,
    /// How many violations are left out.
    #[serde(default)]
    pub more_violations: usize,
}

/// So many of all.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct OpenedCount {
    pub count: usize,
    pub all: usize,
}

/// An entry of a suggested policy, and why it is there.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct SuggestedEntry {
    pub policy: String,
    /// Below its `spec`: `allowed.tolerations[2]`.
    pub entry: String,
    pub value: String,
    /// That need it.
    pub pods: usize,
    /// Objects that need it and stand for no pods of a cluster.
    pub others: usize,
    /// Service accounts of these.
    pub accounts: usize,
    pub example: Owner,
    /// That it is about, where nodes are given.
    pub nodes: Option<OpenedCount>,
    /// Pods that it may preempt, where priorities are known.
    pub preempted: Option<OpenedCount>,
}

/// An entry of a policy that nobody needs.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct NeedlessEntry {
    pub policy: String,
    pub entry: String,
}

/// A subject of a binding that nobody needs.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct NeedlessSubject {
    pub namespace: String,
    pub binding: String,
    pub subject: String,
}

/// What deciding shows of what is suggested.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Proof {
    pub allowed: usize,
    pub denied: Vec<UnmetNeed>,
    pub undecided: Vec<UnmetNeed>,
    /// Without each of which somebody is denied.
    pub entries: usize,
    /// Of bindings; the same.
    pub subjects: usize,
    pub needless_entries: Vec<NeedlessEntry>,
    pub needless_subjects: Vec<NeedlessSubject>,
}

/// How many owners there are, and how many would be denied by what the others need if each is left out in turn.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct Fragility {
    pub owners: usize,
    pub denied: usize,
}

/// The least policies, roles and bindings under which objects are allowed, why, and the proof by deciding.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Suggestion {
    pub policies: Vec<Value>,
    pub roles: Vec<Value>,
    pub bindings: Vec<Value>,
    pub entries: Vec<SuggestedEntry>,
    pub undecided: Vec<UnmetNeed>,
    pub unsatisfiable: Vec<UnmetNeed>,
    /// Grants of an entry to a service account that does not need it.
    pub excess: usize,
    pub fragile: Fragility,
    pub proof: Proof,
}

impl Suggestion {
    /// All that is suggested: Kubernetes objects, which an engine takes.
    pub fn objects(&self) -> impl Iterator<Item = &Value> {
        self.policies
            .iter()
            .chain(&self.roles)
            .chain(&self.bindings)
    }
}

/// Whom a suggested policy is granted to.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub enum SuggestedSubject {
    #[default]
    ServiceAccount,
    Namespace,
}

/// What an entry says of the names of nodes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub enum SuggestedNodeNames {
    #[default]
    Listed,
    Any,
}

/// How much wider than what was seen, and to whom. The default is the narrowest.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SuggestOptions {
    pub subject: SuggestedSubject,
    /// What so many percent of the subjects need is granted to all.
    pub common_percent: u8,
    /// Keys whose values become any.
    pub generalise: Vec<String>,
    pub node_names: SuggestedNodeNames,
    /// 0: any number.
    pub max_policies: u16,
}

/// What a cluster runs, and what is there already. Each is a list of objects, or the List that kubectl prints; null is
/// nothing.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Running {
    /// Pods and workloads, as a cluster prints them.
    pub objects: Value,
    /// An EngineConfiguration and objects; null: nothing is there.
    pub configuration: Value,
    /// For what entries open.
    pub nodes: Value,
}

/// The least SchedulingPolicies, roles and bindings under which objects are allowed, beside what is there. A stored pod
/// is asked about as it was created.
pub fn suggest(running: &Running, options: &SuggestOptions) -> Result<Suggestion, Error> {
    let mut input = written(running)?;
    input["options"] = written(options)?;
    read(evaluate("engine.suggest", &input)?)
}

/// A pod that a cluster printed as it was when it was created: without what schedulers, controllers and the API server
/// put in. `owners` is a list of workloads, those that pods were made by among them, or null.
pub fn as_created(object: &Value, owners: &Value) -> Result<CreatedObject, Error> {
    let input = serde_json::json!({"object": object, "owners": owners});
    read(evaluate("engine.asCreated", &input)?)
}

fn written<T: Serialize>(value: &T) -> Result<Value, Error> {
    serde_json::to_value(value).map_err(|error| Error::Library(error.to_string()))
}

fn read<T: for<'a> Deserialize<'a>>(value: Value) -> Result<T, Error> {
    serde_json::from_value(value).map_err(|error| Error::Library(error.to_string()))
}

/// The reply to a request `{"id", "op", "input"}`, which is a result or an error, as bytes.
pub fn evaluate_json(request: &[u8]) -> Result<Vec<u8>, Error> {
    answer(native::call(|text| unsafe {
        native::schedpol_evaluate(request.as_ptr().cast(), request.len(), text)
    }))
}

/// The objects in a stream of YAML as one List in JSON, which is a document for an engine. `Unsupported` where the
/// library was built without libyaml.
pub fn yaml_to_json(yaml: &[u8]) -> Result<Vec<u8>, Error> {
    answer(native::call(|text| unsafe {
        native::schedpol_yaml_to_json(yaml.as_ptr().cast(), yaml.len(), text)
    }))
}

/// The version of the library.
pub fn version() -> &'static str {
    // SAFETY: it is a text that stays.
    unsafe { CStr::from_ptr(native::schedpol_version()) }
        .to_str()
        .unwrap_or_default()
}

fn answer((status, text): (c_int, Vec<u8>)) -> Result<Vec<u8>, Error> {
    match status {
        native::OK => Ok(text),
        native::REFUSED => Err(Error::Refused(parse(&text)?)),
        native::NO_MEMORY => Err(Error::NoMemory),
        native::UNSUPPORTED => Err(Error::Unsupported),
        native::NO_ENGINE => Err(Error::Library("there is no such engine".into())),
        _ => Err(Error::Library(format!("libschedpol answers {status}"))),
    }
}

fn parse<T: for<'a> Deserialize<'a>>(text: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(text).map_err(|error| Error::Library(error.to_string()))
}
