// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models the kernels of a section as tasks on streams (passes/solve/streams): the time of each task
// on a machine, and its dependences.
//
//   kernel                    stream          after
//   a  matmul                 computes
//   b  all_reduce of it       communicates    a
//   c  matmul, adds to "w"    computes
//   d  send of b              messages        b
//   e  all_reduce of "w"      communicates    b, c      of the update, in the last action only
//
// A kernel follows the kernels whose results it reads. A kernel that adds to a sum also follows the
// kernel that adds to this sum before. Messages between ranks keep their order, because ranks wait
// for one another there.
//
// A hoisted kernel of another section follows all kernels that add to the gradients that it reads.
// If a section does not accumulate a gradient, the hoisted kernel follows all its readers, because
// it may reduce the gradient in place. A hoisted kernel that was ordered after a collective that a
// send needs stays after it.
#pragma once

#include "passes/analysis/Sections.h"
#include "passes/analysis/kernels/Kernels.h"
#include "passes/schedule/order/KernelCostModel.h"
#include "passes/solve/streams/StreamProblem.h"

namespace pcc::schedule {

//===-- StepKernels.cpp -----------------------------------------------------------------------===//

// Orders of the kernels of all sections, as a rank executes them. Hoisted kernels are part of the
// last action of the section in which they run:
//
//   @backward   task.forms = [a, b, c]                             a, b, reduce, c
//   @update     task.forms = [reduce, new]                         new
//               task.hoisted = [[@backward, 1]]

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

//===-- KernelStreams.cpp ---------------------------------------------------------------------===//

/// Remaining time of a hoisted kernel when the section in which it runs ends.
struct Unfinished {
  StepKernel kernel;
  double seconds = 0;
};

/// Stream problem of one section, and the kernels that its tasks represent.
class KernelStreams {
public:
  /// Makes tasks of the unfinished kernels, then of `order`.
  KernelStreams(analysis::Section &section, llvm::ArrayRef<Unfinished> unfinished,
                llvm::ArrayRef<StepKernel> order, KernelTimes &times);

  const streams::StreamProblem &getProblem() const { return problem; }
  /// Returns the kernel of a task; null for an unfinished kernel.
  StepKernel getKernel(int task) const { return kernels[task]; }

private:
  void addUnfinished(const Unfinished &before);
  void addTask(StepKernel kernel, double seconds);
  void addAfterReads(int task);
  void addAfterGradient(int task, mlir::BlockArgument argument);
  void orderSums();
  void addAfter(int task, int before);
  void addAfterOp(int task, mlir::Operation *op);
  void keepAfterSendDependencies();

  analysis::Section &section;
  streams::StreamProblem problem;
  llvm::SmallVector<StepKernel> kernels;
  llvm::DenseMap<mlir::Operation *, int> taskOf;
  std::optional<int> lastMessage; ///< last message task added
};

//===-- DoneCollectives.cpp -------------------------------------------------------------------===//

// Tells when collectives that no kernel of their section reads are done: reductions of gradients.
//
//   kernel                       runs        task.done
//   3  matmul, writes %g         2.0 … 2.2
//   4  reduce_scatter of %g      2.2 … 2.9   7
//   5  matmul                    2.2 … 2.6
//   6  matmul                    2.6 … 3.0
//   7  matmul                    3.0 … 3.4
//
// From the annotated kernel on, other values may lie where the operands lay. So whole gradients of
// which a rank keeps a slice do not stay until the section ends. If the result is accumulated, it
// is added to its sum right before that kernel, so computation does not wait for the collective.
// The times are estimates: an instruction that needs the memory or the result waits if a collective
// takes longer.

/// Returns whether the kernels of a section communicate and may be reordered: true unless the user
/// has given their order by barriers.
bool mayReorder(llvm::ArrayRef<StepKernel> kernels, llvm::ArrayRef<Unfinished> unfinished);

/// Annotates collectives of the section with the number of the first kernel that begins after they
/// are done; with the number of kernels if there is none. Kernels must be numbered by `order`.
///
/// * Messages get no annotation: when they are done depends on the programs of other ranks.
/// * Neither do collectives whose results must be added to sums right behind them: sums of several
///   terms, which are added in the order of the results, and sums that hoisted kernels read.
void annotateDone(analysis::Section &section, llvm::ArrayRef<StepKernel> order,
                  llvm::ArrayRef<Unfinished> unfinished, KernelTimes &times);

} // namespace pcc::schedule
