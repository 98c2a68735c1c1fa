// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kind of each value, and the place of the samples.
#include "passes/analysis/batch/BatchDependence.h"

#include "dialects/graph/Graph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace pcc::analysis {
namespace {

using Kind = BatchDependence::Kind;

/// A function of an input %x of 8 samples and a parameter %w.
class BatchDependenceTest : public testing::Test {
protected:
  BatchDependenceTest() { context.loadDialect<func::FuncDialect, graph::GraphDialect>(); }

  /// Analyzes `body`, whose ops have one result each, for `count` parts.
  FailureOr<BatchDependence> analyze(const std::string &body, int64_t count) {
    std::string role = "{graph.role = #graph.role<";
    module = parseSourceString<ModuleOp>("func.func @f(%x: tensor<8x4x6xf32> " + role +
                                             "input \"x\">}, %w: tensor<6xf32> " + role +
                                             "parameter \"w\">}) {\n" + body + "\nreturn }",
                                         &context);
    EXPECT_TRUE(module);
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error = diagnostic.str();
      return success();
    });
    return BatchDependence::analyze(*module->getOps<func::FuncOp>().begin(), count);
  }

  /// Returns the result of op `index`.
  Value result(unsigned index) {
    Block &body = (*module->getOps<func::FuncOp>().begin()).getBody().front();
    return std::next(body.begin(), index)->getResult(0);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string error;
};

TEST_F(BatchDependenceTest, KindsOfValues) {
  auto batch = analyze("%0 = graph.square %w : tensor<6xf32>\n"
                       "%1 = graph.broadcast %0, [2] : tensor<6xf32> to tensor<8x4x6xf32>\n"
                       "%2 = graph.mul %x, %1 : tensor<8x4x6xf32>\n"
                       "%3 = graph.reduce mean %2, [0, 1, 2] : tensor<8x4x6xf32>\n"
                       "%4 = graph.neg %3 : tensor<f32>",
                       2);
  ASSERT_TRUE(succeeded(batch)) << error;
  Kind kinds[] = {Kind::Fixed, Kind::Rows, Kind::Rows, Kind::Sum, Kind::Sum};
  for (auto [index, kind] : llvm::enumerate(kinds))
    EXPECT_EQ(batch->getKind(result(index)), kind) << index;
  EXPECT_EQ(batch->getRows().size(), 3u); // and the input
}

TEST_F(BatchDependenceTest, QuotientsOfSums) {
  auto batch = analyze("%0 = graph.reduce sum %x, [0, 1, 2] : tensor<8x4x6xf32>\n"
                       "%1 = graph.square %x : tensor<8x4x6xf32>\n"
                       "%2 = graph.reduce sum %1, [0, 1, 2] : tensor<8x4x6xf32>\n"
                       "%3 = graph.div %2, %0 : tensor<f32>\n"
                       "%4 = graph.reduce sum %w, [0] : tensor<6xf32>\n"
                       "%5 = graph.mul %4, %3 : tensor<f32>\n"
                       "%6 = graph.div %2, %4 : tensor<f32>",
                       2);
  ASSERT_TRUE(succeeded(batch)) << error;
  Kind kinds[] = {Kind::Sum,   Kind::Rows,     Kind::Sum, Kind::Quotient,
                  Kind::Fixed, Kind::Quotient, Kind::Sum};
  for (auto [index, kind] : llvm::enumerate(kinds))
    EXPECT_EQ(batch->getKind(result(index)), kind) << index;
  EXPECT_EQ(batch->getAdders().size(), 2u);
  for (unsigned sum : {0, 2})
    EXPECT_TRUE(batch->getAdders().contains(result(sum).getDefiningOp()));
}

TEST_F(BatchDependenceTest, PlaceBehindOtherElements) {
  auto batch = analyze("%0 = graph.transpose %x, [1, 0, 2] : tensor<8x4x6xf32>\n"
                       "%1 = graph.reshape %0 : tensor<4x8x6xf32> to tensor<32x6xf32>\n"
                       "%2 = graph.reshape %1 : tensor<32x6xf32> to tensor<4x2x4x6xf32>",
                       2);
  ASSERT_TRUE(succeeded(batch)) << error;
  EXPECT_EQ(batch->getRows().lookup(result(0)), (BatchPlace{1, 1, 8}));
  EXPECT_EQ(batch->getRows().lookup(result(1)), (BatchPlace{0, 4, 8}));
  // The slower part of the samples.
  EXPECT_EQ(batch->getRows().lookup(result(2)), (BatchPlace{1, 1, 2}));
}

TEST_F(BatchDependenceTest, OtherCountsOfParts) {
  std::string groups = "%0 = graph.reshape %x : tensor<8x4x6xf32> to tensor<2x4x4x6xf32>";
  EXPECT_TRUE(succeeded(analyze(groups, 2)));
  EXPECT_TRUE(failed(analyze(groups, 4)));
  EXPECT_EQ(error, "'graph.reshape' op cannot work on one of 4 parts, microbatches times copies: "
                   "it takes the batch "
                   "apart into pieces that the count does not divide");
}

TEST_F(BatchDependenceTest, ConstantsAreCut) {
  std::string body = "%0 = graph.constant dense<[0, 1, 2, 3, 0, 1, 2, 3]> : tensor<8xi64>\n"
                     "%1 = graph.cast %0 : tensor<8xi64> to tensor<8xf32>\n"
                     "%2 = graph.broadcast %1, [0] : tensor<8xf32> to tensor<8x4x6xf32>\n"
                     "%3 = graph.add %x, %2 : tensor<8x4x6xf32>";
  auto batch = analyze(body, 2);
  ASSERT_TRUE(succeeded(batch)) << error;
  auto constant = result(0).getDefiningOp<graph::ConstantOp>();
  auto part = cast<DenseElementsAttr>(batch->cutConstant(constant, 2));
  EXPECT_EQ(llvm::to_vector(part.getValues<int64_t>()), (SmallVector<int64_t>{0, 1, 2, 3}));
  EXPECT_TRUE(failed(analyze(body, 4)));
  EXPECT_EQ(error, "'graph.constant' op cannot work on one of 4 parts, microbatches times copies: "
                   "its values differ "
                   "from row to row of the batch");
}

} // namespace
} // namespace pcc::analysis
