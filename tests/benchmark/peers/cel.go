// SPDX-License-Identifier: Apache-2.0

// W1 in the expression language of Kubernetes' own admission policies: one expression, compiled
// once, on a pod spec that is already a map. It answers yes or no; which item broke which rule it
// cannot say.
package main

import (
	"github.com/google/cel-go/cel"
)

const celPolicy = `
(has(spec.schedulerName) ? spec.schedulerName : "default-scheduler") in ["default-scheduler", "my-scheduler"]
&& !has(spec.nodeName)
&& (!has(spec.priorityClassName)
    || spec.priorityClassName in ["low-priority", "normal-priority", "high-priority"])
&& (!has(spec.nodeSelector) || spec.nodeSelector.all(key,
    key == "kubernetes.io/arch" ? spec.nodeSelector[key] in ["arm64", "s390x", "amd64"]
    : key == "disk" ? spec.nodeSelector[key] in ["hdd", "nvme", "ssd"]
    : key == "topology.kubernetes.io/zone"
      && spec.nodeSelector[key] in ["eu-west-1c", "eu-west-1b", "eu-west-1a"]))
&& (!has(spec.tolerations) || spec.tolerations.all(t,
    (t.operator == "Exists" && t.effect == "NoExecute")
    || (t.key in ["team", "dedicated"] && t.operator == "Equal" && t.value in ["ml", "gpu"]
        && t.effect in ["NoExecute", "NoSchedule"])
    || (t.key == "spot" && t.operator == "Equal" && t.value == "true")))
&& spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.all(term,
    term.matchExpressions.all(e,
      e.key == "kubernetes.io/arch" ? e.operator == "In" && e.values.all(v, v in ["amd64", "arm64"])
      : e.key == "topology.kubernetes.io/zone" ? e.operator in ["In", "NotIn"]
        && e.values.all(v, v in ["eu-west-1a", "eu-west-1b", "eu-west-1c"])
      : e.key == "disk" ? e.operator == "In" && e.values.all(v, v in ["hdd", "nvme", "ssd"])
      : e.key == "node-pool" && e.operator == "NotIn"))`

func celRows() []row {
	env := must(cel.NewEnv(cel.Variable("spec", cel.DynType)))
	ast, issues := env.Compile(celPolicy)
	demand(issues.Err() == nil, "%v", issues.Err())
	program := must(env.Program(ast, cel.EvalOptions(cel.OptOptimize)))
	evaluate := func(spec map[string]any) func() bool {
		input := map[string]any{"spec": spec}
		return func() bool {
			value, _, err := program.Eval(input)
			demand(err == nil, "%v", err)
			return value.Value() == true
		}
	}
	allow := evaluate(decodeInput[map[string]any]("w1-pod-spec-allow.json"))
	deny := evaluate(decodeInput[map[string]any]("w1-pod-spec-deny.json"))
	demand(allow(), "W1's pod is allowed by CEL")
	demand(!deny(), "W1's other pod is denied by CEL")
	return []row{{"W1/cel/allow", 1, func() { demand(allow(), "W1's pod is allowed by CEL") }}}
}
