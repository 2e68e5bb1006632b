// SPDX-License-Identifier: Apache-2.0
// What nearly every unit test includes, compiled once for all of them.
#include <schedpol/cluster.hpp>
#include <schedpol/insight.hpp>
#include <schedpol/json.hpp>
#include <schedpol/schedpol.hpp>

#include <doctest/doctest.h>
#if defined(SCHEDPOL_TEST_JSON)
#include <simdjson.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
