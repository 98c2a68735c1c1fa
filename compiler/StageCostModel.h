// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost of pipeline stages, by which the compilation pipeline orders their actions.
#pragma once

#include "compiler/Compile.h"
#include "passes/schedule/Passes.h"

namespace pcc {

/// Returns a cost function for the machine and memory in `options`. Returns null without a machine:
/// the order is then independent of the machine and assumes stages of equal cost.
schedule::StageCostModel makeStageCostModel(const CompileOptions &options);

} // namespace pcc
