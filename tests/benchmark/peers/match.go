// SPDX-License-Identifier: Apache-2.0

// W3: one pod against the nodes of a cluster, with what the scheduler itself uses.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

const nodeCount = 5000

func node(i int) *corev1.Node {
	pick := func(index int, items ...string) string { return items[index%len(items)] }
	name := fmt.Sprintf("node-%05d", i)
	arch := "amd64"
	if i%4 == 3 {
		arch = "arm64"
	}
	var taints []corev1.Taint
	taint := func(every int, key, value string, effect corev1.TaintEffect) {
		if i%every == 0 {
			taints = append(taints, corev1.Taint{Key: key, Value: value, Effect: effect})
		}
	}
	taint(5, "dedicated", "gpu", corev1.TaintEffectNoSchedule)
	taint(7, "dedicated", "infra", corev1.TaintEffectNoSchedule)
	taint(11, "spot", "true", corev1.TaintEffectPreferNoSchedule)
	taint(13, "node.kubernetes.io/memory-pressure", "", corev1.TaintEffectNoSchedule)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name,
			Labels: map[string]string{
				"kubernetes.io/hostname":        name,
				"kubernetes.io/os":              "linux",
				"beta.kubernetes.io/os":         "linux",
				"kubernetes.io/arch":            arch,
				"beta.kubernetes.io/arch":       arch,
				"topology.kubernetes.io/region": "eu-west-1",
				"topology.kubernetes.io/zone":   pick(i, "eu-west-1a", "eu-west-1b", "eu-west-1c"),
				"node.kubernetes.io/instance-type": pick(i, "m6i.2xlarge", "m6i.4xlarge", "r6i.4xlarge",
					"c6i.8xlarge", "m7g.4xlarge"),
				"disk":      pick(i/3, "ssd", "nvme", "hdd"),
				"node-pool": pick(i/9, "general", "payments", "legacy", "gpu"),
				"team":      fmt.Sprintf("team-%02d", i%17),
				"kernel":    fmt.Sprintf("6.1.%d", i%40),
			},
		},
		Spec: corev1.NodeSpec{Taints: taints},
	}
}

func keepsAway(taint *corev1.Taint) bool {
	return taint.Effect == corev1.TaintEffectNoSchedule || taint.Effect == corev1.TaintEffectNoExecute
}

func matchRows() []row {
	pod := &corev1.Pod{Spec: decodeInput[corev1.PodSpec]("w1-pod-spec-allow.json")}
	selector := must(metav1.LabelSelectorAsSelector(&metav1.LabelSelector{
		MatchLabels: map[string]string{"kubernetes.io/os": "linux"},
		MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "node-pool", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"legacy"}}},
	}))
	affinity := nodeaffinity.GetRequiredNodeAffinity(pod)
	nodes := make([]*corev1.Node, nodeCount)
	for i := range nodes {
		nodes[i] = node(i)
	}
	logger := klog.Background()
	// By selector, by nodeSelector and affinity, by taints, by all three.
	match := func() (matching [4]int) {
		for _, node := range nodes {
			selected := selector.Matches(labels.Set(node.Labels))
			attracted, err := affinity.Match(node)
			demand(err == nil, "%v", err)
			_, untolerated := corev1helpers.FindMatchingUntoleratedTaint(
				logger, node.Spec.Taints, pod.Spec.Tolerations, keepsAway, false)
			for i, holds := range [4]bool{selected, attracted, !untolerated,
				selected && attracted && !untolerated} {
				if holds {
					matching[i]++
				}
			}
		}
		return matching
	}
	demand(match() == [4]int{3749, 417, 3955, 219}, "W3's counts, not %v", match())
	return []row{{"W3/match_nodes", nodeCount, func() {
		demand(match()[3] == 219, "W3's counts")
	}}}
}
