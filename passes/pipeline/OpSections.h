// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the section to which each op of a function belongs: its virtual stage and, in a training
// function, its training part.
#pragma once

#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::pipeline {

//===--- VirtualStageMap ------------------------------------------------===//

// Finds the virtual stage of each op of a function with transfers. Values go between virtual stages
// through transfers only. Ops that are connected by values therefore belong to one virtual stage,
// which the transfers at the edges determine. So no annotation has to be kept on ops while passes
// rewrite them.
//
//   %1 = matmul %x, %w0             virtual stage 0: read by a transfer from 0
//   %2 = transfer %1 from 0 to 1
//   %3 = relu %2                    virtual stage 1: reads a transfer to 1
//   %4 = reshape %mask              none: made of inputs alone, and so recomputed where it is read

/// Virtual stage of each parameter and optimizer state, by name.
using ParameterVirtualStages = llvm::StringMap<int64_t>;

class VirtualStageMap {
public:
  /// Reads the virtual stages of `parameters` and adds those of other arguments of the function,
  /// such as optimizer states. A value that connects two virtual stages without a transfer is an
  /// error. Ops that are connected to no transfer, and to no parameter with a virtual stage, are on
  /// virtual stage 0.
  static mlir::FailureOr<VirtualStageMap> find(mlir::func::FuncOp function,
                                               ParameterVirtualStages &parameters);

  /// Returns the virtual stage of an op that is no transfer; nothing for an op made of constants
  /// and inputs alone.
  std::optional<int64_t> virtualStageOf(mlir::Operation *op) const {
    auto known = virtualStages.find(op);
    return known == virtualStages.end() ? std::nullopt : std::optional(known->second);
  }

private:
  llvm::DenseMap<mlir::Operation *, int64_t> virtualStages;
};

//===--- TrainingParts --------------------------------------------------===//

// Splits a training function into training parts, which run at different times.
//
//   forward          ops from which the loss, new running statistics and transfers to later virtual
//                    stages are computed
//   backward input   the rest, as far as another op's gradient waits for it
//   backward weight  ops that lead to the gradient of one parameter and to nothing else, if they
//                    multiply matrices, or keep no more bytes besides than the gradient has
//
// Operands of the weights' part stay in memory until that part runs. So the gradient of a norm's
// scale, a sum of products of two activations, is computed at once: its result is far smaller than
// what it reads, and it takes too short a time to fill a gap in a schedule.
//
// Forward sections send and receive every transfer to a later virtual stage, and backward sections
// every transfer to an earlier one. No two sections wait for each other.
//
// A schedule may delay the last part (Qi et al., "Zero Bubble Pipeline Parallelism", 2024, section
// 2). A schedule that does not delay it joins the two backward parts.

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
