// SPDX-License-Identifier: Apache-2.0
#define SCHEDPOL_TEST_TEMPLATE template
#include "templates.hpp"
