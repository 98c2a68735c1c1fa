// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the costs of a model's layers, for cutting the model into stages (passes/solve/stages).
// Assumes that the ranks of a stage share the work of a layer evenly, since no tensor is sharded
// yet.
//
//   time        forward and backward ops, by the roofline model (passes/analysis/cost), in the
//               kernels of their own function; backward ops come from the differentiated model
//   held        parameters, gradients in f32, optimizer states in f32
//   live        forward values that backward ops read
//   hand-over   values that later layers read, and their gradients back, over the links between
//               stages
#pragma once

#include "compiler/plan/layers/LayerChain.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/autodiff/TrainingOptions.h"
#include "passes/solve/stages/StageProblem.h"
#include "runtime/abi/cluster.pb.h"

namespace pcc::plan {

struct LayerCostOptions {
  autodiff::TrainingOptions training; ///< loss and optimizer; both empty: the model is evaluated
  int64_t ranks = 1;                  ///< of a stage
  bool isReplicated = false;          ///< each rank has all parameters of its stage
  abi::Cluster cluster;               ///< complete

  bool trains() const { return !training.loss.empty() || !training.optimizer.empty(); }
};

struct LayerCosts {
  std::vector<stages::Layer> layers;
  std::vector<double> forward; ///< seconds of the forward ops alone
  /// Least seconds of all matmuls, and of their launches, which each rank needs
  /// (passes/analysis/cost/OpCostModel.h).
  double multiplying = 0, launching = 0;
  /// Least seconds of the kernels between matmuls (LeastTraffic.h), without their launches.
  double moving = 0;
};

/// Estimates the costs of the layers of `forward`, a function of `module` before differentiation.
/// Emits an error and fails if the model cannot be differentiated.
mlir::FailureOr<LayerCosts> estimateLayerCosts(mlir::ModuleOp module, mlir::func::FuncOp forward,
                                               llvm::ArrayRef<ChainLayer> layers,
                                               const LayerCostOptions &options);

} // namespace pcc::plan
