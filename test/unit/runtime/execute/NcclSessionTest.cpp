// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole programs on ranks with an emulated GPU each, joined by the emulated NCCL. Tests the
// reaction to lost ranks and network failures, and side effects that a run must not have.

#include "runtime/check/Check.h"
#include "runtime/execute/Session.h"
#include "runtime/execute/connect/JoinNccl.h"
#include "test/emulator/NcclLibrary.h"
#include "test/unit/runtime/GpuPrograms.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

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

// While the host waits for its GPU, only the watching thread notices a lost peer.
TEST(NcclSession, ALostPeerEndsTheWaitForTheGpu) {
  auto session = load(makeTwoRanks(), {.timeout = 60});
  std::atomic<bool> hasCalled = false;
  Status status = session->onEveryRank([&](RankExecutor &rank) {
    if (rank.rank() == 0) {
      Status run = rank.runSection(uint32_t(sectionOfName(rank.program(), "update")));
      hasCalled = true;
      hasCalled.notify_all();
      return run; // and waits for its GPU
    }
    hasCalled.wait(false);
    loseNetwork();
    return rank.world().barrier();
  });
  EXPECT_EQ(status.kind(), StatusKind::Failed);
  EXPECT_EQ(status.describe(),
            "rank 0: an earlier call of NCCL: remote process exited or there was a network error: "
            "the network is down");
}

/// Expects that the watchdog aborts the session's ranks while one rank runs `body` and the other
/// one sleeps for 5 s.
void expectTimedOut(Session &session, const std::function<Status(RankExecutor &)> &body) {
  int64_t begin = nowNanoseconds();
  Status status = session.onEveryRank([body](RankExecutor &rank) {
    if (rank.rank() == 0)
      return body(rank);
    std::this_thread::sleep_for(std::chrono::seconds(5));
    return Status::failed("nobody has given the run up");
  });
  EXPECT_EQ(status.kind(), StatusKind::TimedOut) << status.describe();
  EXPECT_LT(double(nowNanoseconds() - begin) / 1e9, 4.5);
}

// A rank may continue to enqueue for a long time after its peers are gone, but not for ever. When
// it waits for its GPU's full queue, it waits for the peers.
TEST(NcclSession, AFullQueueIsAWait) {
  auto session = load(makeTwoRanks(), {.timeout = 0.5});
  // The first step differs from later ones, and all ranks wait for its end.
  ASSERT_TRUE(session->onEveryRank([](RankExecutor &rank) { return rank.runStep(0, {}); }).ok());
  expectTimedOut(*session, [](RankExecutor &rank) {
    Status status;
    for (int64_t step = 1; status.ok() && step < 10'000; ++step)
      status = rank.runStep(step, {});
    return status;
  });
}

TEST(NcclSession, AFullRingIsAWait) {
  auto session = load(makeMlp({.ranks = 2, .batch = 8, .widths = {512, 512}}), {.timeout = 0.5});
  expectTimedOut(*session, [](RankExecutor &rank) {
    Status status = rank.runSection(uint32_t(sectionOfName(rank.program(), "update")));
    const abi::Parameter &weight = rank.program().parameters(0);
    std::vector<std::byte> bytes(rank.program().memory().buffers(int(weight.buffer())).bytes());
    for (int copy = 0; status.ok() && copy < 100; ++copy)
      status = rank.write(weight.buffer(), bytes);
    return status;
  });
}

// Workspaces of libraries are not part of the program's memory plan, but a run reports them.
TEST(NcclSession, WorkspacesAreCounted) {
  abi::Executable executable = makeTwoRanks();
  auto session = load(executable, {.timeout = 60});
  Status status = session->onEveryRank([&](RankExecutor &rank) {
    uint64_t workspaces = rank.device().workspaceBytes();
    EXPECT_EQ(workspaces, 32u << 20) << "the emulated library's";
    EXPECT_EQ(rank.memoryUse().allocated, check::peakBytes(executable)[0] + workspaces);
    return Status();
  });
  EXPECT_TRUE(status.ok());
}

// A slower fallback is reported once, with the reason.
TEST(NcclSession, TheWayOverTheHostIsTold) {
  std::vector<std::string> told;
  auto session =
      load(makeMlp({.ranks = 3, .batch = 12, .widths = {4, 3}}),
           {.timeout = 60, .warn = [&](const std::string &text) { told.push_back(text); }});
  EXPECT_EQ(told, (std::vector<std::string>{
                      "transfers between ranks go through the host, which is slow: ranks 0 and 2 "
                      "have the same GPU, and NCCL joins ranks with a GPU of their own"}));
}

TEST(NcclSession, RanksHaveTheSameNccl) {
  std::vector<RankIdentity> ranks = {{{{1}}, 22809}, {{{2}}, 22809}, {{{3}}, 22705}};
  EXPECT_TRUE(checkRankIdentities(std::span(ranks).first(2)).ok());
  EXPECT_EQ(checkRankIdentities(ranks).message(),
            "rank 0 has NCCL 2.28.9, but rank 2 has 2.27.5: expected the same on all machines");
  ranks[1].version = 0;
  EXPECT_EQ(checkRankIdentities(ranks).message(), "rank 1 has no NCCL");
}

TEST(NcclSession, TheTimeLimitIsOneToMeetIn) {
  EXPECT_EQ(commOptionsOf({.timeout = 600}).timeout, 600);
  EXPECT_EQ(commOptionsOf({.timeout = 1}).timeout, 60);
}

/// Sets the peer to the other rank of two.
void setPeer(abi::Collective &collective) {
  for (int64_t peer : {1, 0})
    collective.mutable_peer()->add_table(peer);
}

abi::Instruction &addMessage(abi::Section &section, abi::CollectiveKind kind, uint32_t buffer) {
  abi::Instruction &instruction = *section.add_instructions();
  instruction.set_op(kind == abi::SEND ? "send" : "receive");
  instruction.set_stream(abi::TRANSFER);
  abi::Collective &collective = *instruction.mutable_collective();
  collective.set_kind(kind);
  collective.set_type(abi::F32);
  collective.add_shape(16);
  (kind == abi::SEND ? collective.mutable_source() : collective.mutable_destination())
      ->set_buffer(buffer);
  setPeer(collective);
  return instruction;
}

void addGather(abi::Section &section, uint32_t source, uint32_t destination) {
  abi::Instruction &instruction = *section.add_instructions();
  instruction.set_op("gather");
  abi::Collective &collective = *instruction.mutable_collective();
  collective.set_kind(abi::ALL_GATHER);
  collective.set_type(abi::F32);
  for (int64_t extent : {4, 4})
    collective.add_shape(extent);
  collective.set_axis(1);
  collective.mutable_source()->set_buffer(source);
  collective.mutable_destination()->set_buffer(destination);
}

/// Makes a program in which each rank awaits a message that the other one sends last, after kernels
/// that become a graph and a collective that needs a workspace.
abi::Executable makeEarlyReceives() {
  ProgramBuilder builder(2);
  uint32_t received = builder.buffer("received", abi::PERSISTENT, abi::F32, {4, 4});
  uint32_t sent = builder.buffer("sent", abi::PERSISTENT, abi::F32, {4, 4});
  uint32_t gathered = builder.buffer("gathered", abi::PERSISTENT, abi::F32, {4, 8});
  uint32_t seen = builder.buffer("seen", abi::PERSISTENT, abi::I64, {3});
  builder.program.set_step_buffer(builder.buffer("step", abi::PERSISTENT, abi::I64, {}));
  builder.program.set_events(1);
  abi::Section &section = builder.section("main");
  addMessage(section, abi::RECV, received).add_signals(0);
  for (int launch = 0; launch < 2; ++launch)
    builder.launch(section, "store_scalars", {seen}, {3, launch, 0, 0});
  addGather(section, sent, gathered);
  addMessage(section, abi::SEND, sent);
  builder.launch(section, "relu_backward", {received, received}, {16}).add_waits(0);
  builder.program.add_actions();
  return builder.executable;
}

// The driver may wait for the whole GPU when it allocates memory, including pending receives.
// Therefore steps allocate nothing.
TEST(NcclSession, StepsTakeNoMemory) {
  auto session = load(makeEarlyReceives(), {.timeout = 20});
  ASSERT_TRUE(session);
  for (int step = 0; step < 4; ++step) {
    Status status = session->runStep({}).status();
    ASSERT_TRUE(status.ok()) << "step " << step << ": " << status.describe();
  }
}

} // namespace
} // namespace pcc::test
