// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who meets whom. All members of a group reach the same sequence of collectives; every message that
// is sent is received, with the same type and size. Members that run one program have one sequence,
// so it is compared between programs, not between ranks.

#ifndef PCC_RUNTIME_CHECK_MATCHING_H
#define PCC_RUNTIME_CHECK_MATCHING_H

#include "runtime/abi/Status.h"
#include "runtime/check/ProgramIndex.h"

namespace pcc::check {

/// From one rank to another under one tag, in a step or in a section that runs on its own.
struct Channel {
  int64_t sender = -1, receiver = -1;
  uint32_t tag = 0;
  std::string episode = {};
  /// Numbers of the two programs, and places of the two records in them (ProgramIndex::records).
  int sendProgram = -1, receiveProgram = -1;
  uint32_t send = 0, receive = 0;
  /// The places of those that go on with them (ProgramIndex::messageOf); they themselves if none
  /// do.
  uint32_t lastSend = 0, lastReceive = 0;
};

struct Messages {
  std::vector<Channel> channels;
  /// By program and record, then by the program's ranks: the channel, -1 where the rank sits out;
  /// empty for records that are no messages.
  std::vector<std::vector<std::vector<int32_t>>> channelOf;
};

/// Finds the channels of all messages. Errors: a tag that is used by two records.
abi::Expected<Messages> findMessages(const std::vector<ProgramIndex> &programs);

/// Checks that in `episode` messages and collectives match.
abi::Status checkMessages(const std::vector<ProgramIndex> &programs, const Messages &messages,
                          const Episode &episode);
abi::Status checkCollectives(const std::vector<ProgramIndex> &programs, const Episode &episode);

} // namespace pcc::check

#endif // PCC_RUNTIME_CHECK_MATCHING_H
