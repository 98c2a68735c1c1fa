// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What NCCL expects the collectives of a program to take, where it would join its ranks.
#pragma once

#include "runtime/base/Base.h"
#include "tools/pcc/bench/StepCollectives.h"

namespace pcc::cli {

/// By key, those of which NCCL says something; none where it does not join the ranks: on the host,
/// of ranks that share a GPU, without NCCL 2.22 or later. Errors: NCCL's and the driver's.
abi::Expected<CollectiveMeans> estimateCollectives(const abi::Executable &executable);

} // namespace pcc::cli
