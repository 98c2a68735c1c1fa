// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list is never destroyed, so that threads may use its memory while the process exits.

#include "runtime/base/KeepUntilExit.h"

#include <mutex>
#include <vector>

namespace pcc::runtime {

void keepUntilExit(std::shared_ptr<const void> memory) {
  static auto &mutex = *new std::mutex;
  static auto &list = *new std::vector<std::shared_ptr<const void>>;
  std::lock_guard lock(mutex);
  list.push_back(std::move(memory));
}

} // namespace pcc::runtime
