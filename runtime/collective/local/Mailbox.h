// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches sends and receives between threads: the second side to arrive copies directly from the
// sender's buffer to the receiver's. Sends from one rank to another under one tag arrive in order.

#pragma once

#include "runtime/collective/local/EmulatedLink.h"

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace pcc::runtime::local {

/// One side of a transfer that waits for the other.
struct PendingMessage {
  const CollectiveCall *call;
  /// Returned by both sides; set before `done`.
  Status outcome;
  /// The transfer interval, real or over the emulated link; set before `done`.
  TransferInterval interval;
  std::atomic<uint32_t> done = 0;
};

class Mailbox {
public:
  /// `ranks` is indexed by position. `link` is null if the ranks are joined by memory alone.
  Mailbox(std::vector<int> ranks, EmulatedLink *link) : ranks(std::move(ranks)), link(link) {}

  /// Posts the side `call` of the member at `position`.
  std::shared_ptr<PendingMessage> post(int position, const CollectiveCall &call);

  /// Sleeps until the message is copied and has arrived, or `aborted` is true.
  static Status wait(PendingMessage &post, const std::atomic<bool> &aborted);

private:
  /// Sender, receiver, tag.
  using Route = std::tuple<int, int, uint32_t>;
  struct Queues {
    std::deque<std::shared_ptr<PendingMessage>> sends, receives;
  };

  void transfer(PendingMessage &send, PendingMessage &receive, int sender, int receiver) const;

  const std::vector<int> ranks;
  EmulatedLink *const link;
  std::mutex mutex;
  std::map<Route, Queues> routes;
};

} // namespace pcc::runtime::local
