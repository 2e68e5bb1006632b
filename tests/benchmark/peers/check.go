// SPDX-License-Identifier: Apache-2.0

// W1 and W1j: a check written by hand for policies of this shape (only allowed names, node
// selectors, tolerations and required node affinity), on typed pod specs and prepared maps.
package main

import (
	"bytes"
	"encoding/json"
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

type tolerationPattern struct {
	Keys, Operators, Values, Effects []string
}

type requirementPattern struct {
	Keys, Operators, Values []string
}

type schedulingPolicy struct {
	Spec struct {
		Allowed struct {
			SchedulerNames     []string
			PriorityClassNames []string
			NodeSelectors      map[string][]string
			Tolerations        []tolerationPattern
			Affinities         struct {
				NodeAffinities struct {
					Required struct {
						NodeSelectorTerms []struct {
							MatchExpressions []requirementPattern
						}
					} `json:"requiredDuringSchedulingIgnoredDuringExecution"`
				}
			}
		}
	}
}

type set map[string]struct{}

func setOf(items []string) set {
	made := make(set, len(items))
	for _, item := range items {
		made[item] = struct{}{}
	}
	return made
}

func (s set) has(item string) bool {
	_, found := s[item]
	return found
}

// A pattern without its keys: operators and effects as bits, no values for any value.
type pattern struct {
	operators, effects uint8
	values             set
}

const allBits = 0xff

func bitsOf(items []string, bit func(string) uint8) uint8 {
	if len(items) == 0 {
		return allBits
	}
	var bits uint8
	for _, item := range items {
		bits |= bit(item)
	}
	return bits
}

func tolerationOperatorBit(operator string) uint8 {
	switch operator {
	case "", "Equal":
		return 1
	case "Exists":
		return 2
	case "Lt":
		return 4
	case "Gt":
		return 8
	}
	return 0
}

func effectBit(effect string) uint8 {
	switch effect {
	case "NoSchedule":
		return 1
	case "PreferNoSchedule":
		return 2
	case "NoExecute":
		return 4
	case "":
		return 7
	}
	return 0
}

func selectorOperatorBit(operator string) uint8 {
	switch operator {
	case "In":
		return 1
	case "NotIn":
		return 2
	case "Exists":
		return 4
	case "DoesNotExist":
		return 8
	case "Gt":
		return 16
	case "Lt":
		return 32
	}
	return 0
}

// Patterns by key, and those for any key.
type patterns struct {
	byKey map[string][]pattern
	any   []pattern
}

func (p *patterns) add(keys []string, made pattern) {
	if len(keys) == 0 {
		p.any = append(p.any, made)
	}
	for _, key := range keys {
		p.byKey[key] = append(p.byKey[key], made)
	}
}

type checker struct {
	schedulers, classes set
	selectors           map[string]set
	tolerations         patterns
	requirements        patterns
}

func newChecker(policy schedulingPolicy) *checker {
	allowed := policy.Spec.Allowed
	made := &checker{
		schedulers:   setOf(allowed.SchedulerNames),
		classes:      setOf(allowed.PriorityClassNames),
		selectors:    map[string]set{},
		tolerations:  patterns{byKey: map[string][]pattern{}},
		requirements: patterns{byKey: map[string][]pattern{}},
	}
	for key, values := range allowed.NodeSelectors {
		made.selectors[key] = setOf(values)
	}
	for _, p := range allowed.Tolerations {
		made.tolerations.add(p.Keys, pattern{
			bitsOf(p.Operators, tolerationOperatorBit), bitsOf(p.Effects, effectBit), setOf(p.Values)})
	}
	for _, term := range allowed.Affinities.NodeAffinities.Required.NodeSelectorTerms {
		for _, p := range term.MatchExpressions {
			made.requirements.add(p.Keys,
				pattern{operators: bitsOf(p.Operators, selectorOperatorBit), values: setOf(p.Values)})
		}
	}
	return made
}

type violation struct {
	code, field string
}

func (c *checker) check(spec *corev1.PodSpec) []violation {
	var violations []violation
	scheduler := spec.SchedulerName
	if scheduler == "" {
		scheduler = corev1.DefaultSchedulerName
	}
	if !c.schedulers.has(scheduler) {
		violations = append(violations, violation{"SchedulerNameNotAllowed", "spec.schedulerName"})
	}
	if spec.NodeName != "" {
		violations = append(violations, violation{"NodeNameNotAllowed", "spec.nodeName"})
	}
	if spec.PriorityClassName != "" && !c.classes.has(spec.PriorityClassName) {
		violations = append(violations, violation{"PriorityClassNameNotAllowed", "spec.priorityClassName"})
	}
	for key, value := range spec.NodeSelector {
		if !c.selectors[key].has(value) {
			violations = append(violations,
				violation{"NodeSelectorNotAllowed", "spec.nodeSelector[" + key + "]"})
		}
	}
	for i := range spec.Tolerations {
		if !c.permitsToleration(&spec.Tolerations[i]) {
			violations = append(violations,
				violation{"TolerationNotAllowed", "spec.tolerations[" + strconv.Itoa(i) + "]"})
		}
	}
	if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil ||
		spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return violations
	}
	terms := spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	for i := range terms {
		for j := range terms[i].MatchExpressions {
			if !c.permitsRequirement(&terms[i].MatchExpressions[j]) {
				violations = append(violations, violation{"AffinityNotAllowed",
					"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[" +
						strconv.Itoa(i) + "].matchExpressions[" + strconv.Itoa(j) + "]"})
			}
		}
	}
	return violations
}

func (c *checker) permitsToleration(t *corev1.Toleration) bool {
	operator := tolerationOperatorBit(string(t.Operator))
	effects := effectBit(string(t.Effect))
	// Taken together, several patterns may permit all the effects that a toleration without one has.
	permitted := uint8(0)
	for _, list := range [2][]pattern{c.tolerations.byKey[t.Key], c.tolerations.any} {
		for i := range list {
			p := &list[i]
			if p.operators&operator == 0 {
				continue
			}
			if len(p.values) != 0 && (operator == 2 || !p.values.has(t.Value)) {
				continue
			}
			permitted |= p.effects
		}
	}
	return effects != 0 && permitted&effects == effects
}

func (c *checker) permitsRequirement(r *corev1.NodeSelectorRequirement) bool {
	operator := selectorOperatorBit(string(r.Operator))
	for _, list := range [2][]pattern{c.requirements.byKey[r.Key], c.requirements.any} {
		for i := range list {
			if list[i].operators&operator != 0 && list[i].permitsAll(r.Values) {
				return true
			}
		}
	}
	return false
}

func (p *pattern) permitsAll(values []string) bool {
	if len(p.values) == 0 {
		return true
	}
	for _, value := range values {
		if !p.values.has(value) {
			return false
		}
	}
	return len(values) > 0
}

func checkRows() []row {
	checker := newChecker(decodeInput[schedulingPolicy]("w1-policy.json"))
	allow := decodeInput[corev1.PodSpec]("w1-pod-spec-allow.json")
	deny := decodeInput[corev1.PodSpec]("w1-pod-spec-deny.json")
	demand(len(checker.check(&allow)) == 0, "W1's pod is allowed")
	demand(len(checker.check(&deny)) == 1, "W1's other pod has one violation")
	var compact bytes.Buffer
	demand(json.Compact(&compact, readInput("w1-pod-spec-allow.json")) == nil, "W1's spec is JSON")
	demand(compact.Len() == 854, "W1's spec has 854 bytes, not %d", compact.Len())
	return []row{
		{"W1/check/allow", 1, func() { sink = checker.check(&allow) }},
		{"W1/check/deny", 1, func() { sink = checker.check(&deny) }},
		{"W1j/check_bytes", 1, func() {
			var spec corev1.PodSpec
			demand(json.Unmarshal(compact.Bytes(), &spec) == nil, "W1's spec decodes")
			sink = checker.check(&spec)
			demand(sink == nil, "W1's pod is allowed")
		}},
	}
}

// sink keeps results alive, so that no work is left out.
var sink []violation
