// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the shape of pipeline parallelism from a configuration.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/solve/order/Pipeline.h"
#include "runtime/abi/config.pb.h"
#include <string>

namespace pcc {

/// Returns the schedule's name as `passes/solve/order` spells it, e.g. `zb-h1`.
std::string getScheduleName(const abi::ParallelConfig &config);
/// Sets the schedule from its name in this spelling. The name must exist.
void setSchedule(abi::ParallelConfig &config, llvm::StringRef name);

/// Returns stages, virtual stages, and the microbatches of a step. Copies are not counted.
order::PipelineShape getPipelineShape(const abi::ParallelConfig &config);

/// Returns whether the schedule may delay weight gradients.
bool splitsBackward(const abi::ParallelConfig &config);

/// Returns an error `expected …, got …` for a pipeline that is impossible: wrong ranks per stage,
/// too few microbatches, or a requirement of the schedule. Returns "" for a valid pipeline.
std::string checkPipeline(const abi::ParallelConfig &config, bool trains);

/// Returns the number of pipeline stages that have modules of their own in `module`.
int64_t countStages(mlir::ModuleOp module);

} // namespace pcc
