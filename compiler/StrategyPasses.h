// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates the passes that put a sharding on every value, from the options of the compilation
// pipeline. Only compiler/Compile.cpp decides which of them runs, and where.
#pragma once

#include "compiler/Compile.h"
#include "compiler/plan/choice/MeshChoice.h"
#include "passes/strategy/memory_model/MemorySearch.h"

namespace pcc {

/// Splits the batch over all ranks.
std::unique_ptr<mlir::Pass> makeDataParallel(const CompileOptions &options);

/// Propagates the constraints to all other values.
std::unique_ptr<mlir::Pass> makeSemiAuto(const CompileOptions &options);

/// Searches shardings by the search mode of AUTO_PARALLEL. SHARDING_PROPAGATION propagates the
/// constraints that exist, like SEMI_AUTO. RECURSIVE_PROGRAMMING cuts tensors recursively, then
/// improves the cuts under the cost model. The other modes find the cheapest plan under the cost
/// model.
std::unique_ptr<mlir::Pass> makeSearch(const CompileOptions &options);

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

/// Does what the pass of makeSearch does, and returns its results in `tables`.
mlir::LogicalResult runSearch(mlir::ModuleOp module, const CompileOptions &options,
                              SearchTables &tables);

} // namespace pcc
