// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes one snapshot of the loss per step, from three that are used in turn. A rank without a loss
// takes empty snapshots, which only tell that the step has ended.

#include "runtime/execute/monitor/DeferredLossReader.h"

namespace pcc::runtime {

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
