// SPDX-License-Identifier: Apache-2.0
// `schedpol init`: five policies, three workloads and their cases, to begin with.

#include "commands.hpp"

#include <schedpol/base/quoting.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

namespace cli {

namespace {

struct File {
  std::string_view name;
  std::string_view text;
};

constexpr File files[] = {
    {"policies/everyone.yaml",
     R"(# Everyone may use the default scheduler. Pods get the priority class `low` by default.
apiVersion: schedpol.io/v1alpha1
kind: SchedulingPolicy
metadata:
  name: everyone
spec:
  allowed:
    schedulerNames: [default-scheduler]
  default:
    priorityClassName: low
)"},
    {"policies/gpu.yaml", R"(# Trainings may use the nodes with a GPU.
apiVersion: schedpol.io/v1alpha1
kind: SchedulingPolicy
metadata:
  name: gpu
spec:
  allowed:
    priorityClassNames: [training]
    tolerations:
    - keys: [nvidia.com/gpu]
      operators: [Exists]
      effects: [NoSchedule]
)"},
    {"policies/zone.yaml", R"(# Pods with the label `app: web` stay in one zone.
apiVersion: kupid.gardener.cloud/v1alpha1
kind: ClusterPodSchedulingPolicy
metadata:
  name: web-zone
spec:
  namespaceSelector: {}
  podSelector:
    matchLabels: {app: web}
  nodeSelector:
    topology.kubernetes.io/zone: eu-west-1a
)"},
    {"policies/kata.yaml",
     R"(# Pods of this class run in virtual machines, which take memory, on nodes that support them.
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata:
  name: kata
handler: kata
overhead:
  podFixed: {memory: 160Mi}
scheduling:
  nodeSelector: {sandbox: kata}
)"},
    {"policies/units.yaml",
     R"(# Three pods with the label `app: web` run on static nodes. The others run on spot nodes.
apiVersion: scheduling.sigs.x-k8s.io/v1alpha1
kind: ResourcePolicy
metadata:
  name: web
  namespace: shop
spec:
  podSelector:
    matchLabels: {app: web}
  units:
  - name: static
    priority: 5
    maxCount: 3
    nodeSelector:
      matchLabels: {pool: static}
  - name: spot
    priority: 1
    nodeSelector:
      matchLabels: {pool: spot}
)"},
    {"workloads/web.yaml", R"(apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 4
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: registry.example.com/web:1
)"},
    {"workloads/trainer.yaml", R"(apiVersion: batch/v1
kind: Job
metadata:
  name: trainer
  namespace: ml
spec:
  template:
    spec:
      priorityClassName: training
      restartPolicy: Never
      tolerations:
      - key: nvidia.com/gpu
        operator: Exists
        effect: NoSchedule
      containers:
      - name: trainer
        image: registry.example.com/trainer:1
)"},
    {"workloads/miner.yaml", R"(apiVersion: v1
kind: Pod
metadata:
  name: miner
  namespace: ml
spec:
  tolerations:
  - operator: Exists
  containers:
  - name: miner
    image: registry.example.com/miner:1
)"},
    {"nodes.yaml", R"(apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: static-1, labels: {pool: static, topology.kubernetes.io/zone: eu-west-1a}}
  status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}
- apiVersion: v1
  kind: Node
  metadata: {name: static-2, labels: {pool: static, topology.kubernetes.io/zone: eu-west-1a}}
  status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}
- apiVersion: v1
  kind: Node
  metadata: {name: spot-1, labels: {pool: spot, topology.kubernetes.io/zone: eu-west-1a}}
  status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}
)"},
    {"tests.yaml", R"(apiVersion: schedpol.io/v1alpha1
kind: PolicyTest
policies: [policies]
objects:
  web: {file: workloads/web.yaml}
  trainer: {file: workloads/trainer.yaml}
  miner: {file: workloads/miner.yaml}
cases:
- name: the web stays in its zone
  object: web
  expect:
    allowed: true
    changes:
    - field: spec.template.spec.nodeSelector[topology.kubernetes.io/zone]
      to: eu-west-1a
      policy: web-zone
- name: trainings may use the nodes with a GPU
  object: trainer
  expect: {allowed: true}
- name: nobody tolerates every taint
  object: miner
  expect:
    allowed: false
    reasons:
    - {code: TolerationNotAllowed, field: "spec.tolerations[0]"}
- name: the fourth replica of the web goes to a spot node
  object: web
  replicas: 4
  nodes: nodes.yaml
  expect: {units: [3, 1]}
)"},
};

}  // namespace

Status run_init(const Arguments& arguments) {
  namespace fs = std::filesystem;
  const fs::path folder(arguments.operands[0]);
  const auto fail = [](const fs::path& path, const std::string& why) {
    std::string text;
    schedpol::append_escaped(text, path.generic_string(), "");
    std::cerr << text << ": cannot be written: " << why << '\n';
    return Status::not_looked;
  };
  std::error_code error;
  if (!fs::create_directories(folder, error))
    return fail(folder, error ? error.message() : "it is there already");
  for (const File& file : files) {
    const fs::path path = folder / file.name;
    fs::create_directories(path.parent_path(), error);
    std::ofstream out(path, std::ios::binary);
    out << file.text << std::flush;
    if (!out) return fail(path, "the disk is full, or not writable");
    std::cout << path.generic_string() << '\n';
  }
  return Status::good;
}

}  // namespace cli
