// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/impl/required_pod_terms.hpp>

#include <doctest/doctest.h>

namespace SCHEDPOL_NAMESPACE::detail {
namespace required_pod_terms_test {

constexpr auto in = LabelSelectorOperator::in;

/// Pods of the application `db`, in one zone.
PodAffinityTerm db() {
  PodAffinityTerm term;
  term.label_selector = LabelSelector{.match_labels = {{"app", "db"}}};
  term.topology_key = "zone";
  return term;
}

TEST_CASE("required affinity contradicts required anti-affinity to the same pods of one domain") {
  const auto with = [](void (*change)(PodAffinityTerm&)) {
    PodAffinityTerm changed = db();
    change(changed);
    return changed;
  };
  struct Case {
    const char* name;
    PodAffinityTerm a;
    PodAffinityTerm b;
    bool wanted;
  };
  const Case cases[] = {
      {"the same", db(), db(), true},
      {"a pair of matchLabels is In with one value", with([](auto& t) {
         t.label_selector = LabelSelector{{}, {{"app", in, {"db"}}}};
       }),
       db(), true},
      {"expressions and values in another order, and twice", with([](auto& t) {
         t.label_selector = LabelSelector{{}, {{"a", in, {"1", "2"}}, {"b", in, {"3"}}}};
       }),
       with([](auto& t) {
         t.label_selector =
             LabelSelector{{{"b", "3"}}, {{"b", in, {"3"}}, {"a", in, {"2", "1", "2"}}}};
       }),
       true},
      {"namespaces in another order", with([](auto& t) {
         t.namespaces = {"x", "y"};
       }),
       with([](auto& t) {
         t.namespaces = {"y", "x", "y"};
       }),
       true},
      {"the namespace of the pod, said and not", with([](auto& t) { t.namespaces = {"team-a"}; }),
       db(), true},
      {"label keys in another order", with([](auto& t) {
         t.match_label_keys = {"x", "y"};
       }),
       with([](auto& t) {
         t.match_label_keys = {"y", "x"};
       }),
       true},
      {"all pods", with([](auto& t) { t.label_selector = LabelSelector(); }),
       with([](auto& t) { t.label_selector = LabelSelector(); }), true},
      {"another topology key", with([](auto& t) { t.topology_key = "host"; }), db(), false},
      {"other pods", with([](auto& t) {
         t.label_selector = LabelSelector{.match_labels = {{"app", "web"}}};
       }),
       db(), false},
      {"another operator", with([](auto& t) {
         t.label_selector = LabelSelector{{}, {{"app", LabelSelectorOperator::not_in, {"db"}}}};
       }),
       db(), false},
      {"another namespace", with([](auto& t) { t.namespaces = {"team-b"}; }), db(), false},
      {"one namespace more", with([](auto& t) {
         t.namespaces = {"team-a", "team-b"};
       }),
       db(), false},
      {"all namespaces", with([](auto& t) { t.namespace_selector = LabelSelector(); }), db(),
       false},
      {"selected namespaces, and one besides",
       with([](auto& t) { t.namespace_selector = LabelSelector(); }), with([](auto& t) {
         t.namespace_selector = LabelSelector();
         t.namespaces = {"team-a"};
       }),
       false},
      {"label keys", with([](auto& t) { t.match_label_keys = {"app"}; }), db(), false},
      {"other label keys", with([](auto& t) { t.match_label_keys = {"app"}; }),
       with([](auto& t) { t.mismatch_label_keys = {"app"}; }), false},
      {"without a selector both are about no pods", with([](auto& t) { t.label_selector.reset(); }),
       with([](auto& t) { t.label_selector.reset(); }), false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(RequiredPodTerms("team-a").contradict(PodAffinity{{c.a}, {}}, c.b) == c.wanted);
    CHECK(RequiredPodTerms("team-a").contradict(PodAffinity{{c.b}, {}}, c.a) == c.wanted);
  }
}

TEST_CASE("required terms may become more between two questions") {
  RequiredPodTerms terms("team-a");
  std::optional<PodAffinity> kind;
  CHECK_FALSE(terms.contradict(kind, db()));
  kind = PodAffinity{{}, {{5, db()}}};
  CHECK_FALSE(terms.contradict(kind, db()));
  kind->required_during_scheduling_ignored_during_execution.push_back(db());
  CHECK(terms.contradict(kind, db()));
}

}  // namespace required_pod_terms_test
}  // namespace SCHEDPOL_NAMESPACE::detail
