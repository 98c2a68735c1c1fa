// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops on random compact operands, beside the same ops on all elements.
#include "compiler/interpret/function/CompactTensors.h"

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Compute.h"
#include "dialects/graph/Graph.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;

namespace pcc::interpret {
namespace {

constexpr int64_t many = 1 << 20; ///< elements

/// Functions of one op. Their operands are arguments.
constexpr const char *ops[] = {
    "(%a: tensor<2x3x4xi64>, %b: tensor<2x3x4xi64>) { %0 = graph.mul %a, %b : tensor<2x3x4xi64>",
    "(%a: tensor<2x3xi1>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) { %0 = graph.select %a, %b, %c "
    ": tensor<2x3xf32>",
    "(%a: tensor<2x3xi64>, %b: tensor<2x3xi64>) { %0 = graph.compare lt %a, %b : tensor<2x3xi64>",
    "(%a: tensor<2x3xi64>) { %0 = graph.cast %a : tensor<2x3xi64> to tensor<2x3xf32>",
    "(%a: tensor<2x3x4xf32>) { %0 = graph.transpose %a, [2, 0, 1] : tensor<2x3x4xf32>",
    "(%a: tensor<2x1xi64>) { %0 = graph.broadcast %a, [1, 2] : tensor<2x1xi64> to "
    "tensor<3x2x4xi64>",
    "(%a: tensor<2x3x4xi64>) { %0 = graph.reshape %a : tensor<2x3x4xi64> to tensor<6x4xi64>",
    "(%a: tensor<2x3x4xi64>) { %0 = graph.reshape %a : tensor<2x3x4xi64> to tensor<2x1x12xi64>",
    "(%a: tensor<2x6xi64>) { %0 = graph.reshape %a : tensor<2x6xi64> to tensor<1x2x3x2x1xi64>",
    "(%a: tensor<4x6xi64>) { %0 = graph.reshape %a : tensor<4x6xi64> to tensor<3x8xi64>",
    "(%a: tensor<2x5xi64>) { %0 = graph.slice %a axis = 1 start = 4 {stride = -2 : i64} : "
    "tensor<2x5xi64> to tensor<2x3xi64>",
    "(%a: tensor<2x3xi64>, %b: tensor<2x4xi64>) { %0 = graph.concat %a, %b axis = 1 : "
    "tensor<2x3xi64>, tensor<2x4xi64>",
    "(%a: tensor<2x3x4xi64>, %b: tensor<2x2xi64>) { %0 = graph.gather %a, %b axis = 1 : "
    "tensor<2x3x4xi64>, tensor<2x2xi64>",
    "(%a: tensor<2x4xi64>) { %0 = graph.cumsum %a axis = 1 : tensor<2x4xi64>",
    "(%a: tensor<2x4x3xi64>) { %0 = graph.reduce sum %a, [1] : tensor<2x4x3xi64>",
};

class CompactOps : public ::testing::TestWithParam<const char *> {
protected:
  CompactOps() {
    context.loadDialect<func::FuncDialect, graph::GraphDialect>();
    module = parseSourceString<ModuleOp>("func.func @f" + std::string(GetParam()) + "\n return }",
                                         &context);
  }

  Operation &getOp() { return (*module->getOps<func::FuncOp>().begin()).getBody().front().front(); }

  /// Returns small numbers of the type of `value`, with size 1 in some dimensions.
  Tensor makeCompact(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t &size : shape)
      if (random() % 2)
        size = 1;
    bool isBoolean = type.getElementType().isInteger(1);
    SmallVector<int64_t> integers;
    SmallVector<double> floats;
    for (int64_t i = 0; i < values::sizeOf(shape); ++i) {
      integers.push_back(int64_t(random() % (isBoolean ? 2 : 4)));
      floats.push_back(double(integers.back()));
    }
    if (isa<FloatType>(type.getElementType()))
      return Tensor::floats(values::ElementType::F32, shape, floats);
    return Tensor::integers(isBoolean ? values::ElementType::I1 : values::ElementType::I64, shape,
                            integers);
  }

  /// Returns all elements of the compact value of `value`.
  static Tensor expand(const Tensor &tensor, Value value) {
    return values::computeBroadcast(tensor, cast<RankedTensorType>(value.getType()).getShape(),
                                    llvm::to_vector(llvm::seq<int64_t>(0, tensor.getRank())));
  }

  Tensor evaluateWhole(ArrayRef<Tensor> operands) {
    SmallVector<Tensor, 2> results;
    OpCall call{&getOp(), operands, results, rank};
    EXPECT_TRUE(succeeded((*Registry::get().lookup(getOp().getName().getStringRef()))(call)));
    return results.front().rounded(values::Precision::Element);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  World world;
  RendezvousTable rendezvous{1};
  Rank rank{0, world, values::Precision::Element, rendezvous};
  std::mt19937 random{5};
};

TEST_P(CompactOps, ComputeAsOnAllElements) {
  ASSERT_TRUE(module);
  Value result = getOp().getResult(0);
  for (int round = 0; round < 60; ++round) {
    SmallVector<Tensor> compact, whole;
    for (Value operand : getOp().getOperands()) {
      compact.push_back(makeCompact(operand));
      whole.push_back(expand(compact.back(), operand));
    }
    auto results = evaluateCompact(getOp(), compact, many, rank);
    ASSERT_TRUE(results);
    Tensor expected = evaluateWhole(whole);
    EXPECT_TRUE(expand(results->front(), result).identical(expected));
    // Nothing that repeats is left.
    EXPECT_EQ(results->front().getShape(), dropRepeats(expected).getShape());
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, CompactOps, ::testing::ValuesIn(ops));

TEST(CompactTensors, ComputeNoMoreThanTheLimit) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  World world;
  RendezvousTable rendezvous(1);
  Rank rank(0, world, values::Precision::Element, rendezvous);
  Tensor rows = Tensor::integers(values::ElementType::I64, {3, 1}, {0, 1, 2});
  Tensor columns = Tensor::integers(values::ElementType::I64, {1, 4}, {0, 10, 20, 30});
  for (const char *operation :
       {"graph.add %a, %b : tensor<3x4xi64>",
        "graph.concat %a, %b axis = 1 : tensor<3x4xi64>, tensor<3x4xi64>"}) {
    auto module = parseSourceString<ModuleOp>(
        "func.func @f(%a: tensor<3x4xi64>, %b: tensor<3x4xi64>) { %0 = " + std::string(operation) +
            "\n return }",
        &context);
    ASSERT_TRUE(module);
    Operation &op = (*module->getOps<func::FuncOp>().begin()).getBody().front().front();
    int64_t elements = cast<RankedTensorType>(op.getResult(0).getType()).getNumElements();
    EXPECT_FALSE(evaluateCompact(op, {rows, columns}, elements - 1, rank)) << operation;
    auto results = evaluateCompact(op, {rows, columns}, elements, rank);
    ASSERT_TRUE(results) << operation;
    EXPECT_EQ(results->front().size(), elements);
  }
  EXPECT_FALSE(gatherCompact(columns, rows, /*size=*/4, /*axis=*/1, /*maxElements=*/3));
  EXPECT_TRUE(gatherCompact(columns, rows, /*size=*/4, /*axis=*/1, /*maxElements=*/4));
}

// A zero and its negative are different elements.
TEST(CompactTensors, KeepSignsOfZeros) {
  Tensor zeros = Tensor::floats(values::ElementType::F32, {2, 2}, {0.0, -0.0, 0.0, -0.0});
  EXPECT_EQ(dropRepeats(zeros).getShape(), llvm::ArrayRef<int64_t>({1, 2}));
}

} // namespace
} // namespace pcc::interpret
