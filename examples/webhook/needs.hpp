// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What would have been denied, had it been enforced: each need once, and how often it was heard.
///
/// 1. A need is the smallest request that is denied the same way: a subject in its namespace, and what
///    it asks for. Two pods that ask for the same are one need.
/// 2. At most `most_needs`, of at most so many bytes together, and each of at most `most_need_bytes`.
///    Of those that are too many the rarest goes, of these the one that was not heard for longest.
/// 3. Both webhooks ask about one object, so a need was heard as often as the one asked that asked more.
///
/// Any thread may use it.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace webhook {

inline constexpr std::size_t most_needs = 10'000;
/// Of a line of text. What a pod asks for has some hundred bytes.
inline constexpr std::size_t most_need_bytes = std::size_t{16} << 10U;

/// Which of the webhooks asks.
enum class Asked { admit, validate };

/// A need as it was heard once.
struct Need {
  std::string object{};   ///< JSON of what asks, without its name
  std::string subject{};  ///< by whose policies it is judged: `system:serviceaccount:shop:web`
  std::string namespace_{};
  std::string denied{};   ///< JSON of what it would be denied for
  std::string example{};  ///< JSON of the object that was asked about, and of who asked
};

class Needs {
 public:
  /// How many bytes all lines may take.
  explicit Needs(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  enum class Added {
    as_new,
    again,      ///< it was heard before
    too_large,  ///< it is not kept
  };
  Added add(Need&& need, Asked by);

  /// One a line, as AdmissionReviews with a member `heard` besides, those that were heard most often
  /// first.
  [[nodiscard]] std::string lines() const;

  // Neither waits for who reads the lines.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// How many made room.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

 private:
  struct Kept {
    Need need{};  ///< but for the object
    std::array<std::uint64_t, 2> heard{};
    std::uint64_t last = 0;
  };
  using ByObject = std::map<std::string, Kept, std::less<>>;
  /// How often and when it was heard, and its object, which the map holds.
  using Rank = std::tuple<std::uint64_t, std::uint64_t, std::string_view>;

  static Rank rank_of(const ByObject::value_type& kept);
  static std::string line_of(const ByObject::value_type& kept);
  static std::size_t bytes_of(const std::string& object, const Need& need);
  void drop_rarest();

  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  ByObject by_object_;
  std::set<Rank> by_rank_;
  std::size_t bytes_ = 0;
  std::uint64_t now_ = 0;
  std::atomic<std::size_t> size_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace webhook
