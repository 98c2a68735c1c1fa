// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds small values of programs of one rank.
#pragma once

#include "dialects/dist/Sharding.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace pcc::partition {

/// Clones the op with `operands`, without its shardings.
mlir::Operation *cloneOn(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands,
                         mlir::TypeRange types);
/// Returns this rank's position along `axes`, a tensor<i64>.
mlir::Value makePosition(mlir::OpBuilder &builder, mlir::Location loc,
                         llvm::ArrayRef<std::string> axes);
/// Returns the index at which this rank's block begins along a dimension, a tensor<i64>. The
/// dimension is cut by `axes` in blocks of `blockSize`.
mlir::Value makeOffset(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::ArrayRef<std::string> axes, int64_t blockSize);
/// Converts a scalar to the element type of `type` and repeats it to that shape.
mlir::Value spread(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scalar,
                   mlir::RankedTensorType type);
/// Returns `indices` into a dimension of `size`, as i64 if their own type cannot hold the size.
mlir::Value widenIndices(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value indices,
                         int64_t size);
/// Returns `indices` relative to this rank's block of a dimension, which is cut by `axes` in blocks
/// of `blockSize`. The result is i64 if the type of `indices` cannot hold such numbers.
mlir::Value makeRelative(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value indices,
                         llvm::ArrayRef<std::string> axes, int64_t blockSize,
                         const dist::Mesh &mesh);
/// Returns this rank's block along `dim` of a value that the rank holds whole.
mlir::Value takeBlock(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t dim,
                      llvm::ArrayRef<std::string> axes, const dist::Mesh &mesh);
/// Returns `value` on the ranks at position 0 of `axes`, and the neutral element of `kind` on the
/// others.
mlir::Value keepOnFirst(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                        llvm::ArrayRef<std::string> axes, ReduceKind kind);
/// All-reduces `value` over the ranks along `axes`; returns `value` itself for no axes.
mlir::Value allReduce(mlir::OpBuilder &builder, mlir::Location loc, ReduceKind kind,
                      mlir::Value value, llvm::ArrayRef<std::string> axes);
/// Returns `value` times a number.
mlir::Value scale(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, double factor);

} // namespace pcc::partition
