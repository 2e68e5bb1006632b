// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/impl/src.hpp>
