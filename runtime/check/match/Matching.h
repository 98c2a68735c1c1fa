// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches communication between ranks. All members of a group must call the same sequence of
// collectives. Every sent message must be received, with the same type and size. Ranks of one
// program have the same sequence, so the check compares programs, not ranks.

#pragma once

#include "runtime/abi/Status.h"
#include "runtime/check/program/ProgramIndex.h"

namespace pcc::check {

/// A sender, a receiver and a tag, in a step or in a section that runs on its own.
struct Channel {
  int64_t sender = -1, receiver = -1;
  uint32_t tag = 0;
  std::string execution = {};
  /// Numbers of the two programs, and positions of the two instructions
  /// (ProgramIndex::instructions).
  int sendProgram = -1, receiveProgram = -1;
  uint32_t send = 0, receive = 0;
  /// Positions of the instructions that continue them in a section for the last run
  /// (ProgramIndex::messageOf); the same positions if there are none.
  uint32_t lastSend = 0, lastReceive = 0;
};

struct Messages {
  std::vector<Channel> channels;
  /// By program and instruction, then by the program's ranks: the channel, or -1 if the rank has no
  /// peer. Empty for instructions that are no messages.
  std::vector<std::vector<std::vector<int32_t>>> channelOf;
};

/// Finds the channels of all messages. Error: two instructions use the same tag.
abi::Expected<Messages> findMessages(const std::vector<ProgramIndex> &programs);

/// Checks that messages (collectives) in `execution` match.
abi::Status checkMessages(const std::vector<ProgramIndex> &programs, const Messages &messages,
                          const Execution &execution);
abi::Status checkCollectives(const std::vector<ProgramIndex> &programs, const Execution &execution);

} // namespace pcc::check
