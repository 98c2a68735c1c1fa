// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the system whose program is priced, where they are known from its source. They take
// the place of those that KernelShares.h would expect.
//
//   PriceOptions::kernels = {{"^(/h\\.[0-9]+/)(fc/add|gelu)$", 4}}
//
//   %2 = graph.add %0, %1     at "/h.0/fc/add"     4 bytes an element of the largest value
//   %3 = graph.gelu %2        at "/h.0/gelu"       nothing: of the same kernel
//   %4 = graph.add %5, %6     at "/h.0/add"        of none
#pragma once

#include "compiler/plan/StepPrice.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::plan {

/// Those of one function.
class KnownKernels {
public:
  /// `isFree`: ops that cost nothing, whatever kernel they belong to.
  KnownKernels(mlir::func::FuncOp function, llvm::ArrayRef<KnownKernel> known,
               llvm::function_ref<bool(mlir::Operation *)> isFree);

  /// The number of the kernel of an op, from 1; 0 if it belongs to none.
  int64_t numberOf(mlir::Operation *op) const { return numbers.lookup(op); }
  /// What the kernel takes, of which `op` is one, at its first op that is not free; 0 at all
  /// others.
  double secondsAt(mlir::Operation *op, const abi::DeviceFigures &device) const;
  bool has(const KnownKernel &known) const;

private:
  struct Instance {
    const KnownKernel *known;
    mlir::Operation *first = nullptr; ///< that is not free
    int64_t elements = 0;             ///< of the largest value that an op reads or gives
    double flops = 0;                 ///< of products
  };

  void add(mlir::Operation *op, const KnownKernel &known, bool isFree, int64_t &number);

  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
  std::vector<Instance> instances; ///< by number, less one
};

/// The first to which no op of any function in `module` belongs, as to one whose regular expression
/// is none; null if all have ops.
const KnownKernel *findUnused(llvm::ArrayRef<KnownKernel> known, mlir::ModuleOp module);

} // namespace pcc::plan
