// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times at which the kernels of a step run on a machine. Each section runs in its given order, and
// the rank never waits for other stages:
//
//   actions    forward[0]  backward[0]  forward[1]  backward[1]  update
//   seconds    0 … 2       2 … 6        6 … 8       8 … 12       12 …
//
// A kernel of @backward that ends 1.5 after the section's start is done at 9.5 in the last action.
#pragma once

#include "passes/schedule/collectives/GradientReadyPoints.h"
#include "passes/schedule/order/KernelStreams.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::schedule {

/// Start and end of each kernel of a step.
class StepTimes {
public:
  /// Computes the times of a step without hoisted kernels. `cluster` must be complete and have a
  /// device for each rank.
  StepTimes(mlir::ModuleOp module, StepKernels &kernels, const abi::Cluster &cluster);

  /// Returns the seconds from the beginning of the step to a point.
  double at(const StepPoint &point) const;
  /// Returns the seconds to the beginning of the last action of a section of the step.
  double beginOf(llvm::StringRef section) const { return known(section).begin; }
  /// Returns the seconds to the end of a kernel in the last action of its section.
  double endOf(llvm::StringRef section, int64_t kernel) const;
  /// Returns the kernels of a section, as tasks of the same numbers.
  const streams::StreamProblem &tasksOf(llvm::StringRef section) const {
    return known(section).tasks;
  }

private:
  struct Known {
    streams::StreamProblem tasks;
    streams::StreamTimes times; ///< from the section's start
    double begin = 0;           ///< of its last action
  };
  const Known &known(llvm::StringRef section) const { return sections.find(section)->second; }

  llvm::StringMap<Known> sections;
};

} // namespace pcc::schedule
