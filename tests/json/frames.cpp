// SPDX-License-Identifier: Apache-2.0
// How many functions stand on the stack between the entry of a review and the function that records
// a violation, in a build that inlines none: what a reader steps through. Both ends are not
// counted, all else is.
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/review.hpp>

#include <execinfo.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <new>
#include <string>

namespace {

constexpr std::size_t most_frames = 13;
bool counting = false;
std::size_t recorded = 0;  ///< allocations of the function that records
std::size_t frames = 0;    ///< the most between the two ends

void count_frames() {
  counting = false;  // what counts allocates
  std::array<void*, 100> stack{};
  const auto depth = static_cast<std::size_t>(backtrace(stack.data(), int(stack.size())));
  char** const names = backtrace_symbols(stack.data(), int(depth));
  const auto find = [&](const char* name) {
    return std::find_if(names, names + depth, [&](const char* symbol) {
      return std::string(symbol).find(name) != std::string::npos;
    });
  };
  char** const recording = find("ViolationList8on_event");
  char** const entry = find("4json6review");
  if (recording < entry && entry != names + depth) {
    ++recorded;
    frames = std::max(frames, static_cast<std::size_t>(entry - recording) - 1);
  }
  std::free(names);
  counting = true;
}

}  // namespace

void* operator new(std::size_t size) {
  if (counting) count_frames();
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

int main() {
  namespace json = schedpol::json;
  namespace engine = schedpol::engine;
  constexpr std::string_view affinity =
      R"("nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1,
           "preference": {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}}]},
         "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]})";
  engine::Configuration configuration{
      .systems = {{engine::System::scheduling_policy, engine::Mode::enforce}}};
  configuration.settings.policy_use = engine::PolicyUse::every;
  const bool is_read = json::add_objects(configuration, R"({"kind": "SchedulingPolicy",
      "metadata": {"name": "strict"}, "spec": {
        "required": {"priorityClassNames": ["low"], "nodeSelectors": {"disk": ["ssd"]},
          "tolerations": [{"keys": ["spot"], "operators": ["Exists"], "effects": []}],
          "affinities": {"nodeAffinities": {"requiredDuringSchedulingIgnoredDuringExecution":
            {"nodeSelectorTerms": [{"matchExpressions": [{"keys": ["arch"], "operators": ["In"],
                                                          "values": ["arm64"]}]}]}},
            "podAffinities": {"requiredDuringSchedulingIgnoredDuringExecution":
              {"topologyKeys": ["rack"]}}}}}})")
                           .empty();
  const auto compiled = engine::compile(configuration);
  const std::string bytes =
      R"({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "1",
          "kind": {"version": "v1", "kind": "Pod"}, "namespace": "shop", "operation": "CREATE",
          "object": {"kind": "Pod", "metadata": {"name": "web"}, "spec": {"schedulerName": "mine",
            "nodeName": "node", "nodeSelector": {"zone": "a"}, "tolerations": [{"key": "gpu"}],
            "affinity": {)" +
      std::string(affinity) + "}}}}}";
  counting = true;
  const std::string response = json::review(bytes, *compiled);
  counting = false;
  std::cout << frames << " frames, " << most_frames << " at most\n";
  const bool is_denied = response.find("AffinityRequired") != std::string::npos;
  return is_read && is_denied && recorded > 20 && frames <= most_frames ? 0 : 1;
}
