// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of the kernels of all sections, as a rank executes them. Hoisted kernels are part of the
// last action of the section in which they run:
//
//   @backward   task.forms = [a, b, c]                             a, b, reduce, c
//   @update     task.forms = [reduce, new]                         new
//               task.hoisted = [[@backward, 1]]
#pragma once

#include "passes/facts/Kernels.h"
#include "passes/facts/Sections.h"

namespace pcc::schedule {

/// A kernel and the section whose values it computes.
struct StepKernel {
  facts::Section *section = nullptr;
  const facts::Kernel *kernel = nullptr;
};

/// Kernels that a section runs in its last action.
using KernelOrder = llvm::SmallVector<StepKernel>;

/// Kernel orders of all sections of a step.
class StepKernels {
public:
  explicit StepKernels(mlir::ModuleOp module);
  StepKernels(const StepKernels &) = delete;

  /// Sections in the order in which they first run, then those outside the step.
  llvm::MutableArrayRef<facts::Section> getSections() { return sections; }
  KernelOrder &orderOf(facts::Section &section) { return orders[&section]; }

  /// Returns a copy of all orders, which setOrders can restore.
  llvm::DenseMap<facts::Section *, KernelOrder> getOrders() const { return orders; }
  void setOrders(llvm::DenseMap<facts::Section *, KernelOrder> all) { orders = std::move(all); }

  /// Numbers the kernels by the orders; hoisted kernels come first in their own section.
  void annotate();

private:
  void annotate(facts::Section &section);

  llvm::SmallVector<facts::Section> sections;
  /// Kernels as they were at construction.
  llvm::DenseMap<facts::Section *, llvm::SmallVector<facts::Kernel>> kernels;
  llvm::DenseMap<facts::Section *, KernelOrder> orders;
};

} // namespace pcc::schedule
