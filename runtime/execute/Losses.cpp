// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/Losses.h"

namespace pcc::runtime {

LossReader::LossReader(const abi::Executable &executable) {
  for (int p = 0; p < executable.programs_size(); ++p)
    for (const abi::Result &result : executable.programs(p).results())
      if (result.role() == abi::LOSS && !loss) {
        loss = &result;
        ranks = abi::ranksOfProgram(executable, p);
      }
  if (!loss)
    return;
  // The ranks that share the first one's place on every axis but the partial ones.
  for (int64_t owner : partialOwners(executable.mesh(), loss->partial_axes()))
    counts.push_back(owner == ranks.first);
}

void LossReader::readAfter(uint32_t section, const RankExecutor &rank, double &value) const {
  if (isAt(rank.rank()) && loss->section() == section)
    value = loadElement(loss->block().type(), rank.address(loss->buffer())) *
            (loss->scale() == 0 ? 1 : loss->scale());
}

double LossReader::total(std::span<const double> values) const {
  double sum = 0;
  for (size_t rank = 0; rank < values.size() && loss; ++rank)
    sum += counts[rank] ? values[rank] : 0;
  return sum;
}

double LossReader::own(double value) const {
  return loss && loss->own_loss_factor() != 0 ? value * loss->own_loss_factor() : value;
}

} // namespace pcc::runtime
