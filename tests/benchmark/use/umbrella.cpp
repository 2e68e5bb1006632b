// SPDX-License-Identifier: Apache-2.0
// What it costs to include everything but JSON.
#include <schedpol/schedpol.hpp>
