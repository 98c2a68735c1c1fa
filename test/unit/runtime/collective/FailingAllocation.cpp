// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces the allocation functions of the program.

#include "test/unit/runtime/collective/FailingAllocation.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace pcc::test {
namespace {

std::atomic<size_t> minFailing = SIZE_MAX;
thread_local bool isExempt = false;

} // namespace

FailingAllocation::FailingAllocation(size_t bytes) { minFailing = bytes; }
FailingAllocation::~FailingAllocation() { minFailing = SIZE_MAX; }
void FailingAllocation::exemptThisThread() { isExempt = true; }

} // namespace pcc::test

void *operator new(size_t bytes) {
  void *memory = bytes >= pcc::test::minFailing && !pcc::test::isExempt
                     ? nullptr
                     : std::malloc(bytes ? bytes : 1);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
