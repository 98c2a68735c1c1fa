// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and reductions that make up collectives on one GPU: dense data move in few, long copies.

#include "runtime/collective/gpu/Moves.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using namespace runtime;
using namespace runtime::gpu;

/// Returns the moves of a call of two members. Sources begin at address 1000, destinations at 5000.
std::vector<Move> movesOf(CollectiveCall call) {
  std::vector<CollectiveCall> calls(2, call);
  std::vector<const CollectiveCall *> members;
  for (uintptr_t p = 0; p < 2; ++p) {
    calls[p].source = reinterpret_cast<const void *>(1000 + 100 * p);
    calls[p].destination = reinterpret_cast<void *>(5000 + 100 * p);
    members.push_back(&calls[p]);
  }
  std::vector<Move> moves;
  addMoves(members, moves);
  return moves;
}

uintptr_t at(const std::byte *address) { return reinterpret_cast<uintptr_t>(address); }

TEST(Moves, WhatIsDenseIsCopied) {
  std::vector<Move> moves = movesOf({.kind = abi::ALL_GATHER, .type = abi::F32, .shape = {2, 3}});
  ASSERT_EQ(moves.size(), 4u);
  const auto &last = std::get<CopyBytes>(moves[3]);
  EXPECT_EQ(at(last.source), 1100u);
  EXPECT_EQ(at(last.target), 5100u + 24);
  EXPECT_EQ(last.bytes, 24u);
}

TEST(Moves, RowsAreBoxesOfFewDimensions) {
  std::vector<Move> moves =
      movesOf({.kind = abi::ALL_GATHER, .type = abi::F16, .shape = {4, 2, 3, 5}, .axis = 1});
  ASSERT_EQ(moves.size(), 4u);
  const auto &box = std::get<MoveBox>(moves[2]);
  EXPECT_EQ(box.sizes, (std::vector<int64_t>{4, 30}));
  EXPECT_EQ(box.sourceStrides, (std::vector<int64_t>{30, 1}));
  EXPECT_EQ(box.targetStrides, (std::vector<int64_t>{60, 1}));
  EXPECT_EQ(at(box.target), 5000u + 60);
}

TEST(Moves, AMembersBlockIsReducedWhereItLies) {
  std::vector<Move> moves = movesOf({.kind = abi::REDUCE_SCATTER,
                                     .reduction = abi::MAX,
                                     .type = abi::F32,
                                     .shape = {3, 4, 5},
                                     .axis = 1});
  ASSERT_EQ(moves.size(), 2u);
  const auto &second = std::get<Reduction>(moves[1]);
  EXPECT_EQ(second.count, 30);
  EXPECT_EQ(second.run, 10);
  EXPECT_EQ(second.stride, 20);
  EXPECT_EQ(at(second.sources[1]), 1100u + 40);
  ASSERT_EQ(second.targets.size(), 1u);
  EXPECT_EQ(at(second.targets[0]), 5100u);
}

// A member whose destination is its source is read before it is set to zero.
TEST(Moves, ZerosComeBehindTheReduction) {
  std::vector<Move> moves =
      movesOf({.kind = abi::REDUCE, .type = abi::F32, .shape = {6}, .root = 1});
  ASSERT_EQ(moves.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<Reduction>(moves[0]));
  EXPECT_EQ(at(std::get<ZeroBytes>(moves[1]).target), 5000u);
}

TEST(Moves, NothingIsLittle) {
  EXPECT_TRUE(movesOf({.kind = abi::ALL_REDUCE, .type = abi::F32, .shape = {0, 4}}).empty());
  EXPECT_TRUE(movesOf({.kind = abi::BARRIER}).empty());
}

} // namespace
} // namespace pcc::test
