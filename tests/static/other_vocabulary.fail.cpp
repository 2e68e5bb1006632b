// SPDX-License-Identifier: Apache-2.0
// Operators of different vocabularies do not compare, although both say Exists.
#include <schedpol/core/pod.hpp>

bool tolerates_any_value(const schedpol::Toleration& toleration) {
  return toleration.operator_ == schedpol::NodeSelectorOperator::exists;  // error
}
