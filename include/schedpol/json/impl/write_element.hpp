// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/json/impl/elements.hpp>
#include <schedpol/json/impl/writer.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Writes what stands in a document, without spaces.
inline void write(Writer& out, Element element) {
  switch (element.kind()) {
    case ElementKind::absent:
    case ElementKind::null: out += "null"; break;
    case ElementKind::no: out += "false"; break;
    case ElementKind::yes: out += "true"; break;
    case ElementKind::integer:
    case ElementKind::real: out += element.text(); break;
    case ElementKind::string: write(out, element.text()); break;
    case ElementKind::list: {
      ElementItems items;
      bool first = true;
      out += '[';
      if (element.get(items)) {
        for (const Element item : items) {
          if (!first) out += ',';
          first = false;
          write(out, item);
        }
      }
      out += ']';
      break;
    }
    case ElementKind::object: {
      ElementMembers members;
      bool first = true;
      out += '{';
      if (element.get(members)) {
        for (const ElementMember member : members) {
          if (!first) out += ',';
          first = false;
          write(out, member.key);
          out += ':';
          write(out, member.value);
        }
      }
      out += '}';
      break;
    }
  }
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
