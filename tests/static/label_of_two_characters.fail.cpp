// SPDX-License-Identifier: Apache-2.0
// The value of a label is one text, not the ends of one.
#include <schedpol/core/label_selector.hpp>

schedpol::LabelSelector of_web() {
  return {.match_labels = {{"tier", {"web", "db"}}}};  // error
}
