// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for kernels of any size: sizes are arguments. Each thread has an
// element of the result, and goes on one grid further.
#pragma once

#include "dialects/task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/lower/gpu/loops/GpuLoops.h"
#include "runtime/abi/program/SupportKernels.h"

namespace pcc::lower {

/// A kernel of any size under construction.
class SupportKernel {
public:
  /// The arguments are `pointers` pointers, then `numbers` numbers.
  SupportKernel(mlir::gpu::GPUModuleOp kernels, const std::string &name, unsigned pointers,
                unsigned numbers, int64_t blocks = abi::maxElementBlocks);

  mlir::Value pointer(unsigned n) const { return entry->getArgument(n); }
  mlir::Value number(unsigned n) const { return entry->getArgument(pointers + n); }

  mlir::Value add(mlir::Value x, mlir::Value y) { return mlir::arith::AddIOp::create(b, x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return mlir::arith::SubIOp::create(b, x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return mlir::arith::MulIOp::create(b, x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return mlir::arith::DivUIOp::create(b, x, y); }
  mlir::Value rem(mlir::Value x, mlir::Value y) { return mlir::arith::RemUIOp::create(b, x, y); }
  mlir::Value both(mlir::Value x, mlir::Value y) { return mlir::arith::AndIOp::create(b, x, y); }
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(b, c, x, y);
  }
  /// Compares as unsigned numbers: a negative `x` is never less.
  mlir::Value less(mlir::Value x, mlir::Value y) {
    return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::ult, x, y);
  }
  /// Returns whether a bit of a number is set.
  mlir::Value has(mlir::Value number, int64_t bit) {
    mlir::Value masked = mlir::arith::AndIOp::create(b, number, math.constant(bit));
    return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::ne, masked, math.constant(0));
  }
  mlir::Value zero() { return emitNumber(b, b.getF32Type(), 0); }

  /// Returns the element at a position if the condition holds, else the first element of the first
  /// argument.
  mlir::Value loadIf(mlir::Value condition, mlir::Type type, mlir::Value pointer,
                     mlir::Value position);
  /// Calls `body` with the elements of this thread, of 0 … count-1.
  void forEach(mlir::Value count, llvm::function_ref<void(mlir::Value)> body);
  /// Returns `start` plus the sum of terms (f32) at all positions within `counts`.
  mlir::Value sum(mlir::Value start, llvm::ArrayRef<mlir::Value> counts,
                  llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)> term);
  /// Converts an element's positions to its row-major place, and back.
  mlir::Value place(llvm::ArrayRef<mlir::Value> positions, llvm::ArrayRef<mlir::Value> sizes);
  llvm::SmallVector<mlir::Value> split(mlir::Value place, llvm::ArrayRef<mlir::Value> sizes);

  mlir::ImplicitLocOpBuilder b;

private:
  mlir::LLVM::LLVMFuncOp makeFunction(const std::string &name, unsigned numbers, int64_t blocks);
  mlir::Value sumFrom(mlir::Value sum, llvm::ArrayRef<mlir::Value> counts,
                      llvm::SmallVector<mlir::Value> &positions,
                      llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)> term);

  unsigned pointers;
  mlir::LLVM::LLVMFuncOp function;
  mlir::Block *entry;

public:
  IndexMath math;
  Elements elements;
  std::optional<ThreadBlock> block;
};

/// Returns the name of a type in kernels' names.
std::string nameOf(mlir::Type type);

void emitMatmulKernel(mlir::gpu::GPUModuleOp kernels, const std::string &name, mlir::Type type,
                      mlir::Type result);
/// Emits the ops after and beside a matmul whose result is already in its place.
void emitFinishKernel(mlir::gpu::GPUModuleOp kernels, const std::string &name, mlir::Type type,
                      mlir::Type result);
std::string nameOfConvolution(task::ConvolutionKind kind);
void emitConvolutionKernel(mlir::gpu::GPUModuleOp kernels, const std::string &name,
                           task::ConvolutionKind kind, mlir::Type type);
/// Emit the attention kernels; `suffix` ends their names.
void emitAttentionKernel(mlir::gpu::GPUModuleOp kernels, const std::string &suffix,
                         mlir::Type type);
void emitAttentionGradientKernels(mlir::gpu::GPUModuleOp kernels, const std::string &suffix,
                                  mlir::Type type);
void emitCollectiveKernels(mlir::ModuleOp module, mlir::gpu::GPUModuleOp kernels);

// Kernels of any size for instructions that are not launches:
//
//   pcc_accumulate_T(f32 *sum, T *source, i64 count, i64 adds)
//   pcc_matmul_T_R(T *a, T *b, R *c, R *bias, R *pre_activation, R *sum, i64 batch, i64 m, i64 n,
//                  i64 k, i64 flags)
//   pcc_finish_T_R, with the same arguments
//
// Convolutions, attention and collectives have such kernels too; docs/spec/kernels.md has all. A
// sum has no library call. The other instructions have one, and use these kernels if the library is
// missing or does less. The kernels are correct, not fast.

/// Adds to `kernels` the support kernels that the instructions of the module's programs need, each
/// once. Fails with a diagnostic at an integer matmul, which no device has.
mlir::LogicalResult emitSupportKernels(mlir::ModuleOp module, mlir::gpu::GPUModuleOp kernels);

} // namespace pcc::lower
