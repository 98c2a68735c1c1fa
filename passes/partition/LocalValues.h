// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small values that programs of one rank are made of.
#pragma once

#include "dialects/dist/Sharding.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace pcc::partition {

/// The same op on `operands`, without its shardings.
mlir::Operation *cloneOn(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands,
                         mlir::TypeRange types);
/// This rank's position along `axes`, a tensor<i64>.
mlir::Value makePosition(mlir::OpBuilder &builder, mlir::Location loc,
                         llvm::ArrayRef<std::string> axes);
/// The index at which this rank's block begins along a dimension cut by `axes` in blocks of
/// `blockSize`, a tensor<i64>.
mlir::Value makeOffset(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::ArrayRef<std::string> axes, int64_t blockSize);
/// A scalar of integers, converted and repeated to `type`.
mlir::Value spread(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scalar,
                   mlir::RankedTensorType type);
/// `indices` into a dimension of `size`, as i64 where their own type has no such number.
mlir::Value widenIndices(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value indices,
                         int64_t size);
/// `indices` into a dimension cut by `axes` in blocks of `blockSize`, relative to this rank's
/// block; as i64 where their own type has no such numbers.
mlir::Value makeRelative(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value indices,
                         llvm::ArrayRef<std::string> axes, int64_t blockSize,
                         const dist::Mesh &mesh);
/// This rank's block along `dim` of a value that it has whole.
mlir::Value takeBlock(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t dim,
                      llvm::ArrayRef<std::string> axes, const dist::Mesh &mesh);
/// `value` on the ranks at position 0 of `axes`, what is neutral for `kind` on the others.
mlir::Value keepOnFirst(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                        llvm::ArrayRef<std::string> axes, ReduceKind kind);
/// `value` of one rank's block, joined with those of the ranks along `axes`; itself for no axes.
mlir::Value allReduce(mlir::OpBuilder &builder, mlir::Location loc, ReduceKind kind,
                      mlir::Value value, llvm::ArrayRef<std::string> axes);
/// `value` times a number.
mlir::Value scale(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, double factor);

} // namespace pcc::partition
