// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/rank/Tensor.h"
#include "runtime/execute/rank/Initialize.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using namespace runtime;

/// A mesh rows=2, columns=2, and a 4×6 f32 tensor cut along both.
struct Grid {
  Grid() {
    for (const char *name : {"rows", "columns"}) {
      mesh.add_axes()->set_name(name);
      mesh.mutable_axes(mesh.axes_size() - 1)->set_size(2);
    }
    block.set_type(abi::F32);
    for (int d = 0; d < 2; ++d) {
      int64_t extent = d ? 6 : 4;
      block.add_global_shape(extent);
      block.add_local_shape(extent / 2);
      abi::RankExpression::Term &term = *block.add_offsets()->add_terms();
      term.set_axis(uint32_t(d));
      term.set_stride(extent / 2);
    }
  }
  abi::Mesh mesh;
  abi::Block block;
};

TEST(Tensor, BlocksGoOutAndIn) {
  Grid grid;
  Tensor global = Tensor::zeros(abi::F32, {4, 6}), joined = global;
  for (int64_t i = 0; i < 24; ++i)
    global.set(i, double(i));
  for (int64_t rank = 0; rank < 4; ++rank) {
    Tensor local = Tensor::zeros(abi::F32, {2, 3});
    copyBlockOut(grid.block, grid.mesh, rank, global.data.data(), local.data.data());
    EXPECT_EQ(local.at(0), double(rank / 2 * 12 + rank % 2 * 3));
    copyBlockIn(grid.block, grid.mesh, rank, local.data.data(), joined.data.data());
  }
  EXPECT_EQ(joined.data, global.data);
}

// Cut along rows, partial along columns: pairs of ranks are summed, then their blocks are joined
// and scaled.
TEST(Tensor, AssemblesPartialBlocks) {
  Grid grid;
  abi::Result result;
  *result.mutable_block() = grid.block;
  result.mutable_block()->set_local_shape(1, 6);
  result.mutable_block()->mutable_offsets(1)->clear_terms();
  result.add_partial_axes(1);
  result.set_scale(0.5);
  std::vector<Tensor> blocks;
  for (int64_t rank = 0; rank < 4; ++rank) {
    blocks.push_back(Tensor::zeros(abi::F32, {2, 6}));
    for (int64_t i = 0; i < 12; ++i)
      blocks.back().set(i, double(1 + rank));
  }
  Tensor global = assemble(result, grid.mesh, std::move(blocks));
  EXPECT_EQ(global.at(0), 0.5 * (1 + 2));
  EXPECT_EQ(global.at(23), 0.5 * (3 + 4));
}

// Every kind of initial value of an element is the same, whichever rank holds it.
void inOneRange(int64_t count, const std::function<void(int64_t, int64_t)> &body) {
  body(0, count);
}

/// The second range begins and ends inside of rows.
void inThreeRanges(int64_t count, const std::function<void(int64_t, int64_t)> &body) {
  body(count - 2, count);
  body(1, count - 2);
  body(0, 1);
}

TEST(Initialize, DoesNotDependOnTheSharding) {
  Grid grid;
  abi::Parameter whole;
  whole.set_name("w");
  whole.mutable_block()->set_type(abi::F32);
  for (int64_t extent : {4, 6}) {
    whole.mutable_block()->add_global_shape(extent);
    whole.mutable_block()->add_local_shape(extent);
    whole.mutable_block()->add_offsets();
  }
  abi::Executable executable;
  abi::DataReader reader(executable, {});
  for (int kind = 0; kind < 4; ++kind) {
    abi::Initializer &initializer = *whole.mutable_initializer();
    Tensor data = Tensor::zeros(abi::F32, {4, 6});
    for (int64_t i = 0; i < 24; ++i)
      data.set(i, double(i));
    if (kind == 0)
      initializer.set_constant(2.5);
    if (kind == 1)
      initializer.mutable_uniform()->set_high(3);
    if (kind == 2)
      initializer.mutable_normal()->set_deviation(2);
    if (kind == 3)
      initializer.set_data(data.data.data(), data.data.size());
    Tensor expected = Tensor::zeros(abi::F32, {4, 6}), joined = expected;
    ASSERT_TRUE(initialize(whole, {}, 0, 7, reader, inOneRange, expected.data.data()).ok());
    abi::Parameter cut = whole;
    *cut.mutable_block() = grid.block;
    for (int64_t rank = 0; rank < 4; ++rank) {
      Tensor local = Tensor::zeros(abi::F32, {2, 3});
      ASSERT_TRUE(
          initialize(cut, grid.mesh, rank, 7, reader, inThreeRanges, local.data.data()).ok());
      copyBlockIn(grid.block, grid.mesh, rank, local.data.data(), joined.data.data());
    }
    EXPECT_EQ(joined.data, expected.data) << "kind " << kind;
  }
}

TEST(Initialize, RandomNumbersHaveTheirMoments) {
  abi::Parameter parameter;
  parameter.set_name("w");
  parameter.mutable_block()->set_type(abi::F32);
  constexpr int64_t count = 200000;
  parameter.mutable_block()->add_global_shape(count);
  parameter.mutable_block()->add_local_shape(count);
  parameter.mutable_block()->add_offsets();
  parameter.mutable_initializer()->mutable_normal()->set_mean(1);
  parameter.mutable_initializer()->mutable_normal()->set_deviation(3);
  Tensor values = Tensor::zeros(abi::F32, {count});
  abi::Executable executable;
  abi::DataReader reader(executable, {});
  ASSERT_TRUE(initialize(parameter, {}, 0, 1, reader, inOneRange, values.data.data()).ok());
  double mean = 0, square = 0;
  for (int64_t i = 0; i < count; ++i) {
    mean += values.at(i) / count;
    square += values.at(i) * values.at(i) / count;
  }
  EXPECT_NEAR(mean, 1, 0.03);
  EXPECT_NEAR(square - mean * mean, 9, 0.15);
}

} // namespace
} // namespace pcc::test
