// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every implementation of Communicator must do with calls that are fused to one message.

#include "test/unit/runtime/CommunicatorConformance.h"
#include "test/unit/runtime/ConformanceCases.h"

#include <algorithm>

namespace pcc::test {
namespace {

using runtime::CollectiveCall;
using runtime::Communicator;

/// A batch of messages of every kind that may have several calls, in random order.
std::vector<Case> makeBatch(Random &random, int members) {
  std::vector<std::vector<Case>> messages;
  for (abi::CollectiveKind kind : {abi::ALL_REDUCE, abi::ALL_GATHER, abi::REDUCE_SCATTER})
    for (int calls : {1, 2, pick(random, 3, 20)})
      messages.push_back(makeMessage(random, kind, members, calls));
  std::shuffle(messages.begin(), messages.end(), random);
  std::vector<Case> batch;
  for (std::vector<Case> &message : messages)
    std::move(message.begin(), message.end(), std::back_inserter(batch));
  return batch;
}

void checkBatches(const Conformance &conformance, unsigned seed, int ranks, int groups) {
  Random random(seed);
  std::vector<int> colors = randomColors(random, ranks, groups);
  std::vector<std::vector<Case>> batches; // by group
  for (int g = 0; g < groups; ++g)
    batches.push_back(makeBatch(random, ranks / groups));
  onEveryRank(conformance.make(ranks), [&](Communicator &rank) {
    std::vector<Case> &batch = batches[colors[rank.position()]];
    auto group = rank.split(colors[rank.position()], ranks - rank.position());
    ASSERT_TRUE(bool(group));
    std::vector<CollectiveCall> calls;
    for (Case &test : batch)
      calls.push_back(callOf(test, (*group)->position()));
    EXPECT_TRUE((*group)->run(calls).ok());
    for (const Case &test : batch)
      expectDone(test, (*group)->position());
  });
}

} // namespace

TEST_P(CommunicatorConformance, EveryCallOfAMessageIsDone) {
  for (auto [ranks, groups] : {std::pair(1, 1), {2, 1}, {3, 1}, {4, 2}, {5, 1}, {8, 2}, {8, 1}})
    for (unsigned seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks, " << groups << " groups, seed " << seed);
      checkBatches(GetParam(), seed, ranks, groups);
    }
}

// Each call's elements are added in the order of positions wherever they lie in a message, of few
// bytes or of many.
TEST_P(CommunicatorConformance, MessagesSumInTheOrderOfPositions) {
  constexpr int ranks = 4;
  const float terms[ranks] = {1e8f, 1.0f, -1e8f, 3.0f};
  const float sum = ((terms[0] + terms[1]) + terms[2]) + terms[3];
  for (std::vector<size_t> sizes : {std::vector<size_t>{1, 5, 3}, {7, 50001, 3}})
    onEveryRank(GetParam().make(ranks), [&](Communicator &rank) {
      std::vector<std::vector<float>> data;
      std::vector<CollectiveCall> calls;
      for (size_t size : sizes)
        data.emplace_back(size, terms[rank.position()]);
      for (std::vector<float> &each : data) {
        calls.push_back(
            {.kind = abi::ALL_REDUCE, .source = each.data(), .shape = {int64_t(each.size())}});
        calls.back().destination = each.data();
        calls.back().fused = calls.size() > 1;
      }
      EXPECT_TRUE(rank.run(calls).ok());
      for (const std::vector<float> &each : data)
        EXPECT_EQ(each, std::vector<float>(each.size(), sum));
    });
}

// A message that one rank cuts elsewhere would bring others what belongs to another call.
TEST_P(CommunicatorConformance, NamesRanksThatCutMessagesDifferently) {
  constexpr int ranks = 3;
  onEveryRank(GetParam().make(ranks), [&](Communicator &rank) {
    std::vector<float> data[3] = {{1, 2}, {3, 4}, {5, 6}};
    std::vector<CollectiveCall> calls;
    for (std::vector<float> &each : data) {
      calls.push_back({.kind = abi::ALL_REDUCE, .source = each.data(), .shape = {2}});
      calls.back().destination = each.data();
      calls.back().fused = calls.size() == (rank.position() == 1 ? 2 : 3);
    }
    EXPECT_EQ(rank.run(calls).message(),
              "rank 0 called all_reduce of 2xf32, axis 0, root 0, but rank 1 called all_reduce of "
              "2xf32, axis 0, root 0, fused with the one before it");
  });
}

} // namespace pcc::test
