// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes that put a sharding on every value, asked for what the options of the road say. Which
// of them runs, and where, is for compiler/Pipeline.cpp alone.
#pragma once

#include "compiler/Pipeline.h"

namespace pcc {

/// The batch over all ranks.
std::unique_ptr<mlir::Pass> makeDataParallel(const PipelineOptions &options);

/// From the pins to all else.
std::unique_ptr<mlir::Pass> makeSemiAuto(const PipelineOptions &options);

/// Cuts, one after the other, that are improved under the cost model.
std::unique_ptr<mlir::Pass> makeRecursiveCuts(const PipelineOptions &options);

/// The cheapest under the cost model `memory`.
std::unique_ptr<mlir::Pass> makeMemorySearch(const PipelineOptions &options);

/// The fastest step, on every mesh; the optimizer is sharded as it pays.
std::unique_ptr<mlir::Pass> makeRooflineSearch(const PipelineOptions &options);

} // namespace pcc
