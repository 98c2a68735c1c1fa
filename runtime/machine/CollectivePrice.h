// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a collective costs on a cluster: the cheapest of the algorithms that the levels of its group
// allow, by the latencies (α), gaps (g) and bandwidths (1/β) of the links. n members, S bytes:
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
// sum are not counted. Every collective also costs one launch; a group of one rank costs nothing.
//
// A group that spans several levels of the topology is priced *flat*, every step as slow as the
// slowest link that it uses, and *by level*: gathers and broadcasts from the outermost level
// inwards, reductions outwards, an all-reduce as reduce-scatters outwards and all-gathers back,
// each level with the bytes that are left and an algorithm of its own. So the cost of pricing is
// that of the levels, whatever the number of ranks.
//
// Contention: all groups over the same mesh axes work at once. Where d devices share a link, and
// all members of a unit below use it (by level, one-shot), a member has 1/d of its rate; a flat
// ring or tree crosses with one member of the m that the unit has, and 1/⌈d/m⌉ of the rate.

#ifndef PCC_RUNTIME_MACHINE_COLLECTIVEPRICE_H
#define PCC_RUNTIME_MACHINE_COLLECTIVEPRICE_H

#include "runtime/abi/program.pb.h"
#include "runtime/machine/Group.h"

#include <string>

namespace pcc::machine {

/// What a collective moves.
struct Traffic {
  abi::CollectiveKind kind = abi::ALL_REDUCE;
  /// ALL_REDUCE, REDUCE_SCATTER, ALL_TO_ALL, BROADCAST, REDUCE, COLLECTIVE_PERMUTE, SEND, RECV: of
  /// one member's operand. ALL_GATHER: of the result. BLOCK_EXCHANGE: received by the busiest
  /// member.
  double bytes = 0;
  /// BLOCK_EXCHANGE: the most senders of one member.
  int64_t messages = 1;
};

struct CollectivePrice {
  double seconds = 0;
  /// One algorithm of a flat collective, or one for each level that it spans, innermost first.
  /// Empty where nothing is to be done.
  std::vector<abi::CollectiveAlgorithm> algorithms = {};
  bool isByLevel = false;

  /// Prints `ring`, or `by level: one_shot, ring`; nothing where nothing is to be done.
  std::string algorithm() const;
};

/// The cheapest way. `cluster` is complete (Cluster.h), and `group` is one of it.
CollectivePrice priceCollective(const abi::Cluster &cluster, const Group &group,
                                const Traffic &traffic);

} // namespace pcc::machine

#endif // PCC_RUNTIME_MACHINE_COLLECTIVEPRICE_H
