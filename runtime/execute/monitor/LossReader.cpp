// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first result of role LOSS in any program is the loss. A partial loss is summed over the ranks
// that differ from the program's first rank only on the partial axes.
//
// A deferred reader takes one snapshot of the loss per step, from three that are used in turn. A
// rank without a loss takes empty snapshots, which only tell that the step has ended.

#include "runtime/execute/monitor/LossReader.h"

#include <array>

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
  // The counted ranks have the first rank's coordinates on every axis except the partial ones.
  for (int64_t owner : partialOwners(executable.mesh(), loss->partial_axes()))
    counts.push_back(owner == ranks.first);
}

double LossReader::value(std::span<const std::byte> bytes) const {
  return loadElement(loss->block().type(), bytes.data()) * (loss->scale() == 0 ? 1 : loss->scale());
}

Status LossReader::readAfter(uint32_t section, const RankExecutor &rank, double &value) const {
  if (!isMadeBy(section, rank.rank()))
    return {};
  std::array<std::byte, 8> element;
  if (Status status = rank.read(std::span(element).first(bytes()), loss->buffer()); !status.ok())
    return status;
  value = this->value(element);
  return {};
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

Expected<DeferredLossReader> DeferredLossReader::make(const LossReader &losses,
                                                      RankExecutor &rank) {
  DeferredLossReader deferred(losses, rank);
  deferred.maxUnreadSteps = rank.device().hasHostMemory() ? 0 : maxAhead;
  for (std::unique_ptr<Snapshot> &snapshot : deferred.snapshots) {
    auto made = losses.isAt(rank.rank()) ? rank.makeSnapshot(losses.buffer(), losses.bytes())
                                         : rank.device().makeSnapshot(nullptr, 0);
    if (!made)
      return made.status();
    snapshot = std::move(*made);
  }
  return deferred;
}

Status DeferredLossReader::sectionDone(uint32_t section) {
  return losses->isMadeBy(section, rank->rank()) ? take() : Status();
}

Status DeferredLossReader::stepDone() { return losses->isAt(rank->rank()) ? Status() : take(); }

Status DeferredLossReader::take() { return rank->take(*snapshots[taken++ % snapshots.size()]); }

Expected<double> DeferredLossReader::read() {
  Expected<std::span<const std::byte>> bytes =
      rank->read(*snapshots[readCount++ % snapshots.size()]);
  if (!bytes)
    return bytes.status();
  return losses->isAt(rank->rank()) ? losses->value(*bytes) : 0;
}

} // namespace pcc::runtime
