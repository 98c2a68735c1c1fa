// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine-independent cost of an op: arithmetic, memory traffic, and the class that determines at
// which rate a machine runs the op.
//
//   op                         class        flops            bytes (f32)
//   matmul 8x4 by 4x2          contraction  2*8*4*2 = 128    4*(32 + 8 + 16)
//   add of 8x4                 elementwise  32               4*(3*32)
//   reduce sum of 8x4 to 8     reduction    32               4*(32 + 8)
//   slice of 8x4 to 2x4        movement     0                4*(8 + 8)
//   reshape                    movement     0                0
#pragma once

#include "passes/analysis/sharding/OpShapes.h"

namespace pcc::analysis {

enum class OpClass { Contraction, Elementwise, Reduction, Movement, Leaf, Communication };

/// The lower-case name of a class.
llvm::StringRef stringify(OpClass opClass);

struct Cost {
  OpClass opClass = OpClass::Elementwise;
  int64_t flops = 0; ///< multiplications, additions and function values alike
  int64_t bytes = 0; ///< bytes read and written without fusion
};

/// Returns the cost of `op` on its current shapes: of one rank, once the shapes are local.
Cost costOf(mlir::Operation *op);

/// Returns the cost if operands and results had the shapes `shapes`.
Cost costOf(mlir::Operation *op, const OpShapes &shapes);

OpClass classOf(mlir::Operation *op);

/// Returns whether `op` reads no more elements of its first operand than its result has: it is a
/// slice or a gather.
bool readsPart(mlir::Operation *op);

/// Returns how many elements of its operand `index` the op reads.
int64_t countRead(mlir::Operation *op, unsigned index, const OpShapes &shapes);

/// Bytes of one element of a tensor, at least one.
int64_t getElementBytes(mlir::Type type);

/// Bytes of a tensor; elements of less than a byte take one.
int64_t getNumBytes(mlir::Type type);

} // namespace pcc::analysis
