// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotates the functions of a program with shardings, one function after the other, so that values
// passed between them agree. A parameter has one sharding everywhere, its states follow it, and a
// gradient is taken in the sharding in which it was produced. An evaluation splits its ops as the
// training step splits the same ones: both then need the same blocks of the parameters, and the
// evaluation needs no more memory than the forward pass of a step.
#pragma once

#include "dialects/graph/Graph.h"
#include "passes/strategy/propagate/Propagation.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace pcc::strategy {

/// Given strategy of an op: the axes of its factors, and the shardings in which users read its
/// results.
struct GivenOp {
  std::vector<dist::AxisList> factors;
  std::vector<dist::Sharding> results;
  /// Complete sharding from a search or a file, with partial sums; replaces `factors` if set.
  std::optional<OpSharding> exact = {};
  analysis::Reasons why = {};
};

/// Why tensors at the boundaries of functions have their shardings, by name.
struct TensorReasons {
  llvm::StringMap<analysis::Reasons> parameters, inputs, gradients;
};

/// Shardings that a mode, a user or a search prescribes before propagation, and what else a mode
/// prescribes for inputs and gradients.
struct SeedShardings {
  llvm::StringMap<dist::Sharding> parameters, inputs; ///< by name
  llvm::StringMap<dist::Sharding> gradients;          ///< of parameters, as they are returned
  llvm::DenseMap<mlir::Operation *, GivenOp> ops;
  /// Given shardings in which inputs are fed, by name; the ops may take them in other shardings.
  llvm::StringMap<dist::Sharding> fed;
  TensorReasons why; ///< of parameters, of inputs as they are fed, of gradients
  /// Whether every rank is fed the remaining inputs unsplit.
  bool fullBatch = false;
  /// Returns the factor of a parameter's gradient that has this sharding on the program's mesh.
  std::function<double(llvm::StringRef parameter, const dist::Sharding &gradient,
                       const dist::Mesh &mesh)>
      gradientFactor;
  /// How a user gets the gradients of one device instead, if a factor differs from 1.
  std::string gradientRemedy;

  /// Whether no sharding is given.
  bool isEmpty() const {
    return ops.empty() && parameters.empty() && gradients.empty() && inputs.empty() && fed.empty();
  }
  /// Sets the sharding in which functions pass a parameter, a gradient or an input; an input is
  /// also fed in it. `why` is the reason of a tensor that has none yet.
  void set(graph::RoleAttr role, const dist::Sharding &sharding, const analysis::Reasons &why);
};

class ShardingAnnotator {
public:
  /// `cluster` weighs work and communication; it may be null, else it must be complete, have a
  /// device for each rank and outlive this.
  ShardingAnnotator(mlir::ModuleOp module, const dist::Mesh &mesh, SeedShardings given,
                    const abi::Cluster *cluster = nullptr)
      : module(module), planCache(mesh, cluster), mesh(planCache.getMesh()),
        given(std::move(given)) {}

  /// Annotates all functions: functions that return gradients first, functions that take them last.
  void run();

private:
  /// An op of the function that returns gradients, as it was decided there.
  struct TrainedOp {
    mlir::Operation *op = nullptr;
    OpSharding sharding;
    analysis::Reasons why;
  };

  void annotate(mlir::func::FuncOp function);
  void keepTrained(mlir::func::FuncOp function, const Propagation &propagation);
  void seedTrained(mlir::func::FuncOp function, Propagation &propagation) const;
  static void seed(mlir::Operation *op, const GivenOp &given, Propagation &propagation);
  void seedArguments(mlir::func::FuncOp function, Propagation &propagation) const;
  void splitBatch(mlir::func::FuncOp function, Propagation &propagation) const;
  void keepParameters(mlir::func::FuncOp function, const Propagation &propagation);
  dist::Sharding getFed(llvm::StringRef input, const dist::Sharding &wanted) const;
  analysis::Reasons explainFed(llvm::StringRef input, const dist::Sharding &fed,
                               const Propagation &propagation, mlir::BlockArgument argument) const;
  void annotateArguments(mlir::func::FuncOp function, const Propagation &propagation) const;
  void annotateResults(mlir::func::FuncOp function, const Propagation &propagation);
  dist::Sharding annotateGradient(mlir::func::FuncOp function, llvm::StringRef name,
                                  const dist::Sharding &made, const analysis::Reasons &why,
                                  mlir::DictionaryAttr &attributes);
  bool isState(llvm::StringRef name);
  void remarkOfFactors(mlir::func::FuncOp function);

  mlir::ModuleOp module;
  analysis::ReshardPlanCache planCache;
  const dist::Mesh &mesh; ///< the planCache's mesh
  SeedShardings given;
  std::optional<dist::Sharding> loss; ///< of the function that returns gradients, as it is returned
  std::map<std::pair<std::string, unsigned>, TrainedOp> trained; ///< by name and number
};

/// Fails with a diagnostic if the number of ranks is outside the supported range.
mlir::LogicalResult checkNumRanks(mlir::ModuleOp module, int64_t numRanks);

/// Splits dimension 0 of `shape` over the axes whose product is the largest divisor of it.
dist::Sharding splitBatch(llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh);

} // namespace pcc::strategy
