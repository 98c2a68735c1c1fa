// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of every transport: the collectives of docs/spec/dist.md on raw buffers,
// between the ranks of a group.
//
// A batch is a list of calls that start together. A message is a SEND or RECV. A member's position
// is its index in the group.
//
// A rank holds one Communicator for all ranks and splits others from it. The members of a
// communicator must start the same batches of collectives in the same order. A transport that
// notices a difference returns a status that names both sides. The caller must ensure that batches
// in flight at the same time do not conflict in memory.
//
//   Request request = *group->start({&allReduce, 1});
//   …                                                   // work that does not touch the buffers
//   Status status = group->wait(request);

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/base/DeviceTimestamp.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pcc::runtime {

/// A box copied from one member's source to another's destination. Positions are positions in the
/// group. Starts and sizes are in elements, one per dimension of the shapes.
struct Box {
  int32_t source = 0;
  int32_t target = 0;
  std::vector<int64_t> sourceStart = {};
  std::vector<int64_t> size = {};
  std::vector<int64_t> targetStart = {};
};

/// One collective as called by one rank. The kind determines which fields count, as in
/// abi::Collective.
struct CollectiveCall {
  abi::CollectiveKind kind = abi::BARRIER;
  abi::ReduceOp reduction = abi::SUM;
  abi::ElementType type = abi::F32;
  const void *source = nullptr;
  void *destination = nullptr;
  /// Shape of the source (RECV: of the destination).
  std::vector<int64_t> shape = {};
  /// Shape of the destination of a block exchange.
  std::vector<int64_t> targetShape = {};
  uint32_t axis = 0;
  uint32_t concatAxis = 0;
  /// BROADCAST, REDUCE: position of the root. SEND, RECV: position of the other side, which is its
  /// rank, since messages go through the communicator of all ranks.
  int32_t root = 0;
  uint32_t tag = 0;
  /// BLOCK_EXCHANGE and COLLECTIVE_PERMUTE: all boxes of the whole group, the same list on every
  /// member. A permutation has one box of the whole shape per pair; destinations without a box are
  /// zeroed.
  std::vector<Box> boxes = {};
  /// BLOCK_EXCHANGE: true zeroes the destination and reduces boxes into it in list order; false
  /// copies boxes and leaves the rest of the destination unchanged.
  bool reduceBoxes = false;
  /// Fused with the preceding call of the batch into one collective, as in abi::Collective.
  bool fused = false;

  /// Returns the number of elements of `shape`: of the source, or of the destination of a RECV.
  int64_t count() const;
};

/// Returns the bytes of one member's destination in a group of `members`; 0 without a destination.
int64_t destinationBytes(const CollectiveCall &call, int members);

/// Returns true for SEND and RECV. Programs send and receive only through the communicator of all
/// ranks, in which the position of a member is its rank.
inline bool isPointToPoint(abi::CollectiveKind kind) {
  return kind == abi::SEND || kind == abi::RECV;
}

/// Returns whether a batch consists of messages, which share no batch with other kinds.
inline bool areMessages(std::span<const CollectiveCall> calls) {
  return !calls.empty() && isPointToPoint(calls.front().kind);
}

/// A started batch. Valid until it is waited for.
struct Request {
  uint64_t number = 0;
};

/// The time interval of a batch's transfer, in nowNanoseconds(). It begins when all sides have
/// arrived and the link is free (0: unknown), and ends when the batch is done.
struct TransferInterval {
  int64_t begin = 0, end = 0;
  /// The batch's intervals in the queues of the rank's device, one for each stream that it used. If
  /// there are any, they define the times: from the first begin to the last end.
  std::vector<TimestampSpan> deviceSpans = {};
};

/// A member's arguments of a split.
struct SplitChoice {
  int32_t color = 0;
  int32_t key = 0;
};

/// Returns the positions of the members with the color `color` in the order of their new positions:
/// by key, then by position. `choices` are those of all members, by position.
std::vector<int> membersOfColor(std::span<const SplitChoice> choices, int color);

class Communicator {
public:
  virtual ~Communicator() = default;

  /// Return this rank's position in the group, and the number of members.
  virtual int position() const = 0;
  virtual int size() const = 0;

  /// Returns whether batches are enqueued in the order of the rank's device work. Then start()
  /// orders a batch after everything run before, wait() orders everything run later after the
  /// batch, and neither waits for the device. Otherwise everything run before must be done when a
  /// batch starts.
  virtual bool isEnqueued() const { return false; }

  /// Returns Aborted after the run was aborted, on transports where an abort otherwise appears only
  /// in wrong results: work enqueued then ends without results.
  virtual Status status() const { return {}; }

  /// Returns an error detected outside of calls, for example a lost peer while the device waits for
  /// it. Nothing else reports it then. The thread that watches the ranks calls this function
  /// periodically; it never waits.
  virtual Status checkPeers() { return {}; }

  /// Allocates the memory that a batch of such calls needs. Called for every batch before the first
  /// one is started. A later allocation could make the device wait for all its work, including work
  /// that waits for this rank.
  virtual Status reserve(std::span<const CollectiveCall> calls) {
    (void)calls;
    return {};
  }

  /// Starts a batch of collectives. The calls must not change, and their buffers must not be
  /// touched, until wait() returns. Calls of one batch may run concurrently: none may read what
  /// another writes. SEND and RECV are in batches of their own, without other kinds. May wait for
  /// an earlier batch if the number of in-flight batches is limited.
  ///
  /// Messages have weaker rules, which the proof of programs uses (docs/spec/check.md, section 3).
  /// A RECV does not touch its destination until the matching SEND has started, so others may read
  /// it until then. A sender that knows that the other side has received may overwrite the source
  /// without waiting.
  virtual Expected<Request> start(std::span<const CollectiveCall> calls) = 0;

  /// Waits until the batch is done on this rank, or the communicator is aborted.
  virtual Status wait(Request request, TransferInterval &interval) = 0;
  Status wait(Request request) {
    TransferInterval interval;
    return wait(request, interval);
  }

  /// Calls start, then wait.
  Status run(std::span<const CollectiveCall> calls);
  /// Does the same for calls and buffers that `owner` owns. If the wait ends early, the transport
  /// or other members may still use them, so they are kept until the process ends.
  Status runOwned(std::span<const CollectiveCall> calls, std::shared_ptr<const void> owner);
  Status barrier();

  /// Ends every present and future wait of every member with a status of kind Aborted. Any thread
  /// may call it.
  virtual void abort(const std::string &reason) = 0;

  /// Creates the communicator of the members with the same `color`, ordered by `key`, then by their
  /// positions here. Every member calls it.
  virtual Expected<std::unique_ptr<Communicator>> split(int color, int key) = 0;
};

} // namespace pcc::runtime
