// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a simulated step for the viewers of Chrome and Perfetto, with the tracks of a measured one
// (abi::ChromeTrace) and a counter of live bytes.

#pragma once

#include "runtime/simulate/Simulate.h"

namespace pcc::simulate {

/// Returns "rank 3", or "ranks 0-3" or "ranks 0, 2, 5" for a class of several ranks. For many
/// ranks, returns the first and the number of others.
std::string nameOfRanks(const Timeline &timeline);

/// Writes a process for each class of ranks, numbered by its lowest rank and named after all, or,
/// with `everyRank`, for each rank.
abi::Status writeTrace(const abi::Executable &executable, const Simulation &simulation,
                       const std::string &path, bool everyRank);

} // namespace pcc::simulate
