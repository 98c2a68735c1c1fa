// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward ops of a program as a problem of recursive cuts (passes/solve/cuts/RecursiveCuts.h).
//
//   program                            problem
//   equal ops, layer by layer          one rule, requested once
//   a forward op                       an op; ops with more flops decide earlier
//   a value                            a tensor; it makes its producer and its readers neighbors
//   a constrained op                   its cut in each round is given
#pragma once

#include "passes/solve/cuts/RecursiveCuts.h"
#include "passes/strategy/constraints/ConstrainedProgram.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::strategy {

/// Compares ops by everything except their names and the operand values they read.
struct EqualOps : llvm::DenseMapInfo<mlir::Operation *> {
  static unsigned getHashValue(const mlir::Operation *op);
  static bool isEqual(const mlir::Operation *lhs, const mlir::Operation *rhs);
};

class CutGraph {
public:
  /// Builds the problem from all sections of `module` except the update. The shardings that
  /// `program` prescribes for ops are on its mesh, and the axes of this mesh are then the rounds.
  CutGraph(mlir::ModuleOp module, const ConstrainedProgram &program);

  const solve::CutProblem &getProblem() const { return problem; }
  /// The ops of the module, by index of the op in the problem.
  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }

private:
  /// Data shared by equal ops.
  struct OpClass {
    int rule;
    double flops;
  };

  void add(mlir::Operation *op);
  OpClass makeClass(mlir::Operation *op);
  int getTensor(mlir::Value value);

  const ConstrainedProgram &program;
  solve::CutProblem problem;
  std::vector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Value, int> tensors;
  llvm::DenseMap<mlir::Operation *, OpClass, EqualOps> classes;
};

} // namespace pcc::strategy
