// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the option dataset_strategy, which states how the inputs of a model are fed: one cut per
// input, in the model's order. Labels are inputs and follow the inputs of the model itself.
//
//   @forward(%x: tensor<8x4xf32>), @forward_backward(%x, %labels: tensor<8xi64>)
//   ((2,1),(2))        x in 2 blocks of rows, labels in 2
//   [dp, tp], [dp]     x in blocks of rows and columns
//
// The cuts are checked in the order of CheckTensors.h; then the number of parts must divide the
// number of ranks. Every message names the input.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/strategy/constraints/CheckTensors.h"
#include "llvm/ADT/MapVector.h"

namespace pcc::strategy {

/// Cuts in which inputs are fed, by name of the input.
using FedInputs = llvm::MapVector<llvm::StringRef, Cuts>;

/// Parses `text`, which is empty or has a cut for every input of `module`. Emits a diagnostic on
/// failure.
mlir::FailureOr<FedInputs> readDatasetStrategy(mlir::ModuleOp module, llvm::StringRef text,
                                               const dist::Mesh &mesh, int64_t numRanks);

} // namespace pcc::strategy
