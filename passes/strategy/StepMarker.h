// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks the functions of a program with shardings, one after the other, so that they agree on what
// passes between them: a parameter is cut in one way everywhere, its states like it, and a gradient
// is taken as it was left.
#pragma once

#include "dialects/graph/Graph.h"
#include "passes/strategy/Propagation.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::strategy {

/// What is given of an op: the axes of its factors, and its results as their users are to see them.
struct GivenOp {
  std::vector<dist::AxisList> factors;
  std::vector<dist::Sharding> results;
  /// Where a search has decided: all of it, instead of `factors`.
  std::optional<OpSharding> searched = {};
};

/// What a mode or a user says of a program before anything is propagated.
struct GivenShardings {
  llvm::StringMap<dist::Sharding> parameters, inputs; ///< by name
  llvm::StringMap<dist::Sharding> gradients;          ///< of parameters, as they are returned
  llvm::DenseMap<mlir::Operation *, GivenOp> ops;
  /// How inputs are fed, by name, where that is given; ops need not want them so.
  llvm::StringMap<dist::Sharding> fed;
  /// Every rank is fed the other inputs whole.
  bool fullBatch = false;
  /// The factor of a parameter's gradient, which comes with this sharding on the program's mesh.
  std::function<double(llvm::StringRef parameter, const dist::Sharding &gradient,
                       const dist::Mesh &mesh)>
      gradientFactor;

  /// Whether nothing is said of where anything lies.
  bool isEmpty() const {
    return ops.empty() && parameters.empty() && gradients.empty() && inputs.empty() && fed.empty();
  }
  /// What passes the boundaries of functions as a parameter, a gradient or an input is cut so; an
  /// input is fed so, too.
  void set(graph::RoleAttr role, const dist::Sharding &sharding);
};

class StepMarker {
public:
  StepMarker(mlir::ModuleOp module, const dist::Mesh &mesh, GivenShardings given)
      : module(module), planner(mesh), mesh(planner.getMesh()), given(std::move(given)) {}

  /// Marks all functions: those that yield gradients first, those that take them last.
  void run();

private:
  void mark(mlir::func::FuncOp function);
  static void give(mlir::Operation *op, const GivenOp &given, Propagation &propagation);
  void giveArguments(mlir::func::FuncOp function, Propagation &propagation) const;
  void splitBatch(mlir::func::FuncOp function, Propagation &propagation) const;
  void keepParameters(mlir::func::FuncOp function, const Propagation &propagation);
  dist::Sharding getFed(llvm::StringRef input, const dist::Sharding &wanted) const;
  void markArguments(mlir::func::FuncOp function, const Propagation &propagation) const;
  void markResults(mlir::func::FuncOp function, const Propagation &propagation);
  dist::Sharding markGradient(mlir::func::FuncOp function, llvm::StringRef name,
                              const dist::Sharding &made, mlir::DictionaryAttr &attributes);

  mlir::ModuleOp module;
  facts::ReshardPlanner planner;
  const dist::Mesh &mesh; ///< the planner's
  GivenShardings given;
};

/// Diagnoses a number of ranks that no program has, and fails.
mlir::LogicalResult checkNumRanks(mlir::ModuleOp module, int64_t numRanks);

/// Dimension 0 of `shape` split over as many ranks as it can be evenly, the rest whole.
dist::Sharding splitBatch(llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh);

} // namespace pcc::strategy
