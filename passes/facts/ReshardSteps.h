// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single steps that lead from a sharding towards another.
#pragma once

#include "passes/facts/ReshardPlan.h"

namespace pcc::facts {

/// All steps from `from` that a plan for `target` may take, without prices.
std::vector<ReshardStep> listSteps(const dist::Sharding &from, const dist::Sharding &target,
                                   llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh);

} // namespace pcc::facts
