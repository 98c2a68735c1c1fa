// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the ranks whose blocks make up a parameter, and sends these blocks to rank 0. The list is
// the same in every process.

#pragma once

#include "runtime/execute/rank/RankExecutor.h"

namespace pcc::runtime {

/// A rank whose block of a parameter no lower rank holds.
struct ParameterHolder {
  int64_t rank = 0;
  /// The parameter in the rank's program, and its index there.
  const abi::Parameter *parameter = nullptr;
  uint32_t index = 0;
};

/// Returns the holders of a parameter in ascending order. If several programs have the parameter,
/// the first program's ranks are listed.
std::vector<ParameterHolder> holdersOf(const abi::Executable &executable, const std::string &name);

/// Sends to rank 0 the blocks of the model's parameters that `rank` holds, tagged with their
/// parameter indices. Does nothing if `rank` is below `firstRemoteRank`. Returns after rank 0 has
/// received all blocks.
Status sendParameters(RankExecutor &rank, int64_t firstRemoteRank);

} // namespace pcc::runtime
