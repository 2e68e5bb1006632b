// SPDX-License-Identifier: Apache-2.0
// In a file of its own: a compiler that sees both sides of these operators takes malloc and delete
// for a mismatch.
#include "count_allocations.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

// ThreadSanitizer has the operators itself, and tells of what they do.
#if defined(__SANITIZE_THREAD__)
#define SCHEDPOL_TEST_HOOKS
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SCHEDPOL_TEST_HOOKS
#endif
#endif

namespace {

// What is counted may have threads of its own.
std::atomic<bool> counting = false;
std::atomic<std::size_t> allocations = 0;
std::atomic<std::size_t> bytes = 0;
std::atomic<std::size_t> most_bytes = 0;

std::atomic<std::size_t> turn = 0;     ///< how often was counted
std::atomic<std::size_t> failing = 0;  ///< from this one on they fail; 0: none does

void count(std::size_t size) noexcept {
  ++allocations;
  const std::size_t now = bytes += size;
  std::size_t most = most_bytes;
  while (most < now && !most_bytes.compare_exchange_weak(most, now)) {
  }
}

#if !defined(SCHEDPOL_TEST_HOOKS)
/// What stands in front of every piece of memory: its size, and when it was counted.
struct alignas(std::max_align_t) Head {
  std::size_t size;
  std::size_t turn;
};

void* allocate(std::size_t size) noexcept {
  if (counting && failing > 0 && allocations + 1 >= failing) return nullptr;
  auto* const head = static_cast<Head*>(std::malloc(sizeof(Head) + size));
  if (head == nullptr) return nullptr;
  *head = {size, counting ? turn.load() : 0};
  if (counting) count(size);
  return head + 1;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  Head* const head = static_cast<Head*>(memory) - 1;
  if (counting && head->turn == turn.load()) bytes -= head->size;
  std::free(head);
}
#endif

}  // namespace

#if defined(SCHEDPOL_TEST_HOOKS)

extern "C" {

std::size_t __sanitizer_get_allocated_size(const volatile void* memory);

void __sanitizer_malloc_hook(const volatile void*, std::size_t size) {
  if (counting) count(size);
}
void __sanitizer_free_hook(const volatile void* memory) {
  if (counting) bytes -= std::min(bytes.load(), __sanitizer_get_allocated_size(memory));
}
}

#else

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

#endif

namespace schedpol::testing {

CountAllocations::CountAllocations() {
  allocations = 0;
  bytes = 0;
  most_bytes = 0;
  failing = 0;
  ++turn;
  counting = true;
}
CountAllocations::~CountAllocations() {
  counting = false;
}
std::size_t CountAllocations::count() const {
  return allocations;
}
bool CountAllocations::fail(std::size_t nth) {
#if defined(SCHEDPOL_TEST_HOOKS)
  static_cast<void>(nth);
  return false;
#else
  failing = nth;
  return true;
#endif
}
std::size_t CountAllocations::peak_bytes() const {
  return most_bytes;
}

}  // namespace schedpol::testing
