// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost of a collective on a cluster: the cheapest of the algorithms that the levels of its group
// allow. Inputs are the latencies (α), gaps (g) and bandwidths (1/β) of the links. n members, S
// bytes:
//
//   all_reduce      ring      2(n-1)α + 2(n-1)/n Sβ             Patarasuk, Yuan, JPDC 69(2), 2009
//                   tree      2⌈lg n⌉(α + Sβ)                   Thakur, Rabenseifner, Gropp,
//                                                               IJHPCA 19(1), 2005, section 4
//                   one_shot  α + (n-2)g + (n-1)Sβ
//                   two_shot  2(α + (n-2)g) + 2(n-1)/n Sβ
//   all_gather,     ring      (n-1)α + (n-1)/n Sβ               Thakur et al.
//   reduce_scatter  one_shot  α + (n-2)g + (n-1)/n Sβ
//   all_to_all      one_shot  α + (n-2)g + (n-1)/n Sβ
//   broadcast,      ring      (n-1+⌈lg n⌉)α + 2(n-1)/n Sβ       scatter, all-gather; van de Geijn's
//   reduce                                                      in Thakur et al.
//                   tree      ⌈lg n⌉(α + Sβ)
//                   one_shot  α + (n-2)g + (n-1)Sβ
//   permute, send   one_shot  α + Sβ
//   block_exchange  one_shot  α + (k-1)g + Sβ                   k messages
//   barrier         tree      ⌈lg n⌉α
//
// Messages sent at once follow the LogGP model (Alexandrov et al., SPAA 1995). The additions of a
// sum cost nothing. Every collective also costs one launch; a group of one rank costs nothing.
//
// A group that spans several levels of the topology has two costs, and the lower one counts:
//
//   flat       every step is as slow as the slowest link that it uses
//   by level   gathers and broadcasts run from the outermost level inward, reductions outward; an
//              all-reduce is reduce-scatters outward and all-gathers back; an all-to-all exchanges
//              once at each level
//
// By level, each level has its own algorithm. An all-reduce, all-gather or reduce-scatter has S/m
// bytes instead of S at a level, if a unit below it has m members. An all-to-all, broadcast or
// reduce has S bytes at every level. Other kinds have only the flat cost. So the time to compute a
// cost depends on the number of levels, not on the number of ranks.
//
// Contention: all groups over the same mesh axes work at once. If d devices share a link and all
// members of a unit below use it (by level, one-shot), a member has 1/d of its rate. A flat ring or
// tree, and a broadcast or reduce by level, crosses with one of the unit's m members, and has
// 1/⌈d/m⌉ of the rate.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/machine/GroupLayout.h"

#include <string>

namespace pcc::machine {

/// The data that a collective moves.
struct Traffic {
  abi::CollectiveKind kind = abi::ALL_REDUCE;
  /// Bytes of one member's operand for ALL_REDUCE, REDUCE_SCATTER, ALL_TO_ALL, BROADCAST, REDUCE,
  /// COLLECTIVE_PERMUTE, SEND and RECV. ALL_GATHER: bytes of the result. BLOCK_EXCHANGE: bytes that
  /// the busiest member receives.
  double bytes = 0;
  /// BLOCK_EXCHANGE: maximum number of senders to one member.
  int64_t messages = 1;
};

struct CollectiveCost {
  double seconds = 0;
  /// One algorithm of a flat collective, or one per spanned level, innermost first. Empty for a
  /// group of one rank.
  std::vector<abi::CollectiveAlgorithm> algorithms = {};
  bool isByLevel = false;

  /// Prints `ring`, or `by level: one_shot, ring`; empty for a group of one rank.
  std::string algorithm() const;
};

/// Returns the lowest cost. `cluster` must be complete (Cluster.h), and `group` one of its groups.
CollectiveCost estimateCollectiveCost(const abi::Cluster &cluster, const GroupLayout &group,
                                      const Traffic &traffic);

} // namespace pcc::machine
