// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conformance suite for fused collectives, for all implementations of Communicator.

#include "test/unit/runtime/collective/CommunicatorConformance.h"
#include "test/unit/runtime/collective/ConformanceCases.h"

#include <algorithm>

namespace pcc::test {
namespace {

using runtime::CollectiveCall;
using runtime::Communicator;

/// Makes a batch of fused collectives of every kind that can be fused, in random order.
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

/// Returns the summands of the member at a position for a call of `size` elements. The call has
/// index `place` in its fused collective. Large numbers cancel, so a sum in another order has other
/// bits.
std::vector<float> addends(int position, size_t place, size_t size) {
  constexpr float magnitudes[] = {1e8f, 1.0f, -1e8f, 3.0f};
  Random random(unsigned(place) * 8 + unsigned(position));
  std::uniform_real_distribution<float> factor(1, 2);
  std::vector<float> values(size);
  for (float &value : values)
    value = magnitudes[position % 4] * factor(random);
  return values;
}

std::vector<float> sumInOrder(int members, size_t place, size_t size) {
  std::vector<float> sum = addends(0, place, size);
  for (int m = 1; m < members; ++m) {
    std::vector<float> values = addends(m, place, size);
    for (size_t i = 0; i < size; ++i)
      sum[i] += values[i];
  }
  return sum;
}

} // namespace

TEST_P(CommunicatorConformance, EveryCallOfAMessageIsDone) {
  for (auto [ranks, groups] : {std::pair(1, 1), {2, 1}, {3, 1}, {4, 2}, {5, 1}, {8, 2}, {8, 1}})
    for (unsigned seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks, " << groups << " groups, seed " << seed);
      checkBatches(GetParam(), seed, ranks, groups);
    }
}

// Each call's elements are summed in the order of positions, wherever they are in a fused
// collective. Cases: few bytes, many bytes that are packed, too many bytes to pack, and a call next
// to one that is too large to pack.
TEST_P(CommunicatorConformance, MessagesSumInTheOrderOfPositions) {
  const std::vector<size_t> messages[] = {{1, 5, 3},
                                          {5, 2049, 3, 4001},
                                          {5, 9001, 3, 9001},
                                          std::vector<size_t>(20, 8001),
                                          {7, 50001, 3}};
  for (int ranks : {3, 4, 6})
    for (const std::vector<size_t> &sizes : messages)
      onEveryRank(GetParam().make(ranks), [&, ranks = ranks](Communicator &rank) {
        std::vector<std::vector<float>> data;
        std::vector<CollectiveCall> calls;
        for (size_t size : sizes)
          data.push_back(addends(rank.position(), data.size(), size));
        for (std::vector<float> &each : data) {
          calls.push_back(
              {.kind = abi::ALL_REDUCE, .source = each.data(), .shape = {int64_t(each.size())}});
          calls.back().destination = each.data();
          calls.back().fused = calls.size() > 1;
        }
        EXPECT_TRUE(rank.run(calls).ok());
        for (size_t place = 0; place < sizes.size(); ++place)
          EXPECT_EQ(data[place], sumInOrder(ranks, place, sizes[place]));
      });
}

// If one rank cuts a fused collective elsewhere, other ranks would receive data of another call.
TEST_P(CommunicatorConformance, NamesRanksThatCutMessagesDifferently) {
  if (!GetParam().comparesCalls)
    return;
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
