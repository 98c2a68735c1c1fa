// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/LateLosses.h"

namespace pcc::runtime {

Expected<LateLosses> LateLosses::make(const LossReader &losses, RankExecutor &rank) {
  LateLosses late(losses, rank);
  late.ahead = rank.device().hasHostMemory() ? 0 : 1;
  for (std::unique_ptr<Snapshot> &snapshot : late.snapshots) {
    auto made = losses.isAt(rank.rank()) ? rank.makeSnapshot(losses.buffer(), losses.bytes())
                                         : rank.device().makeSnapshot(nullptr, 0);
    if (!made)
      return made.status();
    snapshot = std::move(*made);
  }
  return late;
}

Status LateLosses::sectionDone(uint32_t section) {
  return losses->isMadeBy(section, rank->rank()) ? take() : Status();
}

Status LateLosses::stepDone() { return losses->isAt(rank->rank()) ? Status() : take(); }

Status LateLosses::take() { return rank->take(*snapshots[taken++ % snapshots.size()]); }

Expected<double> LateLosses::look() {
  Expected<std::span<const std::byte>> bytes = rank->look(*snapshots[seen++ % snapshots.size()]);
  if (!bytes)
    return bytes.status();
  return losses->isAt(rank->rank()) ? losses->value(*bytes) : 0;
}

} // namespace pcc::runtime
