// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a device that a program may use. Every part of the compiler that fits a program into
// memory asks this function, so that a memory limit means the same everywhere.
//
//   memory_limit   device of the cluster   budget
//          0              80 GB             80 GB
//       8 GB              80 GB              8 GB

#pragma once

#include "runtime/abi/cluster.pb.h"
#include "runtime/abi/config.pb.h"

#include <cstdint>

namespace pcc::machine {

/// Returns `limit`, in bytes of one device, or the memory of the cluster's device if `limit` is 0.
/// `cluster` must be complete.
int64_t memoryBudget(int64_t limit, const abi::Cluster &cluster);

/// Returns the budget under the configuration's `memory_limit`.
int64_t memoryBudget(const abi::ParallelConfig &config, const abi::Cluster &cluster);

} // namespace pcc::machine
