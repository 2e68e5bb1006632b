// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// W4, the scheduling loop, on the helpers that the plugins of kube-scheduler call. The ResourcePolicy, for
// which there are none, keeps its counts by unit and group and knows the unit of every node.
const (
	loopNodes      = 2000
	loopRunning    = 3000
	loopKinds      = 60
	loopNamespaces = 10
)

var loopZones = []string{"eu-west-1a", "eu-west-1b", "eu-west-1c"}

func loopPod(kind int) *corev1.Pod {
	in := func(key string, operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
		return corev1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values}
	}
	prefer := func(weight int32, expression corev1.NodeSelectorRequirement) corev1.PreferredSchedulingTerm {
		return corev1.PreferredSchedulingTerm{Weight: weight, Preference: corev1.NodeSelectorTerm{
			MatchExpressions: []corev1.NodeSelectorRequirement{expression}}}
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: fmt.Sprintf("namespace-%d", kind%loopNamespaces),
		Labels:    map[string]string{"app": "web", "pod-template-hash": fmt.Sprintf("hash-%d", kind)},
	}}
	if kind%2 == 0 {
		pod.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpEqual,
			Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	}
	pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
				in("disk", corev1.NodeSelectorOpIn, "ssd", "nvme"),
				in("node-pool", corev1.NodeSelectorOpNotIn, "legacy")}}}},
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{
			prefer(10, in("topology.kubernetes.io/zone", corev1.NodeSelectorOpIn, loopZones[kind%len(loopZones)])),
			prefer(5, in("team", corev1.NodeSelectorOpIn, "team-03"))},
	}}
	return pod
}

type loopUnit struct {
	priority int64
	max      int // -1: any number
}

// What is counted apart: the pods of a namespace, of a template, on a unit.
type loopGroup struct {
	namespace, hash string
	unit            int
}

type loopBound struct {
	pod  *corev1.Pod
	unit int
}

type loop struct {
	nodes   []*corev1.Node
	unitOf  []int
	units   []loopUnit
	kinds   []*corev1.Pod
	counts  map[loopGroup]int
	running []loopBound
	arrived int
}

func newLoop() *loop {
	l := &loop{units: []loopUnit{{3, 20}, {2, 20}, {1, -1}}, counts: map[loopGroup]int{},
		running: make([]loopBound, loopRunning)}
	for i := 0; i < loopNodes; i++ {
		l.nodes = append(l.nodes, node(i))
		for unit, zone := range loopZones {
			if l.nodes[i].Labels["topology.kubernetes.io/zone"] == zone {
				l.unitOf = append(l.unitOf, unit)
			}
		}
	}
	for i := 0; i < loopKinds; i++ {
		l.kinds = append(l.kinds, loopPod(i))
	}
	return l
}

func (l *loop) group(pod *corev1.Pod, unit int) loopGroup {
	return loopGroup{pod.Namespace, pod.Labels["pod-template-hash"], unit}
}

// step places the next pod on one of the nodes of the highest score and gives its number.
func (l *loop) step(logger klog.Logger) int {
	pod := l.kinds[l.arrived%loopKinds]
	slot := l.arrived % loopRunning
	l.arrived++
	if gone := l.running[slot]; gone.pod != nil {
		l.counts[l.group(gone.pod, gone.unit)]--
	}
	required := nodeaffinity.GetRequiredNodeAffinity(pod)
	preferred := must(nodeaffinity.NewPreferredSchedulingTerms(
		pod.Spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution))
	full := make([]bool, len(l.units))
	for i, unit := range l.units {
		full[i] = unit.max >= 0 && l.counts[l.group(pod, i)] >= unit.max
	}
	var feasible []int
	var scores, byPolicy []int64
	for i, node := range l.nodes {
		attracted, err := required.Match(node)
		demand(err == nil, "%v", err)
		if !attracted || full[l.unitOf[i]] {
			continue
		}
		if _, untolerated := corev1helpers.FindMatchingUntoleratedTaint(
			logger, node.Spec.Taints, pod.Spec.Tolerations, keepsAway, false); untolerated {
			continue
		}
		feasible = append(feasible, i)
		scores = append(scores, preferred.Score(node))
		byPolicy = append(byPolicy, 20*l.units[l.unitOf[i]].priority)
	}
	demand(len(feasible) > 0, "every pod of W4 has a node")
	// As DefaultNormalizeScore, and as the ResourcePolicy says.
	highest, low, high := int64(0), byPolicy[0], byPolicy[0]
	for i := range feasible {
		highest, low, high = max(highest, scores[i]), min(low, byPolicy[i]), max(high, byPolicy[i])
	}
	best := int64(-1)
	var chosen []int
	for i, number := range feasible {
		score := int64(100)
		if low < high {
			score = (byPolicy[i] - low) * 100 / (high - low)
		}
		if highest > 0 {
			score += scores[i] * 100 / highest
		}
		if score > best {
			best, chosen = score, chosen[:0]
		}
		if score == best {
			chosen = append(chosen, number)
		}
	}
	number := chosen[l.arrived%len(chosen)]
	l.counts[l.group(pod, l.unitOf[number])]++
	l.running[slot] = loopBound{pod, l.unitOf[number]}
	return number
}

func loopRows() []row {
	l := newLoop()
	logger := klog.Background()
	sum := 0
	for i := 0; i < 6000; i++ {
		sum += l.step(logger) * (i%7 + 1)
	}
	demand(sum == 24424066, "W4's nodes, not %d", sum)
	return []row{{"W4/loop", 1, func() { l.step(logger) }}}
}
