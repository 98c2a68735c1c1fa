// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rendezvous of ranks. Nothing hangs.

#include "compiler/interpret/rank/Rank.h"
#include "test/unit/interpret/Evaluate.h"
#include <gtest/gtest.h>
#include <thread>

using namespace pcc::interpret;

TEST(Rendezvous, EachContributionBelongsToItsRendezvous) {
  RendezvousTable table(2);
  std::vector<std::vector<double>> seen(2);
  auto run = [&](int64_t rank) {
    for (int round = 0; round < 100; ++round) {
      auto point = table.post({0, 1}, rank, "x", {f32({}, {rank * 1000.0 + round})});
      EXPECT_TRUE(mlir::succeeded(table.wait(rank, *point)));
      seen[rank].push_back(point->contributions[1 - rank][0][0].f);
    }
    table.leave();
  };
  std::thread first(run, 0), second(run, 1);
  first.join();
  second.join();
  for (int round = 0; round < 100; ++round) {
    EXPECT_EQ(seen[0][round], 1000 + round);
    EXPECT_EQ(seen[1][round], round);
  }
  EXPECT_TRUE(table.getStuck().empty());
}

TEST(Rendezvous, ARankThatLeavesDoesNotHoldTheOthers) {
  RendezvousTable table(2);
  std::thread other([&] { table.leave(); });
  auto point = table.post({0, 1}, 0, "x", {});
  EXPECT_TRUE(mlir::failed(table.wait(0, *point)));
  table.leave();
  other.join();
  ASSERT_EQ(table.getStuck().size(), 1u);
  EXPECT_EQ(table.getStuck()[0].missing, (llvm::SmallVector<int64_t>{1}));
}

/// Returns the diagnostics of two ranks that run `body`.
static std::string errorsOf(const std::string &body) {
  TestModule module("module attributes {dist.mesh = #dist.mesh<x=2>} {\n"
                    "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n" +
                    body + "}\n}");
  Tensor x = f32({4}, {1, 2, 3, 4});
  EXPECT_TRUE(mlir::failed(runOnRanks(module.function("f"), {{x}, {x}})));
  return module.getErrors();
}

TEST(Hang, ReceivesThatWaitForEachOther) {
  EXPECT_EQ(errorsOf("%0 = dist.recv from [1, 0] : tensor<4xf32>\n"
                     "dist.send %a to [1, 0] : tensor<4xf32>\n"
                     "return %0 : tensor<4xf32>\n"),
            "all ranks that have not finished wait\n"
            "rank 0 waits in \"send from rank 1 to rank 0, tag 0, 4xf32\" for rank 1\n"
            "rank 1 waits in \"send from rank 0 to rank 1, tag 0, 4xf32\" for rank 0\n");
}

TEST(Hang, AReceiveOfAnotherTag) {
  EXPECT_EQ(errorsOf("dist.send %a to [1, -1] {tag = 3 : i64} : tensor<4xf32>\n"
                     "%0 = dist.recv from [-1, 0] {tag = 4 : i64} : tensor<4xf32>\n"
                     "return %0 : tensor<4xf32>\n"),
            "all ranks that have not finished wait\n"
            "rank 1 waits in \"send from rank 0 to rank 1, tag 4, 4xf32\" for rank 0\n");
}

TEST(Hang, AMessageThatNobodyReceives) {
  EXPECT_EQ(errorsOf("dist.send %a to [1, -1] : tensor<4xf32>\nreturn %a : tensor<4xf32>\n"),
            "no other rank joined \"send from rank 0 to rank 1, tag 0, 4xf32\"\n");
}

TEST(Hang, ARankThatFailsIsNamedAndNotItsVictims) {
  // Rank 0 divides by its own rank number, which is zero.
  EXPECT_EQ(errorsOf("%r = dist.rank\n"
                     "%q = graph.div %r, %r : tensor<i64>\n"
                     "%0 = dist.all_reduce sum %a : tensor<4xf32>\n"
                     "return %0 : tensor<4xf32>\n"),
            "on rank 0: integer division by zero\n");
}
