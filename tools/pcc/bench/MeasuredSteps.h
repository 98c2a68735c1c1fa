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
  /// Fastest counted step, and the mean of all counted steps.
  StepTime best, mean;
  /// Means over all counted steps.
  CollectiveMeans collectives;
};

/// Runs `steps` counted steps of `executable` on random data, after two warm-up steps; over `link`
/// if there is one. Errors: as Session::load and train; BadInput without a training step.
abi::Expected<MeasuredSteps> measureSteps(abi::Executable executable, int steps,
                                          const std::optional<machine::Link> &link);

} // namespace pcc::cli
