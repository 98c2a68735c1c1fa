// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A strategy for every forward op by recursive cuts of the devices (passes/solve/RecursiveCuts.h),
// as if the user had given it; the backward pass and the update follow.
//
//   rounds of 8 devices     op 1   op 2     mesh      op 1       op 2
//   2                       i      i        x=4       i over x   i over x
//   2                       i      i
//   2                       k      j        y=2       k over y   j over y
//
// Each round is an axis of the mesh; rounds in which every op cuts as in the one before are one
// axis with it.
#pragma once

#include "passes/strategy/MemorySearch.h"
#include "passes/strategy/Search.h"

namespace pcc::strategy {

/// What a search by recursive cuts has found.
struct RecursiveOutcome {
  double seconds = 0; ///< that the cuts took
  /// Their improvement, under the cost model that was asked for.
  std::optional<SearchOutcome> byRoofline = {};
  std::optional<MemoryOutcome> byMemory = {};
};

/// Adds the strategies to what is given, which holds. Of a program with a mesh of several ranks its
/// axes are the rounds; else the prime factors of `deviceNum` are, and the program gets their mesh.
void addRecursiveStrategy(mlir::ModuleOp module, int64_t deviceNum, PinnedProgram &program);

} // namespace pcc::strategy
