// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Answers from roles and bindings, as the authorizer of an API server with --authorization-mode=RBAC does.
type roles struct {
	rules    map[string][]rbac.PolicyRule
	bindings []rbac.RoleBinding // one of the cluster has no namespace
}

func readRoles(objects []json.RawMessage) (*roles, error) {
	made := &roles{rules: map[string][]rbac.PolicyRule{}}
	for _, object := range objects {
		var head struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(object, &head); err != nil {
			return nil, err
		}
		switch head.Kind {
		case "Role", "ClusterRole":
			var role rbac.Role
			if err := json.Unmarshal(object, &role); err != nil {
				return nil, err
			}
			made.rules[head.Kind+"/"+role.Namespace+"/"+role.Name] = role.Rules
		case "RoleBinding", "ClusterRoleBinding":
			var binding rbac.RoleBinding
			if err := json.Unmarshal(object, &binding); err != nil {
				return nil, err
			}
			made.bindings = append(made.bindings, binding)
		default:
			return nil, fmt.Errorf("a %q is no role and no binding", head.Kind)
		}
	}
	return made, nil
}

func (made *roles) Authorize(_ context.Context, asked authorizer.Attributes) (authorizer.Decision, string, error) {
	for _, binding := range made.bindings {
		if binding.Namespace != "" && binding.Namespace != asked.GetNamespace() {
			continue
		}
		if !slices.ContainsFunc(binding.Subjects, func(subject rbac.Subject) bool { return isSubject(subject, binding.Namespace, asked.GetUser()) }) {
			continue
		}
		of := ""
		if binding.RoleRef.Kind == "Role" {
			of = binding.Namespace
		}
		for _, rule := range made.rules[binding.RoleRef.Kind+"/"+of+"/"+binding.RoleRef.Name] {
			if has(rule.Verbs, asked.GetVerb()) && has(rule.APIGroups, asked.GetAPIGroup()) && has(rule.Resources, asked.GetResource()) &&
				(len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, asked.GetName())) {
				return authorizer.DecisionAllow, "", nil
			}
		}
	}
	return authorizer.DecisionNoOpinion, "", nil
}

func isSubject(subject rbac.Subject, namespace string, who user.Info) bool {
	switch subject.Kind {
	case "User":
		return subject.Name == who.GetName()
	case "Group":
		return slices.Contains(who.GetGroups(), subject.Name)
	}
	if subject.Namespace != "" {
		namespace = subject.Namespace
	}
	return "system:serviceaccount:"+namespace+":"+subject.Name == who.GetName()
}

func has(words []string, word string) bool {
	return slices.Contains(words, word) || slices.Contains(words, "*")
}
