// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses a strategy for every forward op by recursive cuts of the devices
// (passes/solve/cuts/RecursiveCuts.h). The result is added to the given shardings; the backward
// pass and the update follow by propagation.
//
//   rounds of 8 devices     op 1   op 2     mesh      op 1       op 2
//   2                       i      i        x=4       i over x   i over x
//   2                       i      i
//   2                       k      j        y=2       k over y   j over y
//
// Each round is an axis of the mesh. Consecutive rounds with equal cuts of every op are one axis.
#pragma once

#include "passes/strategy/memory_model/MemorySearch.h"
#include "passes/strategy/search/Search.h"

namespace pcc::strategy {

/// Result of a search by recursive cuts.
struct RecursiveOutcome {
  double seconds = 0; ///< duration of the cuts
  /// Improvement of the cuts under the requested cost model.
  std::optional<SearchOutcome> byRoofline = {};
  std::optional<MemoryOutcome> byMemory = {};
};

/// Adds the strategies to the given shardings, which stay unchanged. If the program has a mesh or
/// given shardings, the axes of its mesh are the rounds. Otherwise the prime factors of `deviceNum`
/// are the rounds, and the program gets a mesh of them.
void addRecursiveStrategy(mlir::ModuleOp module, int64_t deviceNum, ConstrainedProgram &program);

} // namespace pcc::strategy
