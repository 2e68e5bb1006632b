// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a merged policy requires and allows of affinity, as validations.

#include "model.hpp"

#include <string>
#include <string_view>

namespace cli {

/// Adds validations that name a field and the policies.
class ValidationList {
 public:
  ValidationList(Rules& rules, const schedpol::engine::EffectivePolicy& effective)
      : rules_(rules), effective_(effective) {}

  /// Something of `field`, below the pod spec, that nothing permits: what it is, as an expression, or nothing.
  void not_permitted(const std::string& condition, std::string_view code, std::string_view field,
                     const std::string& what = {});
  /// Something that an entry of `required` asks for. `of_old`: the same condition of the old object; an update is not
  /// denied for what was missing before. Empty where `condition` has said that.
  void required(const std::string& condition, const std::string& of_old, std::string_view code,
                std::string_view field, const schedpol::FieldPath& entry,
                const std::string& what = {});

 private:
  void add(const std::string& condition, std::string_view field, const std::string& what,
           const std::string& text, std::string comment);

  Rules& rules_;
  const schedpol::engine::EffectivePolicy& effective_;
};

/// Adds what is asked of the affinity of pods. `governed`: what nothing permits is denied.
void add_affinity_validations(ValidationList& list,
                              const schedpol::engine::EffectivePolicy& effective,
                              const schedpol::scheduling_policy::Options& options, bool governed);

}  // namespace cli
