// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks of one communicator of the emulated NCCL: what each of them called, and where their
// streams meet. Collectives are done when all ranks' streams have come to them, messages when both
// have. All ranks must call the same collectives in the same order; whoever calls another one is
// told so, with both sides.
#pragma once

#include "runtime/collective/nccl/Plan.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pcc::test {

using NcclCall = runtime::nccl::Operation;

/// "AllReduce of 8 f32, sum".
std::string describe(const NcclCall &call);

/// Of what the call counts.
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

  /// Notes a collective of a rank: its number. Negative: `why` says whose differs.
  int64_t note(int rank, const NcclCall &call, std::string &why);

  /// A rank's stream has come to a collective; whether it is done, which it is with the last one.
  bool arrive(int rank, int64_t number);

  /// The stream of a rank has come to a message. `why`: the other side's is another.
  std::shared_ptr<NcclPost> post(int rank, const NcclCall &call, std::string &why);

  /// What the rank called so far.
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
  /// By sender and receiver.
  std::map<std::pair<int, int>, Queues> queues;
};

} // namespace pcc::test
