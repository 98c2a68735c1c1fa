// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/Roofline.h"
#include "test/conformance/prediction/Systems.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc::conformance;

/// Elementwise ops of two layers.
static const char *const pair = R"(
module attributes {dist.mesh = #dist.mesh<tp=1>} {
  func.func @forward(%x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>) {
    %0 = graph.exp %x : tensor<1024x1024xf32> loc("/h.0/a")
    %1 = graph.neg %0 : tensor<1024x1024xf32> loc("/h.0/b")
    %2 = graph.exp %1 : tensor<1024x1024xf32> loc("/h.1/a")
    return %2 : tensor<1024x1024xf32>
  }
})";

/// A matmul of a transposed weight, and the sum of its elements.
static const char *const layer = R"(
module attributes {dist.mesh = #dist.mesh<tp=1>} {
  func.func @forward(%x: tensor<512x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<f32> {
    %0 = graph.transpose %w, [1, 0] : tensor<1024x1024xf32> loc("/fc/transpose")
    %1 = graph.matmul %x, %0 : tensor<512x1024xf32>, tensor<1024x1024xf32> loc("/fc/matmul")
    %2 = graph.reduce sum %1, [0, 1] : tensor<512x1024xf32> loc("/loss")
    return %2 : tensor<f32>
  }
})";

static const pcc::abi::Cluster &a100() {
  static const pcc::abi::Cluster cluster = *pcc::machine::parseForm("8xA100");
  return cluster;
}

static double moveSeconds(double bytes) {
  return pcc::machine::moveSeconds(a100().device(), bytes);
}

class KnownKernels : public testing::Test {
protected:
  KnownKernels() {
    context.loadDialect<func::FuncDialect, pcc::graph::GraphDialect, pcc::dist::DistDialect>();
  }

  OwningOpRef<ModuleOp> parse(const char *text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  /// Returns the cost of the program's only section in a system with these kernels.
  pcc::plan::Seconds costOf(const char *text, const SystemKernels &kernels, double spread = 0) {
    System system;
    system.kernels = kernels;
    system.options.system.spread = spread;
    return pcc::plan::estimateStepCost(*parse(text), a100(), system.costOptions())
        .sections[0]
        .forward;
  }

private:
  MLIRContext context;
};

// The sum reads 512 by 1,024 elements and produces one.
TEST_F(KnownKernels, MovesAsManyBytesAsGiven) {
  EXPECT_DOUBLE_EQ(costOf(layer, {{{"^/loss$", 6}}}).reduction, moveSeconds(6 * 512 * 1024));
  EXPECT_DOUBLE_EQ(costOf(layer, {{{"^/loss$", 6, 1e12}}}).reduction,
                   a100().device().launch_seconds().value() + 6 * 512 * 1024 / 1e12);
}

// Ops whose names give the same captured text are one kernel, whatever the rest of their names is.
TEST_F(KnownKernels, OpsOfOneKernelCostItOnce) {
  double move = moveSeconds(2 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(costOf(pair, {{{"^(/h\\.[0-9]+/)[ab]$", 2}}}).sum(), 2 * move);
  EXPECT_DOUBLE_EQ(costOf(pair, {{{"^/h", 2}}}).sum(), move);
  EXPECT_EQ(costOf(pair, {{{"^/h", 0}}}).sum(), 0);
  EXPECT_DOUBLE_EQ(costOf(pair, {{{"^/h\\.[0-9]+/(c?)[ab]$", 2}}}).sum(), move);
}

TEST_F(KnownKernels, ViewsCostNothing) {
  EXPECT_GT(costOf(layer, {}).movement, 0);
  EXPECT_EQ(costOf(layer, {{}, "^/fc/transpose$"}).movement, 0);
}

// If the first op of a kernel is a view, the next op has the cost.
TEST_F(KnownKernels, AViewTakesNothingFromItsKernel) {
  pcc::plan::Seconds cost =
      costOf(layer, {{{"^/fc/(transpose|matmul)$", 0, 0, 1e14}}, "^/fc/transpose$"});
  EXPECT_EQ(cost.movement, 0);
  EXPECT_GT(cost.contraction, 0);
}

// The known kernel has the given speed, but still waits for the slowest device.
TEST_F(KnownKernels, MayMultiply) {
  double seconds = 2.0 * 512 * 1024 * 1024 / 1e14 + a100().device().launch_seconds().value();
  double slowest = costOf(layer, {{{"^/fc/matmul$", 0, 0, 1e14}}}, 0.01).contraction;
  EXPECT_NEAR(slowest / seconds, 1.0143, 1e-4);
}

TEST_F(KnownKernels, KernelsWithoutOpsAreFound) {
  OwningOpRef<ModuleOp> module = parse(pair);
  std::vector<KnownKernel> kernels = {{"^/h\\.0/a$", 1}, {"^/h", 1}};
  EXPECT_EQ(findUnused(kernels, *module), nullptr);
  kernels.push_back({"b$", 1});
  EXPECT_EQ(findUnused(kernels, *module), &kernels[2]) << "earlier kernels have all ops";
  kernels[0].ops = "(";
  EXPECT_EQ(findUnused(kernels, *module), &kernels[0]) << "no regular expression";
}
