// SPDX-License-Identifier: Apache-2.0
// In a file of its own: a compiler that sees both sides of these operators takes malloc and delete
// for a mismatch. They do what those of the standard library do, and count: what is timed is what a
// program has that replaces nothing.
#include "allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

std::size_t count = 0;  // of one thread

}  // namespace

void* operator new(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace schedpol::benchmarks {

std::size_t allocations() noexcept {
  return count;
}

}  // namespace schedpol::benchmarks
