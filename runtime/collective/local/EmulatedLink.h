// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the ranks' bytes would have arrived had they gone over a link. Nothing is delayed here: who
// moves the bytes asks for the time before which nobody may have them.
//
// Each rank has one channel out and one in, which serve one thing after the other in the order in
// which all sides have come:
//
//   collective   takes both channels of all members, for as long as runtime/machine prices it
//   message      takes the sender's channel out and the receiver's in while its S bytes pass,
//                S / rate; it arrives after the latency, in which the next one may follow

#ifndef PCC_RUNTIME_COLLECTIVE_LOCAL_EMULATEDLINK_H
#define PCC_RUNTIME_COLLECTIVE_LOCAL_EMULATEDLINK_H

#include "runtime/collective/Communicator.h"
#include "runtime/machine/Link.h"

#include <map>
#include <mutex>
#include <span>
#include <tuple>

namespace pcc::runtime::local {

/// The links of all ranks of a process.
class EmulatedLink {
public:
  EmulatedLink(const machine::Link &link, int ranks) : link(link), channels(ranks) {}

  /// Seconds of a batch of collectives among `members` ranks, one after the other; what is fused
  /// goes in one message of the sum of its bytes. 0 of what moves nothing.
  double seconds(std::span<const CollectiveCall> calls, int members);

  /// When a batch of collectives of `ranks`, which takes `seconds` and is complete at `now`, is on
  /// its way. Times are those of nowNanoseconds().
  Passage carry(std::span<const int> ranks, double seconds, int64_t now);

  /// When a message is on its way that both sides have come for at `now`.
  Passage carryMessage(int sender, int receiver, int64_t bytes, int64_t now);

private:
  /// When the channels of a rank are free.
  struct Channels {
    int64_t out = 0, in = 0;
  };
  /// Members, kind, bytes, messages.
  using Price = std::tuple<int, int, double, int64_t>;

  double price(const machine::Traffic &message, int members);

  const machine::Link link;
  std::mutex mutex;
  std::vector<Channels> channels;
  std::map<Price, double> prices;
};

} // namespace pcc::runtime::local

#endif // PCC_RUNTIME_COLLECTIVE_LOCAL_EMULATEDLINK_H
