// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/collective/CommunicatorConformance.h"

#include "test/unit/runtime/collective/ConformanceCases.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace pcc::test {
namespace {

using runtime::CollectiveCall;
using runtime::Communicator;

void checkCases(const Conformance &conformance, unsigned seed, int ranks, int groups) {
  Random random(seed);
  std::vector<int> colors = randomColors(random, ranks, groups);
  std::vector<std::vector<Case>> cases(groups); // by group
  for (std::vector<Case> &list : cases)
    for (int kind = abi::ALL_REDUCE; kind <= abi::BLOCK_EXCHANGE; ++kind)
      if (kind != abi::SEND && kind != abi::RECV)
        list.push_back(makeCase(random, abi::CollectiveKind(kind), ranks / groups));
  World world = conformance.make(ranks);
  onEveryRank(world, [&](Communicator &rank) {
    int color = colors[rank.position()];
    int key = ranks - rank.position(); // in reverse order
    auto group = rank.split(color, key);
    ASSERT_TRUE(bool(group));
    EXPECT_EQ((*group)->size(), ranks / groups);
    for (Case &test : cases[color]) {
      CollectiveCall call = callOf(test, (*group)->position());
      EXPECT_TRUE((*group)->run({&call, 1}).ok());
      expectDone(test, (*group)->position());
    }
  });
}

} // namespace

TEST_P(CommunicatorConformance, EveryKindInRandomGroups) {
  for (auto [ranks, groups] :
       {std::pair(1, 1), {2, 1}, {2, 2}, {3, 1}, {4, 2}, {6, 2}, {8, 1}, {16, 4}})
    for (unsigned seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks, " << groups << " groups, seed " << seed);
      checkCases(GetParam(), seed, ranks, groups);
    }
}

TEST_P(CommunicatorConformance, BatchDoesAllItsCalls) {
  Random random(7);
  constexpr int ranks = 4;
  std::vector<Case> cases;
  for (int i = 0; i < 6; ++i)
    cases.push_back(makeCase(random, i % 2 ? abi::ALL_REDUCE : abi::ALL_GATHER, ranks));
  onEveryRank(GetParam().make(ranks), [&](Communicator &rank) {
    std::vector<CollectiveCall> calls;
    for (Case &test : cases)
      calls.push_back(callOf(test, rank.position()));
    EXPECT_TRUE(rank.run(calls).ok());
    for (const Case &test : cases)
      expectDone(test, rank.position());
  });
}

TEST_P(CommunicatorConformance, BatchesInFlightCompleteInAnyOrder) {
  Random random(8);
  constexpr int ranks = 3;
  std::vector<Case> cases;
  for (int i = 0; i < 40; ++i)
    cases.push_back(makeCase(random, abi::ALL_REDUCE, ranks));
  onEveryRank(GetParam().make(ranks), [&](Communicator &rank) {
    std::vector<CollectiveCall> calls;
    for (Case &test : cases)
      calls.push_back(callOf(test, rank.position()));
    std::vector<runtime::Request> requests;
    for (const CollectiveCall &call : calls)
      requests.push_back(*rank.start({&call, 1}));
    std::mt19937 order(rank.position());
    std::shuffle(requests.begin(), requests.end(), order);
    for (runtime::Request request : requests)
      EXPECT_TRUE(rank.wait(request).ok());
    for (const Case &test : cases)
      expectDone(test, rank.position());
  });
}

TEST_P(CommunicatorConformance, InPlaceAllReduce) {
  constexpr int ranks = 8, count = 100000;
  std::vector<std::vector<float>> data(ranks);
  for (int r = 0; r < ranks; ++r)
    data[r].assign(count, float(r + 1));
  onEveryRank(GetParam().make(ranks), [&](Communicator &rank) {
    CollectiveCall call;
    call.kind = abi::ALL_REDUCE;
    call.source = call.destination = data[rank.position()].data();
    call.shape = {count};
    EXPECT_TRUE(rank.run({&call, 1}).ok());
    EXPECT_EQ(data[rank.position()], std::vector<float>(count, 36));
  });
}

// The sum is taken in the order of positions, whichever rank computes it. Large and small numbers
// expose any other order.
TEST_P(CommunicatorConformance, SumsInTheOrderOfPositions) {
  constexpr int ranks = 4, count = 50000;
  const float terms[ranks] = {1e8f, 1.0f, -1e8f, 3.0f};
  std::vector<std::vector<float>> data(ranks);
  for (int r = 0; r < ranks; ++r)
    data[r].assign(count, terms[r]);
  onEveryRank(GetParam().make(ranks), [&](Communicator &rank) {
    CollectiveCall call;
    call.kind = abi::ALL_REDUCE;
    call.source = call.destination = data[rank.position()].data();
    call.shape = {count};
    EXPECT_TRUE(rank.run({&call, 1}).ok());
    float sum = ((terms[0] + terms[1]) + terms[2]) + terms[3];
    EXPECT_EQ(data[rank.position()], std::vector<float>(count, sum));
  });
}

TEST_P(CommunicatorConformance, SendsArriveInOrderOfTheirTag) {
  constexpr int ranks = 3, messages = 20;
  onEveryRank(GetParam().make(ranks), [&](Communicator &rank) {
    int next = (rank.position() + 1) % ranks, before = (rank.position() + ranks - 1) % ranks;
    for (int i = 0; i < messages; ++i) {
      int32_t sent = rank.position() * 1000 + i, received = -1;
      CollectiveCall both[2];
      both[0] = {.kind = abi::SEND, .type = abi::I32, .source = &sent, .shape = {1}, .root = next};
      both[1] = {.kind = abi::RECV, .type = abi::I32, .shape = {1}, .root = before};
      both[1].destination = &received;
      EXPECT_TRUE(rank.run(both).ok());
      EXPECT_EQ(received, before * 1000 + i);
    }
  });
}

TEST_P(CommunicatorConformance, TagsKeepMessagesApart) {
  onEveryRank(GetParam().make(2), [&](Communicator &rank) {
    int32_t values[2] = {10, 20}, received[2] = {0, 0};
    int32_t peer = 1 - rank.position();
    CollectiveCall calls[4];
    for (uint32_t tag : {0, 1}) {
      calls[tag] = {.kind = abi::SEND, .type = abi::I32, .source = &values[tag], .shape = {1}};
      calls[2 + tag] = {.kind = abi::RECV, .type = abi::I32, .shape = {1}};
      calls[2 + tag].destination = &received[tag];
      calls[tag].root = calls[2 + tag].root = peer;
      calls[tag].tag = calls[2 + tag].tag = tag;
    }
    if (rank.position() == 1)
      std::swap(calls[2], calls[3]);
    EXPECT_TRUE(rank.run(calls).ok());
    EXPECT_EQ(received[0], 10);
    EXPECT_EQ(received[1], 20);
  });
}

// The checker of programs relies on this: a posted receive does not touch its buffer until the
// message is sent, however long that takes.
TEST_P(CommunicatorConformance, ReceivesTouchNothingBeforeTheSend) {
  constexpr int count = 4096;
  onEveryRank(GetParam().make(2), [](Communicator &rank) {
    std::vector<float> values(count, 7), received(count, 3);
    CollectiveCall call;
    call.kind = rank.position() == 0 ? abi::SEND : abi::RECV;
    call.source = values.data();
    call.destination = received.data();
    call.shape = {count};
    call.root = 1 - rank.position();
    if (rank.position() == 0) {
      EXPECT_TRUE(rank.barrier().ok());
      EXPECT_TRUE(rank.run({&call, 1}).ok());
      return;
    }
    auto request = rank.start({&call, 1});
    ASSERT_TRUE(bool(request));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(received, std::vector<float>(count, 3));
    EXPECT_TRUE(rank.barrier().ok());
    EXPECT_TRUE(rank.wait(*request).ok());
    EXPECT_EQ(received, values);
  });
}

// A completed send has read its source.
TEST_P(CommunicatorConformance, WhatWasSentMayBeOverwritten) {
  constexpr int messages = 20, count = 4096;
  onEveryRank(GetParam().make(2), [&](Communicator &rank) {
    std::vector<float> value(count);
    for (int i = 0; i < messages; ++i) {
      CollectiveCall call;
      call.kind = rank.position() == 0 ? abi::SEND : abi::RECV;
      call.source = call.destination = value.data();
      call.shape = {count};
      call.root = 1 - rank.position();
      value.assign(count, rank.position() == 0 ? float(i) : -1);
      ASSERT_TRUE(rank.run({&call, 1}).ok());
      EXPECT_EQ(value, std::vector<float>(count, float(i)));
    }
  });
}

TEST_P(CommunicatorConformance, NobodyLeavesABarrierBeforeAllHaveCome) {
  constexpr int ranks = 6, rounds = 50;
  std::atomic<int> arrivals = 0;
  World world = GetParam().make(ranks);
  int seen = int(world.size()); // ranks of this process
  onEveryRank(world, [&](Communicator &rank) {
    for (int round = 1; round <= rounds; ++round) {
      ++arrivals;
      EXPECT_TRUE(rank.barrier().ok());
      EXPECT_GE(arrivals.load(), seen * round);
    }
  });
}

// The destination is the root's sum; the other ranks get zeros in place of their operands.
TEST_P(CommunicatorConformance, InPlaceReduce) {
  constexpr int ranks = 5, count = 40000, root = 3;
  std::vector<std::vector<float>> data(ranks);
  for (int r = 0; r < ranks; ++r)
    data[r].assign(count, float(r + 1));
  onEveryRank(GetParam().make(ranks), [&](Communicator &rank) {
    CollectiveCall call;
    call.kind = abi::REDUCE;
    call.source = call.destination = data[rank.position()].data();
    call.shape = {count};
    call.root = root;
    EXPECT_TRUE(rank.run({&call, 1}).ok());
    EXPECT_EQ(data[rank.position()], std::vector<float>(count, rank.position() == root ? 15 : 0))
        << "rank " << rank.position();
  });
}

TEST_P(CommunicatorConformance, NamesRanksThatDisagree) {
  if (!GetParam().comparesCalls)
    return;
  constexpr int ranks = 3;
  onEveryRank(GetParam().make(ranks), [&](Communicator &rank) {
    std::vector<float> data(8);
    CollectiveCall call;
    call.kind = abi::ALL_REDUCE;
    call.source = call.destination = data.data();
    call.shape = {rank.position() == 2 ? 4 : 8};
    EXPECT_EQ(rank.run({&call, 1}).message(),
              "rank 0 called all_reduce of 8xf32, axis 0, root 0, but rank 2 called all_reduce of "
              "4xf32, axis 0, root 0");
  });
}

TEST_P(CommunicatorConformance, AbortEndsEveryWait) {
  constexpr int ranks = 4;
  onEveryRank(GetParam().make(ranks), [&](Communicator &rank) {
    if (rank.position() == 3)
      return rank.abort("rank 3 died");
    runtime::Status status = rank.barrier();
    EXPECT_EQ(status.kind(), runtime::StatusKind::Aborted);
    EXPECT_EQ(status.message(), "rank 3 died");
  });
}

TEST_P(CommunicatorConformance, ManyRanksOnFewCores) {
  constexpr int ranks = 64, steps = 500;
  onEveryRank(GetParam().make(ranks), [&](Communicator &rank) {
    for (int i = 0; i < steps; ++i) {
      int64_t value = i + rank.position(), sum = 0;
      CollectiveCall call{
          .kind = abi::ALL_REDUCE, .type = abi::I64, .source = &value, .shape = {1}};
      call.destination = &sum;
      ASSERT_TRUE(rank.run({&call, 1}).ok());
      ASSERT_EQ(sum, int64_t(i) * ranks + ranks * (ranks - 1) / 2);
    }
  });
}

} // namespace pcc::test
