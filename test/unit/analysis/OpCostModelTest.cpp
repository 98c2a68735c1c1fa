// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/cost/OpCostModel.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/task/Task.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/Roofline.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace pcc::analysis;

/// A function with the ops `body`, and the kernel shares of its ops.
class Program {
public:
  Program(const std::string &arguments, const std::string &body) {
    context.loadDialect<func::FuncDialect, pcc::graph::GraphDialect, pcc::dist::DistDialect,
                        pcc::task::TaskDialect>();
    module = parseSourceString<ModuleOp>("func.func @f(" + arguments + ") " + body, &context);
    function = *module->getOps<func::FuncOp>().begin();
    shares.emplace(function);
  }

  Operation *getOp(int index) { return &*std::next(function.getBody().front().begin(), index); }

  /// `reads`, `writes` and `launch` of an op, as in "01 1 launch".
  std::string shareOf(int index) {
    const KernelShare &share = shares->of(getOp(index));
    auto bits = [](const llvm::SmallBitVector &set) {
      std::string text;
      for (unsigned i = 0; i < set.size(); ++i)
        text += set[i] ? '1' : '0';
      return text;
    };
    return bits(share.reads) + " " + bits(share.writes) + (share.launches ? " launch" : "");
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::optional<KernelShares> shares;
};

static const pcc::abi::Cluster &h100() {
  static const pcc::abi::Cluster cluster = *pcc::machine::parseForm("8xH100");
  return cluster;
}

// A matmul, its bias and GELU: the matmul adds the bias, GELU is a kernel.
TEST(KernelShares, ProductWithBias) {
  Program program("%x: tensor<8x4xf32>, %w: tensor<4x2xf32>, %b: tensor<2xf32>",
                  "-> tensor<8x2xf32> {\n"
                  "%0 = graph.matmul %x, %w : tensor<8x4xf32>, tensor<4x2xf32>\n"
                  "%1 = graph.broadcast %b, [1] : tensor<2xf32> to tensor<8x2xf32>\n"
                  "%2 = graph.add %0, %1 : tensor<8x2xf32>\n"
                  "%3 = graph.gelu %2 : tensor<8x2xf32>\n"
                  "%4 = graph.neg %3 : tensor<8x2xf32>\n"
                  "return %4 : tensor<8x2xf32> }");
  EXPECT_EQ(program.shareOf(0), "11 0 launch");
  EXPECT_EQ(program.shareOf(1), "1 0");
  EXPECT_EQ(program.shareOf(2), "00 1");
  EXPECT_EQ(program.shareOf(3), "1 0 launch");
  EXPECT_EQ(program.shareOf(4), "0 1");
}

// Both reductions and the ops that read their rows are one kernel, which fetches its input once.
TEST(KernelShares, RowsOfSoftmax) {
  Program program("%x: tensor<8x4xf32>",
                  "-> tensor<8x4xf32> {\n"
                  "%0 = graph.reduce max %x, [1] : tensor<8x4xf32>\n"
                  "%1 = graph.broadcast %0, [0] : tensor<8xf32> to tensor<8x4xf32>\n"
                  "%2 = graph.sub %x, %1 : tensor<8x4xf32>\n"
                  "%3 = graph.exp %2 : tensor<8x4xf32>\n"
                  "%4 = graph.reduce sum %3, [1] : tensor<8x4xf32>\n"
                  "%5 = graph.broadcast %4, [0] : tensor<8xf32> to tensor<8x4xf32>\n"
                  "%6 = graph.div %3, %5 : tensor<8x4xf32>\n"
                  "return %6 : tensor<8x4xf32> }");
  EXPECT_EQ(program.shareOf(0), "1 0 launch");
  EXPECT_EQ(program.shareOf(1), "0 0");
  EXPECT_EQ(program.shareOf(2), "00 0");
  EXPECT_EQ(program.shareOf(3), "0 0");
  EXPECT_EQ(program.shareOf(4), "0 0");
  EXPECT_EQ(program.shareOf(6), "00 1");
}

// A sum over rows after a sum over columns has other loops.
TEST(KernelShares, OtherLoopsAreOtherKernels) {
  Program program("%x: tensor<8x4xf32>", "-> (tensor<8xf32>, tensor<4xf32>) {\n"
                                         "%0 = graph.exp %x : tensor<8x4xf32>\n"
                                         "%1 = graph.reduce sum %0, [1] : tensor<8x4xf32>\n"
                                         "%2 = graph.reduce sum %0, [0] : tensor<8x4xf32>\n"
                                         "return %1, %2 : tensor<8xf32>, tensor<4xf32> }");
  EXPECT_EQ(program.shareOf(0), "1 1 launch");
  EXPECT_EQ(program.shareOf(1), "0 1");
  EXPECT_EQ(program.shareOf(2), "1 1 launch");
}

// A kernel never waits for itself: an operand that skips a matmul is fetched again.
TEST(KernelShares, AResidualIsFetched) {
  Program program("%x: tensor<4x4xf32>",
                  "-> tensor<4x4xf32> {\n"
                  "%0 = graph.exp %x : tensor<4x4xf32>\n"
                  "%1 = graph.matmul %0, %0 : tensor<4x4xf32>, tensor<4x4xf32>\n"
                  "%2 = graph.add %1, %0 : tensor<4x4xf32>\n"
                  "return %2 : tensor<4x4xf32> }");
  EXPECT_EQ(program.shareOf(0), "1 1 launch");
  EXPECT_EQ(program.shareOf(2), "11 1 launch");
}

// Two slices of a value read different parts of it, so both are fetched.
TEST(KernelShares, SlicesReadTheirParts) {
  Program program("%x: tensor<8x4xf32>",
                  "-> tensor<8x2xf32> {\n"
                  "%0 = graph.slice %x axis = 1 start = 0 : tensor<8x4xf32> to tensor<8x2xf32>\n"
                  "%1 = graph.slice %x axis = 1 start = 2 : tensor<8x4xf32> to tensor<8x2xf32>\n"
                  "%2 = graph.mul %0, %1 : tensor<8x2xf32>\n"
                  "return %2 : tensor<8x2xf32> }");
  EXPECT_EQ(program.shareOf(0), "1 0 launch");
  EXPECT_EQ(program.shareOf(1), "1 0");
  EXPECT_EQ(program.shareOf(2), "00 1");
}

TEST(KernelShares, ViewsAreFree) {
  Program program("%x: tensor<8x4xf32>",
                  "-> tensor<32xf32> {\n"
                  "%0 = graph.exp %x : tensor<8x4xf32>\n"
                  "%1 = graph.reshape %0 : tensor<8x4xf32> to tensor<32xf32>\n"
                  "%2 = graph.neg %1 : tensor<32xf32>\n"
                  "return %2 : tensor<32xf32> }");
  EXPECT_EQ(program.shareOf(0), "1 0 launch");
  EXPECT_EQ(program.shareOf(1), "0 0");
  EXPECT_EQ(program.shareOf(2), "0 1");
}

// A matmul adds a vector along its last dimension, and no other sum with a broadcast.
TEST(KernelShares, OnlyABiasIsAnEpilogue) {
  Program program("%x: tensor<8x4xf32>, %w: tensor<4x2xf32>, %b: tensor<8xf32>",
                  "-> tensor<8x2xf32> {\n"
                  "%0 = graph.matmul %x, %w : tensor<8x4xf32>, tensor<4x2xf32>\n"
                  "%1 = graph.broadcast %b, [0] : tensor<8xf32> to tensor<8x2xf32>\n"
                  "%2 = graph.add %0, %1 : tensor<8x2xf32>\n"
                  "return %2 : tensor<8x2xf32> }");
  EXPECT_EQ(program.shareOf(0), "11 1 launch");
  EXPECT_EQ(program.shareOf(2), "10 1 launch");
}

// A sum of all elements runs on few threads. So another kernel computes what it sums.
TEST(KernelShares, NarrowRowsReadMemory) {
  Program program("%x: tensor<1024x1024xf32>",
                  "-> tensor<f32> {\n"
                  "%0 = graph.exp %x : tensor<1024x1024xf32>\n"
                  "%1 = graph.reduce sum %0, [0, 1] : tensor<1024x1024xf32>\n"
                  "return %1 : tensor<f32> }");
  EXPECT_EQ(program.shareOf(0), "1 1 launch");
  EXPECT_EQ(program.shareOf(1), "1 1 launch");
}

// A kernel by columns has a sum only when it is done, too late for elements that need it.
TEST(KernelShares, SumsOfColumnsAreReadFromMemory) {
  Program program("%x: tensor<8x4xf32>",
                  "-> tensor<8x4xf32> {\n"
                  "%0 = graph.reduce sum %x, [0] : tensor<8x4xf32>\n"
                  "%1 = graph.broadcast %0, [1] : tensor<4xf32> to tensor<8x4xf32>\n"
                  "%2 = graph.sub %x, %1 : tensor<8x4xf32>\n"
                  "return %2 : tensor<8x4xf32> }");
  EXPECT_EQ(program.shareOf(0), "1 1 launch");
  EXPECT_EQ(program.shareOf(2), "10 1 launch");
}

// An op that moves elements computes a broadcast itself; a matmul needs it in memory.
TEST(KernelShares, MatmulsNeedBroadcastsInMemory) {
  Program program("%x: tensor<4xf32>",
                  "-> (tensor<4x4xf32>, tensor<4x4xf32>) {\n"
                  "%0 = graph.broadcast %x, [1] : tensor<4xf32> to tensor<4x4xf32>\n"
                  "%1 = graph.transpose %0, [1, 0] : tensor<4x4xf32>\n"
                  "%2 = graph.broadcast %x, [0] : tensor<4xf32> to tensor<4x4xf32>\n"
                  "%3 = graph.matmul %2, %2 : tensor<4x4xf32>, tensor<4x4xf32>\n"
                  "return %1, %3 : tensor<4x4xf32>, tensor<4x4xf32> }");
  EXPECT_EQ(program.shareOf(0), "1 0");
  EXPECT_EQ(program.shareOf(1), "0 1 launch");
  EXPECT_EQ(program.shareOf(2), "1 1 launch");
}

// Composites join as the main kernels of their decompositions do.
TEST(KernelShares, CompositesHaveLoops) {
  Program program("%x: tensor<8x4xf32>", "-> tensor<8x4xf32> {\n"
                                         "%0 = graph.exp %x : tensor<8x4xf32>\n"
                                         "%1 = graph.softmax %0 axis = 1 : tensor<8x4xf32>\n"
                                         "%2 = graph.neg %1 : tensor<8x4xf32>\n"
                                         "return %2 : tensor<8x4xf32> }");
  EXPECT_EQ(program.shareOf(0), "1 0 launch");
  EXPECT_EQ(program.shareOf(1), "0 0");
  EXPECT_EQ(program.shareOf(2), "0 1");
}

// Kernels that phase fuse assigned are taken as they are.
TEST(KernelShares, AssignedKernels) {
  Program program("%x: tensor<8x4xf32>",
                  "-> tensor<8x4xf32> attributes {task.forms = [#task.form<map 32 x 1>, "
                  "#task.form<map 32 x 1>]} {\n"
                  "%0 = graph.exp %x {task.kernel = 0} : tensor<8x4xf32>\n"
                  "%1 = graph.neg %0 {task.kernel = 1} : tensor<8x4xf32>\n"
                  "return %1 : tensor<8x4xf32> }");
  EXPECT_EQ(program.shareOf(0), "1 1 launch");
  EXPECT_EQ(program.shareOf(1), "1 1 launch");
}

TEST(OpCostModel, ProductsByTheirRateOnAnyShapes) {
  Program program("%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>",
                  "{ %0 = graph.matmul %a, %b : tensor<4096x4096xf32>, tensor<4096x4096xf32>\n"
                  "return }");
  Operation *matmul = program.getOp(0);
  pcc::FactorRule rule = cast<pcc::FactorRuleOpInterface>(matmul).getFactorRule();
  double launch = h100().device().launch_seconds().value();
  double whole = secondsOf(matmul, OpShapes::of(matmul), h100()) - launch;
  double split = secondsOf(matmul, OpShapes::split(matmul, rule, {2, 2, 1}), h100()) - launch;
  EXPECT_NEAR(split, whole / 4, 0.1 * whole);
  EXPECT_GE(whole, 2.0 * 4096 * 4096 * 4096 / 67e12);
}

TEST(OpCostModel, ElementsByMemory) {
  Program program("%a: tensor<4096x4096xf32>",
                  "-> tensor<4096x4096xf32> { %0 = graph.add %a, %a : tensor<4096x4096xf32>\n"
                  "return %0 : tensor<4096x4096xf32> }");
  Operation *add = program.getOp(0);
  double launch = h100().device().launch_seconds().value();
  EXPECT_DOUBLE_EQ(secondsOf(add, OpShapes::of(add), h100()),
                   launch + 3.0 * 4 * 4096 * 4096 / (0.9 * 3.35e12));
  OpCostModel half(add, h100().device(), KernelShare::ofAlone(add), pcc::abi::BF16);
  EXPECT_EQ(half.bytes(OpShapes::of(add)), 3.0 * 2 * 4096 * 4096);
}

TEST(OpCostModel, CollectivesAndViewsCostNothing) {
  Program program("%a: tensor<8x4xf32>",
                  "{ %0 = dist.all_reduce sum %a : tensor<8x4xf32>\n"
                  "%1 = graph.reshape %0 : tensor<8x4xf32> to tensor<32xf32>\n"
                  "return }");
  for (int op : {0, 1})
    EXPECT_EQ(secondsOf(program.getOp(op), OpShapes::of(program.getOp(op)), h100()), 0);
}

// However matmuls are split over devices, the parts together take no less.
TEST(OpCostModel, PartsTakeNoLessThanTheLeastTime) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> size(1, 5000), divisor(1, 6);
  for (const char *name : {"1xV100", "1xA100", "1xH100", "1xcpu"}) {
    pcc::abi::Cluster cluster = *pcc::machine::parseForm(name);
    const pcc::abi::DeviceFigures &device = cluster.device();
    for (int round = 0; round < 200; ++round) {
      pcc::machine::MatmulSize part{double(divisor(random)), double(size(random)),
                                    double(size(random)), double(size(random))};
      double b = divisor(random), r = divisor(random), c = divisor(random), d = divisor(random);
      int64_t batch = int64_t(b * part.batch), rows = int64_t(r * part.rows),
              columns = int64_t(c * part.columns), depth = int64_t(d * part.depth);
      std::string x = llvm::formatv("tensor<{0}x{1}x{2}xf16>", batch, rows, depth);
      std::string w = llvm::formatv("tensor<{0}x{1}x{2}xf16>", batch, depth, columns);
      std::string y = llvm::formatv("tensor<{0}x{1}x{2}xf16>", batch, rows, columns);
      Program program("%x: " + x + ", %w: " + w, "-> " + y + " { %0 = graph.matmul %x, %w : " + x +
                                                     ", " + w + " return %0 : " + y + " }");
      Operation *op = program.getOp(0);
      double least = OpCostModel(op, device).minSeconds(OpShapes::of(op));
      double merged =
          b * r * c * d *
          pcc::machine::matmulSeconds(device, pcc::abi::F16,
                                      {1, part.batch * part.rows, part.columns, part.depth});
      double parts = b * r * c * d * pcc::machine::matmulSeconds(device, pcc::abi::F16, part);
      EXPECT_LE(least, parts * (1 + 1e-12)) << name;
      EXPECT_LE(least, merged * (1 + 1e-12)) << name;
      EXPECT_GT(least, 0);
    }
  }
}
