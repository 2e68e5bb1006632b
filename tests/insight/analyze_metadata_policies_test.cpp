// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/analyze_metadata_policies.hpp>

#include <schedpol/core/limits.hpp>
#include <schedpol/metadata_policy/metadata_admission.hpp>

#include "../metadata_policy/policies.hpp"
#include "../support/findings.hpp"
#include "../support/print.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::metadata_policy {
namespace analyze_metadata_policies_test {

using testing::texts;

TEST_CASE("a predicate that nothing satisfies, and one that something does") {
  LabelSelector contradicting = equal("app", "web");
  contradicting.match_expressions = {{"app", does_not_exist, {}}};
  CHECK(texts(analyze(
            Policies{policy("a", {sets_label("x", "1"),
                                  sets_label("x", "1", {.label_selector = contradicting})})})) ==
        List{"`team-a/a`: `rules[1].policyPredicate`: no object has what the selector asks for"});
  // The values of annotations are free text.
  CHECK(analyze(
            Policies{policy("a", {sets_label("x", "1",
                                             {.label_selector = equal("app", "web"),
                                              .annotation_selector = equal("app", "any text!")})})})
            .empty());
}

TEST_CASE("a rule that never fires because all is rejected, and one that sometimes does") {
  const PolicyPredicate web{.label_selector = equal("app", "web")};
  const PolicyPredicate web_of_tier{.label_selector = equal("app", "web"),
                                    .annotation_selector = where("tier", exists)};
  const PolicyPredicate not_gold{.annotation_selector = where("tier", not_in, {"gold"})};
  const PolicyPredicate gold{.annotation_selector = equal("tier", "gold")};
  const List never = {
      "`team-a/b`: `rules[0]`: the rule never fires, because all that it selects "
      "is rejected"};
  struct Case {
    const char* name;
    MetadataPolicyRule rule;
    RuleList rejecting;
    List found;
  };
  const Case cases[] = {
      {"all is rejected", sets_label("x", "1"), {rejects()}, never},
      {"all is rejected, of an annotation", sets_annotation("x", "1"), {rejects()}, never},
      {"what it selects is rejected", sets_label("x", "1", web), {rejects(web)}, never},
      {"more is rejected", sets_label("x", "1", web_of_tier), {rejects(web)}, never},
      {"less is rejected", sets_label("x", "1", web), {rejects(web_of_tier)}, {}},
      {"two rules reject it together",
       sets_label("x", "1", web),
       {rejects(gold), rejects(not_gold)},
       never},
      {"a rule that rejects", rejects(web), {rejects()}, {}},
      {"a rule that does nothing", {.policy_predicate = web}, {rejects()}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(texts(analyze(Policies{policy("a", c.rejecting), policy("b", {c.rule})})) == c.found);
    CHECK(analyze(Policies{policy("a", c.rejecting, "team-b"), policy("b", {c.rule})}).empty());
  }
}

TEST_CASE("updates of a rule that rejects have no effect, whatever else could be said of them") {
  MetadataPolicyRule labels = sets_label("x", "1");
  labels.policy_action.reject = true;
  MetadataPolicyRule annotates = sets_annotation("y", "1", {.label_selector = equal("app", "web")});
  annotates.policy_action.reject = true;
  const auto findings = analyze(Policies{policy("a", {annotates, sets_annotation("y", "2")})});
  CHECK(
      texts(findings) ==
      List{"`team-a/a`: `rules[0].policyAction`: the rule rejects, so its updates have no effect"});
  REQUIRE(findings.size() == 1);
  CHECK(to_string(findings[0].code) == "UpdatesIgnored");
  CHECK(findings[0].severity == Severity::warning);
  // Of each of them.
  CHECK(texts(analyze(Policies{policy("a", {annotates, labels})})).size() == 2);
  // It never fires is what the other one does.
  CHECK(texts(analyze(Policies{policy("a", {labels, sets_label("x", "2")})})) ==
        List{"`team-a/a`: `rules[0].policyAction`: the rule rejects, so its updates have no effect",
             "`team-a/a`: `rules[1]`: the rule never fires, because all that it selects is "
             "rejected"});
  // A rule that selects nothing has no updates to be ignored.
  LabelSelector nothing = equal("app", "web");
  nothing.match_expressions = {{"app", does_not_exist, {}}};
  labels.policy_predicate = {.label_selector = nothing};
  CHECK(texts(analyze(Policies{policy("a", {labels})})) ==
        List{"`team-a/a`: `rules[0].policyPredicate`: no object has what the selector asks for"});
}

TEST_CASE("a rule that overwrites the label by which it selects, and one that nearly does") {
  const auto two = [](LabelSelectorRequirement first, LabelSelectorRequirement second) {
    return LabelSelector{.match_expressions = {std::move(first), std::move(second)}};
  };
  const auto overwritten = [](const char* value) {
    return List{"`team-a/a`: `rules[0].policyAction.updatedLabels[app]`: the rule writes `" +
                std::string(value) +
                "`, which it does not select, over a label by which it selects: a workload that "
                "selects its pods by the label loses them"};
  };
  struct Case {
    const char* name;
    LabelSelector selector;
    List found;
  };
  const Case cases[] = {
      {"another value", equal("app", "web"), overwritten("db")},
      {"another than the listed ones", where("app", in, {"web", "api"}), overwritten("db")},
      {"one of two does not hold", two({"app", exists, {}}, {"app", not_in, {"db"}}),
       overwritten("db")},
      {"the same value", equal("app", "db"), {}},
      {"one of the listed ones", where("app", in, {"web", "db"}), {}},
      {"any value", where("app", exists), {}},
      {"a label that is not there", where("app", does_not_exist), {}},
      {"a label that need not be there", where("app", not_in, {"db"}), {}},
      {"another label", equal("tier", "web"), {}},
      {"everything", {}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(texts(analyze(Policies{
              policy("a", {sets_label("app", "db", {.label_selector = c.selector})})})) == c.found);
  }
  const PolicyPredicate web{.label_selector = equal("app", "web")};
  const auto findings = analyze(Policies{policy("a", {sets_label("app", "db", web)})});
  REQUIRE(findings.size() == 1);
  CHECK(to_string(findings[0].code) == "SelectedLabelOverwritten");
  CHECK(findings[0].severity == Severity::warning);
  // Annotations select no pods of a workload.
  const PolicyPredicate noted{.annotation_selector = equal("app", "web")};
  CHECK(analyze(Policies{policy("a", {sets_label("app", "db", noted)})}).empty());
  CHECK(analyze(Policies{policy("a", {sets_annotation("app", "db", noted)})}).empty());
  CHECK(analyze(Policies{policy("a", {sets_annotation("app", "db", web)})}).empty());
  // Of each rule the first one, and of one that rejects none.
  MetadataPolicyRule both = sets_label(
      "app", "db", {.label_selector = LabelSelector{{{"app", "web"}, {"tier", "gold"}}, {}}});
  both.policy_action.updated_labels["tier"] = "silver";
  CHECK(texts(analyze(Policies{policy("a", {both})})) == overwritten("db"));
  both.policy_action.reject = true;
  CHECK(texts(analyze(Policies{policy("a", {both})})).size() == 1);
}

TEST_CASE("two rules that write one key differently, and two that nearly do") {
  const PolicyPredicate web{.label_selector = equal("app", "web")};
  const PolicyPredicate gold{.annotation_selector = equal("tier", "gold & silver")};
  const auto findings =
      analyze(Policies{policy("a", {sets_label("x", "1", web), sets_annotation("y", "1", gold)}),
                       policy("b", {sets_annotation("y", "2", web)})});
  REQUIRE(texts(findings) ==
          List{"`team-a/a` and `team-a/b`: `metadata.annotations[y]`: both can select one object, "
               "and write different values to it: `rules[1] 1, rules[0] 2`"});
  CHECK(findings[0].witness->metadata == ObjectMeta{.namespace_ = "team-a",
                                                    .labels = {{"app", "web"}},
                                                    .annotations = {{"tier", "gold & silver"}}});
  CHECK(texts(analyze(Policies{policy("a", {sets_label("x", "1"), sets_label("x", "2")})})) ==
        List{"`team-a/a`: `metadata.labels[x]`: both can select one object, and write different "
             "values to it: `rules[0] 1, rules[1] 2`"});
  // In the order in which they apply, whichever they are given in and write.
  CHECK(texts(analyze(
            Policies{policy("b", {sets_label("x", "1")}), policy("a", {sets_label("x", "2")})})) ==
        List{"`team-a/a` and `team-a/b`: `metadata.labels[x]`: both can select one object, and "
             "write different values to it: `rules[0] 2, rules[0] 1`"});
  // Of long values as much as is shown.
  const std::string text(2 * max_shown_bytes, 'x');
  const auto of_texts = analyze(
      Policies{policy("a", {sets_annotation("y", "1" + text), sets_annotation("y", "2" + text)})});
  REQUIRE(of_texts.size() == 1);
  CHECK(of_texts[0].detail.size() ==
        std::string("rules[0] , rules[1] ").size() + 2 * (max_shown_bytes + 1));
  // Of every key.
  const auto sets_two = [](const char* value) {
    MetadataPolicyRule rule = sets_label("x", value);
    rule.policy_action.updated_labels["y"] = value;
    return rule;
  };
  CHECK(analyze(Policies{policy("a", {sets_two("1"), sets_two("2")})}).size() == 2);
  const Policies harmless[] = {
      {policy("a", {sets_label("x", "1"), sets_label("x", "1")})},
      {policy("a", {sets_label("x", "1"), sets_annotation("x", "2")})},
      {policy("a", {sets_label("x", "1")}), policy("a", {sets_label("x", "2")}, "team-b")},
      {policy("a", {sets_label("x", "1")}), policy("", {sets_label("x", "2")})},
      {policy("a", {sets_label("x", "1", web),
                    sets_label("x", "2", {.label_selector = equal("app", "db")})})},
      {policy("a", {sets_label("x", "1", web), sets_label("x", "2", gold),
                    rejects({.label_selector = equal("app", "web"),
                             .annotation_selector = where("tier", exists)})})},
  };
  for (const Policies& policies : harmless) CHECK(analyze(policies).empty());
  // Where two have one name nothing can be said of what is rejected.
  CHECK(analyze(Policies{policy("a", {sets_label("x", "1")}), policy("a", {rejects()})}).size() <=
        1);
}

TEST_CASE("many policies of one name are looked at like others") {
  CHECK(analyze(Policies(40, policy("a", {sets_label("x", "1")}))).empty());
}

TEST_CASE("of rules that are too many to be compared that is said, and nothing else") {
  RuleList rules;
  for (int i = 0; i < 700; ++i) {
    const std::string number = std::to_string(i);
    LabelSelector labels = where("app", not_in, {"a" + number});
    labels.match_expressions.push_back({"app-" + number, does_not_exist, {}});
    labels.match_expressions.push_back({"all", exists, {}});
    labels.match_expressions.push_back({"all", i % 2 == 0 ? not_in : in, {"x"}});
    rules.push_back(sets_label("x", i % 2 == 0 ? "1" : "2", {.label_selector = labels}));
  }
  CHECK(texts(analyze(Policies{policy("a", rules)})) ==
        List{"too much to compare, so that not all was found of WritesDiffer"});
  // What one rule does not reject the next one does; whether the last fires is not known then.
  Texts values;
  for (int i = 0; i < 150; ++i) values.push_back(std::to_string(i));
  Policies chain;
  for (int i = 0; i < 150; ++i) {
    if (i % 50 == 0) chain.push_back(policy("a" + std::to_string(i), {}));
    LabelSelector labels = where("v", in, values);
    labels.match_expressions.push_back({"k" + std::to_string(i), does_not_exist, {}});
    if (i > 0) labels.match_expressions.push_back({"k" + std::to_string(i - 1), exists, {}});
    chain.back().spec.rules.push_back(rejects({.label_selector = labels}));
  }
  chain.push_back(policy("b", {sets_label("x", "1", {.label_selector = where("v", in, values)})}));
  CHECK(texts(analyze(chain)) ==
        List{"too much to compare, so that not all was found of WritesDiffer, NeverFires"});
}

TEST_CASE("law: rules conflict and never fire where metadata shows it, and witnesses conflict") {
  testing::SelectorGenerator generate(11);
  const auto all_labels = testing::SelectorGenerator::all_labels();
  std::size_t conflicts = 0;
  std::size_t silent = 0;
  std::size_t sane = 0;
  for (int round = 0; round < 40; ++round) {
    RuleList rules;
    for (std::size_t i = 2 + generate.below(round % 2 == 0 ? 3 : 14); i > 0; --i) {
      PolicyPredicate predicate{.label_selector = generate.selector()};
      if (generate.chance(20)) predicate.annotation_selector = generate.selector();
      rules.push_back(generate.chance(30)
                          ? rejects(predicate)
                          : sets_label("x", generate.chance(70) ? "1" : "2", std::move(predicate)));
    }
    const Policies policies = {policy("a", rules)};
    const CompiledPolicies compiled = *compile(policies);
    std::set<std::size_t> fire;
    bool conflict = false;
    for (const Labels& labels : all_labels)
      for (const Labels& annotations : all_labels) {
        const ObjectMeta metadata = object(labels, annotations);
        const MetadataAdmission admission = admit(metadata, compiled);
        conflict = conflict || !admission.conflicts.empty();
        for (std::size_t i = 0; i < rules.size() && admission.allowed; ++i) {
          if (fire.contains(i)) continue;
          RuleList one = {rules[i]};
          one[0].policy_action.updated_labels["seen"] = "1";
          if (admit(metadata, Policies{policy("a", one)}).metadata.labels.contains("seen"))
            fire.insert(i);
        }
      }
    bool found = false;
    std::set<std::string> never;
    for (const Finding& finding : analyze(policies)) {
      if (finding.code == FindingCode::writes_differ) {
        found = true;
        REQUIRE(admit(finding.witness->metadata, compiled).conflicts.size() == 1);
      }
      if (finding.code == FindingCode::never_fires ||
          finding.code == FindingCode::selects_nothing) {
        const auto steps = finding.field.steps();
        if (!rules[steps[1].index].policy_action.reject)
          never.insert(std::to_string(steps[1].index));
      }
    }
    std::set<std::string> wanted;
    for (std::size_t i = 0; i < rules.size(); ++i)
      if (!rules[i].policy_action.reject && !fire.contains(i)) wanted.insert(std::to_string(i));
    REQUIRE(found == conflict);
    REQUIRE(never == wanted);
    conflicts += found ? 1 : 0;
    silent += never.empty() ? 0 : 1;
    sane += found || !never.empty() ? 0 : 1;
  }
  CHECK(conflicts > 5);
  CHECK(silent > 5);
  CHECK(sane > 2);
}

}  // namespace analyze_metadata_policies_test
}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
