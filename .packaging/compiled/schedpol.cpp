// SPDX-License-Identifier: Apache-2.0
#include <schedpol/impl/src.hpp>
