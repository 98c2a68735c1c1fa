// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ranks' blocks make up a parameter, the same list on every process.

#ifndef PCC_RUNTIME_EXECUTE_HOLDERS_H
#define PCC_RUNTIME_EXECUTE_HOLDERS_H

#include "runtime/execute/RankExecutor.h"

namespace pcc::runtime {

/// A rank that has a block of a parameter that no lower one has.
struct ParameterHolder {
  int64_t rank = 0;
  /// The parameter as the rank's program has it, and its number there.
  const abi::Parameter *parameter = nullptr;
  uint32_t index = 0;
};

/// Bytes of one rank's block.
int64_t localBytes(const abi::Block &block);

/// The holders of a parameter, ascending: of several programs that have it those of the first one.
std::vector<ParameterHolder> holdersOf(const abi::Executable &executable, const std::string &name);

/// Sends the first rank the blocks of the model's parameters that `rank` holds, under their
/// numbers, if it is `firstForeign` or above. Returns when it has them all.
Status tellParameters(RankExecutor &rank, int64_t firstForeign);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_HOLDERS_H
