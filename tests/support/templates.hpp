// SPDX-License-Identifier: Apache-2.0
// The containers that most unit tests use: their code is made once, in templates.cpp, and optimised
// there.
#pragma once

#include <schedpol/schedpol.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

#if !defined(SCHEDPOL_TEST_TEMPLATE)
#define SCHEDPOL_TEST_TEMPLATE extern template
#endif

SCHEDPOL_TEST_TEMPLATE class std::basic_string<char>;
SCHEDPOL_TEST_TEMPLATE class std::map<std::string, std::string, std::less<>>;
SCHEDPOL_TEST_TEMPLATE class std::map<std::string, schedpol::Quantity, std::less<>>;
SCHEDPOL_TEST_TEMPLATE class std::vector<std::string>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::Change>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::Container>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::FieldError>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::LabelSelectorRequirement>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::NodeSelectorRequirement>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::NodeSelectorTerm>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::OpenEnum<schedpol::NodeSelectorOperator>>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::OpenEnum<schedpol::TaintEffect>>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::OpenEnum<schedpol::TolerationOperator>>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::PodAffinityTerm>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::PreferredSchedulingTerm>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::Taint>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::Toleration>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::Violation>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::WeightedPodAffinityTerm>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::metadata_policy::MetadataPolicy>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::metadata_policy::MetadataPolicyRule>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::resource_policy::Unit>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::runtime_class::RuntimeClass>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::scheduling_policy::DefaultToleration>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::scheduling_policy::RequirementPattern>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::scheduling_policy::SchedulingPolicy>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::scheduling_policy::TermPattern>;
SCHEDPOL_TEST_TEMPLATE class std::vector<schedpol::scheduling_policy::TolerationPattern>;
