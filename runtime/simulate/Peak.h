// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks of a simulated step that need most memory, and what fills it at the peak.
//
//   '/h.0/gelu' of forward_backward[0] (1.049 MB), '/h.1/gelu' of forward_backward[0] (1.049 MB)

#pragma once

#include "runtime/simulate/Simulate.h"

namespace pcc::simulate {

/// Returns the timeline of the ranks that need most memory by their plan; the first of several.
const Timeline &findPeakTimeline(const Simulation &simulation);

/// Formats an action as `backward[3]`, or as `backward[3,1]` for a copy.
std::string nameOf(const abi::Executable &executable, const abi::Program &program,
                   const abi::Action &action);

/// Returns the instruction that wrote the tensor.
const abi::Instruction &instructionOf(const abi::Program &program, const LiveTensor &tensor);

/// Formats the largest tensors that are live at the peak of `timeline` in one line.
std::string describePeak(const abi::Executable &executable, const Simulation &simulation,
                         const Timeline &timeline);

} // namespace pcc::simulate
