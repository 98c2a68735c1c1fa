// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges of blocks: the single moves, and the volume that is computed without a table.
#include "passes/analysis/reshard/ExchangeVolume.h"
#include "llvm/Support/MathExtras.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace pcc;
using namespace pcc::analysis;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

static Sharding split(llvm::ArrayRef<AxisList> dims) { return Sharding(dims); }

static const Mesh mesh({{"x", 2}, {"y", 4}});

TEST(BlockTable, OnlyWhatTouchesIsListed) {
  BlockTable table = makeBlockTable(split({{"x"}, {}}), split({{}, {"x"}}), {16, 16}, mesh);
  EXPECT_EQ(table.axes, AxisList{"x"});
  EXPECT_EQ(table.moves.size(), 4u);
  EXPECT_EQ(table.moves[1].getNumElements(), 64);
}

TEST(BlockTable, TheNearestHolderSends) {
  // Ranks along x hold copies: each rank has a holder with its own x.
  BlockTable table = makeBlockTable(split({{"y"}, {}}), split({{"x"}, {}}), {16, 16}, mesh);
  for (const BlockMove &move : table.moves)
    EXPECT_EQ(move.source / 4, move.target / 4);
}

TEST(ExchangeVolume, APartOfTheOwnBlockIsNoPermutation) {
  ExchangeVolume volume =
      measureExchange(Sharding::replicated(2), split({{"x"}, {}}), {16, 16}, mesh);
  EXPECT_EQ(volume.elements, 0);
  EXPECT_EQ(volume.messages, 0);
  EXPECT_FALSE(volume.permutes);
}

/// Lists all shardings of a two-dimensional tensor over any axes of `mesh`, in every order.
static std::vector<Sharding> listCuts(const Mesh &mesh) {
  std::vector<Sharding> all = {Sharding::replicated(2)};
  for (const dist::MeshAxis &axis : mesh.getAxes())
    for (const Sharding &sharding : std::vector<Sharding>(all))
      for (int64_t dim = 0; dim < 2; ++dim)
        for (size_t place = 0; place <= sharding.getDim(dim).size(); ++place) {
          Sharding cut = sharding;
          cut.getDim(dim).insert(cut.getDim(dim).begin() + place, axis.name);
          all.push_back(cut);
        }
  return all;
}

/// Sums the moves of a table to a volume.
static ExchangeVolume countMoves(const BlockTable &table, int64_t sourceElements) {
  std::map<int64_t, int64_t> elements, messages;
  std::set<int64_t> sources;
  bool whole = true;
  for (const BlockMove &move : table.moves) {
    whole &= move.getNumElements() == sourceElements && sources.insert(move.source).second;
    if (move.source != move.target) {
      elements[move.target] += move.getNumElements();
      ++messages[move.target];
    }
  }
  ExchangeVolume volume{table.axes};
  for (auto [target, count] : elements)
    volume.elements = std::max(volume.elements, count);
  for (auto [target, count] : messages)
    volume.messages = std::max(volume.messages, count);
  volume.permutes = whole && volume.elements > 0;
  return volume;
}

TEST(ExchangeVolume, IsThatOfTheMoves) {
  int64_t count = 0;
  for (const Mesh &mesh :
       {Mesh({{"x", 2}, {"y", 4}}), Mesh({{"x", 2}, {"y", 3}}),
        Mesh({{"x", 2}, {"y", 2}, {"z", 2}}), Mesh({{"x", 2}, {"y", 3}, {"z", 2}})})
    for (const Sharding &from : listCuts(mesh))
      for (const Sharding &to : listCuts(mesh)) {
        llvm::SmallVector<int64_t> shape = {24, 48};
        int64_t sourceElements = llvm::product_of(from.getLocalShape(shape, mesh));
        ExchangeVolume counted = countMoves(makeBlockTable(from, to, shape, mesh), sourceElements);
        ExchangeVolume volume = measureExchange(from, to, shape, mesh);
        bool isPowerOfTwo = llvm::isPowerOf2_64(mesh.getNumRanks());
        std::string pair = from.str() + " to " + to.str() + " on " + mesh.str();
        EXPECT_EQ(volume.elements, counted.elements) << pair;
        EXPECT_GE(volume.messages, counted.messages) << pair;
        EXPECT_LE(volume.messages, counted.messages + !isPowerOfTwo) << pair;
        EXPECT_EQ(volume.permutes, counted.permutes) << pair;
        ++count;
      }
  EXPECT_EQ(count, 11 * 11 * 2 + 49 * 49 * 2);
}
