// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of ranks as the nodes of a smaller system that takes the same time as the whole. A
// rendezvous is a group, or the two sides of a channel. Its n-th run is done when each of its nodes
// has arrived n times.
//
//   2 stages x 4 data ranks      2 nodes
//   send of stage 0              rendezvous of both nodes
//   all_reduce in stage 0        rendezvous of node 0 alone: its ranks arrive at the same time

#ifndef PCC_RUNTIME_SIMULATE_NETWORK_H
#define PCC_RUNTIME_SIMULATE_NETWORK_H

#include "runtime/simulate/RankClasses.h"

namespace pcc::simulate {

/// A class of equal ranks.
struct Node {
  int program = 0;
  /// All ranks of the class, ascending.
  std::vector<int64_t> ranks = {};
  /// By instruction (check::ProgramIndex). `rendezvousTable`: rendezvous of a collective or
  /// message; -1 for other instructions and where the ranks have no peer. `seconds`: duration; the
  /// first member of a fused collective has the duration of all members. `gaps`: seconds after
  /// which the next message may follow on the channel; 0 for others.
  std::vector<int32_t> rendezvousTable = {};
  std::vector<double> seconds = {}, gaps = {};
};

struct Network {
  std::vector<Node> nodes;
  /// By rendezvous: number of participating nodes; 2 for a channel within one class.
  std::vector<uint32_t> members;
};

/// Builds the network; `classOf` must be an equitable partition (findClasses).
Network makeNetwork(const RendezvousTable &rendezvousTable, const std::vector<uint32_t> &classOf,
                    const abi::Cluster &cluster);

} // namespace pcc::simulate

#endif // PCC_RUNTIME_SIMULATE_NETWORK_H
