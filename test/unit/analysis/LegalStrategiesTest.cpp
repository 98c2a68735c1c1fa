// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The legal strategies of ops: published and hand-made cases, and a comparison with an exhaustive
// search. The search tries every tuple of counts on the elements of every tensor.
#include "passes/analysis/sharding/LegalStrategies.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;

namespace {

using Counts = std::vector<int64_t>;

/// The only op of a function with arguments %a and %b of the given shapes.
class OneOp {
public:
  OneOp(const std::string &a, const std::string &b, const std::string &op) {
    context.loadDialect<func::FuncDialect, graph::GraphDialect>();
    module = parseSourceString<ModuleOp>("func.func @f(%a: tensor<" + a + "xf32>, %b: tensor<" + b +
                                             "xf32>) {\n  %0 = " + op + "\n  return\n}",
                                         &context);
  }
  StrategySpace space() {
    return StrategySpace(&(*module->getOps<func::FuncOp>().begin()).getBody().front().front());
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

OneOp add(const std::string &shape) {
  return OneOp(shape, shape, "graph.add %a, %b : tensor<" + shape + "xf32>");
}

OneOp matmul(const std::string &a, const std::string &b) {
  return OneOp(a, b, "graph.matmul %a, %b : tensor<" + a + "xf32>, tensor<" + b + "xf32>");
}

OneOp reshape(const std::string &from, const std::string &to) {
  return OneOp(from, from, "graph.reshape %a : tensor<" + from + "xf32> to tensor<" + to + "xf32>");
}

OneOp softmax(const std::string &shape) {
  return OneOp(shape, shape, "graph.softmax %a axis = 1 : tensor<" + shape + "xf32>");
}

std::vector<Counts> toVector(const StrategyList &list) {
  std::vector<Counts> all;
  for (size_t index = 0; index < list.size(); ++index)
    all.push_back(list[index].vec());
  return all;
}

/// Prints counts as in `1,1 1,2 2,1`.
std::string textOf(const StrategyList &list) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      toVector(list), os, [&](const Counts &counts) { os << llvm::interleaved(counts, ","); }, " ");
  return text;
}

size_t count(OneOp op, int64_t devices, DeviceUse use = DeviceUse::Any) {
  return op.space().list(devices, use).size();
}

/// Whether block 0 of a dimension has consecutive elements. Element e has one digit in each factor;
/// the last factor's digit is the fastest.
bool isContiguous(const FactorRule &rule, const DimFactors &dim, const Counts &counts) {
  int64_t size = 1, block = 1;
  for (unsigned factor : dim) {
    size *= rule.getFactor(factor).size;
    block *= rule.getFactor(factor).size / counts[factor];
  }
  for (int64_t element = 0; element < block; ++element) {
    int64_t rest = element;
    for (unsigned factor : llvm::reverse(dim)) {
      int64_t digits = rule.getFactor(factor).size;
      if (rest % digits >= digits / counts[factor])
        return false;
      rest /= digits;
    }
  }
  return size % block == 0;
}

bool isLegal(const FactorRule &rule, const Counts &counts, int64_t devices) {
  int64_t product = 1;
  for (auto [count, factor] : llvm::zip_equal(counts, rule.getFactors())) {
    bool isWhole = factor.kind == FactorKind::Whole || factor.kind == FactorKind::Window;
    if (factor.size % count || (isWhole && count > 1))
      return false;
    product *= count;
  }
  return devices % product == 0 &&
         llvm::all_of(llvm::concat<const TensorFactors>(rule.getOperands(), rule.getResults()),
                      [&](const TensorFactors &dims) {
                        return llvm::all_of(dims, [&](const DimFactors &dim) {
                          return isContiguous(rule, dim, counts);
                        });
                      });
}

/// Lists every legal tuple of counts from 1 to `devices`, ascending.
std::vector<Counts> tryAll(const FactorRule &rule, int64_t devices) {
  std::vector<Counts> legal;
  Counts counts(rule.getFactors().size(), 1);
  while (true) {
    if (isLegal(rule, counts, devices))
      legal.push_back(counts);
    size_t place = counts.size();
    while (place > 0 && counts[place - 1] == devices)
      counts[--place] = 1;
    if (place == 0)
      return legal;
    ++counts[place - 1];
  }
}

/// Keeps the tuples that use all devices.
std::vector<Counts> keepFull(std::vector<Counts> all, int64_t devices) {
  llvm::erase_if(all, [&](const Counts &counts) {
    int64_t product = 1;
    for (int64_t count : counts)
      product *= count;
    return product != 1 && product != devices;
  });
  return all;
}

TEST(LegalStrategies, PublishedCase) {
  EXPECT_EQ(textOf(add("64x32").space().list(8)), "1,1 1,2 1,4 1,8 2,1 2,2 2,4 4,1 4,2 8,1");
  EXPECT_EQ(textOf(add("64x32").space().list(8, DeviceUse::Full)), "1,1 1,8 2,4 4,2 8,1");
}

TEST(LegalStrategies, MatmulOfAnyPowerOfTwo) {
  // Three factors share the p powers of two among 2^p devices: (p + 3 choose 3) in all. With
  // equality there are (p + 2 choose 2), and one factor that repeats.
  EXPECT_EQ(count(matmul("64x64", "64x64"), 1), 1u);
  EXPECT_EQ(count(matmul("64x64", "64x64"), 8), 20u);
  EXPECT_EQ(count(matmul("64x64", "64x64"), 16), 35u);
  EXPECT_EQ(count(matmul("64x64", "64x64"), 16, DeviceUse::Full), 16u);
  EXPECT_EQ(count(matmul("4x64", "64x64"), 8), 19u); // not 8 parts of the rows
}

TEST(LegalStrategies, TextOfAMatmul) {
  EXPECT_EQ(textOf(matmul("4x6", "6x4").space().list(4)),
            "1,1,1 1,1,2 1,1,4 1,2,1 1,2,2 2,1,1 2,1,2 2,2,1 4,1,1");
}

TEST(LegalStrategies, CompoundDimensionsAreCutFromTheFront) {
  EXPECT_EQ(textOf(reshape("6x4", "2x3x4").space().list(6)),
            "1,1,1 1,1,2 2,1,1 2,3,1"); // not 1,3,1
  EXPECT_EQ(textOf(reshape("2x3x4", "6x4").space().list(6)), "1,1,1 1,1,2 2,1,1 2,3,1");
  EXPECT_EQ(textOf(reshape("6x4", "4x6").space().list(4)), "1,1,1,1,1 2,1,1,1,1");
}

TEST(LegalStrategies, WholeFactorsAreNotSplit) {
  EXPECT_EQ(textOf(softmax("8x8").space().list(8)), "1,1 2,1 4,1 8,1");
  EXPECT_EQ(textOf(softmax("7x8").space().list(8)), "1,1");
}

TEST(LegalStrategies, OddNumbersOfDevices) {
  EXPECT_EQ(textOf(add("6x4").space().list(6)), "1,1 1,2 2,1 3,1 3,2 6,1");
  EXPECT_EQ(textOf(add("6x4").space().list(3)), "1,1 3,1");
  EXPECT_EQ(textOf(add("4x5").space().list(6)), "1,1 2,1");
  EXPECT_EQ(textOf(add("4x5").space().list(6, DeviceUse::Full)), "1,1");
}

TEST(LegalStrategies, DimensionsOfSizeOneAndNone) {
  EXPECT_EQ(textOf(add("1x4").space().list(4)), "1 2 4");
  StrategyList scalar = add("1").space().list(4);
  ASSERT_EQ(scalar.size(), 1u);
  EXPECT_TRUE(scalar[0].empty());
}

TEST(LegalStrategies, AreWhatTryingEveryTupleFinds) {
  OneOp ops[] = {add("12x5x8"),
                 matmul("2x6x4", "2x4x9"),
                 matmul("12x7", "7x8"),
                 softmax("6x4x10"),
                 reshape("6x4", "2x3x4"),
                 reshape("12x10", "3x4x2x5"),
                 reshape("2x3x2x5", "6x10"),
                 reshape("6x4x5", "4x6x5"),
                 reshape("1x8x1", "2x4")};
  for (OneOp &op : ops)
    for (int64_t devices = 1; devices <= 12; ++devices) {
      StrategySpace space = op.space();
      std::vector<Counts> all = tryAll(space.getRule(), devices);
      EXPECT_EQ(toVector(space.list(devices)), all) << space.getRule().str() << " " << devices;
      EXPECT_EQ(toVector(space.list(devices, DeviceUse::Full)), keepFull(all, devices))
          << space.getRule().str() << " " << devices;
    }
}

TEST(LegalStrategies, CountsOfATensor) {
  StrategySpace space = reshape("6x4", "2x3x4").space();
  EXPECT_EQ(projectCounts(space.getRule().getOperands()[0], {2, 3, 4}),
            (SmallVector<int64_t, 4>{6, 4}));
  EXPECT_EQ(projectCounts(space.getRule().getResults()[0], {2, 3, 4}),
            (SmallVector<int64_t, 4>{2, 3, 4}));
}

} // namespace
