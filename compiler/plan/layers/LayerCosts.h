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
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
  /// Least seconds of the kernels between matmuls (countLeastTraffic), without their launches.
  double moving = 0;
};

/// Estimates the costs of the layers of `forward`, a function of `module` before differentiation.
/// Emits an error and fails if the model cannot be differentiated.
mlir::FailureOr<LayerCosts> estimateLayerCosts(mlir::ModuleOp module, mlir::func::FuncOp forward,
                                               llvm::ArrayRef<ChainLayer> layers,
                                               const LayerCostOptions &options);

//===-- LeastTraffic.cpp ----------------------------------------------------------------------===//

// A lower bound on the memory traffic of the kernels that run between matmuls, for all programs of
// a model.
//
//   %g = matmul, %u = matmul      written by their instructions
//   %s = silu %g                  %g and %u are read, and %p is written, by at least one kernel:
//   %p = mul %s, %u               3 tensors. %s may stay in registers
//   %d = matmul %p                read by its instruction
//
// Ops that a matmul's instruction may compute itself count nothing: bias, ReLU, GELU, casts, and
// sums of its factors. Devices that share the work access at least as many bytes together.

/// Returns the bytes of matmul results that other kernels read, plus those of matmul operands that
/// other kernels write. `function` is a training or evaluation function of whole tensors, before
/// composites are decomposed. `timesOf` returns how many ops an op stands for, with its results and
/// operands.
int64_t countLeastTraffic(
    mlir::func::FuncOp function, llvm::function_ref<int64_t(mlir::Operation *)> timesOf =
                                     [](mlir::Operation *) { return int64_t(1); });

} // namespace pcc::plan
