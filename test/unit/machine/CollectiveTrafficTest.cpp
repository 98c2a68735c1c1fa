// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that collective instructions move, and their costs.
#include "runtime/machine/CollectiveTraffic.h"
#include "runtime/machine/Cluster.h"

#include <gtest/gtest.h>

namespace pcc::machine {
namespace {

/// Eight ranks, in two groups of four.
abi::Executable makeProgram() {
  abi::Executable program;
  abi::MeshAxis &axis = *program.mutable_mesh()->add_axes();
  axis.set_name("dp");
  axis.set_size(8);
  abi::RankGroups &group = *program.add_groups();
  for (uint32_t first : {0, 4}) {
    abi::RankList &list = *group.add_lists();
    for (uint32_t rank = first; rank < first + 4; ++rank)
      list.add_ranks(rank);
  }
  return program;
}

/// Returns a collective of 16 x 8 elements of 4 bytes: 512 bytes.
abi::Collective makeCollective(abi::CollectiveKind kind) {
  abi::Collective collective;
  collective.set_kind(kind);
  collective.set_type(abi::F32);
  collective.add_shape(16);
  collective.add_shape(8);
  return collective;
}

TEST(CollectiveTraffic, TableOfTheHeader) {
  abi::Executable program = makeProgram();
  auto received = [&](abi::CollectiveKind kind) {
    return readTraffic(program, makeCollective(kind)).received;
  };
  EXPECT_EQ(received(abi::ALL_REDUCE), 768);
  EXPECT_EQ(received(abi::REDUCE_SCATTER), 384);
  EXPECT_EQ(received(abi::ALL_TO_ALL), 384);
  EXPECT_EQ(received(abi::ALL_GATHER), 1536);
  EXPECT_EQ(received(abi::BROADCAST), 512);
  EXPECT_EQ(received(abi::REDUCE), 512);
  EXPECT_EQ(received(abi::COLLECTIVE_PERMUTE), 512);
  EXPECT_EQ(received(abi::BARRIER), 0);
}

TEST(CollectiveTraffic, TheBusiestRankIsInTheLargestGroup) {
  abi::Executable program = makeProgram();
  abi::RankGroups &group = *program.mutable_groups(0);
  group.clear_lists();
  group.add_lists()->add_ranks(0);
  abi::RankList &rest = *group.add_lists();
  for (uint32_t rank = 1; rank < 5; ++rank)
    rest.add_ranks(rank);
  EXPECT_EQ(readTraffic(program, makeCollective(abi::ALL_REDUCE)).received, 768);
}

TEST(CollectiveTraffic, AMessageIsWhatIsFusedWithItsFirst) {
  abi::Instruction instructions[4];
  std::vector<const abi::Instruction *> list;
  for (abi::Instruction &instruction : instructions) {
    *instruction.mutable_collective() = makeCollective(abi::ALL_GATHER);
    instruction.mutable_collective()->set_fused(&instruction == &instructions[1] ||
                                                &instruction == &instructions[3]);
    list.push_back(&instruction);
  }
  EXPECT_EQ(trafficOfFused(list, 4).bytes, 2 * 4 * 512);
  EXPECT_EQ(trafficOfFused(std::span(list).subspan(1), 4).bytes, 4 * 512);
}

TEST(CollectiveTraffic, BoxesThatStayAreNotReceived) {
  abi::Collective exchange = makeCollective(abi::BLOCK_EXCHANGE);
  auto addMove = [&](uint32_t source, uint32_t target, int64_t rows) {
    abi::BlockMove &move = *exchange.add_moves();
    move.set_source(source);
    move.set_target(target);
    move.add_size(rows);
    move.add_size(8);
  };
  addMove(0, 0, 16);
  addMove(1, 0, 2);
  addMove(2, 0, 3);
  addMove(0, 1, 4);
  CollectiveTraffic traffic = readTraffic(makeProgram(), exchange);
  EXPECT_EQ(traffic.received, 5 * 8 * 4);
  EXPECT_EQ(traffic.traffic.messages, 2);
}

TEST(CollectiveTraffic, PeersOfAReceive) {
  abi::Collective receive = makeCollective(abi::RECV);
  for (int64_t peer : {-1, 0, -1, -1, -1, -1, -1, 6})
    receive.mutable_peer()->add_table(peer);
  CollectiveTraffic traffic = readTraffic(makeProgram(), receive);
  EXPECT_EQ(traffic.groups, (std::vector<std::vector<int64_t>>{{1, 0}, {7, 6}}));
  EXPECT_EQ(traffic.received, 512);
}

TEST(CollectiveTraffic, TheSlowestGroupCounts) {
  // The second group of four spans two boxes of six, the first lies in one box.
  auto cluster = *parseForm("2x6xH100");
  CollectiveTraffic traffic = readTraffic(makeProgram(), makeCollective(abi::ALL_REDUCE));
  GroupLayout across = GroupLayout::of(std::vector<int64_t>{4, 5, 6, 7}, cluster);
  EXPECT_EQ(across.members, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(estimateTrafficCost(cluster, traffic),
            estimateCollectiveCost(cluster, across, traffic.traffic).seconds);
}

TEST(CollectiveTraffic, ListsLieAsTheirAxes) {
  auto cluster = *parseForm("2x8xH100");
  std::vector<GroupAxis> axes = {{4, 4}};
  GroupLayout listed = GroupLayout::of(std::vector<int64_t>{1, 5, 9, 13}, cluster);
  GroupLayout over = GroupLayout::over(axes, cluster);
  EXPECT_EQ(listed.members, over.members);
  EXPECT_EQ(listed.size, over.size);
}

} // namespace
} // namespace pcc::machine
