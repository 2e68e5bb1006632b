// SPDX-License-Identifier: Apache-2.0
#include <schedpol/metadata_policy/options.hpp>

#include "../support/print.hpp"

namespace metadata_policy_options_test {

using namespace schedpol;
using metadata_policy::exempts_kind;
using metadata_policy::Options;
using metadata_policy::QosAnnotation;

TEST_CASE("kinds that a cluster writes about itself are exempt, those of other groups are not") {
  struct Case {
    std::string_view group;
    std::string_view kind;
    bool is_exempt;
  };
  const Case cases[] = {
      {"", "Event", true},
      {"events.k8s.io", "Event", true},
      {"coordination.k8s.io", "Lease", true},
      {"discovery.k8s.io", "EndpointSlice", true},
      {"example.com", "Event", false},
      {"example.com", "Lease", false},
      {"", "Lease", false},
      {"", "EndpointSlice", false},
      {"k8s.io", "Event.events", false},
      {"", "ConfigMap", false},
      {"", "Even", false},
  };
  for (const Case& each : cases) {
    CAPTURE(each.group);
    CAPTURE(each.kind);
    CHECK(exempts_kind({}, each.group, each.kind) == each.is_exempt);
  }
  CHECK(!exempts_kind({.exempt_kinds = {}}, "", "Event"));
  CHECK(exempts_kind({.exempt_kinds = {"Backup.example.com"}}, "example.com", "Backup"));
}

TEST_CASE("a number that is no word for the QoS annotation asks for it only where it is used") {
  CHECK(to_string(QosAnnotation::where_used) == "WhereUsed");
  CHECK(to_string(QosAnnotation::always) == "Always");
  CHECK(to_string(static_cast<QosAnnotation>(7)) == "WhereUsed");
}

}  // namespace metadata_policy_options_test
