// SPDX-License-Identifier: Apache-2.0
// The text of a word is a view of it, and a word that is gone has none.
#include <schedpol/core/toleration.hpp>

#include <string_view>

std::size_t length(std::string_view spelling) {
  const schedpol::OpenEnum<schedpol::TaintEffect> effect(spelling);
  return effect.text().size();
}
