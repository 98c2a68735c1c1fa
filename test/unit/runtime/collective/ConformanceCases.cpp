// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/collective/ConformanceCases.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/CollectiveName.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace pcc::test {
namespace {

using runtime::Box;
using runtime::CollectiveCall;

/// Adds a random box exchange without overlaps in the targets: each box has a row of its own.
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

abi::ElementType randomType(Random &random) {
  constexpr abi::ElementType types[] = {abi::F32,  abi::F16, abi::BF16, abi::I32, abi::I64, abi::I8,
                                        abi::BOOL, abi::F64, abi::U8,   abi::U32, abi::U64};
  return types[pick(random, 0, int(std::size(types)) - 1)];
}

abi::ReduceOp randomReduction(Random &random) {
  return abi::ReduceOp(pick(random, abi::SUM, abi::PROD));
}

/// Returns a random call of a kind, type and reduction. A large call has several work units.
CollectiveCall randomCall(Random &random, CollectiveCall call, bool isLarge, int members) {
  for (int d = 0, rank = pick(random, 1, 3); d < rank; ++d)
    call.shape.push_back(pick(random, 1, isLarge ? 2 : 9));
  call.axis = pick(random, 0, int(call.shape.size()) - 1);
  call.concatAxis = pick(random, 0, int(call.shape.size()) - 1);
  bool scatters = call.kind == abi::REDUCE_SCATTER || call.kind == abi::ALL_TO_ALL;
  if (scatters)
    call.shape[call.axis] *= members;
  if (isLarge)
    call.shape.push_back(pick(random, 10000, 20000) / (scatters ? members : 1));
  call.root = pick(random, 0, members - 1);
  if (call.kind == abi::BLOCK_EXCHANGE)
    addBoxes(random, call, members);
  if (call.kind == abi::COLLECTIVE_PERMUTE)
    addPairs(random, call, members);
  return call;
}

/// Returns whether the values have no sign, so that none is drawn.
bool isUnsigned(abi::ElementType type) {
  return type == abi::BOOL || type == abi::U8 || type == abi::U32 || type == abi::U64;
}

Values randomValues(Random &random, abi::ElementType type, int64_t count) {
  Values values(count);
  for (double &value : values)
    value = isUnsigned(type) ? pick(random, 0, 1) : pick(random, -1, 1);
  return values;
}

Case withValues(Random &random, CollectiveCall call, bool isInPlace, int members) {
  Case test{.call = std::move(call), .isInPlace = isInPlace};
  std::vector<Values> sources, before;
  for (int m = 0; m < members; ++m) {
    sources.push_back(randomValues(random, test.call.type, test.call.count()));
    before.push_back(Values(destinationCount(test.call, members), 1));
    test.sources.push_back(encode(test.call.type, sources.back()));
    test.destinations.push_back(isInPlace ? test.sources.back()
                                          : encode(test.call.type, before.back()));
  }
  test.expected = referenceOf(test.call, sources, before);
  return test;
}

} // namespace

int pick(Random &random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

Case makeCase(Random &random, abi::CollectiveKind kind, int members) {
  CollectiveCall call{
      .kind = kind, .reduction = randomReduction(random), .type = randomType(random)};
  bool isLarge = pick(random, 0, 3) == 0;
  return withValues(random, randomCall(random, call, isLarge, members), false, members);
}

std::vector<Case> makeMessage(Random &random, abi::CollectiveKind kind, int members, int calls) {
  CollectiveCall common{
      .kind = kind, .reduction = randomReduction(random), .type = randomType(random)};
  std::vector<Case> message;
  for (int c = 0; c < calls; ++c) {
    bool isLarge = pick(random, 0, 9) == 0;
    CollectiveCall call = randomCall(random, common, isLarge, members);
    call.fused = c > 0;
    bool isInPlace = kind == abi::ALL_REDUCE && pick(random, 0, 1) == 0;
    message.push_back(withValues(random, call, isInPlace, members));
  }
  return message;
}

CollectiveCall callOf(Case &test, int position) {
  CollectiveCall call = test.call;
  call.destination = test.destinations[position].data();
  call.source = test.isInPlace ? call.destination : test.sources[position].data();
  return call;
}

void expectDone(const Case &test, int position) {
  const std::vector<std::byte> &bytes = test.destinations[position];
  EXPECT_EQ(decode(test.call.type, bytes.data(), int64_t(test.expected[position].size())),
            test.expected[position])
      << abi::collectiveName(test.call.kind) << " of " << abi::elementName(test.call.type);
}

/// Returns colors that split `ranks` ranks into groups of equal size, in random order.
std::vector<int> randomColors(Random &random, int ranks, int groups) {
  std::vector<int> colors(ranks);
  for (int r = 0; r < ranks; ++r)
    colors[r] = r % groups;
  std::shuffle(colors.begin(), colors.end(), random);
  return colors;
}

} // namespace pcc::test
