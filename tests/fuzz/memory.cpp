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

namespace schedpol::fuzz {

namespace {

std::size_t held_before = 0;
std::size_t taken_before = 0;

}  // namespace

Memory::Memory() {
  held_before = most_held = held;
  taken_before = all_taken;
}
std::size_t Memory::most() const {
  return most_held - held_before;
}
std::size_t Memory::taken() const {
  return all_taken - taken_before;
}
void Memory::is_within(std::size_t bytes, std::size_t times) const {
  constexpr std::size_t held_for_none = std::size_t{64} << 10U;
  constexpr std::size_t taken_for_none = std::size_t{128} << 10U;
  law(most() <= 64 * bytes + held_for_none, "an input takes memory in proportion to its bytes",
      std::to_string(bytes) + " bytes held " + std::to_string(most()));
  law(taken() <= times * (256 * bytes + taken_for_none),
      "an input takes work in proportion to its bytes",
      std::to_string(bytes) + " bytes took " + std::to_string(taken()));
}

void law(bool holds, std::string_view law, std::string_view shown, std::string_view other) {
  if (holds) return;
  std::cerr << "BROKEN: " << law << "\n" << shown << "\n" << other << std::endl;
  std::abort();
}

}  // namespace schedpol::fuzz
