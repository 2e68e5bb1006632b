// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/impl/src.hpp>
