// SPDX-License-Identifier: Apache-2.0

// Decides on two pods by policies: one is changed, one is denied.
//
//	go run ./example DIRECTORY
//
// The directory has policies.json, pod.json and denied.json.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"schedpol.io/go"
)

// show prints what became of an object: the patch of one that is allowed; why another one is denied, and what would help.
func show(decision *schedpol.Decision) error {
	var object struct{ Metadata struct{ Name string } }
	if err := json.Unmarshal(decision.Object, &object); err != nil {
		return err
	}
	fmt.Printf("%s: %s\n", object.Metadata.Name, map[bool]string{true: "allowed", false: "denied"}[decision.Allowed])
	for _, operation := range decision.Patch {
		fmt.Printf("  %s %s %s\n", operation.Op, operation.Path, operation.Value)
	}
	for _, reason := range decision.Reasons() {
		fmt.Printf("  %s\n", reason.Message)
	}
	for _, change := range decision.NearestFix {
		fmt.Printf("  it would be allowed with %s: %s\n", change.Field, change.To)
	}
	return nil
}

func run(directory string) error {
	policies, err := os.ReadFile(filepath.Join(directory, "policies.json"))
	if err != nil {
		return err
	}
	engine, err := schedpol.New(policies)
	if err != nil {
		return err
	}
	defer engine.Close()
	for _, file := range []string{"pod.json", "denied.json"} {
		pod, err := os.ReadFile(filepath.Join(directory, file))
		if err != nil {
			return err
		}
		decision, err := engine.Decide(pod, schedpol.Asked{})
		if err != nil {
			return err
		}
		if err := show(decision); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	err := run(os.Args[1])
	var refused *schedpol.Error
	if errors.As(err, &refused) {
		for _, problem := range refused.Problems {
			fmt.Println(problem.Code, "at", problem.Field)
		}
	} else if err != nil {
		fmt.Println(err)
	}
	if err != nil {
		os.Exit(1)
	}
}
