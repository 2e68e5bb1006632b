// SPDX-License-Identifier: Apache-2.0
// `apply_patch` and `make_patch`: an input is {"document": ..., "patch": ..., "after": ...}. What a
// patch makes is a document, whatever stands in it; the patch from a pod to another one makes that.

#include "fuzz.hpp"
#include "value.hpp"

#include <schedpol/core/limits.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/patch.hpp>
#include <schedpol/json/patch_operation.hpp>

#include <string>
#include <string_view>

using schedpol::Pod;
using schedpol::fuzz::law;

namespace {

void check_apply(std::string_view document, std::string_view patch) {
  const schedpol::fuzz::Cost cost;
  const auto patched = schedpol::json::apply_patch(document, patch);
  // What copies copy has a limit of its own.
  const std::size_t copied = patch.find("copy") == patch.npos ? 0 : schedpol::max_copied_bytes;
  // A tree of it is made, and each operation, of at least 25 bytes, may go through that.
  cost.is_within(document.size() + patch.size() + (patched ? patched->size() : 0) + copied,
                 3 + patch.size() / 400);
  schedpol::json::Document read;
  law(!patched || read.parse(document), "only a document is patched", document, patch);
  law(!patched || read.parse(*patched), "what a patch makes is a document", document, patch);
  const auto again = schedpol::json::apply_patch(document, patch);
  law(bool(again) == bool(patched) && (!again || *again == *patched), "a patch does one thing",
      document, patch);
  if (!patched) return;
  const auto same = schedpol::json::apply_patch(document, std::string_view("[]"));
  law(same && *same == document, "an empty patch keeps every byte", document);
  const schedpol::json::Patch is = {{schedpol::json::PatchOp::test, "", *patched}};
  law(bool(schedpol::json::apply_patch(*patched, is)), "what a patch makes is equal to itself",
      document, patch);
}

void check_make(std::string_view document, std::string_view wanted) {
  schedpol::json::Document read;
  if (!read.parse(document)) return;
  const auto before = schedpol::json::decode<Pod>(read);
  const auto after = schedpol::json::decode<Pod>(wanted);
  if (!before || !after) return;
  const std::string written = schedpol::json::encode(*before);
  const auto back = schedpol::json::decode<Pod>(written);
  law(back && *back == *before, "what is written is read back", document, written);
  law(make_patch(read, *before, *before).empty(), "where nothing differs there is no patch",
      document);
  // The rest of a pod is nothing that an admission changes.
  Pod changed = *before;
  changed.metadata.labels = after->metadata.labels;
  changed.metadata.annotations = after->metadata.annotations;
  changed.spec.scheduler_name = after->spec.scheduler_name;
  changed.spec.priority_class_name = after->spec.priority_class_name;
  changed.spec.node_selector = after->spec.node_selector;
  changed.spec.tolerations = after->spec.tolerations;
  changed.spec.affinity = after->spec.affinity;
  const auto patch = make_patch(read, *before, changed);
  const auto patched = schedpol::json::apply_patch(document, patch);
  law(bool(patched), "a patch applies to what it was made for", document,
      schedpol::json::encode(patch));
  const auto made = schedpol::json::decode<Pod>(*patched);
  law(made && *made == changed, "a patch makes what it was made for", document,
      schedpol::json::encode(patch));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = schedpol::fuzz::text(data, size);
  const auto input = schedpol::fuzz::parse(text);
  const std::string document = input ? input->at("document") : std::string(text);
  if (input && input->find("patch") != nullptr) check_apply(document, input->at("patch"));
  if (!input) check_apply(text, text);
  if (input && input->find("after") != nullptr) check_make(document, input->at("after"));
  return 0;
}
