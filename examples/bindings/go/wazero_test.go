// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package schedpol

import (
	"os"
	"strings"
	"testing"
)

// SCHEDPOL_SMALL_MODULE is a module whose stack and memory run out soon.
func TestWhatTrapsIsAnErrorAndTheNextCallIsAnswered(t *testing.T) {
	file := os.Getenv("SCHEDPOL_SMALL_MODULE")
	if file == "" {
		t.Skip("there is no module that traps")
	}
	small, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func(usual backend) { library = usual }(library)
	library = &sandbox{module: small}
	const levels, many = 230, 20_000
	// Whether two templates are the same is found level by level.
	workload := `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "n"}, "spec": ` +
		`{"template": {"spec": {"unknown": ` + strings.Repeat("[", levels) + "1" + strings.Repeat("]", levels) + `}}}}`
	decide := func(pod string) func(*Engine) error {
		return func(engine *Engine) error {
			_, err := engine.DecideJSON([]byte(pod), nil)
			return err
		}
	}
	for what, ask := range map[string]func(*Engine) error{
		"stack": func(engine *Engine) error {
			_, err := engine.Review([]byte(`{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": `+
				`{"uid": "1", "operation": "UPDATE", "namespace": "n", "name": "a", `+
				`"kind": {"group": "apps", "version": "v1", "kind": "Deployment"}, `+
				`"resource": {"group": "apps", "version": "v1", "resource": "deployments"}, `+
				`"object": `+workload+`, "oldObject": `+workload+`}}`), Mutating)
			return err
		},
		"memory": decide(`{"kind": "Pod", "metadata": {"annotations": {"a": "` + strings.Repeat("x", 40*many) + `"}}}`),
		"memory of a document": func(*Engine) error {
			_, err := New([]byte(`{"kind": "List", "items": [` + strings.Repeat(`{"kind": "Namespace"},`, many) + `{}]}`))
			return err
		},
	} {
		engine := newEngine(t)
		if !allows(t, engine) {
			t.Error(what, "denies before it traps")
		}
		if err := ask(engine); err != ErrNoMemory {
			t.Error(what, err)
		}
		if _, err := engine.Decide(read(t, "pod.json"), Asked{}); err != ErrClosed {
			t.Error("the engine did not go with its instance:", what, err)
		}
		var result struct{ Compare int }
		if err := Evaluate("quantity.compare", map[string]string{"a": "1Gi", "b": "1G"}, &result); err != nil || result.Compare != 1 {
			t.Error(what, err, result)
		}
		if !allows(t, newEngine(t)) {
			t.Error(what, "denies after it trapped")
		}
	}
}
