// SPDX-License-Identifier: Apache-2.0
// Rejects a ConfigMap for a label that a MetadataPolicy forbids, from the bytes of its review.

#include <schedpol/engine/engine.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/review.hpp>

#include <iostream>

using namespace schedpol;

constexpr const char* policies = R"({"apiVersion": "v1", "kind": "List", "items": [
  {"apiVersion": "schedpol.io/v1alpha1", "kind": "EngineConfiguration",
   "systems": [{"system": "MetadataPolicy"}]},
  {"kind": "MetadataPolicy", "metadata": {"name": "no-legacy", "namespace": "shop"},
   "spec": {"rules": [
     {"policyPredicate": {"labelSelector": {"matchLabels": {"tier": "legacy"}}},
      "policyAction": {"reject": true}}]}}]})";

constexpr const char* request = R"({
  "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
  "request": {
    "uid": "705ab4f5-6393-11e8-b7cc-42010a800002", "operation": "CREATE", "namespace": "shop",
    "kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
    "resource": {"group": "", "version": "v1", "resource": "configmaps"},
    "userInfo": {"username": "jane"},
    "object": {"apiVersion": "v1", "kind": "ConfigMap",
               "metadata": {"name": "prices", "namespace": "shop", "labels": {"tier": "legacy"}},
               "data": {"tea": "3.20"}}}})";

int main() {
  engine::Configuration configuration;
  for (const FieldError& error : json::add_objects(configuration, policies))
    std::cerr << message(error) << '\n';
  const auto engine = engine::compile(configuration);
  std::cout << json::review(request, *engine) << '\n';
}
