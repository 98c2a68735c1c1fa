// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the kernels of a step run on a machine, each section in its given order, as if the rank
// never waited for other stages:
//
//   slots      forward[0]  backward[0]  forward[1]  backward[1]  update
//   seconds    0 … 2       2 … 6        6 … 8       8 … 12       12 …
//
// A kernel of @backward that ends 1.5 behind its begin is done at 9.5 in its last slot.
#pragma once

#include "passes/schedule/GradientPlaces.h"
#include "passes/schedule/KernelLanes.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::schedule {

/// When each kernel of a step runs, and ends.
class StepTimes {
public:
  /// Of a step in which nothing runs early. `cluster` is complete and has a device for each rank.
  StepTimes(mlir::ModuleOp module, StepKernels &kernels, const abi::Cluster &cluster);

  /// Seconds from the begin of the step to a place.
  double at(const Place &place) const;
  /// To the begin of the last slot of a section of the step.
  double beginOf(llvm::StringRef section) const { return known(section).begin; }
  /// To the end of a kernel there.
  double endOf(llvm::StringRef section, int64_t kernel) const;
  /// The kernels of a section, as tasks of the same numbers.
  const lanes::LaneProblem &tasksOf(llvm::StringRef section) const { return known(section).tasks; }

private:
  struct Known {
    lanes::LaneProblem tasks;
    lanes::LaneTimes times; ///< from the section's begin on
    double begin = 0;       ///< of its last slot
  };
  const Known &known(llvm::StringRef section) const { return sections.find(section)->second; }

  llvm::StringMap<Known> sections;
};

} // namespace pcc::schedule
