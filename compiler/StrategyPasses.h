// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates the passes that put a sharding on every value, from the options of the compilation
// pipeline. Only compiler/Pipeline.cpp decides which of them runs, and where.
#pragma once

#include "compiler/Pipeline.h"

namespace pcc {

/// Splits the batch over all ranks.
std::unique_ptr<mlir::Pass> makeDataParallel(const PipelineOptions &options);

/// Propagates the constraints to all other values.
std::unique_ptr<mlir::Pass> makeSemiAuto(const PipelineOptions &options);

/// Cuts tensors recursively, then improves the cuts under the cost model.
std::unique_ptr<mlir::Pass> makeRecursiveCuts(const PipelineOptions &options);

/// Finds the cheapest plan under the cost model `memory`.
std::unique_ptr<mlir::Pass> makeMemorySearch(const PipelineOptions &options);

/// Finds the plan with the fastest step on any mesh; shards the optimizer where this pays.
std::unique_ptr<mlir::Pass> makeRooflineSearch(const PipelineOptions &options);

} // namespace pcc
