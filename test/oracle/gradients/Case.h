// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One case of the gradient check: a function of graph ops, written in a file of cases.
//
//   func.func @div(%a: tensor<4xf32>, %b: tensor<4xf32> {check.range = [0.5, 2.0]}) ->
//   tensor<4xf32>
//       attributes {check.tolerance = 1.0e-7} { … }
//
// `check.range` gives bounds of an argument's values: [low, high] for floats (default: [-2, 2]),
// [low, high) for integers (default: [0, 2)). `check.values` gives the values themselves, for ties,
// zeros and indices. `check.tolerance` is the maximum error of a gradient element, relative to the
// largest element.
//
// In a module with a mesh every rank has values of its own, and the sum of all ranks' losses is
// differentiated. A `check.shared` argument has the same value on all ranks, and changes on all of
// them at once. `check.factor` is an intended factor of an argument's gradient.
#pragma once

#include "compiler/interpret/function/Signature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::gradients {

/// Result of the check of one case.
struct Outcome {
  std::string failure;     ///< empty if it passed
  int64_t elements = 0;    ///< gradient elements compared
  double largestError = 0; ///< relative, of all elements
};

/// Differentiates the sum of the case's results, each element times a random weight, with respect
/// to its float arguments. Compares the gradients with central differences of the same function in
/// doubles. Then differentiates with respect to each argument alone, which must give the same bits.
Outcome checkCase(mlir::func::FuncOp function);

/// Makes a module with @forward, whose loss is the weighted sum. The trainable parameters are the
/// float arguments (`only` < 0) or argument `only`. Other arguments are inputs.
mlir::OwningOpRef<mlir::ModuleOp> makeModel(mlir::func::FuncOp function, int only);

/// Makes the values of one rank for the arguments of makeModel's @forward, by role name: arguments
/// are "0", "1", …, weights "weight0", ….
std::map<std::string, values::Tensor> makeValues(mlir::func::FuncOp function, int64_t rank);

/// Returns true if all ranks have the same value of an argument.
bool isShared(mlir::func::FuncOp function, unsigned index);

} // namespace pcc::gradients
