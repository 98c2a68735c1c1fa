// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the modeled system that are known from its source. They replace the kernels that
// KernelShares.h would predict.
//
//   CostOptions::kernels = {{"^(/h\\.[0-9]+/)(fc/add|gelu)$", 4}}
//
//   %2 = graph.add %0, %1     at "/h.0/fc/add"     4 bytes per element of the largest value
//   %3 = graph.gelu %2        at "/h.0/gelu"       no cost: same kernel
//   %4 = graph.add %5, %6     at "/h.0/add"        no known kernel
#pragma once

#include "compiler/plan/StepCost.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::plan {

/// Known kernels of one function.
class KnownKernels {
public:
  /// `isFree`: ops without cost, whatever kernel they belong to.
  KnownKernels(mlir::func::FuncOp function, llvm::ArrayRef<KnownKernel> known,
               llvm::function_ref<bool(mlir::Operation *)> isFree);

  /// Returns the number of an op's kernel, from 1; 0 if the op belongs to no known kernel.
  int64_t numberOf(mlir::Operation *op) const { return numbers.lookup(op); }
  /// Returns the seconds of the kernel of `op` if `op` is its first op that is not free; 0 for all
  /// other ops of the kernel.
  double secondsAt(mlir::Operation *op, const abi::DeviceFigures &device) const;
  bool has(const KnownKernel &known) const;

private:
  struct Instance {
    const KnownKernel *known;
    mlir::Operation *first = nullptr; ///< first op that is not free
    int64_t elements = 0;             ///< of the largest value that an op reads or returns
    double flops = 0;                 ///< of matmuls
  };

  void add(mlir::Operation *op, const KnownKernel &known, bool isFree, int64_t &number);

  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
  std::vector<Instance> instances; ///< index: kernel number minus one
};

/// Returns the first known kernel to which no op of any function in `module` belongs, for example
/// because of a wrong regular expression. Returns null if every kernel has ops.
const KnownKernel *findUnused(llvm::ArrayRef<KnownKernel> known, mlir::ModuleOp module);

} // namespace pcc::plan
