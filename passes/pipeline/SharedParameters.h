// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares a parameter between virtual stages of one stage that read it: a stage stores a parameter
// once and adds its gradients up in one place. If virtual stages 0 and 3 are both on stage 0,
//
//   @forward_backward   %w, %w.chunk3 -> gradient "w", gradient "w.chunk3"
//                       becomes %w -> gradient "w", gradient "w": both are added up in one buffer
//   @update             %w, gradient %a, gradient %b of the duplicate
//     %t = transfer %b from 3 to 0
//     %s = add %a, %t   becomes %a, the sum of both
#pragma once

#include "dialects/graph/Graph.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::pipeline {

/// Returns the stage, not the virtual stage, that stores a parameter.
using StageOfParameter = llvm::function_ref<int64_t(graph::ParameterOp)>;

/// A duplicate of a parameter, and the parameter before it in the same stage.
struct SharedCopy {
  graph::ParameterOp holder, copy;
};

llvm::SmallVector<SharedCopy> findSharedCopies(mlir::ModuleOp module, StageOfParameter stageOf);

/// Merges duplicates of parameters into those before them in the same stage. Emits a diagnostic if
/// types or shardings differ.
mlir::LogicalResult shareCopies(mlir::ModuleOp module, StageOfParameter stageOf);

} // namespace pcc::pipeline
