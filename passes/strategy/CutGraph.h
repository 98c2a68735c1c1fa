// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward ops of a program as a problem of cuts (passes/solve/RecursiveCuts.h).
//
//   program                            problem
//   equal ops, layer by layer          one rule, asked for once
//   a forward op                       an op; the more it calculates the earlier it decides
//   a value                            a tensor, by which its maker and its readers are neighbours
//   a pinned op                        its cut in each round is given
#pragma once

#include "passes/solve/RecursiveCuts.h"
#include "passes/strategy/PinnedProgram.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::strategy {

/// Whether two ops differ in nothing but their names and what they read.
struct EqualOps : llvm::DenseMapInfo<mlir::Operation *> {
  static unsigned getHashValue(const mlir::Operation *op);
  static bool isEqual(const mlir::Operation *lhs, const mlir::Operation *rhs);
};

class CutGraph {
public:
  /// Of all sections of `module` but the update. What `program` gives of ops is on its mesh, whose
  /// axes are then the rounds.
  CutGraph(mlir::ModuleOp module, const PinnedProgram &program);

  const solve::CutProblem &getProblem() const { return problem; }
  /// By op of the problem.
  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }

private:
  /// What equal ops share.
  struct OpClass {
    int rule;
    double flops;
  };

  void add(mlir::Operation *op);
  OpClass makeClass(mlir::Operation *op);
  int getTensor(mlir::Value value);

  const PinnedProgram &program;
  solve::CutProblem problem;
  std::vector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Value, int> tensors;
  llvm::DenseMap<mlir::Operation *, OpClass, EqualOps> classes;
};

} // namespace pcc::strategy
