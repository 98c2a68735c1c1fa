// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of a modeled system that are known from its source. They replace the kernels that the
// cost model predicts for pcc.
//
//   kernels = {{"^(/h\\.[0-9]+/)(fc/add|gelu)$", 4}}
//
//   %2 = graph.add %0, %1     at "/h.0/fc/add"     4 bytes per element of the largest value
//   %3 = graph.gelu %2        at "/h.0/gelu"       no cost: same kernel
//   %4 = graph.add %5, %6     at "/h.0/add"        no known kernel
#pragma once

#include "compiler/plan/cost/StepCost.h"

namespace pcc::conformance {

/// A kernel whose traffic or rate is known.
struct KnownKernel {
  /// Regular expression that selects the kernel's ops by name. Ops belong to one kernel if the
  /// expression's group, or without a group the whole expression, matches the same text.
  std::string ops;
  /// Bytes moved per element of the largest value that the kernel reads or returns. If this and the
  /// rates are 0, the adjacent matmul computes the kernel.
  double bytes = 0;
  /// Rates of moving and of multiplying; 0: the rate of memory, and no time for multiplying.
  double bytesPerSecond = 0, flopsPerSecond = 0;
};

/// Kernels of a system. An op belongs to the first known kernel that matches.
struct SystemKernels {
  std::vector<KnownKernel> known;
  /// Regular expression for names of ops that move elements and are views in the system, since its
  /// matmuls read operands with any layout. Empty: none.
  std::string views = {};
};

/// Returns the kernels of one function, for plan::SystemTraits::kernelsOf.
plan::GivenKernels listKernels(const SystemKernels &kernels, mlir::func::FuncOp function,
                               const abi::DeviceFigures &device);

/// Returns the first known kernel to which no op of any function in `module` belongs, for example
/// because of a wrong regular expression. Returns null if every kernel has ops.
const KnownKernel *findUnused(llvm::ArrayRef<KnownKernel> known, mlir::ModuleOp module);

} // namespace pcc::conformance
