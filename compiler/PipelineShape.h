// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline that a configuration asks for.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/solve/order/Pipeline.h"
#include "runtime/abi/config.pb.h"
#include <string>

namespace pcc {

/// As `passes/solve/order` knows it: `zb-h1`.
std::string getScheduleName(const abi::ParallelConfig &config);
/// The opposite; `name` is one of a schedule.
void setSchedule(abi::ParallelConfig &config, llvm::StringRef name);

/// Stages, chunks, and microbatches of all copies.
order::PipelineShape getPipelineShape(const abi::ParallelConfig &config);

/// Whether the schedule lets the gradients of weights wait.
bool splitsBackward(const abi::ParallelConfig &config);

/// Empty, or what of the pipeline cannot be: the ranks of a stage, the number of microbatches, what
/// the schedule demands. `expected …, got …`.
std::string checkPipeline(const abi::ParallelConfig &config, bool trains);

/// How many pipeline stages have modules of their own in `module`.
int64_t countStages(mlir::ModuleOp module);

} // namespace pcc
