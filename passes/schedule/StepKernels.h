// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of all sections in the order in which a rank comes to them, in the last slot of each
// those that run there early among them:
//
//   @backward   task.forms = [a, b, c]                             a, b, reduce, c
//   @update     task.forms = [reduce, new]                         new
//               task.early = [[@backward, 1]]
#pragma once

#include "passes/facts/Kernels.h"
#include "passes/facts/Sections.h"

namespace pcc::schedule {

/// A kernel and the section whose values it computes.
struct StepKernel {
  facts::Section *section = nullptr;
  const facts::Kernel *kernel = nullptr;
};

/// What a section runs in its last slot.
using KernelOrder = llvm::SmallVector<StepKernel>;

/// The orders of all sections of a step.
class StepKernels {
public:
  explicit StepKernels(mlir::ModuleOp module);
  StepKernels(const StepKernels &) = delete;

  /// In the order in which they first run, then those that stand outside the step.
  llvm::MutableArrayRef<facts::Section> getSections() { return sections; }
  KernelOrder &orderOf(facts::Section &section) { return orders[&section]; }

  /// Every order, to come back to.
  llvm::DenseMap<facts::Section *, KernelOrder> getOrders() const { return orders; }
  void setOrders(llvm::DenseMap<facts::Section *, KernelOrder> all) { orders = std::move(all); }

  /// Numbers the kernels by the orders: those that run early come first in their own section.
  void annotate();

private:
  void annotate(facts::Section &section);

  llvm::SmallVector<facts::Section> sections;
  /// As they were at the begin.
  llvm::DenseMap<facts::Section *, llvm::SmallVector<facts::Kernel>> kernels;
  llvm::DenseMap<facts::Section *, KernelOrder> orders;
};

} // namespace pcc::schedule
