// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System calls that a signal interrupts are made again.

#pragma once

#include <cerrno>

namespace pcc::abi {

/// Calls `call` until no signal interrupts it (EINTR). Returns its result; errors leave errno as
/// the system set it.
template <typename Call> auto retryAfterSignal(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR)
    result = call();
  return result;
}

} // namespace pcc::abi
