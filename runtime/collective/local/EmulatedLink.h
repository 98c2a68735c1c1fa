// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes when the ranks' bytes would have arrived over a link. It delays nothing itself: the
// transport asks for the time before which a rank may not have the bytes.
//
// Each rank has one outgoing and one incoming channel. A channel serves transfers one after the
// other, in the order in which all their sides have arrived:
//
//   collective   takes both channels of all members, for its cost in runtime/machine
//   message      takes the sender's outgoing and the receiver's incoming channel while its S bytes
//                pass (S / rate); it arrives after the latency, during which the next may follow

#pragma once

#include "runtime/collective/Communicator.h"
#include "runtime/machine/UniformLink.h"

#include <map>
#include <mutex>
#include <span>
#include <tuple>

namespace pcc::runtime::local {

/// The links of all ranks of a process.
class EmulatedLink {
public:
  EmulatedLink(const machine::UniformLink &link, int ranks) : link(link), channels(ranks) {}

  /// Returns the seconds of a batch of collectives among `members` ranks, one after the other.
  /// Fused calls go in one message with the sum of their bytes. Calls that move nothing take 0.
  double seconds(std::span<const CollectiveCall> calls, int members);

  /// Returns the transfer interval of a batch of collectives of `ranks` that takes `seconds` and
  /// has all members at `now`. Times are those of nowNanoseconds().
  TransferInterval carry(std::span<const int> ranks, double seconds, int64_t now);

  /// Returns the transfer interval of a message whose two sides have arrived at `now`.
  TransferInterval carryMessage(int sender, int receiver, int64_t bytes, int64_t now);

private:
  /// Times at which the channels of a rank are free.
  struct Channels {
    int64_t out = 0, in = 0;
  };
  /// Members, kind, bytes, messages.
  using CostKey = std::tuple<int, int, double, int64_t>;

  double cost(const machine::Traffic &message, int members);

  const machine::UniformLink link;
  std::mutex mutex;
  std::vector<Channels> channels;
  std::map<CostKey, double> costs;
};

} // namespace pcc::runtime::local
