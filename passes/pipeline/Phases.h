// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a training function that run at different times:
//
//   forward          what the loss, and new running statistics, are computed from, and what goes to
//                    a later chunk
//   backward input   the rest, as far as another op's gradient waits for it
//   backward weight  what leads to the gradient of one parameter and to nothing else
//
// Forward sections send and receive every transfer to a later chunk, and backward sections every
// transfer to an earlier chunk. No two sections wait for each other.
//
// A schedule may let the last part wait (Qi et al., "Zero Bubble Pipeline Parallelism", 2024,
// section 2); one that does not joins the two backward parts.
#pragma once

#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::pipeline {

enum class Phase { Forward, BackwardInput, BackwardWeight };

class Phases {
public:
  /// Of a function that returns a loss and gradients. `splitsBackward`: there is a part of its own
  /// for weights.
  Phases(mlir::func::FuncOp function, bool splitsBackward);

  Phase of(mlir::Operation *op) const { return phases.lookup(op); }

private:
  void findForward(mlir::func::FuncOp function);
  void findWeights(mlir::func::FuncOp function);

  llvm::DenseMap<mlir::Operation *, Phase> phases;
};

} // namespace pcc::pipeline
