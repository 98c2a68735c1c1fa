// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces the allocation functions of the program, unless a sanitizer does.

#include "test/unit/runtime/collective/FailingAllocation.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PCC_HAS_OTHER_ALLOCATION
#endif
#endif

namespace pcc::test {
namespace {

std::atomic<size_t> minFailing = SIZE_MAX;
thread_local bool isExempt = false;

#ifndef PCC_HAS_OTHER_ALLOCATION
/// Returns null if the allocation must fail.
void *allocate(size_t bytes) {
  return bytes >= minFailing && !isExempt ? nullptr : std::malloc(bytes ? bytes : 1);
}
#endif

} // namespace

FailingAllocation::FailingAllocation(size_t bytes) { minFailing = bytes; }
FailingAllocation::~FailingAllocation() { minFailing = SIZE_MAX; }
void FailingAllocation::exemptThisThread() { isExempt = true; }

bool FailingAllocation::isPossible() {
#ifdef PCC_HAS_OTHER_ALLOCATION
  return false;
#else
  return true;
#endif
}

} // namespace pcc::test

#ifndef PCC_HAS_OTHER_ALLOCATION

void *operator new(size_t bytes) {
  void *memory = pcc::test::allocate(bytes);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  return pcc::test::allocate(bytes);
}

void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

#endif
