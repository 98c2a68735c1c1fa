// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the processes of a group in the order in which their members first occur.

#include "runtime/collective/mpi/Members.h"

#include <algorithm>

namespace pcc::runtime::mpi {

Members::Members(std::vector<int> list, const Placement &placement, int process)
    : ranks(std::move(list)) {
  for (int position = 0; position < size(); ++position) {
    int holder = placement.processOf(ranks[position]);
    auto found = std::find(processes.begin(), processes.end(), holder);
    int place = int(found - processes.begin());
    if (found == processes.end()) {
      processes.push_back(holder);
      positionsOf.emplace_back();
    }
    if (holder == process)
      own = place;
    processOf.push_back(place);
    positionsOf[place].push_back(position);
  }
}

int Members::indexInProcess(int position) const {
  const std::vector<int> &positions = positionsOf[processOf[position]];
  return int(std::find(positions.begin(), positions.end(), position) - positions.begin());
}

} // namespace pcc::runtime::mpi
