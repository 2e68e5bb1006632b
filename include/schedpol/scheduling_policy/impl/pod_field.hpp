// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What there is to know of a field of a pod that policies rule: the form of the rows of `fields.hpp`.

#include <schedpol/core/admission.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// What the denials of a row are called. No other row has the same, so that they stand for the row.
struct DenialCodes {
  constexpr DenialCodes(ViolationCode of_not_permitted, ViolationCode of_missing) noexcept
      : not_permitted(of_not_permitted), missing(of_missing) {}

  ViolationCode not_permitted;
  ViolationCode missing;  ///< of what is required

  friend constexpr bool operator==(const DenialCodes&, const DenialCodes&) = default;
};

namespace detail {

// The rules of `check`, in `check_*.hpp`, one for each kind of field.
class NameCheck;
class NodeCheck;
class NodeSelectorCheck;
class TolerationsCheck;
class AffinityCheck;
class SpreadConstraintsCheck;
template <class Item>
class AllowedNamesCheck;

}  // namespace detail

/// A field of a pod that policies rule, of a kind that has this rule of `check`. `Traits`: what
/// there is to know of it besides.
template <class InPod, class Default, class Rules, class CheckOfKind, class TraitsOfKind>
struct PodField {
  using Check = CheckOfKind;
  using Traits = TraitsOfKind;

  std::string_view field;        ///< in a pod and in a default: `schedulerName`
  std::string_view rules_field;  ///< in `required` and `allowed`: `schedulerNames`
  InPod PodSpec::*in_pod;
  Default Defaults::*member;
  AnyOr<Rules> PolicySection::*rules;
  Component component;
  DenialCodes codes;
  Traits traits{};
};

/// A field of a pod of which `allowed` says what there may be, and no more. It is called alike in
/// pods and in `allowed`.
template <class InPod, class RulesOfField, class CheckOfKind>
struct AllowedField {
  using Check = CheckOfKind;
  using Rules = RulesOfField;

  std::string_view field;
  std::string_view rules_field = field;
  InPod PodSpec::*in_pod;
  AnyOr<Rules> PolicySection::*rules;
  Component component;
  DenialCodes codes;
  std::string_view permits_only{};  ///< what a permission does not reach beyond; nothing: all of it
};

/// Whether `allowed` alone has a row.
template <class Row>
inline constexpr bool is_allowed_field = false;
template <class InPod, class Rules, class Check>
inline constexpr bool is_allowed_field<AllowedField<InPod, Rules, Check>> = true;

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
