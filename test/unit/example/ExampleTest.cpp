// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of the elements of example models, for sizes with which tensors in the middle of the model
// are the largest ones; names of their ops.
#include "compiler/example/Example.h"
#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc;
using pcc::example::Example;
using pcc::example::Sizes;

namespace {

/// Returns the elements of the largest tensor of a module.
int64_t countMostElements(ModuleOp module) {
  int64_t most = 0;
  auto consider = [&](Value value) {
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
      most = std::max(most, tensor.getNumElements());
  };
  module.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), consider);
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArguments(), consider);
  });
  return most;
}

/// Checks the bound of an example with its default sizes, except those that are given.
void expectBound(StringRef name, std::initializer_list<std::pair<StringRef, int64_t>> given) {
  const Example *found = llvm::find_if(example::listExamples(),
                                       [&](const Example &each) { return each.name == name; });
  ASSERT_NE(found, example::listExamples().end());
  Sizes sizes;
  for (const example::SizeOption &size : found->sizes)
    sizes[size.name] = size.value;
  for (auto [size, value] : given)
    sizes[size] = value;
  MLIRContext context;
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  OwningOpRef<ModuleOp> module = found->build(sizes, Float32Type::get(&context));
  EXPECT_GE(found->boundElements(sizes), double(countMostElements(*module)));
}

TEST(Example, BoundsTheTowerOfNarrowFields) {
  expectBound("wide_deep", {{"fields", 1}, {"width", 1}, {"vocabulary", 2}});
  expectBound("wide_deep", {{"fields", 1}, {"width", 1}, {"batch", 4096}});
}

TEST(Example, BoundsTheLastStageOfTinyImages) {
  for (int64_t depth : {18, 50})
    for (int64_t stem : {3, 7})
      for (int64_t image : {1, 3, 32})
        expectBound("resnet",
                    {{"depth", depth}, {"stem", stem}, {"image", image}, {"batch", 8192}});
}

// Constraints, strategy files and reports tell ops by their names.
TEST(Example, OpsHaveNamesOfTheirOwn) {
  for (const Example &example : example::listExamples()) {
    Sizes sizes;
    for (const example::SizeOption &size : example.sizes)
      sizes[size.name] = size.value;
    MLIRContext context;
    context.loadDialect<func::FuncDialect, graph::GraphDialect>();
    OwningOpRef<ModuleOp> module = example.build(sizes, Float32Type::get(&context));
    llvm::StringSet<> names;
    size_t ops = 0;
    for (auto function : module->getOps<func::FuncOp>())
      for (Operation &op : function.getBody().front().without_terminator())
        if (auto name = dyn_cast<NameLoc>(op.getLoc()); name && !isa<graph::ConstantOp>(op)) {
          EXPECT_TRUE(names.insert(name.getName()).second) << name.getName().str();
          ++ops;
        }
    EXPECT_GT(ops, 5u) << example.name.str();
  }
}

} // namespace
