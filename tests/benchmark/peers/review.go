// SPDX-License-Identifier: Apache-2.0

// W2: an AdmissionReview to its response through the injection of three policies, once as webhooks
// on controller-runtime do it (apimachinery's decoder, selectors built for each request, the patch a
// diff of two texts), once as lean as encoding/json lets it be.
package main

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"gomodules.xyz/jsonpatch/v2"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

type injectionPolicy struct {
	Kind     string            `json:"kind"`
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector"`
		PodSelector       *metav1.LabelSelector `json:"podSelector"`
		NodeName          string                `json:"nodeName"`
		SchedulerName     string                `json:"schedulerName"`
		NodeSelector      map[string]string     `json:"nodeSelector"`
		Tolerations       []corev1.Toleration   `json:"tolerations"`
		Affinity          *corev1.Affinity      `json:"affinity"`
	} `json:"spec"`
}

type injectionInput struct {
	Namespace corev1.Namespace  `json:"namespace"`
	Policies  []injectionPolicy `json:"policies"`
}

// The selectors of a policy, ready to match.
type selectors struct {
	namespace, pod labels.Selector
}

func (p *injectionPolicy) isCluster() bool { return p.Kind == "ClusterPodSchedulingPolicy" }

func (p *injectionPolicy) selectors() selectors {
	return selectors{
		must(metav1.LabelSelectorAsSelector(p.Spec.NamespaceSelector)),
		must(metav1.LabelSelectorAsSelector(p.Spec.PodSelector)),
	}
}

func (p *injectionPolicy) applies(by selectors, pod *corev1.Pod, in *corev1.Namespace) bool {
	if p.isCluster() {
		return by.namespace.Matches(labels.Set(in.Labels)) && by.pod.Matches(labels.Set(pod.Labels))
	}
	return p.Metadata.Namespace == in.Name && by.pod.Matches(labels.Set(pod.Labels))
}

// In the order in which they apply: by name, of equal names the cluster's first.
func sortPolicies(policies []injectionPolicy) {
	slices.SortFunc(policies, func(a, b injectionPolicy) int {
		if order := strings.Compare(a.Metadata.Name, b.Metadata.Name); order != 0 {
			return order
		}
		return strings.Compare(a.Kind, b.Kind)
	})
}

func appendMissing[T any](list, from []T) []T {
	for _, item := range from {
		if !slices.ContainsFunc(list, func(has T) bool { return reflect.DeepEqual(has, item) }) {
			list = append(list, item)
		}
	}
	return list
}

func containsAll(all, some []corev1.NodeSelectorRequirement) bool {
	for _, item := range some {
		if !slices.ContainsFunc(all, func(has corev1.NodeSelectorRequirement) bool {
			return reflect.DeepEqual(has, item)
		}) {
			return false
		}
	}
	return true
}

func isEmpty(term corev1.NodeSelectorTerm) bool {
	return len(term.MatchExpressions) == 0 && len(term.MatchFields) == 0
}

// Every term of the pod with every term of the policy; a term that holds one already stays.
func product(pod, policy []corev1.NodeSelectorTerm) []corev1.NodeSelectorTerm {
	pod = slices.DeleteFunc(slices.Clone(pod), isEmpty)
	policy = slices.DeleteFunc(slices.Clone(policy), isEmpty)
	var terms []corev1.NodeSelectorTerm
	for _, own := range pod {
		if slices.ContainsFunc(policy, func(term corev1.NodeSelectorTerm) bool {
			return containsAll(own.MatchExpressions, term.MatchExpressions) &&
				containsAll(own.MatchFields, term.MatchFields)
		}) {
			terms = append(terms, own)
			continue
		}
		for _, term := range policy {
			terms = append(terms, corev1.NodeSelectorTerm{
				MatchExpressions: appendMissing(slices.Clone(term.MatchExpressions), own.MatchExpressions),
				MatchFields:      appendMissing(slices.Clone(term.MatchFields), own.MatchFields),
			})
		}
	}
	if len(terms) == 0 {
		return []corev1.NodeSelectorTerm{{}}
	}
	return terms
}

func injectNodeAffinity(into **corev1.NodeAffinity, from *corev1.NodeAffinity) {
	if from == nil {
		return
	}
	if *into == nil {
		*into = from.DeepCopy()
		return
	}
	has := *into
	has.PreferredDuringSchedulingIgnoredDuringExecution =
		appendMissing(has.PreferredDuringSchedulingIgnoredDuringExecution,
			from.PreferredDuringSchedulingIgnoredDuringExecution)
	required := from.RequiredDuringSchedulingIgnoredDuringExecution
	if required == nil || len(required.NodeSelectorTerms) == 0 {
		return
	}
	own := has.RequiredDuringSchedulingIgnoredDuringExecution
	if own == nil || len(own.NodeSelectorTerms) == 0 {
		has.RequiredDuringSchedulingIgnoredDuringExecution = required.DeepCopy()
		return
	}
	own.NodeSelectorTerms = product(own.NodeSelectorTerms, required.NodeSelectorTerms)
}

func injectPodAntiAffinity(into **corev1.PodAntiAffinity, from *corev1.PodAntiAffinity) {
	if from == nil {
		return
	}
	if *into == nil {
		*into = from.DeepCopy()
		return
	}
	has := *into
	has.RequiredDuringSchedulingIgnoredDuringExecution =
		appendMissing(has.RequiredDuringSchedulingIgnoredDuringExecution,
			from.RequiredDuringSchedulingIgnoredDuringExecution)
	has.PreferredDuringSchedulingIgnoredDuringExecution =
		appendMissing(has.PreferredDuringSchedulingIgnoredDuringExecution,
			from.PreferredDuringSchedulingIgnoredDuringExecution)
}

func injectPodAffinity(into **corev1.PodAffinity, from *corev1.PodAffinity) {
	if from == nil {
		return
	}
	if *into == nil {
		*into = from.DeepCopy()
		return
	}
	has := *into
	has.RequiredDuringSchedulingIgnoredDuringExecution =
		appendMissing(has.RequiredDuringSchedulingIgnoredDuringExecution,
			from.RequiredDuringSchedulingIgnoredDuringExecution)
	has.PreferredDuringSchedulingIgnoredDuringExecution =
		appendMissing(has.PreferredDuringSchedulingIgnoredDuringExecution,
			from.PreferredDuringSchedulingIgnoredDuringExecution)
}

func inject(pod *corev1.PodSpec, policy *injectionPolicy) {
	from := &policy.Spec
	if pod.NodeName == "" {
		pod.NodeName = from.NodeName
	}
	// The API server fills the default in before a webhook sees the pod.
	if pod.SchedulerName == "" || pod.SchedulerName == corev1.DefaultSchedulerName {
		if from.SchedulerName != "" {
			pod.SchedulerName = from.SchedulerName
		}
	}
	for key, value := range from.NodeSelector {
		if _, found := pod.NodeSelector[key]; found {
			continue
		}
		if pod.NodeSelector == nil {
			pod.NodeSelector = map[string]string{}
		}
		pod.NodeSelector[key] = value
	}
	pod.Tolerations = appendMissing(pod.Tolerations, from.Tolerations)
	if from.Affinity == nil {
		return
	}
	if pod.Affinity == nil {
		pod.Affinity = &corev1.Affinity{}
	}
	injectNodeAffinity(&pod.Affinity.NodeAffinity, from.Affinity.NodeAffinity)
	injectPodAffinity(&pod.Affinity.PodAffinity, from.Affinity.PodAffinity)
	injectPodAntiAffinity(&pod.Affinity.PodAntiAffinity, from.Affinity.PodAntiAffinity)
}

type webhook struct {
	decoder  runtime.Decoder
	input    injectionInput
	compiled []selectors
}

func newWebhook() *webhook {
	scheme := runtime.NewScheme()
	demand(corev1.AddToScheme(scheme) == nil, "core/v1 registers")
	demand(admissionv1.AddToScheme(scheme) == nil, "admission/v1 registers")
	made := &webhook{
		decoder: serializer.NewCodecFactory(scheme).UniversalDeserializer(),
		input:   decodeInput[injectionInput]("w2-policies.json"),
	}
	sortPolicies(made.input.Policies)
	for i := range made.input.Policies {
		made.compiled = append(made.compiled, made.input.Policies[i].selectors())
	}
	return made
}

func (w *webhook) decodeAndInject(body []byte) (*admissionv1.AdmissionReview, *corev1.Pod) {
	review := &admissionv1.AdmissionReview{}
	_, _, err := w.decoder.Decode(body, nil, review)
	demand(err == nil, "%v", err)
	pod := &corev1.Pod{}
	demand(runtime.DecodeInto(w.decoder, review.Request.Object.Raw, pod) == nil, "W2's pod decodes")
	// Webhooks that list their policies for every request build the selectors for every request too.
	for i := range w.input.Policies {
		policy := w.input.Policies[i]
		if policy.applies(policy.selectors(), pod, &w.input.Namespace) {
			inject(&pod.Spec, &policy)
		}
	}
	return review, pod
}

// handle is a whole request: also what the two texts differ in, and the response.
func (w *webhook) handle(body []byte) ([]byte, []jsonpatch.Operation) {
	review, pod := w.decodeAndInject(body)
	marshaled := must(json.Marshal(pod))
	patch := must(jsonpatch.CreatePatch(review.Request.Object.Raw, marshaled))
	patchType := admissionv1.PatchTypeJSONPatch
	response := admissionv1.AdmissionReview{
		TypeMeta: review.TypeMeta,
		Response: &admissionv1.AdmissionResponse{
			UID:       review.Request.UID,
			Allowed:   true,
			Result:    &metav1.Status{Code: http.StatusOK},
			Patch:     must(json.Marshal(patch)),
			PatchType: &patchType,
		},
	}
	return must(json.Marshal(response)), patch
}

type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// lean knows which fields an injection can change, and replaces those whole.
func (w *webhook) lean(body []byte) ([]byte, []operation) {
	var review admissionv1.AdmissionReview
	demand(json.Unmarshal(body, &review) == nil, "W2's review decodes")
	var pod corev1.Pod
	demand(json.Unmarshal(review.Request.Object.Raw, &pod) == nil, "W2's pod decodes")
	for i := range w.input.Policies {
		policy := &w.input.Policies[i]
		if policy.applies(w.compiled[i], &pod, &w.input.Namespace) {
			inject(&pod.Spec, policy)
		}
	}
	// Adding a member that is there replaces it.
	patch := []operation{
		{"add", "/spec/schedulerName", pod.Spec.SchedulerName},
		{"add", "/spec/nodeSelector", pod.Spec.NodeSelector},
		{"add", "/spec/tolerations", pod.Spec.Tolerations},
		{"add", "/spec/affinity", pod.Spec.Affinity},
	}
	patchType := admissionv1.PatchTypeJSONPatch
	response := admissionv1.AdmissionReview{
		TypeMeta: review.TypeMeta,
		Response: &admissionv1.AdmissionResponse{
			UID:       review.Request.UID,
			Allowed:   true,
			Patch:     must(json.Marshal(patch)),
			PatchType: &patchType,
		},
	}
	return must(json.Marshal(response)), patch
}

func reviewRows() []row {
	w := newWebhook()
	body := readInput("w2-admission-review.json")
	_, pod := w.decodeAndInject(body)
	required := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	demand(pod.Spec.SchedulerName == "my-scheduler", "W2's scheduler")
	demand(len(pod.Spec.NodeSelector) == 3, "W2's node selector")
	demand(len(pod.Spec.Tolerations) == 4, "W2's tolerations")
	demand(len(required.NodeSelectorTerms) == 2, "W2's terms")
	demand(len(required.NodeSelectorTerms[0].MatchExpressions) == 4, "W2's expressions")
	_, patch := w.handle(body)
	demand(len(patch) == patchOperations, "W2's diff has %d operations", len(patch))
	_, whole := w.lean(body)
	demand(len(whole) == 4, "W2's fields that change")
	return []row{
		{"W2/handler", 1, func() { w.handle(body) }},
		{"W2/decode_and_inject", 1, func() { w.decodeAndInject(body) }},
		{"W2/lean", 1, func() { w.lean(body) }},
	}
}

// Fifteen below spec, and one that the injection does not ask for: since these libraries leave out a
// creationTimestamp of null, its diff removes it.
const patchOperations = 16
