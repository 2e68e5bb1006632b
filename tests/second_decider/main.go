// SPDX-License-Identifier: Apache-2.0

// Decides on objects as an API server does that has what `schedpol export` writes: its own compiler, patcher
// and cost budgets run the expressions, and nothing here knows what a SchedulingPolicy is.
//
// One JSON value a line in, one a line out. {"policies": YAML} takes the policies of the lines that follow, and is
// answered by {"errors": [...]}, what the compiler finds wrong; {"rbac": [...]} the roles and bindings that its
// authorizer answers from. Any other line is a request: {"object", "old",
// "operation", "namespace", "user", "groups"}; its answer is {"allowed", "object", "messages", "warned", "cost"}.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission"
	admissionauthorizer "k8s.io/apiserver/pkg/admission/plugin/authorizer"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/kubernetes/scheme"
	sigsyaml "sigs.k8s.io/yaml"
)

// Of a policy, what decides whether it is about a request, and what it says then.
type compiled struct {
	name     string
	matcher  matchconditions.Matcher
	compiler *cel.CompositedCompiler
}

type validatingPolicy struct {
	compiled
	validator   validating.Validator
	validations cel.ConditionEvaluator
	messages    cel.ConditionEvaluator
}

type mutatingPolicy struct {
	compiled
	patchers []patch.Patcher
}

type policySet struct {
	mutating   []mutatingPolicy
	validating []validatingPolicy
	actions    map[string][]admissionregistration.ValidationAction
	rbac       *roles
}

var withAuthorizer = cel.OptionalVariableDeclarations{HasAuthorizer: true}

func compile(name string, failure *admissionregistration.FailurePolicyType, conditions []admissionregistration.MatchCondition,
	variables []admissionregistration.Variable, bad *[]string) (compiled, error) {
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		return compiled{}, err
	}
	// The API server refuses variables in match conditions; here they are not known yet.
	var matcher matchconditions.Matcher
	if len(conditions) > 0 {
		accessors := make([]cel.ExpressionAccessor, len(conditions))
		for i := range conditions {
			accessors[i] = (*matchconditions.MatchCondition)(&conditions[i])
		}
		evaluator := compiler.CompileCondition(accessors, withAuthorizer, environment.NewExpressions)
		report(evaluator.CompilationErrors(), name+".matchConditions", bad)
		matcher = matchconditions.NewMatcher(evaluator, failure, "policy", "validate", name)
	}
	for _, variable := range variables {
		result := compiler.CompileAndStoreVariable(&validating.Variable{Name: variable.Name, Expression: variable.Expression},
			withAuthorizer, environment.NewExpressions)
		if result.Error != nil {
			report([]error{result.Error}, name+".variables."+variable.Name, bad)
		}
	}
	return compiled{name, matcher, compiler}, nil
}

func report(found []error, where string, bad *[]string) {
	for _, err := range found {
		*bad = append(*bad, where+": "+err.Error())
	}
}

func compileValidating(policy *admissionregistration.ValidatingAdmissionPolicy, bad *[]string) (validatingPolicy, error) {
	spec := policy.Spec
	base, err := compile(policy.Name, spec.FailurePolicy, spec.MatchConditions, spec.Variables, bad)
	if err != nil {
		return validatingPolicy{}, err
	}
	conditions := make([]cel.ExpressionAccessor, len(spec.Validations))
	messages := make([]cel.ExpressionAccessor, len(spec.Validations))
	for i, validation := range spec.Validations {
		conditions[i] = &validating.ValidationCondition{Expression: validation.Expression, Message: validation.Message,
			Reason: validation.Reason}
		if validation.MessageExpression != "" {
			messages[i] = &validating.MessageExpressionCondition{MessageExpression: validation.MessageExpression}
		}
	}
	validations := base.compiler.CompileCondition(conditions, withAuthorizer, environment.NewExpressions)
	said := base.compiler.CompileCondition(messages, cel.OptionalVariableDeclarations{}, environment.NewExpressions)
	report(validations.CompilationErrors(), policy.Name+".validations", bad)
	report(said.CompilationErrors(), policy.Name+".messageExpressions", bad)
	none := base.compiler.CompileCondition(nil, withAuthorizer, environment.NewExpressions)
	return validatingPolicy{base, validating.NewValidator(validations, base.matcher, none, said, spec.FailurePolicy, nil),
		validations, said}, nil
}

func compileMutating(policy *admissionregistration.MutatingAdmissionPolicy, bad *[]string) (mutatingPolicy, error) {
	spec := policy.Spec
	base, err := compile(policy.Name, spec.FailurePolicy, spec.MatchConditions, spec.Variables, bad)
	if err != nil {
		return mutatingPolicy{}, err
	}
	made := mutatingPolicy{compiled: base}
	declared := withAuthorizer
	declared.HasPatchTypes = true
	for _, mutation := range spec.Mutations {
		if mutation.JSONPatch == nil {
			return mutatingPolicy{}, fmt.Errorf("%s: a mutation without a JSONPatch", policy.Name)
		}
		evaluator := base.compiler.CompileMutatingEvaluator(&patch.JSONPatchCondition{Expression: mutation.JSONPatch.Expression},
			declared, environment.NewExpressions)
		report(evaluator.CompilationErrors(), policy.Name+".mutations", bad)
		made.patchers = append(made.patchers, patch.NewJSONPatcher(evaluator))
	}
	return made, nil
}

func read(text string) (*policySet, []string, error) {
	set := &policySet{actions: map[string][]admissionregistration.ValidationAction{}, rbac: &roles{}}
	bad := []string{}
	bound := map[string]bool{}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader([]byte(text))))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		var head metav1.TypeMeta
		if err := sigsyaml.Unmarshal(document, &head); err != nil {
			return nil, nil, err
		}
		if head.Kind == "" {
			continue
		}
		switch head.Kind {
		case "ValidatingAdmissionPolicy":
			var policy admissionregistration.ValidatingAdmissionPolicy
			if err := sigsyaml.UnmarshalStrict(document, &policy); err != nil {
				return nil, nil, err
			}
			made, err := compileValidating(&policy, &bad)
			if err != nil {
				return nil, nil, err
			}
			if len(policy.Spec.Validations) == 1 && policy.Spec.Validations[0].Expression == "true" {
				continue // so that something is applied
			}
			set.validating = append(set.validating, made)
		case "MutatingAdmissionPolicy":
			var policy admissionregistration.MutatingAdmissionPolicy
			if err := sigsyaml.UnmarshalStrict(document, &policy); err != nil {
				return nil, nil, err
			}
			made, err := compileMutating(&policy, &bad)
			if err != nil {
				return nil, nil, err
			}
			set.mutating = append(set.mutating, made)
		case "ValidatingAdmissionPolicyBinding":
			var binding admissionregistration.ValidatingAdmissionPolicyBinding
			if err := sigsyaml.UnmarshalStrict(document, &binding); err != nil {
				return nil, nil, err
			}
			set.actions[binding.Spec.PolicyName] = binding.Spec.ValidationActions
			bound["validating "+binding.Spec.PolicyName] = true
		case "MutatingAdmissionPolicyBinding":
			var binding admissionregistration.MutatingAdmissionPolicyBinding
			if err := sigsyaml.UnmarshalStrict(document, &binding); err != nil {
				return nil, nil, err
			}
			bound["mutating "+binding.Spec.PolicyName] = true
		default:
			return nil, nil, fmt.Errorf("a %q is nothing that is exported", head.Kind)
		}
	}
	for _, policy := range set.validating {
		if !bound["validating "+policy.name] {
			bad = append(bad, policy.name+" has no binding")
		}
	}
	for _, policy := range set.mutating {
		if !bound["mutating "+policy.name] {
			bad = append(bad, policy.name+" has no binding")
		}
	}
	return set, bad, nil
}

type request struct {
	Policies  *string           `json:"policies"`
	Rbac      []json.RawMessage `json:"rbac"`
	Object    json.RawMessage   `json:"object"`
	Old       json.RawMessage   `json:"old"`
	Operation string            `json:"operation"`
	Namespace string            `json:"namespace"`
	User      string            `json:"user"`
	Groups    []string          `json:"groups"`
}

type answer struct {
	Allowed  bool            `json:"allowed"`
	Object   json.RawMessage `json:"object"`
	Messages []string        `json:"messages"`
	Warned   []string        `json:"warned"`
	Cost     int64           `json:"cost"`
}

func decode(bytes []byte) (runtime.Object, *schema.GroupVersionKind, error) {
	if len(bytes) == 0 || string(bytes) == "null" {
		return nil, nil, nil
	}
	return scheme.Codecs.UniversalDeserializer().Decode(bytes, nil, nil)
}

func decide(set *policySet, asked request) (answer, error) {
	object, kind, err := decode(asked.Object)
	if err != nil {
		return answer{}, err
	}
	old, _, err := decode(asked.Old)
	if err != nil {
		return answer{}, err
	}
	resource, _ := meta.UnsafeGuessKindToResource(*kind)
	operation := admission.Operation(asked.Operation)
	var options runtime.Object = &metav1.CreateOptions{}
	if operation == admission.Update {
		options = &metav1.UpdateOptions{}
	}
	attributes := func() *admission.VersionedAttributes {
		record := admission.NewAttributesRecord(object, old, *kind, asked.Namespace, "", resource, "", operation, options,
			false, &user.DefaultInfo{Name: asked.User, Groups: asked.Groups})
		made := &admission.VersionedAttributes{Attributes: record, VersionedKind: *kind,
			VersionedObject: admission.NewLazyObject(object)}
		if old != nil {
			made.VersionedOldObject = admission.NewLazyObject(old)
		}
		return made
	}
	made := answer{Allowed: true, Messages: []string{}, Warned: []string{}}
	permits := admissionauthorizer.NewCachingAuthorizer(set.rbac)
	bound := cel.OptionalVariableBindings{Authorizer: permits}
	for _, policy := range set.mutating {
		ctx := policy.compiler.CreateContext(context.Background())
		if policy.matcher != nil {
			matched := policy.matcher.Match(ctx, attributes(), nil, permits)
			if matched.Error != nil {
				made.Allowed = false
				made.Messages = append(made.Messages, matched.Error.Error())
				continue
			}
			if !matched.Matches {
				continue
			}
		}
		for _, patcher := range policy.patchers {
			changed, err := patcher.Patch(ctx, patch.Request{MatchedResource: resource, VersionedAttributes: attributes(),
				OptionalVariables: bound, ObjectInterfaces: admission.NewObjectInterfacesFromScheme(scheme.Scheme)}, celconfig.RuntimeCELCostBudget)
			if err != nil {
				made.Allowed = false
				made.Messages = append(made.Messages, "patch: "+err.Error())
				continue
			}
			object = changed
		}
	}
	for _, policy := range set.validating {
		result := policy.validator.Validate(context.Background(), resource, attributes(), nil, nil,
			celconfig.RuntimeCELCostBudget, permits)
		for _, decision := range result.Decisions {
			if decision.Action != validating.ActionDeny {
				continue
			}
			text := decision.Message
			if decision.Evaluation == validating.EvalError {
				text = "error: " + text
			}
			for _, action := range set.actions[policy.name] {
				if action == admissionregistration.Deny {
					made.Allowed = false
					made.Messages = append(made.Messages, text)
				} else {
					made.Warned = append(made.Warned, text)
				}
			}
		}
		if len(result.Decisions) > 0 {
			made.Cost = max(made.Cost, policy.cost(attributes(), resource, bound))
		}
	}
	made.Object, err = json.Marshal(object)
	return made, err
}

// What the validations and their messages cost together.
func (policy *validatingPolicy) cost(of *admission.VersionedAttributes, resource schema.GroupVersionResource,
	bound cel.OptionalVariableBindings) int64 {
	asked := cel.CreateAdmissionRequest(of.Attributes, metav1.GroupVersionResource(resource),
		metav1.GroupVersionKind(of.VersionedKind))
	left := int64(celconfig.RuntimeCELCostBudget)
	for _, evaluator := range []cel.ConditionEvaluator{policy.validations, policy.messages} {
		_, remaining, err := evaluator.ForInput(context.Background(), of, asked, bound, nil, left)
		if err != nil {
			return celconfig.RuntimeCELCostBudget
		}
		left = remaining
	}
	return celconfig.RuntimeCELCostBudget - left
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	var set *policySet
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return
		}
		var asked request
		if err == nil {
			err = json.Unmarshal(line, &asked)
		}
		var reply any
		if err == nil && asked.Policies != nil {
			var bad []string
			set, bad, err = read(*asked.Policies)
			reply = map[string][]string{"errors": bad}
		} else if err == nil && asked.Rbac != nil {
			set.rbac, err = readRoles(asked.Rbac)
			reply = map[string][]string{"errors": {}}
		} else if err == nil {
			reply, err = decide(set, asked)
		}
		if err != nil {
			reply = map[string][]string{"errors": {err.Error()}}
		}
		bytes, err := json.Marshal(reply)
		if err != nil {
			panic(err)
		}
		out.Write(bytes)
		out.WriteByte('\n')
		out.Flush()
	}
}
