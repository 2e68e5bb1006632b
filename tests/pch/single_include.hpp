// SPDX-License-Identifier: Apache-2.0
// Precompiled for the unit tests that run on the single headers.
#include <schedpol/json/json.hpp>
#include <schedpol/schedpol.hpp>
