// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every transport offers: the collectives of docs/spec/parallel.md on raw buffers, between the
// ranks of a group.
//
// A rank holds one Communicator for all ranks and splits others from it. The members of a
// communicator must start the same batches of collectives in the same order; a difference that a
// transport notices is a status that names both sides. What two batches in flight at once may touch
// is the caller's care.
//
//   Request request = *group->start({&allReduce, 1});
//   …                                                   // work that does not touch the buffers
//   Status status = group->wait(request);

#ifndef PCC_RUNTIME_COLLECTIVE_COMMUNICATOR_H
#define PCC_RUNTIME_COLLECTIVE_COMMUNICATOR_H

#include "runtime/abi/program.pb.h"
#include "runtime/base/TimeMark.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pcc::runtime {

/// A box copied from one member's source to another's destination. Positions are positions in the
/// group; starts and sizes are in elements, one per dimension of the shapes.
struct Box {
  int32_t source = 0;
  int32_t target = 0;
  std::vector<int64_t> sourceStart = {};
  std::vector<int64_t> size = {};
  std::vector<int64_t> targetStart = {};
};

/// One collective as a rank sees it. Which fields count depends on the kind, as in abi::Collective.
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
  /// BROADCAST, REDUCE: position of the root. SEND, RECV: position of the other side.
  int32_t root = 0;
  uint32_t tag = 0;
  /// BLOCK_EXCHANGE and COLLECTIVE_PERMUTE: every box of the whole group, the same list on every
  /// member. A permutation has one box of the whole shape per pair; targets of none become zero.
  std::vector<Box> boxes = {};
  /// BLOCK_EXCHANGE: the destination becomes zero first and boxes are reduced into it in their
  /// order.
  bool reduceBoxes = false;
  /// Goes in one message with the call before it in the batch, as abi::Collective has it.
  bool fused = false;

  /// Elements of the source.
  int64_t count() const;
};

/// Bytes of the destination of one of a group's `members`; 0 where there is none.
int64_t destinationBytes(const CollectiveCall &call, int members);

/// "all_reduce", "send", … as the ops are named on every level.
std::string collectiveName(abi::CollectiveKind kind);

/// True for SEND and RECV, which name ranks of the world and not positions of a group.
inline bool isPointToPoint(abi::CollectiveKind kind) {
  return kind == abi::SEND || kind == abi::RECV;
}

/// A batch that was started. Valid until it is waited for.
struct Request {
  uint64_t number = 0;
};

/// When a batch was on its way, of nowNanoseconds(): from when all sides had come and what it goes
/// over was free (0: nobody knows), until it was done.
struct Passage {
  int64_t begin = 0, end = 0;
  /// Where it was among the work of the rank's device, one for each stream that it was on. If there
  /// are any, the times are theirs: from the first begin to the last end.
  std::vector<MarkedSpan> places = {};
};

class Communicator {
public:
  virtual ~Communicator() = default;

  /// This rank's position in the group, and the number of members.
  virtual int position() const = 0;
  virtual int size() const = 0;

  /// Whether batches take their places among the work that the rank's device has in its order:
  /// start puts them behind all that was run before, wait puts all that is run later behind them,
  /// and neither waits for the device. Else what was run before must be done when a batch starts.
  virtual bool isEnqueued() const { return false; }

  /// Aborted once the run was given up, where that may show in nothing but results: what was
  /// enqueued then ends without them.
  virtual Status status() const { return {}; }

  /// An error that came up beside all calls, as where a peer is lost while the device waits for it:
  /// nobody else hears of it then. Asked now and then by the thread that watches the ranks; never
  /// waits.
  virtual Status checkPeers() { return {}; }

  /// Takes the memory that a batch of such calls needs. Called for every batch before the first one
  /// is started: later it may have the device wait for all that is under way on it, also for what
  /// waits for this rank.
  virtual Status reserve(std::span<const CollectiveCall> calls) {
    (void)calls;
    return {};
  }

  /// Starts a batch of collectives. The calls must stay as they are, and their buffers be left
  /// alone, until wait returns. Calls of one batch may run at once: none may read what another
  /// writes. SEND and RECV stand in batches of their own, without other kinds. May wait for an
  /// earlier batch where only so many may be in flight.
  ///
  /// Of messages the proof of programs knows more (docs/spec/check.md, section 3): a RECV leaves
  /// its destination alone until the matching SEND was started, so others may read it till then;
  /// and who knows that the other side has received need not wait to overwrite the source.
  virtual Expected<Request> start(std::span<const CollectiveCall> calls) = 0;

  /// Returns when the batch is done on this rank, or the communicator is aborted.
  virtual Status wait(Request request, Passage &passage) = 0;
  Status wait(Request request) {
    Passage passage;
    return wait(request, passage);
  }

  /// start, then wait.
  Status run(std::span<const CollectiveCall> calls);
  Status barrier();

  /// Ends every wait of every member, now and later, with a status of kind Aborted. May be called
  /// from any thread.
  virtual void abort(const std::string &reason) = 0;

  /// The communicator of the members that give the same `color`, ordered by `key`, then by their
  /// positions here. Every member calls it.
  virtual Expected<std::unique_ptr<Communicator>> split(int color, int key) = 0;
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_COLLECTIVE_COMMUNICATOR_H
