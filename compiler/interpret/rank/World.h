// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout of the ranks that run together: one block of ranks per stage, each with the same mesh.
//
//   mesh dp=2, 3 stages     ranks 0 1 | 2 3 | 4 5
//                           stage  0     1     2
#pragma once

#include "dialects/dist/Mesh.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::interpret {

struct World {
  dist::Mesh mesh; ///< of each stage
  int64_t stages = 1;

  int64_t getNumRanks() const { return stages * mesh.getNumRanks(); }
  int64_t getRank(int64_t stage, int64_t position) const {
    return stage * mesh.getNumRanks() + position;
  }
};

/// Returns the programs of `module`: its stages in order, or `module` itself without stages. Emits
/// an error for stages that are not numbered 0, 1, …, or that have different meshes.
mlir::FailureOr<llvm::SmallVector<mlir::ModuleOp>> findPrograms(mlir::ModuleOp module);

} // namespace pcc::interpret
