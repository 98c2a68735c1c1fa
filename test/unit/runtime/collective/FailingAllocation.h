// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that runs out where a test wants it.

#pragma once

#include <cstddef>

namespace pcc::test {

/// During its lifetime, `new` of `bytes` or more throws std::bad_alloc on all threads but those
/// that are exempt.
class FailingAllocation {
public:
  /// False under the thread sanitizer, which has the allocation functions itself.
  static bool isPossible();
  explicit FailingAllocation(size_t bytes);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation &) = delete;

  /// Exempts the calling thread from now on.
  static void exemptThisThread();
};

} // namespace pcc::test
