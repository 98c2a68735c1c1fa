// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks of one communicator of the emulated NCCL: the calls of each rank, and the rendezvous of
// their streams. A collective is done when the streams of all ranks have reached it, a message when
// both streams have. All ranks must call the same collectives in the same order. A rank with a
// different call gets an error that names both calls.
#pragma once

#include "runtime/collective/nccl/Plan.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pcc::test {

using NcclCall = runtime::nccl::Operation;

/// Returns a text like "AllReduce of 8 f32, sum".
std::string describe(const NcclCall &call);

/// Returns the bytes of the call's count of elements.
int64_t bytesOf(const NcclCall &call);

/// One side of a message.
struct NcclPost {
  NcclCall call;
  bool isDone = false;
};

class NcclClique {
public:
  explicit NcclClique(int ranks) : ranks(ranks), called(size_t(ranks)) {}

  const int ranks;

  /// Records a collective of a rank, and returns its number. If it differs from another rank's,
  /// returns a negative number and sets `why`.
  int64_t note(int rank, const NcclCall &call, std::string &why);

  /// Records that a rank's stream has reached a collective. Returns true if the collective is done,
  /// which happens when the last rank arrives.
  bool arrive(int rank, int64_t number);

  /// Records that a rank's stream has reached a message. Sets `why` if the other side's message
  /// differs.
  std::shared_ptr<NcclPost> post(int rank, const NcclCall &call, std::string &why);

  /// Returns the calls of the rank so far.
  const std::vector<NcclCall> &calls(int rank) const { return called[size_t(rank)]; }

private:
  struct Meeting {
    std::vector<bool> arrived;
    int count = 0;
    bool isDone = false;
  };
  struct Queues {
    std::deque<std::shared_ptr<NcclPost>> sends, receives;
  };
  void perform(int64_t number);

  /// Collectives, by rank.
  std::vector<std::vector<NcclCall>> called;
  std::map<int64_t, Meeting> meetings;
  /// Queues by sender and receiver.
  std::map<std::pair<int, int>, Queues> queues;
};

} // namespace pcc::test
