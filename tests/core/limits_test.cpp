// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/limits.hpp>

#include "../support/print.hpp"

namespace limits_test {

// A bound is part of what is promised: to change one is to change what is accepted.
static_assert(schedpol::max_label_name_bytes == 63);
static_assert(schedpol::max_label_value_bytes == 63);
static_assert(schedpol::max_subdomain_bytes == 253);
static_assert(schedpol::max_quantity_bytes == 1024);
static_assert(schedpol::max_quantity_power == 1024);
static_assert(schedpol::max_shown_bytes == 512);
static_assert(schedpol::max_document_bytes == 16'777'216);
static_assert(schedpol::max_document_depth == 256);
static_assert(schedpol::max_tolerations == 2048);
static_assert(schedpol::max_reported_errors == 100);
static_assert(schedpol::max_node_selector_terms == 1024);
static_assert(schedpol::max_planned_steps == 67'108'864);
static_assert(schedpol::max_unit_resources == 32);
static_assert(schedpol::max_held_terms == 1'000'000);

}  // namespace limits_test
