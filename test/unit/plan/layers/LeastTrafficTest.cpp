// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/layers/LayerCosts.h"

#include "dialects/graph/Graph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc;

/// Returns the least traffic of a function with an input %x of 8 x 16 and weights %w of 16 x 16,
/// all f32, in tensors of 8 x 16.
static double tensorsOf(const std::string &body) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  std::string text = "func.func @f(%x: tensor<8x16xf32> {graph.role = #graph.role<input \"x\">}, "
                     "%w: tensor<16x16xf32> {graph.role = #graph.role<parameter \"w\">}, "
                     "%b: tensor<16xf32> {graph.role = #graph.role<parameter \"b\">}) "
                     "-> tensor<8x16xf32> {\n" +
                     body + "\nreturn %y : tensor<8x16xf32>\n}";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  if (!module)
    return -1;
  int64_t bytes = plan::countLeastTraffic(*module->getOps<func::FuncOp>().begin());
  return double(bytes) / (8 * 16 * 4);
}

static std::string matmul(const std::string &result, const std::string &operand) {
  return result + " = graph.matmul " + operand + ", %w : tensor<8x16xf32>, tensor<16x16xf32>\n";
}

static std::string onTensor(const std::string &op) { return op + " : tensor<8x16xf32>\n"; }

TEST(LeastTraffic, MatmulsAloneHaveNone) {
  EXPECT_EQ(tensorsOf(matmul("%a", "%x") + matmul("%y", "%a")), 0);
}

// Two results are read, and one operand is written; the value between may stay in registers.
TEST(LeastTraffic, CountsWhatGoesFromMatmulToMatmul) {
  EXPECT_EQ(tensorsOf(matmul("%g", "%x") + matmul("%u", "%x") + onTensor("%s = graph.silu %g") +
                      onTensor("%p = graph.mul %s, %u") + matmul("%y", "%p")),
            3);
}

// One kernel may compute both readers of a result, and both operands are one value.
TEST(LeastTraffic, CountsAValueOnce) {
  EXPECT_EQ(tensorsOf(matmul("%g", "%x") + onTensor("%s = graph.silu %g") +
                      onTensor("%t = graph.tanh %g") + onTensor("%p = graph.mul %s, %t") +
                      matmul("%a", "%p") + matmul("%c", "%p") + onTensor("%y = graph.mul %a, %c")),
            4);
}

// Instructions of matmuls add biases and apply ReLU and GELU.
TEST(LeastTraffic, LeavesOutEpilogues) {
  std::string spread = "%s = graph.broadcast %b, [1] : tensor<16xf32> to tensor<8x16xf32>\n";
  EXPECT_EQ(tensorsOf(matmul("%a", "%x") + spread + onTensor("%c = graph.add %a, %s") +
                      onTensor("%r = graph.relu %c") + matmul("%y", "%r")),
            0);
}

// A kernel may read and write the narrower side of a cast.
TEST(LeastTraffic, CountsTheNarrowerTypeOfACast) {
  std::string narrow = "tensor<8x16xbf16>";
  EXPECT_EQ(tensorsOf(matmul("%a", "%x") + "%n = graph.cast %a : tensor<8x16xf32> to " + narrow +
                      "\n%t = graph.tanh %n : " + narrow + "\n%c = graph.cast %t : " + narrow +
                      " to tensor<8x16xf32>\n" + matmul("%y", "%c")),
            1);
}

// A matmul's instruction may round its result for the kernel that widens it again.
TEST(LeastTraffic, CountsTheNarrowestTypeOnTheWay) {
  EXPECT_EQ(tensorsOf(matmul("%a", "%x") +
                      "%n = graph.cast %a : tensor<8x16xf32> to tensor<8x16xbf16>\n"
                      "%c = graph.cast %n : tensor<8x16xbf16> to tensor<8x16xf32>\n" +
                      onTensor("%t = graph.tanh %c") + matmul("%y", "%t")),
            1.5);
}

// A step may compute what is made of parameters alone once for all microbatches.
TEST(LeastTraffic, LeavesOutWhatIsMadeOfParameters) {
  EXPECT_EQ(tensorsOf("%t = graph.tanh %w : tensor<16x16xf32>\n"
                      "%y = graph.matmul %x, %t : tensor<8x16xf32>, tensor<16x16xf32>"),
            0);
}
