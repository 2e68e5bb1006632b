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
