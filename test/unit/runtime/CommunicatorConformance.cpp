// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/CommunicatorConformance.h"

#include "runtime/abi/ElementTypes.h"
#include "test/unit/runtime/CollectiveReference.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>

namespace pcc::test {
namespace {

using runtime::Box;
using runtime::CollectiveCall;
using runtime::collectiveName;
using runtime::Communicator;
using Random = std::mt19937;

int pick(Random &random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

/// A random box exchange without overlaps in the targets: each box lies in a row of its own.
void addBoxes(Random &random, CollectiveCall &call, int members) {
  int rows = members * 2;
  call.shape = {pick(random, 1, 6), pick(random, 1, 40)};
  call.targetShape = {rows, pick(random, 1, 40)};
  for (int b = 0; b < rows; ++b) {
    int64_t width = pick(random, 0, int(std::min(call.shape[1], call.targetShape[1])));
    Box box{.source = pick(random, 0, members - 1), .target = pick(random, 0, members - 1)};
    box.size = {1, width};
    box.sourceStart = {pick(random, 0, int(call.shape[0]) - 1),
                       pick(random, 0, int(call.shape[1] - width))};
    box.targetStart = {b, pick(random, 0, int(call.targetShape[1] - width))};
    call.boxes.push_back(box);
  }
  call.reduceBoxes = pick(random, 0, 1) && call.type != abi::BOOL;
}

void addPairs(Random &random, CollectiveCall &call, int members) {
  std::vector<int> targets(members);
  std::iota(targets.begin(), targets.end(), 0);
  std::shuffle(targets.begin(), targets.end(), random);
  std::vector<int64_t> zero(call.shape.size(), 0);
  for (int s = 0, pairs = pick(random, 0, members); s < pairs; ++s)
    call.boxes.push_back({s, targets[s], zero, call.shape, zero});
}

/// A random call of a kind for a group of `members`.
CollectiveCall randomCall(Random &random, abi::CollectiveKind kind, int members) {
  constexpr abi::ElementType types[] = {abi::F32, abi::F16, abi::BF16, abi::I32,
                                        abi::I64, abi::I8,  abi::BOOL};
  CollectiveCall call;
  call.kind = kind;
  call.type = types[pick(random, 0, 6)];
  call.reduction = abi::ReduceOp(pick(random, abi::SUM, abi::PROD));
  bool isLarge = pick(random, 0, 3) == 0; // several pieces
  for (int d = 0, rank = pick(random, 1, 3); d < rank; ++d)
    call.shape.push_back(pick(random, 1, isLarge ? 2 : 9));
  call.axis = pick(random, 0, int(call.shape.size()) - 1);
  call.concatAxis = pick(random, 0, int(call.shape.size()) - 1);
  bool scatters = kind == abi::REDUCE_SCATTER || kind == abi::ALL_TO_ALL;
  if (scatters)
    call.shape[call.axis] *= members;
  if (isLarge)
    call.shape.push_back(pick(random, 10000, 20000) / (scatters ? members : 1));
  call.root = pick(random, 0, members - 1);
  if (kind == abi::BLOCK_EXCHANGE)
    addBoxes(random, call, members);
  if (kind == abi::COLLECTIVE_PERMUTE)
    addPairs(random, call, members);
  return call;
}

Values randomValues(Random &random, abi::ElementType type, int64_t count) {
  Values values(count);
  for (double &value : values)
    value = type == abi::BOOL ? pick(random, 0, 1) : pick(random, -1, 1);
  return values;
}

/// The state of one collective on all members of one group.
struct Case {
  CollectiveCall call;
  std::vector<std::vector<std::byte>> sources = {}, destinations = {};
  std::vector<Values> expected = {};
};

Case makeCase(Random &random, abi::CollectiveKind kind, int members) {
  Case test{.call = randomCall(random, kind, members)};
  std::vector<Values> sources, before;
  for (int m = 0; m < members; ++m) {
    sources.push_back(randomValues(random, test.call.type, test.call.count()));
    before.push_back(Values(destinationCount(test.call, members), 1));
    test.sources.push_back(encode(test.call.type, sources.back()));
    test.destinations.push_back(encode(test.call.type, before.back()));
  }
  test.expected = referenceOf(test.call, sources, before);
  return test;
}

CollectiveCall callOf(Case &test, int position) {
  CollectiveCall call = test.call;
  call.source = test.sources[position].data();
  call.destination = test.destinations[position].data();
  return call;
}

void expectDone(const Case &test, int position) {
  const std::vector<std::byte> &bytes = test.destinations[position];
  EXPECT_EQ(decode(test.call.type, bytes.data(), int64_t(test.expected[position].size())),
            test.expected[position])
      << collectiveName(test.call.kind) << " of " << abi::elementName(test.call.type);
}

/// Colors for a split of `ranks` ranks into groups of equal size, in random order.
std::vector<int> randomColors(Random &random, int ranks, int groups) {
  std::vector<int> colors(ranks);
  for (int r = 0; r < ranks; ++r)
    colors[r] = r % groups;
  std::shuffle(colors.begin(), colors.end(), random);
  return colors;
}

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
    int key = ranks - rank.position(); // the other way round
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

// The sum is taken in the order of positions, whoever does it: large and small numbers show any
// other order.
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

// What the proof of programs builds on: a receive that is posted leaves its buffer alone until the
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

// A send that is done has read what it sends.
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
  int seen = int(world.size()); // those of this process
  onEveryRank(world, [&](Communicator &rank) {
    for (int round = 1; round <= rounds; ++round) {
      ++arrivals;
      EXPECT_TRUE(rank.barrier().ok());
      EXPECT_GE(arrivals.load(), seen * round);
    }
  });
}

// The root's sum and the others' zeros, where the operands were.
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
