// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/cost/ExpectedKernels.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/task/Task.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc::analysis;

/// A function of one argument `%x: tensor<64x32xf32>` with the ops `body`, and its expected
/// kernels.
class Predicted {
public:
  explicit Predicted(const std::string &body) {
    context.loadDialect<func::FuncDialect, pcc::graph::GraphDialect, pcc::dist::DistDialect,
                        pcc::task::TaskDialect>();
    module = parseSourceString<ModuleOp>(
        "func.func @f(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {\n" + body + "}", &context);
    auto function = *module->getOps<func::FuncOp>().begin();
    first = &function.getBody().front().front();
    kernels.emplace(function);
  }

  Operation *getOp(int index) { return &*std::next(first->getIterator(), index); }

  /// The names of an op's parts, as in "exp sub"; each that launches a kernel has a star.
  std::string partsOf(int index) {
    std::string text;
    for (const ExpectedPart &part : kernels->partsOf(getOp(index)))
      text += (text.empty() ? "" : " ") + part.op->getName().stripDialect().str() +
              (part.share.launches ? "*" : "");
    return text;
  }

  ExpectedLink linkOf(int producer, int reader) {
    return kernels->findLink(getOp(producer), getOp(reader));
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Operation *first = nullptr;
  std::optional<ExpectedKernels> kernels;
};

TEST(ExpectedKernels, CoreOpsArePartsOfThemselves) {
  Predicted program("%0 = graph.exp %x : tensor<64x32xf32>\n"
                    "%1 = graph.neg %0 : tensor<64x32xf32>\n"
                    "return %1 : tensor<64x32xf32>\n");
  EXPECT_EQ(program.partsOf(0), "exp*");
  EXPECT_EQ(program.partsOf(1), "neg");
  EXPECT_TRUE(program.linkOf(0, 1).isInKernel);
  EXPECT_FALSE(program.linkOf(0, 1).isWritten);
}

TEST(ExpectedKernels, CompositesHaveSeveralParts) {
  Predicted program("%0 = graph.silu %x : tensor<64x32xf32>\n"
                    "%1 = graph.neg %0 : tensor<64x32xf32>\n"
                    "return %1 : tensor<64x32xf32>\n");
  EXPECT_EQ(program.partsOf(0), "sigmoid* mul");
  EXPECT_EQ(program.partsOf(1), "neg");
  EXPECT_TRUE(program.linkOf(0, 1).isInKernel);
}

// The activation computes the sigmoid; the op that computes it again does nothing. Annotations make
// no difference.
TEST(ExpectedKernels, EqualPartsAreMerged) {
  Predicted program("%0 = graph.silu %x : tensor<64x32xf32>\n"
                    "%1 = graph.sigmoid %x {dist.why = \"annotated\"} : tensor<64x32xf32>\n"
                    "%2 = graph.mul %0, %1 : tensor<64x32xf32>\n"
                    "return %2 : tensor<64x32xf32>\n");
  EXPECT_EQ(program.partsOf(0), "sigmoid* mul");
  EXPECT_EQ(program.partsOf(1), "");
  EXPECT_EQ(program.partsOf(2), "mul");
  EXPECT_TRUE(program.linkOf(0, 2).isInKernel);
  EXPECT_FALSE(program.linkOf(1, 2).isInKernel);
}

// A view passes on what its source computes.
TEST(ExpectedKernels, LinksPassThroughViews) {
  Predicted program(
      "%0 = graph.exp %x : tensor<64x32xf32>\n"
      "%1 = graph.reshape %0 : tensor<64x32xf32> to tensor<32x64xf32>\n"
      "%2 = graph.reshape %1 : tensor<32x64xf32> to tensor<64x32xf32>\n"
      "%3 = graph.neg %2 : tensor<64x32xf32>\n"
      "%4 = graph.matmul %0, %3 {transpose_rhs} : tensor<64x32xf32>, tensor<64x32xf32>\n"
      "%5 = graph.slice %4 axis = 1 start = 0 : tensor<64x64xf32> to tensor<64x32xf32>\n"
      "return %5 : tensor<64x32xf32>\n");
  EXPECT_TRUE(program.linkOf(0, 3).isInKernel);
  EXPECT_TRUE(program.linkOf(2, 3).isInKernel);
  EXPECT_TRUE(program.linkOf(0, 3).isWritten); // the matmul reads it
  EXPECT_FALSE(program.linkOf(3, 4).isInKernel);
  EXPECT_TRUE(program.linkOf(3, 4).isWritten);
}

// Decompositions on other shapes have the same parts, so that indices tell which is which.
TEST(ExpectedKernels, ExpandsInOrder) {
  Predicted program("%0 = graph.softmax %x axis = 1 : tensor<64x32xf32>\n"
                    "return %0 : tensor<64x32xf32>\n");
  llvm::SmallVector<Operation *> core = expand(program.getOp(0));
  ASSERT_GT(core.size(), 3u);
  for (size_t index = 1; index < core.size(); ++index)
    EXPECT_TRUE(core[index - 1]->isBeforeInBlock(core[index]));
  EXPECT_TRUE(isa<pcc::graph::ReduceOp>(core.front()));
}
