// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of a program's training steps on local ranks of this machine.
#pragma once

#include "runtime/abi/Status.h"
#include "runtime/machine/Link.h"
#include "tools/pcc/bench/SectionTimes.h"
#include "tools/pcc/bench/StepCollectives.h"

#include <optional>

namespace pcc::cli {

struct MeasuredSteps {
  /// Of those that were counted: the one that took least, and the mean.
  StepTime best, mean;
  /// Of all these steps.
  CollectiveMeans collectives;
};

/// Runs the steps of `executable` on random data: `steps` that count, behind two to warm up. Over
/// `link` if there is one. Errors: as Session::load and train; BadInput without a training step.
abi::Expected<MeasuredSteps> measureSteps(abi::Executable executable, int steps,
                                          const std::optional<machine::Link> &link);

} // namespace pcc::cli
