// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inserts the collectives that a constraints file puts behind values of a model.
//
//   constraint { op: "fc2/matmul" collective: "all_reduce sum over [tp]" }
//
//   %0 = graph.matmul %x, %w                    fc2/matmul
//   %1 = dist.all_reduce sum %0 over <axes [tp]>    what other ops read instead of %0
//
// The model becomes the program of one rank (`dist.local`): its shapes are those of a rank's
// blocks.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/abi/constraints.pb.h"

namespace pcc::import {

/// Inserts the collectives of `constraint`, which was written at `place`, and infers the types of
/// the ops that read them. Emits an error and fails if a collective is illegal.
mlir::LogicalResult insertCollectives(mlir::ModuleOp module, const abi::Constraint &constraint,
                                      const std::string &place);

/// Sets the sharding of an input of a model with collectives: the input of the model is the block
/// of one rank. Emits an error and fails if the constraint gives no such sharding.
mlir::LogicalResult cutLocalInput(mlir::ModuleOp module, const abi::Constraint &constraint,
                                  const std::string &place);

} // namespace pcc::import
