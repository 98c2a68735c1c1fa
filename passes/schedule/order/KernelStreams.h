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

#include "passes/schedule/order/KernelCostModel.h"
#include "passes/schedule/order/StepKernels.h"
#include "passes/solve/streams/StreamProblem.h"

namespace pcc::schedule {

/// Remaining time of a hoisted kernel when the section in which it runs ends.
struct Unfinished {
  StepKernel kernel;
  double seconds = 0;
};

/// Stream problem of one section, and the kernels that its tasks represent.
class KernelStreams {
public:
  /// Makes tasks of the unfinished kernels, then of `order`. `cluster` must be complete, have a
  /// device for each rank and outlive this object.
  KernelStreams(analysis::Section &section, llvm::ArrayRef<Unfinished> unfinished,
                llvm::ArrayRef<StepKernel> order, const abi::Cluster &cluster);

  /// Makes a task of each kernel of the section, by number.
  KernelStreams(analysis::Section &section, llvm::ArrayRef<analysis::Kernel> kernels,
                const abi::Cluster &cluster);

  const streams::StreamProblem &getProblem() const { return problem; }
  /// Returns the kernel of a task; null for an unfinished kernel.
  StepKernel getKernel(int task) const { return kernels[task]; }

private:
  void addUnfinished(const Unfinished &before);
  void addTask(StepKernel kernel);
  void addAfterReads(int task);
  void addAfterGradient(int task, mlir::BlockArgument argument);
  void orderSums();
  void addAfter(int task, int before);
  void addAfterOp(int task, mlir::Operation *op);
  void keepAfterSendDependencies();
  double secondsOf(StepKernel kernel);

  const abi::Cluster &cluster;
  analysis::Section &section;
  streams::StreamProblem problem;
  llvm::SmallVector<StepKernel> kernels;
  llvm::DenseMap<mlir::Operation *, int> taskOf;
  llvm::DenseMap<analysis::Section *, std::unique_ptr<KernelCostModel>> seconds;
  std::optional<int> lastMessage; ///< last message task added
};

} // namespace pcc::schedule
