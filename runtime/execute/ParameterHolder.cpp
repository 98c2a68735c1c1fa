// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks with equal offsets hold equal blocks; the lowest of them is the holder. A rank sends all
// its blocks in one call, since rank 0 chooses the order in which it receives them.

#include "runtime/execute/ParameterHolder.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/abi/program/RankExpression.h"

#include <set>

namespace pcc::runtime {

std::vector<ParameterHolder> holdersOf(const abi::Executable &executable, const std::string &name) {
  std::vector<ParameterHolder> holders;
  for (int p = 0; p < executable.programs_size() && holders.empty(); ++p) {
    const abi::Program &program = executable.programs(p);
    abi::RankRange ranks = abi::ranksOfProgram(executable, p);
    for (int index = 0; index < program.parameters_size(); ++index) {
      const abi::Parameter &parameter = program.parameters(index);
      if (parameter.name() != name)
        continue;
      std::set<std::vector<int64_t>> seen;
      for (int64_t rank = ranks.first; rank < ranks.end; ++rank)
        if (seen.insert(abi::offsetsOf(parameter.block(), executable.mesh(), rank)).second)
          holders.push_back({rank, &parameter, uint32_t(index)});
    }
  }
  return holders;
}

Status sendParameters(RankExecutor &rank, int64_t firstRemoteRank) {
  if (rank.rank() < firstRemoteRank)
    return {};
  std::vector<TaggedBytes> messages;
  for (const abi::Parameter &own : rank.program().parameters()) {
    if (!own.state_of().empty())
      continue;
    for (const ParameterHolder &holder : holdersOf(rank.executable(), own.name()))
      if (holder.rank == rank.rank()) {
        TaggedBytes message{.bytes = {}, .tag = holder.index};
        auto bytes = rank.read(own.buffer(), size_t(localBytes(own.block())), message.owned);
        if (!bytes)
          return bytes.status();
        message.bytes = *bytes; // moving `owned` does not move its bytes
        messages.push_back(std::move(message));
      }
  }
  return rank.sendToFirstRank(
      std::move(messages)); // all at once: rank 0 chooses the order of receipt
}

} // namespace pcc::runtime
