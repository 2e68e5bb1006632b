// SPDX-License-Identifier: Apache-2.0
// In a file of its own: a compiler that sees both sides of these operators takes malloc and delete
// for a mismatch.
#include "fuzz.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <new>
#include <string>

namespace {

std::size_t held = 0;
std::size_t most_held = 0;
std::size_t all_taken = 0;
std::size_t steps = 0;

void* allocate(std::size_t size) noexcept {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) return nullptr;
  held += malloc_usable_size(memory);
  all_taken += size;
  most_held = std::max(most_held, held);
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr) held -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* memory = allocate(size)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) {
  return operator new(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete[](void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}

// Each branch calls it in a build of fuzzers, but for its own.
#if defined(__clang__)
__attribute__((no_sanitize("coverage")))
#endif
extern "C" void
__wrap___sanitizer_cov_trace_pc() {
  ++steps;
}

namespace schedpol::fuzz {

namespace {

std::size_t held_before = 0;
std::size_t taken_before = 0;
std::size_t steps_before = 0;

}  // namespace

Cost::Cost() {
  held_before = most_held = held;
  taken_before = all_taken;
  steps_before = steps;
}
void Cost::is_within(std::size_t bytes, std::size_t times) const {
  // A hundred objects that cannot be read, each with its error.
  constexpr std::size_t held_for_none = std::size_t{320} << 10U;
  constexpr std::size_t taken_for_none = std::size_t{128} << 10U;
  constexpr std::size_t steps_for_none = 30'000;
  const std::size_t most = most_held - held_before;
  const std::size_t taken = all_taken - taken_before;
  const std::size_t done = steps - steps_before;
  const auto are_bounded = [&](bool bounded, std::string_view law_is, std::size_t cost) {
    law(bounded, law_is, std::to_string(bytes) + " bytes, " + std::to_string(cost));
  };
  are_bounded(most <= 64 * bytes + held_for_none,
              "an input holds memory in proportion to its bytes", most);
  are_bounded(taken <= times * (256 * bytes + taken_for_none),
              "an input takes memory in proportion to its bytes", taken);
  are_bounded(done <= times * (256 * bytes + steps_for_none),
              "an input takes steps in proportion to its bytes", done);
}

void law(bool holds, std::string_view law, std::string_view shown, std::string_view other) {
  if (holds) return;
  std::cerr << "BROKEN: " << law << "\n" << shown << "\n" << other << std::endl;
  std::abort();
}

}  // namespace schedpol::fuzz
