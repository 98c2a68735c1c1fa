// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates the passes that put a sharding on every value, from the options of the compilation
// pipeline. Only compiler/Compile.cpp decides which of them runs, and where.
#pragma once

#include "compiler/Compile.h"

namespace pcc {

/// Splits the batch over all ranks.
std::unique_ptr<mlir::Pass> makeDataParallel(const CompileOptions &options);

/// Propagates the constraints to all other values.
std::unique_ptr<mlir::Pass> makeSemiAuto(const CompileOptions &options);

/// Cuts tensors recursively, then improves the cuts under the cost model.
std::unique_ptr<mlir::Pass> makeRecursiveCuts(const CompileOptions &options);

/// Finds the cheapest plan under the cost model `memory`.
std::unique_ptr<mlir::Pass> makeMemorySearch(const CompileOptions &options);

/// Finds the plan with the fastest step on any mesh; shards the optimizer where this pays.
std::unique_ptr<mlir::Pass> makeRooflineSearch(const CompileOptions &options);

} // namespace pcc
