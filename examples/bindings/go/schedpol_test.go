// SPDX-License-Identifier: Apache-2.0

package schedpol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const top = "../../.."

func read(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, "examples", "bindings", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func newEngine(t testing.TB) *Engine {
	t.Helper()
	engine, err := New(read(t, "policies.json"))
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func gpuTeam(t testing.TB) []byte {
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(read(t, "policies.json"), &list); err != nil {
		t.Fatal(err)
	}
	return list.Items[2]
}

func allows(t testing.TB, engine *Engine) bool {
	t.Helper()
	decision, err := engine.Decide(read(t, "pod.json"), Asked{})
	if err != nil {
		t.Fatal(err)
	}
	return decision.Allowed
}

// refusal is the code and field of an error.
func refusal(err error) string {
	var refused *Error
	if !errors.As(err, &refused) {
		return "no refusal"
	}
	return refused.Code() + " at " + refused.Field()
}

func TestTheExamplePrintsTheDecisions(t *testing.T) {
	wanted, err := os.ReadFile(filepath.Join(top, "tests", "examples", "bindings_decisions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	printed, err := exec.Command("go", "run", "./example", filepath.Join(top, "examples", "bindings")).CombinedOutput()
	if err != nil || !bytes.Equal(printed, wanted) {
		t.Errorf("%v, printed\n%s", err, printed)
	}
}

func TestAPodIsChangedAndAnotherOneDenied(t *testing.T) {
	engine := newEngine(t)
	changed, err := engine.Decide(read(t, "pod.json"), Asked{})
	if err != nil || !changed.Allowed || changed.Patch[0].Path != "/spec/priorityClassName" || len(changed.Reasons()) != 0 {
		t.Errorf("%v %+v", err, changed)
	}
	denied, err := engine.Decide(read(t, "denied.json"), Asked{})
	if err != nil || denied.Allowed || len(denied.Patch) != 0 || denied.Reasons()[0].Code != "SchedulerNameNotAllowed" ||
		denied.NearestFix[0].Field != "spec.schedulerName" {
		t.Errorf("%v %+v", err, denied)
	}
	if !bytes.Equal(denied.Object, bytes.TrimSpace(read(t, "denied.json"))) {
		t.Errorf("what is denied is changed: %s", denied.Object)
	}
}

func TestWhatIsPrintedIsJSON(t *testing.T) {
	engine := newEngine(t)
	decision, err := engine.Decide(read(t, "denied.json"), Asked{})
	if err != nil {
		t.Fatal(err)
	}
	created, err := AsCreated([]byte(running), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []any{decision, *decision, decision.Steps[0], decision.Reasons()[0], decision.NearestFix[0], created, created.Patch[0],
		Suggestion{Policies: []json.RawMessage{[]byte(`{"kind": "SchedulingPolicy"}`)}}} {
		wanted, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		for _, verb := range []string{"%v", "%+v", "%s"} {
			if printed := fmt.Sprintf(verb, value); !jsonEqual(printed, string(wanted)) {
				t.Errorf("%s of %T: %s", verb, value, printed)
			}
		}
	}
	if printed := fmt.Sprint(Change{Field: "<a>", From: []byte("1")}); printed != `{"field":"<a>","from":1,"to":null,"policy":""}` {
		t.Error(printed)
	}
}

func jsonEqual(one, other string) bool {
	var first, second any
	return json.Unmarshal([]byte(one), &first) == nil && json.Unmarshal([]byte(other), &second) == nil && reflect.DeepEqual(first, second)
}

func TestWhatNothingGovernsIsTold(t *testing.T) {
	decision, err := newEngine(t).Decide([]byte(`{"kind": "Pod", "spec": {"runtimeClassName": "gvisor"}}`), Asked{})
	if err != nil || !decision.Allowed || len(decision.Ungoverned) != 1 ||
		decision.Ungoverned[0] != (Ungoverned{"spec.runtimeClassName", "gvisor"}) {
		t.Errorf("%v %+v", err, decision)
	}
}

func TestWhatIsAskedBesidesIsAsked(t *testing.T) {
	pod := read(t, "pod.json")
	asked := Asked{Old: pod, Namespace: "research", User: &User{Name: "jo", Groups: []string{"dev"}}, Phase: Validating}
	decision, err := newEngine(t).Decide(pod, asked)
	if err != nil || !decision.Allowed || len(decision.Patch) != 0 {
		t.Errorf("%v %+v", err, decision)
	}
	_, err = newEngine(t).Decide(pod, Asked{Namespace: "shop"})
	if refusal(err) != "InvalidRequest at object.metadata.namespace" {
		t.Error(err)
	}
}

func TestWhatCannotBeReadIsAnErrorWithCodeAndField(t *testing.T) {
	policies := read(t, "policies.json")
	for wanted, documents := range map[string][][]byte{
		"FieldValueInvalid at documents[0]":           {nil},
		"FieldValueNotSupported at documents[1].kind": {policies, []byte(`{"kind": "Gateway"}`)},
		"FieldValueRequired at systems":               {gpuTeam(t)},
	} {
		if engine, err := New(documents...); engine != nil || refusal(err) != wanted || err.Error() == "" {
			t.Errorf("%v, not %s", err, wanted)
		}
	}
	engine := newEngine(t)
	for object, wanted := range map[string]string{
		"":                               "InvalidJson at object",
		`{}, "user": {"name": "admin"}`:  "InvalidJson at object",
		`{"spec": 5}`:                    "InvalidObject at object.spec",
		strings.Repeat("[", 1000) + "1]": "LimitExceeded at object",
	} {
		if decision, err := engine.Decide([]byte(object), Asked{}); decision != nil || !strings.HasPrefix(refusal(err), wanted) {
			t.Errorf("%v, not %s", err, wanted)
		}
	}
}

func TestAnEngineChangesByAnotherOne(t *testing.T) {
	engine := newEngine(t)
	stricter, err := engine.Without(gpuTeam(t))
	if err != nil || !allows(t, engine) || allows(t, stricter) {
		t.Fatal(err)
	}
	again, err := stricter.With(gpuTeam(t))
	if err != nil || !allows(t, again) {
		t.Fatal(err)
	}
	if _, err := engine.With(read(t, "policies.json")); refusal(err) != "FieldValueForbidden at systems" {
		t.Error(err)
	}
	broken, err := engine.With([]byte(`{"kind": "SchedulingPolicy", "metadata": {"name": "gpu-team"}, "spec": {"allowed": []}}`))
	if err != nil || allows(t, broken) {
		t.Fatal(err)
	}
	problems, err := broken.Problems()
	if err != nil || len(problems) != 1 || problems[0].Field != "SchedulingPolicy[gpu-team].spec.allowed" {
		t.Error(problems, err)
	}
}

func TestAClosedEngineIsAnErrorHoweverOftenItIsClosed(t *testing.T) {
	engine := newEngine(t)
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
	never := new(Engine)
	for _, closed := range []*Engine{engine, never, nil} {
		_, decided := closed.Decide(read(t, "pod.json"), Asked{})
		_, reviewed := closed.Review(read(t, "review.json"), Mutating)
		_, problems := closed.Problems()
		_, with := closed.With(gpuTeam(t))
		_, without := closed.Without(gpuTeam(t))
		for i, err := range []error{decided, reviewed, problems, with, without, closed.Close()} {
			if err != ErrClosed {
				t.Error(i, err)
			}
		}
	}
}

func TestAReviewIsAnsweredByOne(t *testing.T) {
	for review, phase := range map[string]Phase{string(read(t, "review.json")): Mutating, "garbage": Validating} {
		var answered struct{ Response struct{ Allowed *bool } }
		text, err := newEngine(t).Review([]byte(review), phase)
		if err == nil {
			err = json.Unmarshal(text, &answered)
		}
		if err != nil || answered.Response.Allowed == nil || *answered.Response.Allowed {
			t.Errorf("%v %s", err, text)
		}
	}
	if _, err := newEngine(t).Review(nil, Phase(7)); err == nil {
		t.Error("a phase that is none is taken")
	}
}

func TestAnOperationIsEvaluated(t *testing.T) {
	var result struct{ Compare int }
	if err := Evaluate("quantity.compare", map[string]string{"a": "1Gi", "b": "1G"}, &result); err != nil || result.Compare != 1 {
		t.Error(err, result)
	}
	err := Evaluate("quantity.compare", map[string]string{"a": "1Gi", "b": "many"}, &result)
	if refusal(err) != "InvalidObject at b" {
		t.Error(err)
	}
}

func TestYAMLIsReadWhereLibyamlIs(t *testing.T) {
	text, err := YAMLToJSON([]byte("kind: Pod\n---\nkind: Job\n"))
	if err == ErrUnsupported {
		t.Skip("the library is built without libyaml")
	}
	if err != nil || !strings.HasSuffix(string(text), `"items":[{"kind":"Pod"},{"kind":"Job"}]}`) {
		t.Errorf("%v %s", err, text)
	}
}

// With SCHEDPOL_REPLIES, a directory with the replies of the library itself, byte for byte.
func TestTheConformanceVectors(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(top, "tests", "conformance", "*.jsonl"))
	vectors := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var replies []byte
		for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
			reply, err := EvaluateJSON(line)
			if err != nil {
				t.Fatal(err)
			}
			checkVector(t, line, reply)
			replies = append(append(replies, reply...), '\n')
			vectors++
		}
		if directory := os.Getenv("SCHEDPOL_REPLIES"); directory != "" {
			wanted, err := os.ReadFile(filepath.Join(directory, filepath.Base(file)))
			if err != nil || !bytes.Equal(replies, wanted) {
				t.Errorf("%s: not the library's replies (%v)", file, err)
			}
		}
	}
	if vectors < 800 {
		t.Errorf("only %d vectors", vectors)
	}
}

func checkVector(t *testing.T, line, reply []byte) {
	t.Helper()
	var request struct {
		ID       any
		Expected map[string]any
	}
	var answered struct {
		ID     any
		Result map[string]any
		Error  any
	}
	if json.Unmarshal(line, &request) != nil || json.Unmarshal(reply, &answered) != nil {
		t.Fatalf("%s\n%s", line, reply)
	}
	if request.ID != answered.ID || (request.Expected["error"] != nil) != (answered.Error != nil) {
		t.Errorf("%s\n%s", line, reply)
	}
	for name, value := range request.Expected {
		answer := answered.Result[name]
		switch value.(type) {
		case map[string]any, []any, nil:
			continue
		}
		if name == "error" || answer == nil && reflect.ValueOf(value).IsZero() {
			continue
		}
		if answer != value {
			t.Errorf("%s: %v\n%s\n%s", name, answer, line, reply)
		}
	}
}

// For SCHEDPOL_STRESS_SECONDS, or two.
func TestGoroutinesShareEnginesThatOthersMakeAndClose(t *testing.T) {
	seconds, err := strconv.ParseFloat(os.Getenv("SCHEDPOL_STRESS_SECONDS"), 64)
	if err != nil {
		seconds = 2
	}
	until := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	engine := newEngine(t)
	objects := [][]byte{read(t, "pod.json"), read(t, "denied.json")}
	wanted := make([][]byte, len(objects))
	for i, object := range objects {
		if wanted[i], err = engine.DecideJSON(object, nil); err != nil {
			t.Fatal(err)
		}
	}
	gpuTeam := gpuTeam(t)
	var shared atomic.Pointer[Engine]
	shared.Store(newEngine(t))
	var decisions atomic.Int64
	var all sync.WaitGroup
	for number := 0; number < 8; number++ {
		all.Add(1)
		go func(number int) {
			defer all.Done()
			for time.Now().Before(until) && !t.Failed() {
				for i, object := range objects {
					if decision, err := engine.DecideJSON(object, nil); err != nil || !bytes.Equal(decision, wanted[i]) {
						t.Errorf("%v %s", err, decision)
					}
				}
				decision, err := shared.Load().DecideJSON(objects[0], nil)
				if err != ErrClosed && (err != nil || !bytes.Equal(decision, wanted[0])) {
					t.Errorf("%v %s", err, decision)
				}
				if number%4 == 0 {
					stricter, err := engine.Without(gpuTeam)
					if err != nil {
						t.Error(err)
						return
					}
					another, err := stricter.With(gpuTeam)
					if err != nil {
						t.Error(err)
						return
					}
					if err := shared.Swap(another).Close(); err != nil {
						t.Error(err)
					}
				}
				decisions.Add(3)
			}
		}(number)
	}
	all.Wait()
	t.Logf("%d decisions in %v seconds", decisions.Load(), seconds)
}

const running = `{"kind": "Pod", "metadata": {"name": "web-0", "namespace": "shop", "uid": "1",
	"creationTimestamp": "2026-01-01T00:00:00Z", "ownerReferences": [
	{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "controller": true}]},
	"spec": {"nodeName": "n1", "tolerations": [{"key": "gpu", "operator": "Exists"}]}}`

func TestAPodIsToldAsItWasCreated(t *testing.T) {
	created, err := AsCreated([]byte(running), nil)
	if err != nil {
		t.Fatal(err)
	}
	if created.AskedAs != "Created" || len(created.Patch) != 1 || created.Patch[0].Path != "/spec/nodeName" ||
		bytes.Contains(created.Object, []byte("nodeName")) {
		t.Errorf("%+v", created)
	}
}

func TestWhatIsSuggestedAllowsWhatRuns(t *testing.T) {
	const settings = `{"kind": "EngineConfiguration", "systems": [{"system": "SchedulingPolicy"}]}`
	objects := json.RawMessage("[" + running + "]")
	suggestion, err := Suggest(Running{Objects: objects, Configuration: json.RawMessage(settings)}, SuggestOptions{Generalise: []string{"disk"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(suggestion.Entries) != 2 || suggestion.Entries[1].Entry != "allowed.tolerations[0]" || suggestion.Proof.Allowed != 1 {
		t.Errorf("%+v", suggestion)
	}
	documents := append([][]byte{[]byte(settings)}, suggestion.Objects()...)
	engine, err := New(documents...)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	created, err := AsCreated([]byte(running), nil)
	if err != nil {
		t.Fatal(err)
	}
	decision, err := engine.Decide(created.Object, Asked{})
	if err != nil || !decision.Allowed {
		t.Errorf("%+v, %v", decision, err)
	}
	there := json.RawMessage("[" + string(bytes.Join(documents, []byte(","))) + "]")
	again, err := Suggest(Running{Objects: objects, Configuration: there}, SuggestOptions{})
	if err != nil || len(again.Objects()) != 0 || again.Proof.Allowed != 1 {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestWhatCannotBeSuggestedIsAnError(t *testing.T) {
	for _, wrong := range []struct {
		objects string
		options SuggestOptions
		refusal string
	}{
		{`[{"kind": "Pod", "spec": 1}]`, SuggestOptions{}, "InvalidObject at objects[0].spec"},
		{`[]`, SuggestOptions{CommonPercent: 101}, "InvalidObject at options.commonPercent"},
	} {
		_, err := Suggest(Running{Objects: json.RawMessage(wrong.objects)}, wrong.options)
		if got := refusal(err); got != wrong.refusal {
			t.Errorf("%s: %s", wrong.objects, got)
		}
	}
}
