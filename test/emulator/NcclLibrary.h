// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests ask the emulated NCCL.
#pragma once

#include <string>
#include <vector>

namespace pcc::test {

/// What a rank called so far in the open communicators of so many ranks, one after the other.
std::vector<std::string> recordedCalls(int ranks, int rank);

/// Every communicator finds that a peer is lost, as where the network fails: whoever asks for its
/// state is told.
void loseNetwork();

/// How many communicators were neither destroyed nor aborted.
int openCommunicators();
/// How many of them may take at most so many blocks of threads.
int openCommunicatorsOf(int mostBlocks);

} // namespace pcc::test
