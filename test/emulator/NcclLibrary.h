// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries and controls of tests for the emulated NCCL.
#pragma once

#include <string>
#include <vector>

namespace pcc::test {

/// Returns the calls of a rank so far in the open communicators of `ranks` ranks, one communicator
/// after the other.
std::vector<std::string> recordedCalls(int ranks, int rank);

/// Makes every communicator report a lost peer, as after a network failure, when its state is
/// queried.
void loseNetwork();

/// Returns the number of communicators that were neither destroyed nor aborted.
int openCommunicators();
/// Returns the number of open communicators that may use at most `maxBlocks` thread blocks.
int openCommunicatorsOf(int maxBlocks);

} // namespace pcc::test
