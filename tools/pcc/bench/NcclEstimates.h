// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks NCCL for the expected times of a program's collectives, if NCCL would join its ranks.
#pragma once

#include "runtime/base/Base.h"
#include "tools/pcc/bench/StepCollectives.h"

namespace pcc::cli {

/// Returns NCCL's estimates by key; collectives without an estimate are absent. Returns none if
/// NCCL does not join the ranks: on the host, if ranks share a GPU, or without NCCL 2.22 or later.
/// Errors: NCCL's and the driver's.
abi::Expected<CollectiveMeans> estimateCollectives(const abi::Executable &executable);

} // namespace pcc::cli
