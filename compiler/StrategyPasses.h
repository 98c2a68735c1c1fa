// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the phase strategy, as the options of a compilation select them. They put a sharding on
// every value and refine it. compiler/Compile.cpp decides where they run.
#pragma once

#include "compiler/Compile.h"
#include "compiler/plan/choice/MeshChoice.h"
#include "passes/strategy/memory_model/MemorySearch.h"

namespace pcc {

/// Adds the pass of the parallel mode, which puts a sharding on every value. Nothing happens in
/// mode STAND_ALONE. The search mode of AUTO_PARALLEL says how shardings are searched.
/// SHARDING_PROPAGATION propagates the constraints that exist, like SEMI_AUTO.
/// RECURSIVE_PROGRAMMING cuts tensors recursively, then improves the cuts under the cost model. The
/// other modes find the cheapest plan under the cost model.
void addShardingPasses(mlir::OpPassManager &passes, const CompileOptions &options);

/// Adds passes that refine shardings: of a rank's own parameters, of transfers, of the optimizer,
/// of shared weights. Others report the work that ranks repeat, and the bytes that a rank keeps.
void addRefinementPasses(mlir::OpPassManager &passes, const CompileOptions &options);

/// Results of a search, for reports. They refer to the ops of the module.
struct SearchTables {
  abi::Cluster cluster;                    ///< `meshes` refers to it
  std::vector<plan::MeshCandidate> meshes; ///< best first; empty under the cost model `memory`
  std::optional<strategy::MemoryOutcome> memory; ///< under the cost model `memory`
};

/// Returns the options of the search under the cost model `roofline`.
strategy::SearchOptions getSearchOptions(const CompileOptions &options);

/// Returns whether the options search shardings under a cost model.
bool searches(const CompileOptions &options);

/// Does what the pass of a search does, and returns its results in `tables`.
mlir::LogicalResult runSearch(mlir::ModuleOp module, const CompileOptions &options,
                              SearchTables &tables);

} // namespace pcc
