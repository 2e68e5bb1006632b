// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/impl/src.hpp>
