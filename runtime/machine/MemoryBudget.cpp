// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limit replaces the device's memory, even if it is larger.

#include "runtime/machine/MemoryBudget.h"

namespace pcc::machine {

int64_t memoryBudget(int64_t limit, const abi::Cluster &cluster) {
  return limit > 0 ? limit : static_cast<int64_t>(cluster.device().memory_bytes().value());
}

int64_t memoryBudget(const abi::ParallelConfig &config, const abi::Cluster &cluster) {
  return memoryBudget(config.memory_limit(), cluster);
}

} // namespace pcc::machine
