// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of the cost model `memory`, computed by hand.
#include "passes/strategy/memory_model/MemoryModel.h"

#include "gtest/gtest.h"

using namespace pcc;
using namespace pcc::strategy;

namespace {

/// Makes a matmul of `m`x`k` by `k`x`n` in f32 whose right operand is trained.
MemoryOp makeProduct(int64_t m, int64_t k, int64_t n) {
  MemoryOp op;
  op.costRule = MemoryCostRule::Matmul;
  DimFactors i = op.rule.addDim(m), r = op.rule.addDim(k, FactorKind::Reduce),
             j = op.rule.addDim(n);
  op.operands = {{{{m, k}, {i, r}}}, {{{k, n}, {r, j}}, /*isTrained=*/true}};
  op.results = {{{m, n}, {i, j}}};
  return op;
}

void expectPrice(const MemoryCost &price, double computation, double activations,
                 double parameters) {
  EXPECT_DOUBLE_EQ(price.computation, computation);
  EXPECT_DOUBLE_EQ(price.activations, activations);
  EXPECT_DOUBLE_EQ(price.parameters, parameters);
}

/// Makes a `rows`x`columns` matrix that is cut by the device matrix (first, second).
DeviceLayout makeLayout(int64_t rows, int64_t columns, int64_t first, int64_t second) {
  FactorRule rule;
  TensorFactors dims = {rule.addDim(rows), rule.addDim(columns)};
  return layOut({rows, columns}, dims, {first, second}, rule);
}

void expectVolume(const ReshardVolume &volume, double computation, double forward,
                  double backward) {
  EXPECT_DOUBLE_EQ(volume.computation, computation);
  EXPECT_DOUBLE_EQ(volume.forward, forward);
  EXPECT_DOUBLE_EQ(volume.backward, backward);
}

} // namespace

// The cost counts the operands' slices, 32x64 and 64x16, and the second operand's gradient, which
// four devices hold.
TEST(MemoryModel, ProductSplitByRowsAndColumns) {
  expectPrice(costOfOp(makeProduct(128, 64, 32), {4, 1, 2}, 8), 8192 + 4096, 0, 4096);
}

// The result's slice, 2048x2048, is processed once more and sent, with 1,024 for latency.
TEST(MemoryModel, ProductSplitAlongWhatIsSummed) {
  constexpr double result = 2048 * 2048 * 4, operand = 2048 * 512 * 4;
  expectPrice(costOfOp(makeProduct(4096, 1024, 4096), {2, 2, 2}, 8), 2 * operand + result,
              result + 1024, operand);
}

// A short transfer costs 3,072 bytes.
TEST(MemoryModel, ShortTransfersAreAllLatency) {
  expectPrice(costOfOp(makeProduct(8, 64, 8), {1, 8, 1}, 8), 256 + 256 + 256, 3072, 0);
}

// If all devices split the rows of the first operand, every cost above one byte is reduced by one.
TEST(MemoryModel, SplitsOfTheBatchAloneComeFirst) {
  expectPrice(costOfOp(makeProduct(128, 64, 32), {8, 1, 1}, 8), 4096 + 8192 - 1, 0, 8192 - 1);
}

// A convolution is not charged for the sum over parts of its input channels.
TEST(MemoryModel, ConvolutionsSplitAlongInputChannels) {
  MemoryOp op;
  op.costRule = MemoryCostRule::Convolution;
  DimFactors samples = op.rule.addDim(8), in = op.rule.addDim(16, FactorKind::Reduce),
             out = op.rule.addDim(32), rows = op.rule.addDim(10), columns = op.rule.addDim(10),
             taps = op.rule.addDim(9);
  op.operands = {{{{8, 16, 10, 10}, {samples, in, rows, columns}}},
                 {{{32, 16, 9}, {out, in, taps}}, /*isTrained=*/true}};
  op.results = {{{8, 32, 10, 10}, {samples, out, rows, columns}}};
  constexpr double image = 8 * 4 * 100 * 4, weight = 32 * 4 * 9 * 4;
  expectPrice(costOfOp(op, {1, 4, 1, 1, 1, 1}, 8), image + weight, 0, weight);
}

// Only the first operand of a concatenation counts, and only its gradient.
TEST(MemoryModel, ConcatenationsReadTheirFirstOperand) {
  MemoryOp op;
  op.costRule = MemoryCostRule::Concat;
  DimFactors rows = op.rule.addDim(8);
  op.operands = {{{{8, 16}, {rows, {}}}, /*isTrained=*/true},
                 {{{8, 48}, {rows, {}}}, /*isTrained=*/true}};
  op.results = {{{8, 64}, {rows, {}}}};
  constexpr double first = 4 * 16 * 4;
  expectPrice(costOfOp(op, {2}, 8), first, 0, first);
}

TEST(MemoryModel, MeansWorkTwiceOnTheirResult) {
  MemoryOp op;
  op.costRule = MemoryCostRule::Mean;
  DimFactors i = op.rule.addDim(128, FactorKind::Reduce), j = op.rule.addDim(64);
  op.operands = {{{{128, 64}, {i, j}}}};
  op.results = {{{64}, {j}}};
  expectPrice(costOfOp(op, {4, 1}, 8), 32 * 64 * 4 + 2 * 256, 3072, 0);
}

TEST(MemoryModel, GathersFromSplitTables) {
  MemoryOp op;
  op.costRule = MemoryCostRule::Gather;
  DimFactors rows = op.rule.addDim(128, FactorKind::Whole), columns = op.rule.addDim(64),
             indices = op.rule.addDim(16);
  op.operands = {{{{128, 64}, {rows, columns}}}, {{{16}, {indices}}}};
  op.results = {{{16, 64}, {indices, columns}}};
  expectPrice(costOfOp(op, {4, 1, 1}, 8), 3 * 32 * 64 * 4 + 7 * 16 * 4, 16 * 64 * 4 + 1024, 0);
}

TEST(MemoryModel, WeighsItsFigures) {
  MemoryModel model;
  EXPECT_DOUBLE_EQ(model.getTotal({45056, 0, 4096}), 45056 + 400 * 0.001 * 4096);
  model = {1, 60, 0.1};
  EXPECT_DOUBLE_EQ(model.getTotal({100, 10, 5}), 100 + 60 * (10 + 0.5));
}

//===-- Redistribution ----------------------------------------------------------------------===//

TEST(MemoryReshard, EqualLayoutsCostNothing) {
  expectVolume(measureReshard(makeLayout(64, 128, 2, 4), makeLayout(64, 128, 2, 4), 4), 0, 0, 0);
}

// Every split processes all elements that exist before the first split.
TEST(MemoryReshard, Splits) {
  constexpr double local = 64 * 128 * 4;
  expectVolume(measureReshard(makeLayout(64, 128, 1, 1), makeLayout(64, 128, 2, 4), 4), 2 * local,
               0, 0);
}

// A gather along any dimension but the first needs a copy before and after it.
TEST(MemoryReshard, Gathers) {
  constexpr double local = 16 * 128 * 4;
  expectVolume(measureReshard(makeLayout(64, 128, 4, 1), makeLayout(64, 128, 1, 1), 4), 2 * local,
               2 * local, local / 2);
  expectVolume(measureReshard(makeLayout(128, 64, 1, 4), makeLayout(128, 64, 1, 1), 4), 10 * local,
               2 * local, local / 2);
}

// From rows to columns: gathered, then split.
TEST(MemoryReshard, Moves) {
  constexpr double local = 32 * 32 * 4;
  expectVolume(measureReshard(makeLayout(64, 32, 2, 1), makeLayout(64, 32, 1, 2), 4), 3 * local,
               local, local / 2);
}

// 16 parts of the columns become 4 of the rows and 4 of the columns. The common refinement of the
// columns is 4x256, cut by two axes of 4. Both axes move, and the dimensions are merged again.
TEST(MemoryReshard, MovesOnCommonGround) {
  constexpr double local = 16 * 64 * 4;
  expectVolume(measureReshard(makeLayout(16, 1024, 1, 16), makeLayout(16, 1024, 4, 4), 4),
               24 * local, 4 * local, local);
}

// An axis that cuts no dimension of the tensor still cuts the devices. Two splits make four parts
// of the columns, which are merged.
TEST(MemoryReshard, KnowsTheWholeMatrix) {
  FactorRule rule;
  DimFactors i = rule.addDim(16), k = rule.addDim(16), j = rule.addDim(64);
  DeviceLayout from = layOut({16, 64}, {i, j}, {1, 2, 1}, rule);
  constexpr double local = 16 * 64 * 4;
  expectVolume(measureReshard(from, makeLayout(16, 64, 1, 4), 4), 4 * local, 0, 0);
}

// A reshape without moves processes the local elements twice.
TEST(MemoryReshard, Reshapes) {
  FactorRule rule;
  TensorFactors dims = {rule.addDim(8), rule.addDim(4), rule.addDim(16)};
  DeviceLayout from = layOut({8, 4, 16}, dims, {8, 1, 1}, rule);
  expectVolume(measureReshard(from, makeLayout(32, 16, 8, 1), 4), 2 * 64 * 4, 0, 0);
}

// 3 parts and 2 parts have no common refinement: everything is gathered and split again.
TEST(MemoryReshard, GoesThroughWholeWithoutCommonGround) {
  constexpr double local = 4 * 12 * 4;
  expectVolume(measureReshard(makeLayout(12, 12, 3, 1), makeLayout(12, 12, 2, 1), 4),
               (2 + 2 + 1) * local, 1.5 * local, local / 2);
}
