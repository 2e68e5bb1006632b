// SPDX-License-Identifier: Apache-2.0
// What it costs to use one system alone.
#include <schedpol/runtime_class/admit.hpp>

#include <vector>

int main(int arguments, char** values) {
  const std::vector<schedpol::runtime_class::RuntimeClass> classes = {
      {.metadata = {.name = "kata"}, .scheduling = {{.node_selector = {{"sandbox", "kata"}}}}}};
  schedpol::Pod pod;
  pod.spec.runtime_class_name = values[arguments - 1];
  return schedpol::runtime_class::admit(pod, classes).allowed ? 0 : 1;
}
