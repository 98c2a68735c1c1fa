// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the layers of a model cost in a pipeline, for the cut in stages (passes/solve/stages),
// before anything is split over the ranks of a stage: they share the work of a layer evenly.
//
//   time        ops forward and backward, by the roofline (passes/facts/OpPrice.h), in kernels of
//               their own function; the backward ops are those of the differentiated model
//   held        parameters, gradients in f32, optimizer states in f32
//   live        forward values that backward ops read
//   hand-over   values that later layers read, and their gradients back, by the links between
//   stages
#pragma once

#include "compiler/plan/LayerChain.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/autodiff/TrainingOptions.h"
#include "passes/solve/stages/StageProblem.h"
#include "runtime/abi/cluster.pb.h"

namespace pcc::plan {

struct LayerPriceOptions {
  autodiff::TrainingOptions training; ///< loss and optimizer; both empty: the model is evaluated
  int64_t ranks = 1;                  ///< of a stage
  bool isReplicated = false;          ///< each rank has all parameters of its stage
  abi::Cluster cluster;               ///< complete

  bool trains() const { return !training.loss.empty() || !training.optimizer.empty(); }
};

struct LayerPrices {
  std::vector<stages::Layer> layers;
  std::vector<double> forward; ///< times of the forward ops alone
};

/// The layers of `forward`, a function of `module` that is not differentiated yet. Diagnoses a
/// model that cannot be, and fails.
mlir::FailureOr<LayerPrices> priceLayers(mlir::ModuleOp module, mlir::func::FuncOp forward,
                                         llvm::ArrayRef<ChainLayer> layers,
                                         const LayerPriceOptions &options);

} // namespace pcc::plan
