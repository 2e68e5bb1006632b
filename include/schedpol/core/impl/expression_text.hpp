// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The text of expressions and lists of texts on one line.

#include <schedpol/base/quoting.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// `[a, b]`, each escaped.
inline void append_list(std::string& text, const Texts& list, const Separators& separators) {
  text += '[';
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) text += ", ";
    append_escaped(text, list[i], separators);
  }
  text += ']';
}

/// `key Operator [values]`, of an expression of a label selector or a node selector.
template <class Expression>
void append_expression(std::string& text, const Expression& expression,
                       const Separators& separators) {
  append_escaped(text, expression.key, separators);
  text += ' ';
  append_escaped(text, expression.operator_.text(), separators);
  if (expression.values.empty()) return;
  text += ' ';
  append_list(text, expression.values, separators);
}

}  // namespace SCHEDPOL_NAMESPACE::detail
