// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pods before and after a change, and the patch between them.

#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/patch.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patched_pods {

using schedpol::Pod;
using schedpol::Toleration;
using schedpol::TolerationOperator;
using schedpol::json::apply_patch;
using schedpol::json::Patch;

// A change of a pod, the patch that it makes in a document, and the document after it.
struct Patched {
  std::string patch;
  std::string document;
};

template <class Change>
Patched patched(std::string_view text, Change&& change) {
  schedpol::json::Document document;
  REQUIRE(document.parse(text));
  const auto before = schedpol::json::decode<Pod>(document);
  REQUIRE(before);
  Pod after = *before;
  change(after);
  const Patch patch = schedpol::json::make_patch(document, *before, after);
  const auto applied = apply_patch(text, patch);
  REQUIRE(applied);
  // Whatever the patch looks like, the document now reads as the changed pod.
  const auto read = schedpol::json::decode<Pod>(std::string_view(*applied));
  REQUIRE(read);
  CHECK(read->spec == after.spec);
  return {schedpol::json::encode(patch), *applied};
}

inline const Toleration gpu{.key = "gpu", .operator_ = TolerationOperator::exists};

}  // namespace patched_pods
