// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a section runs as tasks on lanes (passes/solve/lanes): what each takes on a machine and what
// it comes after.
//
//   kernel                    lane            after
//   a  matmul                 computes
//   b  all_reduce of it       communicates    a
//   c  matmul, adds to "w"    computes
//   d  send of b              messages        b
//   e  all_reduce of "w"      communicates    b, c      of the update, in the last slot only
//
// A kernel comes after those whose results it reads and, where it adds to a sum, after the one that
// adds to it before. Messages between ranks keep their order, for ranks wait for one another there.
// A kernel of another section that runs early comes after all that add to the gradients that it
// reads; where a section keeps a gradient no sum, after all that read it, for it may be reduced
// where it lies. What stood behind a collective that something sent needs stays behind it.
#pragma once

#include "passes/schedule/KernelSeconds.h"
#include "passes/schedule/StepKernels.h"
#include "passes/solve/lanes/LaneProblem.h"

namespace pcc::schedule {

/// Of a kernel that runs early: what is left of it when the section ends.
struct Unfinished {
  StepKernel kernel;
  double seconds = 0;
};

/// The problem of one section, and the kernels that its tasks are.
class KernelLanes {
public:
  /// Tasks are what is unfinished, if the section reads it, then `order`. `cluster` is complete,
  /// has a device for each rank and outlives this.
  KernelLanes(facts::Section &section, llvm::ArrayRef<Unfinished> unfinished,
              llvm::ArrayRef<StepKernel> order, const abi::Cluster &cluster);

  /// Tasks are the kernels of the section, by number.
  KernelLanes(facts::Section &section, llvm::ArrayRef<facts::Kernel> kernels,
              const abi::Cluster &cluster);

  const lanes::LaneProblem &getProblem() const { return problem; }
  /// By number of task; null: unfinished.
  StepKernel getKernel(int task) const { return kernels[task]; }
  bool isSend(int task) const;

private:
  void addUnfinished(const Unfinished &before);
  void addTask(StepKernel kernel);
  void addAfterReads(int task);
  void addAfterGradient(int task, mlir::BlockArgument argument);
  void orderSums();
  void addAfter(int task, int before);
  void addAfterOp(int task, mlir::Operation *op);
  void keepBehindSent();
  double secondsOf(StepKernel kernel);

  const abi::Cluster &cluster;
  facts::Section &section;
  lanes::LaneProblem problem;
  llvm::SmallVector<StepKernel> kernels;
  llvm::DenseMap<mlir::Operation *, int> taskOf;
  llvm::DenseMap<facts::Section *, std::unique_ptr<KernelSeconds>> seconds;
  std::optional<int> lastMessage; ///< so far
};

} // namespace pcc::schedule
