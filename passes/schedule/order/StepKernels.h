// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of the kernels of all sections, as a rank executes them. Hoisted kernels are part of the
// last action of the section in which they run:
//
//   @backward   task.forms = [a, b, c]                             a, b, reduce, c
//   @update     task.forms = [reduce, new]                         new
//               task.hoisted = [[@backward, 1]]
#pragma once

#include "passes/analysis/Sections.h"
#include "passes/analysis/kernels/Kernels.h"

namespace pcc::schedule {

/// A kernel and the section whose values it computes.
struct StepKernel {
  analysis::Section *section = nullptr;
  const analysis::Kernel *kernel = nullptr;
};

/// Kernels that a section runs in its last action.
using KernelOrder = llvm::SmallVector<StepKernel>;

/// Kernel orders of all sections of a step.
class StepKernels {
public:
  explicit StepKernels(mlir::ModuleOp module);
  StepKernels(const StepKernels &) = delete;

  /// Sections in the order in which they first run, then those outside the step.
  llvm::MutableArrayRef<analysis::Section> getSections() { return sections; }
  KernelOrder &orderOf(analysis::Section &section) { return orders[&section]; }

  /// Returns a copy of all orders, which setOrders can restore.
  llvm::DenseMap<analysis::Section *, KernelOrder> getOrders() const { return orders; }
  void setOrders(llvm::DenseMap<analysis::Section *, KernelOrder> all) { orders = std::move(all); }

  /// Numbers the kernels by the orders; hoisted kernels come first in their own section.
  void annotate();

private:
  void annotate(analysis::Section &section);

  llvm::SmallVector<analysis::Section> sections;
  /// Kernels as they were at construction.
  llvm::DenseMap<analysis::Section *, llvm::SmallVector<analysis::Kernel>> kernels;
  llvm::DenseMap<analysis::Section *, KernelOrder> orders;
};

} // namespace pcc::schedule
