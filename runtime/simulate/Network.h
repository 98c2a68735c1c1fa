// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of ranks as the nodes of a small system that takes the same time as the whole. A meeting
// is a group, or the two sides of a channel; it is over for the how-manieth time when every node
// of it has come so often.
//
//   2 stages x 4 data ranks      2 nodes
//   send of stage 0              meeting of both nodes
//   all_reduce in stage 0        meeting of node 0 alone: its ranks come at the same time

#ifndef PCC_RUNTIME_SIMULATE_NETWORK_H
#define PCC_RUNTIME_SIMULATE_NETWORK_H

#include "runtime/simulate/RankClasses.h"

namespace pcc::simulate {

/// Ranks that are alike.
struct Node {
  int program = 0;
  /// All of them, ascending.
  std::vector<int64_t> ranks = {};
  /// By record (check::ProgramIndex): the meeting of a collective or message, -1 for other records
  /// and where the ranks sit out; the seconds that it takes, the first of several that are fused
  /// all of them; and of a message those after which the next one may follow on its channel, 0 for
  /// others.
  std::vector<int32_t> meetings = {};
  std::vector<double> seconds = {}, gaps = {};
};

struct Network {
  std::vector<Node> nodes;
  /// By meeting: how many nodes take part; of a channel that a node has with its like: 2.
  std::vector<uint32_t> members;
};

/// `classOf` is an equitable partition (findClasses).
Network makeNetwork(const Meetings &meetings, const std::vector<uint32_t> &classOf,
                    const abi::Cluster &cluster);

} // namespace pcc::simulate

#endif // PCC_RUNTIME_SIMULATE_NETWORK_H
