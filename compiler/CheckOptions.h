// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options that contradict each other or the model, before the road is taken.
#pragma once

#include "compiler/Pipeline.h"

namespace pcc {

/// Whether strategies that users give hold: in all modes in which the compiler fills in the rest.
bool obeysPins(abi::ParallelMode mode);

/// Whether the road can be taken with `options`; the first thing that is wrong is diagnosed.
mlir::LogicalResult checkOptions(mlir::ModuleOp module, const PipelineOptions &options);

} // namespace pcc
