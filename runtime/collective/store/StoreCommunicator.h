// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives over the store. They join processes without MPI, for exchanges outside of the ranks'
// collectives and if no faster transport is available. All bytes go through process 0.
//
//   start      the sources are stored under the group, the number of the batch and the position
//   wait       the sources of all members are fetched, and the own destinations computed from them,
//              in the order of positions, with the code of local ranks (local/WorkUnits.h)
//
// A message is a key made of group, sender, receiver, tag and number. Data fetched by all readers
// is removed from the store.

#pragma once

#include "runtime/collective/Communicator.h"
#include "runtime/collective/store/Client.h"

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace pcc::runtime::store {

/// The key whose value aborts the run in all processes.
constexpr const char *abortKey = "give up";

class StoreCommunicator final : public Communicator {
public:
  /// `ranks` lists the world's ranks by position. `group` names the group in the store: the same
  /// for all its members, and unique among groups.
  StoreCommunicator(std::shared_ptr<Client> client, std::string group, std::vector<int> ranks,
                    int position)
      : client(std::move(client)), group(std::move(group)), ranks(std::move(ranks)),
        ownPosition(position) {}

  int position() const override { return ownPosition; }
  int size() const override { return int(ranks.size()); }
  Expected<Request> start(std::span<const CollectiveCall> calls) override;
  Status wait(Request request, TransferInterval &interval) override;
  void abort(const std::string &reason) override;
  Expected<std::unique_ptr<Communicator>> split(int color, int key) override;

private:
  /// A batch between start and wait: keys by position, or one for each message.
  struct Batch {
    std::span<const CollectiveCall> calls;
    bool isMessages = false;
    std::vector<std::string> keys;
  };
  Status startMessages(Batch &batch);
  Status startCollectives(Batch &batch);
  Status finishMessages(const Batch &batch);
  Status finishCollectives(const Batch &batch);
  Expected<std::vector<CollectiveCall>> unpackFrom(int position, const std::string &bytes) const;
  Status checkMessage(std::span<const CollectiveCall> senderCalls,
                      const CollectiveCall &call) const;

  const std::shared_ptr<Client> client;
  const std::string group;
  const std::vector<int> ranks;
  const int ownPosition;
  uint64_t started = 0, rounds = 0, splits = 0;
  std::map<uint64_t, Batch> batches;
  /// Number of messages so far, by sender, receiver and tag.
  std::map<std::tuple<int, int, uint32_t>, uint64_t> messages;
};

//===-- Wire.cpp ------------------------------------------------------------------------------===//

// Serializes a member's batch of collectives: each call and the data of its source.

std::string packCalls(std::span<const CollectiveCall> calls);

/// Returns the calls packed in `bytes`. Their sources point into `bytes`, at multiples of 16 bytes
/// from its start. A source has all elements of its shape or is null. There are no destinations.
/// Boxes have only the positions of their two members; a receiver moves data by its own boxes, and
/// compares only the number of boxes (SameCalls.cpp). Error: lengths that do not fit, or an unknown
/// element type.
Expected<std::vector<CollectiveCall>> unpackCalls(const std::string &bytes);

} // namespace pcc::runtime::store
