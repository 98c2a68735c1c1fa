// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option dataset_strategy: how the inputs of a model are fed, one cut for each, in the model's
// order. Labels are inputs, behind those that the model itself has.
//
//   @forward(%x: tensor<8x4xf32>), @forward_backward(%x, %labels: tensor<8xi64>)
//   ((2,1),(2))        x in 2 blocks of rows, labels in 2
//   [dp, tp], [dp]     x in blocks of rows and columns
//
// Checked in the order of CheckTensors.h, then that the parts divide the ranks; every message names
// the input.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/strategy/CheckTensors.h"
#include "llvm/ADT/MapVector.h"

namespace pcc::strategy {

/// How inputs are fed, by name.
using FedInputs = llvm::MapVector<llvm::StringRef, Cuts>;

/// Reads `text`, which is empty or has a cut for every input of `module`. Diagnoses and fails.
mlir::FailureOr<FedInputs> readDatasetStrategy(mlir::ModuleOp module, llvm::StringRef text,
                                               const dist::Mesh &mesh, int64_t numRanks);

} // namespace pcc::strategy
