// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/impl/custom_templates.hpp>
#include <schedpol/json/templates.hpp>

namespace SCHEDPOL_NAMESPACE::json {

SCHEDPOL_INLINE Result<std::vector<engine::TemplateRequest>> read_templates(
    const LocatedObject& object, std::span<const engine::TemplatePath> paths,
    const LocatedObject& old) {
  Document document;
  if (!document.parse(object.json)) return std::vector<FieldError>{document.error()};
  Document before;
  if (!old.json.empty() && !before.parse(old.json)) return std::vector<FieldError>{before.error()};
  const detail::CustomObject custom{
      DocumentAccess::root(document),
      old.json.empty() ? detail::Element() : DocumentAccess::root(before), object.at, old.at};
  detail::Decoder decoder(object.json.size() + old.json.size());
  const std::vector<detail::CustomTemplate> templates =
      find_templates(decoder, custom, paths, detail::group_kind_of(custom.now));
  std::vector<engine::TemplateRequest> requests;
  if (!templates.empty()) {
    detail::AnyObject workload;
    const detail::PathBuilder at(custom.at);
    decoder.read(at, custom.now, workload);
    requests = requests_about(decoder, custom, templates, workload.metadata, {});
  }
  if (!decoder.errors().empty()) return decoder.take_errors();
  return requests;
}

}  // namespace SCHEDPOL_NAMESPACE::json
