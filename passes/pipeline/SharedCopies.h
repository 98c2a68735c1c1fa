// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks of one stage that read the same parameter share it: a stage stores a parameter once and
// adds its gradients up in one place. Where chunks 0 and 3 are both of stage 0,
//
//   @forward_backward   %w, %w.chunk3 -> gradient "w", gradient "w.chunk3"
//                       becomes %w -> gradient "w", gradient "w": sums of two sections to be
//   @update             %w, gradient %a, gradient %b of the copy
//     %t = transfer %b from 3 to 0
//     %s = add %a, %t   becomes %a, the sum of both
#pragma once

#include "dialects/graph/Graph.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::pipeline {

using StageOfParameter = llvm::function_ref<int64_t(graph::ParameterOp)>;

/// A copy of a parameter, and the one before it in the same stage that stands for the same.
struct SharedCopy {
  graph::ParameterOp holder, copy;
};

llvm::SmallVector<SharedCopy> findSharedCopies(mlir::ModuleOp module, StageOfParameter stageOf);

/// Makes copies of parameters one with those that are before them in the same stage. Types and
/// shardings that differ are diagnosed.
mlir::LogicalResult shareCopies(mlir::ModuleOp module, StageOfParameter stageOf);

} // namespace pcc::pipeline
