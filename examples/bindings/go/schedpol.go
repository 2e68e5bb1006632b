// SPDX-License-Identifier: Apache-2.0

// Package schedpol evaluates Kubernetes pod scheduling policies: what a cluster with these policies makes of an object,
// and why.
//
//	engine, err := schedpol.New(policies)
//	decision, err := engine.Decide(pod, schedpol.Asked{})
//	if !decision.Allowed {
//		fmt.Println(decision.Reasons(), decision.NearestFix)
//	}
//
// Documents and objects are JSON. What cannot be read or used is an *Error; a denial is a Decision. Any number of
// goroutines may use an Engine.
package schedpol

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
)

// status is what became of a call of the C ABI.
type status int

const (
	ok status = iota
	refused
	noEngine
	noMemory
	invalidArgument
	unsupported
)

// abiVersion is that of the C ABI which this package is written for.
const abiVersion = 1

// backend is the C ABI (schedpol.h): by cgo, or where there is none, in WebAssembly.
type backend interface {
	abiVersion() int
	version() string
	evaluate(request []byte) (status, []byte)
	engineNew(documents [][]byte) (status, []byte, uint64)
	engineWith(engine uint64, documents [][]byte) (status, []byte, uint64)
	engineWithout(engine uint64, documents [][]byte) (status, []byte, uint64)
	engineProblems(engine uint64) (status, []byte)
	engineFree(engine uint64) status
	decide(engine uint64, object, asked []byte) (status, []byte)
	review(engine uint64, review []byte, phase Phase) (status, []byte)
	yamlToJSON(yaml []byte) (status, []byte)
}

// Errors of which nothing more is to be said. None of them is a decision; whoever needs one has to deny.
var (
	ErrClosed      = errors.New("schedpol: the engine is closed")
	ErrNoMemory    = errors.New("schedpol: out of memory")
	ErrUnsupported = errors.New("schedpol: the library was built without it")
)

// Problem is something that is wrong: a word for what, the place in what was given, and a line for a person.
type Problem struct {
	Code    string `json:"code"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error says what was given that cannot be read or used. It is no decision; whoever needs one has to deny.
type Error struct {
	Problems []Problem // never empty
}

func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, problem := range e.Problems {
		lines[i] = problem.Message
	}
	return strings.Join(lines, "\n")
}

// Code is that of the first thing that is wrong.
func (e *Error) Code() string { return e.Problems[0].Code }

// Field is that of the first thing that is wrong.
func (e *Error) Field() string { return e.Problems[0].Field }

// Phase is the webhook that asks: before all mutators ran, or after.
type Phase int

const (
	Mutating Phase = iota
	Validating
)

func (p Phase) String() string {
	if p == Validating {
		return "Validating"
	}
	return "Mutating"
}

// MarshalText writes the phase as the library reads it.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// User is a user as an API server knows it.
type User struct {
	Name   string   `json:"name"`
	Groups []string `json:"groups,omitempty"`
}

// Asked is what there is to know of a decision besides its object. Nothing is the creation by the object's own service
// account, in the namespace that it names or "default".
type Asked struct {
	Old       json.RawMessage `json:"old,omitempty"` // the object before an update
	Namespace string          `json:"namespace,omitempty"`
	User      *User           `json:"user,omitempty"`
	Phase     Phase           `json:"phase"`
}

// Decision is what became of an object. The zero value is a denial.
type Decision struct {
	Allowed    bool            `json:"allowed"`
	Steps      []Step          `json:"steps"`      // what each system said, in their order
	Object     json.RawMessage `json:"object"`     // with all changes; as it came where it is denied
	Patch      []Operation     `json:"patch"`      // the JSON Patch (RFC 6902) to Object
	Warnings   []string        `json:"warnings"`   // what is odd but allowed
	NearestFix []Change        `json:"nearestFix"` // the fewest changes after which a denied object is allowed
	Ungoverned []Ungoverned    `json:"ungoverned"` // what nothing governs, and so nothing denies
}

// Reasons are why an object is denied.
func (d *Decision) Reasons() []Violation {
	var reasons []Violation
	for _, step := range d.Steps {
		if !d.Allowed && step.Mode == "Enforce" {
			reasons = append(reasons, step.Violations...)
		}
	}
	return reasons
}

// Ungoverned is what a pod asks for and nothing governs (`options.governs` of the EngineConfiguration).
type Ungoverned struct {
	Field string `json:"field"`
	Value string `json:"value"`
}

// Step is what one system said.
type Step struct {
	System     string      `json:"system"`
	Mode       string      `json:"mode"`
	Violations []Violation `json:"violations"`
	Changes    []Change    `json:"changes"`
}

// Violation is what a policy does not permit.
type Violation struct {
	Code      string            `json:"code"`
	Field     string            `json:"field"`
	Value     json.RawMessage   `json:"value"`
	Permitted []json.RawMessage `json:"permitted"`
	Message   string            `json:"message"`
	Policies  []string          `json:"policies"`
}

// Change is a field, what it was, and what it is or would be; null is absent.
type Change struct {
	Field  string          `json:"field"`
	From   json.RawMessage `json:"from"`
	To     json.RawMessage `json:"to"`
	Policy string          `json:"policy"`
}

// Operation is one of a JSON Patch.
type Operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	From  string          `json:"from,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// Engine is policies and settings, compiled. It never changes; With and Without make another one. It is freed when it is
// closed, or no longer reachable.
type Engine struct {
	number atomic.Uint64
}

// New makes an engine from documents, each an object or a list of them: one EngineConfiguration, and policies,
// RuntimeClasses, Namespaces, roles and bindings. A single object that is wrong stops none of the others: it denies what
// it might have been about, and is one of Problems.
func New(documents ...[]byte) (*Engine, error) {
	if found := library.abiVersion(); found != abiVersion {
		return nil, fmt.Errorf("schedpol: libschedpol is of ABI version %d", found)
	}
	return made(library.engineNew(documents))
}

// With is this engine with these objects in the place of those that are called like them, or beside the others.
func (e *Engine) With(documents ...[]byte) (*Engine, error) {
	defer runtime.KeepAlive(e)
	return made(library.engineWith(e.handle(), documents))
}

// Without is this engine without the objects that are called like these, by kind, namespace and name.
func (e *Engine) Without(documents ...[]byte) (*Engine, error) {
	defer runtime.KeepAlive(e)
	return made(library.engineWithout(e.handle(), documents))
}

// Problems are what is wrong with objects that cannot be used.
func (e *Engine) Problems() ([]Problem, error) {
	defer runtime.KeepAlive(e)
	text, err := answer(library.engineProblems(e.handle()))
	if err != nil {
		return nil, err
	}
	var problems []Problem
	return problems, json.Unmarshal(text, &problems)
}

// Decide says what becomes of an object. One without a kind is a Pod.
func (e *Engine) Decide(object []byte, asked Asked) (*Decision, error) {
	besides, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	text, err := e.DecideJSON(object, besides)
	if err != nil {
		return nil, err
	}
	decision := new(Decision)
	if err := json.Unmarshal(text, decision); err != nil {
		return nil, err
	}
	return decision, nil
}

// DecideJSON is the same as bytes; asked is an object of what there is to know besides, or nil.
func (e *Engine) DecideJSON(object, asked []byte) ([]byte, error) {
	defer runtime.KeepAlive(e)
	return answer(library.decide(e.handle(), object, asked))
}

// Review answers an AdmissionReview by another one. A denial answers whatever cannot be read.
func (e *Engine) Review(review []byte, phase Phase) ([]byte, error) {
	defer runtime.KeepAlive(e)
	return answer(library.review(e.handle(), review, phase))
}

// Close frees the engine. It is ErrClosed the second time, and for what is asked of it afterwards, or of nil.
func (e *Engine) Close() error {
	if e == nil {
		return ErrClosed
	}
	runtime.SetFinalizer(e, nil)
	_, err := answer(library.engineFree(e.number.Swap(0)), nil)
	return err
}

// handle is the number of the engine, of which 0 is none.
func (e *Engine) handle() uint64 {
	if e == nil {
		return 0
	}
	return e.number.Load()
}

// Evaluate puts the result of one operation, such as "quantity.compare", into result.
func Evaluate(op string, input, result any) error {
	request, err := json.Marshal(map[string]any{"op": op, "input": input})
	if err != nil {
		return err
	}
	text, err := EvaluateJSON(request)
	if err != nil {
		return err
	}
	reply := struct {
		Result json.RawMessage
		Error  *Problem
	}{}
	if err := json.Unmarshal(text, &reply); err != nil {
		return err
	}
	if reply.Error != nil {
		return &Error{[]Problem{*reply.Error}}
	}
	return json.Unmarshal(reply.Result, result)
}

// CreatedObject is what a pod was when it was created.
type CreatedObject struct {
	// AskedAs is "Created", "ItStands" of what nobody stored and of a workload, "Undecided" of what may have named its
	// node, and of what is not looked at "MirrorPod" or "Terminal".
	AskedAs string          `json:"askedAs"`
	Object  json.RawMessage `json:"object"` // nil of what is not looked at
	Patch   []Operation     `json:"patch"`  // the JSON Patch (RFC 6902) to Object
}

// Owner is by whom people know an object: its outermost controller, or itself.
type Owner struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// UnmetNeed is an object for which nothing is granted, or of which nobody can tell what it needs.
type UnmetNeed struct {
	Owner          Owner       `json:"owner"`
	Pods           int         `json:"pods"`
	Reason         string      `json:"reason"`
	Violations     []Violation `json:"violations"`
	MoreViolations int         `json:"moreViolations"` // that are left out
}

// OpenedCount is so many of all.
type OpenedCount struct {
	Count int `json:"count"`
	All   int `json:"all"`
}

// SuggestedEntry is an entry of a suggested policy, and why it is there.
type SuggestedEntry struct {
	Policy    string       `json:"policy"`
	Entry     string       `json:"entry"` // below its spec: "allowed.tolerations[2]"
	Value     string       `json:"value"`
	Pods      int          `json:"pods"`     // that need it
	Others    int          `json:"others"`   // objects that need it and stand for no pods of a cluster
	Accounts  int          `json:"accounts"` // service accounts of these
	Example   Owner        `json:"example"`
	Nodes     *OpenedCount `json:"nodes"`     // that it is about, where nodes are given
	Preempted *OpenedCount `json:"preempted"` // pods that it may preempt, where priorities are known
}

// Proof is what deciding shows of what is suggested.
type Proof struct {
	Allowed         int         `json:"allowed"`
	Denied          []UnmetNeed `json:"denied"`
	Undecided       []UnmetNeed `json:"undecided"`
	Entries         int         `json:"entries"`  // without any one of them, somebody is denied
	Subjects        int         `json:"subjects"` // of bindings; the same
	NeedlessEntries []struct {
		Policy string `json:"policy"`
		Entry  string `json:"entry"`
	} `json:"needlessEntries"`
	NeedlessSubjects []struct {
		Namespace string `json:"namespace"`
		Binding   string `json:"binding"`
		Subject   string `json:"subject"`
	} `json:"needlessSubjects"`
}

// Suggestion is the least policies, roles and bindings under which objects are allowed, why, and the proof by deciding.
type Suggestion struct {
	Policies      []json.RawMessage `json:"policies"`
	Roles         []json.RawMessage `json:"roles"`
	Bindings      []json.RawMessage `json:"bindings"`
	Entries       []SuggestedEntry  `json:"entries"`
	Undecided     []UnmetNeed       `json:"undecided"`
	Unsatisfiable []UnmetNeed       `json:"unsatisfiable"`
	Excess        int               `json:"excess"` // grants of an entry to a service account that does not need it
	// Fragile is how many owners would be denied by what the others need if each is left out in turn.
	Fragile struct {
		Owners int `json:"owners"`
		Denied int `json:"denied"`
	} `json:"fragile"`
	Proof Proof `json:"proof"`
}

// Objects are all that is suggested, as documents for an Engine.
func (s *Suggestion) Objects() [][]byte {
	var objects [][]byte
	for _, list := range [][]json.RawMessage{s.Policies, s.Roles, s.Bindings} {
		for _, object := range list {
			objects = append(objects, object)
		}
	}
	return objects
}

// SuggestOptions is how much wider than what was seen, and to whom. Nothing is the narrowest.
type SuggestOptions struct {
	Subject       string   `json:"subject,omitempty"`       // "ServiceAccount", or "Namespace"
	CommonPercent int      `json:"commonPercent,omitempty"` // what so many of the subjects need is granted to all
	Generalise    []string `json:"generalise,omitempty"`    // keys whose values become any
	NodeNames     string   `json:"nodeNames,omitempty"`     // "Listed", or "Any"
	MaxPolicies   int      `json:"maxPolicies,omitempty"`   // 0 is any number
}

// Running is what a cluster runs, and what is there already. Each is a list, or the List that kubectl prints; what is nil
// is left out.
type Running struct {
	Objects       json.RawMessage `json:"objects"`                 // pods and workloads, as a cluster prints them
	Configuration json.RawMessage `json:"configuration,omitempty"` // an EngineConfiguration and objects; nil: nothing is there
	Nodes         json.RawMessage `json:"nodes,omitempty"`         // for what entries open
}

// Suggest is the least SchedulingPolicies, roles and bindings under which objects are allowed, beside what is there. A
// stored pod is asked about as it was created.
func Suggest(running Running, options SuggestOptions) (*Suggestion, error) {
	suggestion := new(Suggestion)
	input := struct {
		Running
		Options SuggestOptions `json:"options"`
	}{running, options}
	if err := Evaluate("engine.suggest", input, suggestion); err != nil {
		return nil, err
	}
	return suggestion, nil
}

// AsCreated is a pod that a cluster printed as it was when it was created: without what schedulers, controllers and the
// API server put in. The owners are a list of workloads, those that pods were made by among them, or nil.
func AsCreated(object, owners []byte) (*CreatedObject, error) {
	created := new(CreatedObject)
	input := struct {
		Object json.RawMessage `json:"object"`
		Owners json.RawMessage `json:"owners,omitempty"`
	}{object, owners}
	if err := Evaluate("engine.asCreated", input, created); err != nil {
		return nil, err
	}
	return created, nil
}

// EvaluateJSON answers a request {"id", "op", "input"} by a result or an error, as bytes.
func EvaluateJSON(request []byte) ([]byte, error) {
	return answer(library.evaluate(request))
}

// YAMLToJSON makes one List of the objects in a stream of YAML, which is a document for an Engine. ErrUnsupported where
// the library was built without libyaml.
func YAMLToJSON(yaml []byte) ([]byte, error) {
	return answer(library.yamlToJSON(yaml))
}

// Version is that of the library.
func Version() string { return library.version() }

func made(became status, errors []byte, number uint64) (*Engine, error) {
	if _, err := answer(became, errors); err != nil {
		return nil, err
	}
	engine := new(Engine)
	engine.number.Store(number)
	runtime.SetFinalizer(engine, func(e *Engine) { library.engineFree(e.number.Load()) })
	return engine, nil
}

func answer(became status, text []byte) ([]byte, error) {
	switch became {
	case ok:
		return text, nil
	case refused:
		refusal := new(Error)
		if err := json.Unmarshal(text, &refusal.Problems); err != nil || len(refusal.Problems) == 0 {
			return nil, fmt.Errorf("schedpol: libschedpol refuses it with %q", text)
		}
		return nil, refusal
	case noEngine:
		return nil, ErrClosed
	case noMemory:
		return nil, ErrNoMemory
	case unsupported:
		return nil, ErrUnsupported
	default:
		return nil, fmt.Errorf("schedpol: libschedpol answers %d", became)
	}
}
