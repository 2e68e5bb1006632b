// SPDX-License-Identifier: Apache-2.0
// The examples of the page: each is a state of its form.
const SETTINGS = `apiVersion: schedpol.io/v1alpha1
kind: EngineConfiguration
policyUse: Every
systems:
- system: `;

const TEAMS = `${SETTINGS}SchedulingPolicy
---
apiVersion: schedpol.io/v1alpha1
kind: SchedulingPolicy
metadata:
  name: everyone
spec:
  required:
    nodeSelectors:
      kubernetes.io/arch: [amd64, arm64]
  allowed:
    schedulerNames: [default-scheduler]
  default:
    nodeSelector:
      kubernetes.io/arch: amd64
---
apiVersion: schedpol.io/v1alpha1
kind: SchedulingPolicy
metadata:
  name: gpu-team
spec:
  allowed:
    schedulerNames: [gpu-scheduler]
    tolerations:
    - keys: [gpu]
      operators: [Exists]
      effects: [NoSchedule]
  default:
    priorityClassName: batch
`;

const EXAMPLES = [
  {
    title: "Denied, with the nearest fix",
    left: TEAMS,
    right: `apiVersion: v1
kind: Pod
metadata:
  name: miner
spec:
  schedulerName: my-scheduler
  nodeSelector:
    kubernetes.io/arch: s390x
  containers:
  - name: main
    image: registry.example.com/miner:1
`,
  },
  {
    title: "Changed by defaults",
    left: TEAMS,
    right: `apiVersion: v1
kind: Pod
metadata:
  name: trainer
spec:
  schedulerName: gpu-scheduler
  tolerations:
  - key: gpu
    operator: Exists
    effect: NoSchedule
  containers:
  - name: main
    image: registry.example.com/trainer:1
`,
  },
  {
    title: "RuntimeClass: overhead and nodes",
    left: `${SETTINGS}RuntimeClass
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata:
  name: kata
handler: kata
overhead:
  podFixed:
    cpu: 250m
    memory: 160Mi
scheduling:
  nodeSelector:
    sandbox: kata
  tolerations:
  - key: sandboxed
    operator: Exists
    effect: NoSchedule
`,
    right: `apiVersion: v1
kind: Pod
metadata:
  name: untrusted
spec:
  runtimeClassName: kata
  containers:
  - name: main
    image: registry.example.com/untrusted:1
`,
  },
  {
    title: "PodSchedulingPolicy: a pool of nodes",
    left: `${SETTINGS}PodSchedulingPolicy
---
apiVersion: kupid.gardener.cloud/v1alpha1
kind: PodSchedulingPolicy
metadata:
  name: spot-pool
  namespace: reports
spec:
  podSelector:
    matchLabels:
      tier: batch
  nodeSelector:
    pool: spot
  tolerations:
  - key: spot
    operator: Exists
    effect: NoSchedule
`,
    right: `apiVersion: batch/v1
kind: Job
metadata:
  name: nightly
  namespace: reports
spec:
  template:
    metadata:
      labels:
        tier: batch
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: registry.example.com/report:1
`,
  },
  {
    title: "MetadataPolicy: a scheduler by label",
    left: `${SETTINGS}MetadataPolicy
---
apiVersion: schedpol.io/v1alpha1
kind: MetadataPolicy
metadata:
  name: batch-scheduler
  namespace: reports
spec:
  rules:
  - policyPredicate:
      labelSelector:
        matchLabels:
          tier: batch
    policyAction:
      updatedAnnotations:
        scheduler.alpha.kubernetes.io/name: batch-scheduler
`,
    right: `apiVersion: v1
kind: Pod
metadata:
  name: nightly
  namespace: reports
  labels:
    tier: batch
spec:
  containers:
  - name: main
    image: registry.example.com/report:1
`,
  },
  {
    title: "ResourcePolicy: a plan of replicas",
    question: "plan",
    replicas: 6,
    left: `apiVersion: scheduling.sigs.x-k8s.io/v1alpha1
kind: ResourcePolicy
metadata:
  name: web
  namespace: shop
spec:
  podSelector:
    matchLabels:
      app: web
  strategy: required
  units:
  - name: reserved
    priority: 5
    maxCount: 2
    nodeSelector:
      matchLabels:
        pool: reserved
  - name: spot
    priority: 3
    maxCount: 3
    nodeSelector:
      matchLabels:
        pool: spot
---
kind: Node
apiVersion: v1
metadata:
  name: reserved-1
  labels:
    pool: reserved
---
kind: Node
apiVersion: v1
metadata:
  name: spot-1
  labels:
    pool: spot
`,
    right: `apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  labels:
    app: web
spec:
  containers:
  - name: main
    image: registry.example.com/web:1
`,
  },
  {
    title: "Compare: a pod that tells the difference",
    question: "compare",
    left: TEAMS,
    right: TEAMS.replace("schedulerNames: [gpu-scheduler]", "schedulerNames: [gpu-scheduler, fast-scheduler]")
      .replace("[amd64, arm64]", "[amd64]"),
  },
  {
    title: "Several systems, one only audits",
    left: `apiVersion: schedpol.io/v1alpha1
kind: EngineConfiguration
policyUse: Every
systems:
- system: PodSchedulingPolicy
- system: SchedulingPolicy
  mode: Audit
---
apiVersion: kupid.gardener.cloud/v1alpha1
kind: ClusterPodSchedulingPolicy
metadata:
  name: general-pool
spec:
  namespaceSelector: {}
  podSelector: {}
  nodeSelector:
    pool: general
---
apiVersion: schedpol.io/v1alpha1
kind: SchedulingPolicy
metadata:
  name: everyone
spec:
  allowed:
    schedulerNames: [default-scheduler]
    nodeSelectors:
      pool: [general]
`,
    right: `apiVersion: v1
kind: Pod
metadata:
  name: shop
spec:
  schedulerName: my-scheduler
  containers:
  - name: main
    image: registry.example.com/shop:1
`,
  },
  {
    title: "Suggest: what these objects need",
    question: "suggest",
    left: `apiVersion: schedpol.io/v1alpha1
kind: EngineConfiguration
systems:
- system: SchedulingPolicy
---
apiVersion: v1
kind: Node
metadata:
  name: gpu-1
  labels:
    pool: gpu
spec:
  taints:
  - {key: gpu, effect: NoSchedule}
---
apiVersion: v1
kind: Node
metadata:
  name: general-1
  labels:
    pool: general
`,
    right: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: train
  namespace: ml
spec:
  template:
    spec:
      serviceAccountName: train
      nodeSelector:
        pool: gpu
      tolerations:
      - {key: gpu, operator: Exists, effect: NoSchedule}
---
# As a cluster prints it: the scheduler chose the node.
apiVersion: v1
kind: Pod
metadata:
  name: db-0
  namespace: shop
  uid: 6f1c
  creationTimestamp: "2026-03-02T09:00:00Z"
  ownerReferences:
  - {apiVersion: apps/v1, kind: StatefulSet, name: db, controller: true}
spec:
  serviceAccountName: db
  nodeName: general-1
`,
  },
  {
    title: "A policy that cannot be read",
    left: `${SETTINGS}SchedulingPolicy
---
apiVersion: schedpol.io/v1alpha1
kind: SchedulingPolicy
metadata:
  name: misspelt
spec:
  allowed:
    schedulerNames: default-scheduler
`,
    right: `apiVersion: v1
kind: Pod
metadata:
  name: any
spec:
  containers:
  - name: main
    image: registry.example.com/any:1
`,
  },
];
