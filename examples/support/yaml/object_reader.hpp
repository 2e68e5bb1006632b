// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reads the objects of a stream of YAML or JSON one after another, as Kubernetes reads them:
/// 1. A stream is any number of documents: of YAML, parted by `---`, and before these of JSON, one
///    after another. An empty document is skipped. Where a document begins with `{` and is no JSON,
///    it and what comes after it are YAML.
/// 2. A document that is a list, with a kind that ends in `List`, is its items. They need not say
///    kind and version where that of a list `PodList` does. A list may be of any length: memory
///    does not grow with it. Where `items` come before the kind, a kind that is no list's is an
///    error behind them. `items: null` is none; a list that is an item of another is an error.
/// 3. Scalars are what YAML 1.1 makes of them as sigs.k8s.io/yaml reads it: `yes` and `on` are true
///    (also as keys), `010` is eight, `1:20` and dates are texts, `<<` merges. There is a warning
///    where that may be a surprise.
/// 4. Errors are what sigs.k8s.io/yaml takes for one when it is strict, duplicate keys and merged
///    ones that are overridden among them; besides, `!!binary`, and keys that are equal only once
///    they are texts.
/// 5. An object has at most `max_document_bytes`, as it is written and as JSON, and nests at most
///    `max_document_depth` levels. Aliases add at most `max_alias_bytes` to it, and the values with
///    an anchor have at most as many in one document, 64 for each anchor included.

#include "input.hpp"
#include "object.hpp"

#include <schedpol/json/document.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace support::yaml {

/// Bytes of JSON: real aliases stand for a few lines.
inline constexpr std::size_t max_alias_bytes = std::size_t{1} << 20U;

class ObjectReader {
 public:
  /// The bytes come from where `ReadBytes` (input.hpp) gets them.
  explicit ObjectReader(ReadBytes read);
  /// Of bytes that stay where they are.
  explicit ObjectReader(std::string_view bytes);
  ~ObjectReader();
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  /// Makes `object` the next one, in memory that it had. False where there is none: at the end of
  /// the stream, and at and after the first error.
  [[nodiscard]] bool next(Object& object);

  /// The object that `next` gave last, as it was parsed.
  [[nodiscard]] const schedpol::json::Document& document() const noexcept;

  /// Why there are no more objects, where that is not the end. Whoever trusts the objects that came
  /// before has not seen the whole stream.
  [[nodiscard]] const std::optional<Message>& error() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace support::yaml
