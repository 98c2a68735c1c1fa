// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides the ranks into classes whose ranks do the same at the same times. Two ranks are alike if:
//
//   * they run one program;
//   * each of their messages has a peer that is alike, by one instruction and over equal links;
//   * each of their groups has equally many members of each class and an equal location on the
//     machine.
//
//   2 stages x 4 data ranks on 2x4xcpu     2 classes: {0 1 2 3} {4 5 6 7}
//   the same on 4x2xcpu, groups of 4       2 classes: every group spans two boxes
//   3 stages x 2 data ranks on 2x3xcpu     stage 1 lies in two boxes, its ranks 2 and 3 are not
//                                          alike: their peers are over other links. 6 classes
//
// The coarsest such partition is found by color refinement: classes are split until no two ranks of
// one class differ (Berkholz, Bonsma, Grohe: "Tight lower and upper bounds for the complexity of
// canonical colour refinement", 2017).
//
// One rank represents its class exactly. All times follow from the times that a rank waits for, by
// sums and maxima. By induction over them, alike ranks wait for the same times.

#pragma once

#include "runtime/abi/cluster.pb.h"
#include "runtime/check/match/Matching.h"
#include "runtime/machine/GroupLayout.h"

#include <map>

namespace pcc::simulate {

/// Numbers the locations of groups and pairs of ranks on a machine; equal numbers have equal costs.
class Locations {
public:
  explicit Locations(const abi::Cluster &cluster) : cluster(cluster) {}

  uint32_t of(const std::vector<int64_t> &ranks);
  const machine::GroupLayout &groupOf(uint32_t location) const { return groups[location]; }

private:
  const abi::Cluster &cluster;
  std::map<std::vector<int64_t>, uint32_t> numbers; ///< by members at each level and in all
  std::vector<machine::GroupLayout> groups;
};

/// The rendezvous of all ranks and their locations on the machine.
struct RendezvousTable {
  RendezvousTable(const std::vector<check::ProgramIndex> &programs, const check::Messages &messages,
                  const abi::Cluster &cluster);

  const std::vector<check::ProgramIndex> &programs;
  const check::Messages &messages;
  Locations locations;
  std::vector<uint32_t> locationOfChannel;
  /// By group, then by rank: the list that contains it. By group, then by list: its location.
  std::vector<std::vector<uint32_t>> listOf, locationOfList;
  /// By program: the groups whose collectives it calls.
  std::vector<std::vector<uint32_t>> groupsOf;

  /// Returns the channel of a message of `rank`; -1 for other instructions and without a peer.
  int32_t channelOf(int64_t rank, uint32_t instruction) const;
};

/// Returns the class number of each rank; classes are numbered by their lowest ranks. With
/// `everyRank` each rank is a class of its own.
std::vector<uint32_t> findClasses(const RendezvousTable &rendezvousTable, bool everyRank);

/// A class of equal ranks.
struct Node {
  int program = 0;
  /// All ranks of the class, ascending.
  std::vector<int64_t> ranks = {};
  /// By instruction (check::ProgramIndex). `rendezvousOf`: rendezvous of a collective or
  /// message; -1 for other instructions and where the ranks have no peer. `seconds`: duration; the
  /// first member of a fused collective has the duration of all members. `gaps`: seconds after
  /// which the next message may follow on the channel; 0 for others.
  std::vector<int32_t> rendezvousOf = {};
  std::vector<double> seconds = {}, gaps = {};
};

/// Classes of ranks as the nodes of a smaller system that takes the same time as the whole. A
/// rendezvous is a group, or the two sides of a channel. Its n-th run is done when each of its
/// nodes has arrived n times.
///
///   2 stages x 4 data ranks      2 nodes
///   send of stage 0              rendezvous of both nodes
///   all_reduce in stage 0        rendezvous of node 0 alone: its ranks arrive at the same time
struct RendezvousNetwork {
  std::vector<Node> nodes;
  /// By rendezvous: number of participating nodes; 2 for a channel within one class.
  std::vector<uint32_t> members;
};

/// Builds the network; `classOf` must be an equitable partition (findClasses).
RendezvousNetwork makeNetwork(const RendezvousTable &rendezvousTable,
                              const std::vector<uint32_t> &classOf, const abi::Cluster &cluster);

} // namespace pcc::simulate
