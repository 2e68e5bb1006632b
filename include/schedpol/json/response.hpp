// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is answered to an AdmissionReview (admission.k8s.io/v1): the verdict, the status of a
/// denial, the patch in base64, warnings and audit annotations. What they say is in `review.hpp`.
/// Source: Kubernetes' dynamic admission control.

#include <schedpol/core/admission.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/engine.hpp>
#include <schedpol/json/writer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::json::detail {

/// The two digits of every 12 bits in base64.
inline constexpr auto base64_digits = [] {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::array<char, 2>, 4096> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {digits[i >> 6U], digits[i & 63U]};
  return pairs;
}();

inline void write_twelve_bits(char* to, std::uint64_t bits) {
  std::memcpy(to, base64_digits[bits & 4095U].data(), 2);
}

inline void write_base64(Writer& out, std::string_view bytes) {
  const auto* from = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto byte = [&](std::size_t i) -> std::uint64_t { return from[i]; };
  char* to = out.extend((bytes.size() + 2) / 3 * 4);
  std::size_t left = bytes.size();
  // Eight bytes are one load; six of them make eight digits.
  for (; left >= 8; left -= 6, from += 6, to += 8) {
    const std::uint64_t eight = byte(0) << 56U | byte(1) << 48U | byte(2) << 40U | byte(3) << 32U |
                                byte(4) << 24U | byte(5) << 16U | byte(6) << 8U | byte(7);
    write_twelve_bits(to, eight >> 52U);
    write_twelve_bits(to + 2, eight >> 40U);
    write_twelve_bits(to + 4, eight >> 28U);
    write_twelve_bits(to + 6, eight >> 16U);
  }
  for (; left >= 3; left -= 3, from += 3, to += 4) {
    const std::uint64_t three = byte(0) << 16U | byte(1) << 8U | byte(2);
    write_twelve_bits(to, three >> 12U);
    write_twelve_bits(to + 2, three);
  }
  if (left == 0) return;
  const std::uint64_t rest = byte(0) << 16U | (left == 2 ? byte(1) << 8U : 0U);
  write_twelve_bits(to, rest >> 12U);
  write_twelve_bits(to + 2, rest);
  std::memset(to + 1 + left, '=', 3 - left);
}

/// A metav1.Status, as far as a denial fills it in.
struct Status {
  struct Cause {
    std::string_view reason;
    std::string field;
    std::string message;
  };

  int code = 0;
  std::string_view reason;
  std::string text{};
  std::vector<Cause> causes{};

  void add(Cause cause) {
    if (causes.size() == max_reported_errors) return;
    if (!text.empty()) text += causes.empty() ? ": " : "; ";
    text += cause.message;
    causes.push_back(std::move(cause));
  }
};

template <>
struct Schema<Status::Cause> {
  static void write(Writer& out, const Status::Cause& cause) {
    ObjectWriter(out)
        .member("reason", cause.reason)
        .member("message", cause.message)
        .member("field", cause.field);
  }
};

template <>
struct Schema<Status> {
  static void write(Writer& out, const Status& status) {
    ObjectWriter object(out);
    object.member("status", "Failure")
        .member("message", status.text)
        .member("reason", status.reason)
        .member("code", std::int32_t{status.code});
    if (!status.causes.empty()) ObjectWriter(object.key("details")).member("causes", status.causes);
  }
};

inline void write_warnings(ObjectWriter& response, const std::vector<StepDecision>& steps) {
  std::vector<std::string> warnings;
  for (const StepDecision& said : steps) {
    if (said.step.mode != Mode::warn) continue;
    for (const Violation& violation : said.violations) {
      if (warnings.size() == max_reported_errors) break;
      warnings.push_back(std::string(to_string(said.step.system)) +
                         " would deny: " + message(violation));
    }
  }
  if (!warnings.empty()) response.member("warnings", warnings);
}

/// The API server puts the webhook's name in front of a key, which makes it a label key.
constexpr std::string_view audit_key(System system) noexcept {
  switch (system) {
    case System::runtime_class: return "runtime-class";
    case System::metadata_policy: return "metadata-policy";
    case System::pod_scheduling_policy: return "pod-scheduling-policy";
    case System::scheduling_policy: return "scheduling-policy";
    case System::resource_policy: return "resource-policy";
  }
  return "";
}

/// The systems as an object has their keys: in byte order.
inline constexpr std::array systems_by_key = {
    System::metadata_policy, System::pod_scheduling_policy, System::resource_policy,
    System::runtime_class, System::scheduling_policy};
static_assert(std::is_sorted(systems_by_key.begin(), systems_by_key.end(),
                             [](System a, System b) { return audit_key(a) < audit_key(b); }));

/// The fields that each policy changed: `gpu: spec.schedulerName, spec.tolerations[1]; zones:
/// ...`.
inline void write_audit(Writer& out, const std::vector<Change>& changes) {
  out += '"';
  const std::string* policy = nullptr;
  for (const Change& change : changes) {
    if (policy != nullptr && *policy == change.policy) {
      out += ", ";
    } else {
      if (policy != nullptr) out += "; ";
      write_unquoted(out, change.policy);
      if (!change.policy.empty()) out += ": ";
    }
    write_unquoted(out, change.field);
    policy = &change.policy;
  }
  out += '"';
}
inline void write_audit(Writer& out, const std::vector<Violation>& violations) {
  out += '"';
  for (std::size_t i = 0; i < std::min(violations.size(), max_reported_errors); ++i) {
    if (i > 0) out += "; ";
    write_unquoted(out, message(violations[i]));
  }
  out += '"';
}

/// Where it is denied, nothing that was to be enforced has been changed.
inline void write_audit_annotations(ObjectWriter& response, bool allowed,
                                    const std::vector<StepDecision>& steps) {
  const auto enforced = [](const StepDecision& said) { return said.step.mode == Mode::enforce; };
  const auto changes = [&](const StepDecision& said) {
    return !said.changes.empty() && (allowed || !enforced(said));
  };
  if (std::none_of(steps.begin(), steps.end(), [&](const StepDecision& said) {
        return changes(said) || !said.violations.empty();
      }))
    return;
  ObjectWriter annotations(response.key("auditAnnotations"));
  const auto note = [&](System system, std::string_view suffix, const auto& what) {
    write_audit(annotations.key(std::string(audit_key(system)).append(suffix)), what);
  };
  for (const System system : systems_by_key) {
    for (const StepDecision& said : steps) {
      if (said.step.system != system) continue;
      if (changes(said)) note(system, enforced(said) ? "" : "-would-change", said.changes);
      if (!said.violations.empty())
        note(system, enforced(said) ? "-denied" : "-would-deny", said.violations);
    }
  }
}

inline constexpr std::string_view review_api_version = "admission.k8s.io/v1";

/// The AdmissionReview that answers the request with this uid. `status` says why it is denied; null
/// when it is allowed.
inline std::string response_to(std::string_view uid, const Status* status,
                               const std::vector<StepDecision>& steps, std::string_view patch) {
  const bool allowed = status == nullptr;
  Writer out(1024 + patch.size() / 3 * 4);
  {
    ObjectWriter review(out);
    review.member("apiVersion", review_api_version).member("kind", "AdmissionReview");
    ObjectWriter response(review.key("response"));
    response.member("uid", uid).member("allowed", allowed);
    if (!allowed) response.member("status", *status);
    if (!patch.empty()) {
      response.member("patchType", "JSONPatch");
      Writer& text = response.key("patch");
      text += '"';
      write_base64(text, patch);
      text += '"';
    }
    write_warnings(response, steps);
    write_audit_annotations(response, allowed, steps);
  }
  return std::move(out).take();
}

}  // namespace schedpol::json::detail
