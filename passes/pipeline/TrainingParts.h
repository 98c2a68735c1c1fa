// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a training function into parts that run at different times.
//
//   forward          ops from which the loss, new running statistics and transfers to later virtual
//                    stages are computed
//   backward input   the rest, as far as another op's gradient waits for it
//   backward weight  ops that lead to the gradient of one parameter and to nothing else
//
// Forward sections send and receive every transfer to a later virtual stage, and backward sections
// every transfer to an earlier one. No two sections wait for each other.
//
// A schedule may delay the last part (Qi et al., "Zero Bubble Pipeline Parallelism", 2024, section
// 2). A schedule that does not delay it joins the two backward parts.
#pragma once

#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::pipeline {

enum class TrainingPart { Forward, BackwardInput, BackwardWeight };

class TrainingParts {
public:
  /// The function returns a loss and gradients. `splitsBackward`: weights have a part of their
  /// own.
  TrainingParts(mlir::func::FuncOp function, bool splitsBackward);

  TrainingPart of(mlir::Operation *op) const { return parts.lookup(op); }

private:
  void findForward(mlir::func::FuncOp function);
  void findWeights(mlir::func::FuncOp function);

  llvm::DenseMap<mlir::Operation *, TrainingPart> parts;
};

} // namespace pcc::pipeline
