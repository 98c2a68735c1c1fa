// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole programs on ranks with an emulated GPU each, joined by the emulated NCCL: what a run does
// where a rank or the network fails it.

#include "runtime/execute/Session.h"
#include "test/emulator/NcclLibrary.h"
#include "test/unit/runtime/GpuPrograms.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using namespace runtime;

std::unique_ptr<Session> load(const abi::Executable &executable, SessionOptions options) {
  setenv("PCC_EMULATED_GPUS", "2", 1);
  auto session = Session::load(forGpu(executable), options);
  EXPECT_TRUE(bool(session)) << session.status().describe();
  return session ? std::move(*session) : nullptr;
}

abi::Executable makeTwoRanks() { return makeMlp({.ranks = 2, .batch = 8, .widths = {4, 3}}); }

// While the host waits for its GPU, only the thread that watches hears that a peer is lost.
TEST(NcclSession, ALostPeerEndsTheWaitForTheGpu) {
  auto session = load(makeTwoRanks(), {.timeOut = 60});
  Status status = session->onEveryRank([](RankExecutor &rank) {
    if (rank.rank() == 0)
      return rank.runStep(0, {});
    loseNetwork();
    return rank.world().barrier();
  });
  EXPECT_EQ(status.kind(), StatusKind::Failed);
  EXPECT_EQ(status.describe(),
            "rank 0: an earlier call of NCCL: remote process exited or there was a network error: "
            "the network is down");
}

} // namespace
} // namespace pcc::test
