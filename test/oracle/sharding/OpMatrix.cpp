// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs every op under every legal strategy, and under random shardings of its operands and results,
// on N ranks, and compares with one device. `PCC_TEST_FULL` runs all strategies, otherwise a seeded
// sample is run.
#include "dialects/dist/Dist.h"
#include "passes/analysis/sharding/LegalStrategies.h"
#include "passes/autodiff/derivatives/Derivatives.h"
#include "test/oracle/gradients/Case.h"
#include "test/oracle/sharding/OneDevice.h"
#include "test/oracle/sharding/OpCases.h"
#include "test/oracle/sharding/Partitioned.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using pcc::dist::Mesh;

namespace pcc::test {
namespace {

const bool isFull = std::getenv("PCC_TEST_FULL");

bool isFloat(Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); }

/// Returns true if gradients pass through the op under test, from all results to some argument.
bool hasGradients(func::FuncOp function) {
  Operation *tested = findTested(function);
  const autodiff::Derivative *row =
      autodiff::getDerivativeTable().lookup(tested->getName().getStringRef());
  return row && row->findObstacle(tested).empty() &&
         llvm::any_of(function.getArgumentTypes(), isFloat) &&
         llvm::all_of(function.getResultTypes(), isFloat);
}

/// A function as @forward and, if gradients pass through it, its @forward_backward.
struct TestedModule {
  explicit TestedModule(func::FuncOp function);

  OwningOpRef<ModuleOp> module;
  SmallVector<Operation *> tested; ///< the op under test, in each function
  bool isDifferentiated = false;
};

/// Sets a uniform initialization of magnitude one for the parameters of the differentiated model.
void drawParameters(ModuleOp module) {
  Builder builder(module.getContext());
  for (auto parameter : module.getOps<graph::ParameterOp>())
    parameter.setInitAttr(graph::InitAttr::get(module.getContext(), graph::InitKind::Uniform,
                                               builder.getDenseF64ArrayAttr({-1.0, 1.0})));
}

TestedModule::TestedModule(func::FuncOp function) {
  constexpr StringLiteral mark = "check.tested";
  OwningOpRef<ModuleOp> holder = ModuleOp::create(function.getLoc());
  auto copy = cast<func::FuncOp>(function->clone());
  holder->push_back(copy);
  findTested(copy)->setAttr(mark, UnitAttr::get(copy.getContext()));
  if (hasGradients(function)) {
    module = gradients::makeModel(copy, /*only=*/-1);
    drawParameters(*module);
    isDifferentiated = succeeded(differentiate(*module));
    module->lookupSymbol("forward")->erase();
  } else {
    module = ModuleOp::create(function.getLoc());
  }
  copy.setName("forward");
  copy->moveBefore(module->getBody(), module->getBody()->end());
  module->walk([&](Operation *op) {
    if (op->removeAttr(mark))
      tested.push_back(op);
  });
}

struct Totals {
  int64_t run = 0, all = 0;
  void print(StringRef what) const { llvm::outs() << run << " of " << all << " " << what << "\n"; }
};

class OpMatrix : public testing::Test {
protected:
  OpMatrix() : context(makeContext()) {
    context->allowUnregisteredDialects(); // for the annotation of the op under test
    cases = makeOpCases(*context);
  }
  void checkEveryStrategy(func::FuncOp function);

  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> cases;
  std::mt19937_64 random{seed};
  Totals strategies, gradients;
  static constexpr uint64_t seed = 1;
};

void OpMatrix::checkEveryStrategy(func::FuncOp function) {
  constexpr uint64_t oneOf = 8; // size of a sample: one of 8
  const Mesh meshes[] = {Mesh({{"x", 2}}), Mesh({{"x", 2}, {"y", 2}}), Mesh({{"x", 2}, {"y", 3}}),
                         Mesh({{"x", 2}, {"y", 2}, {"z", 2}})};
  TestedModule program(function);
  EXPECT_EQ(program.isDifferentiated, hasGradients(function)) << function.getName().str();
  OneDevice one(*program.module, seed);
  for (const Mesh &mesh : meshes)
    for (const Strategy &strategy : listStrategies(program.tested.front(), mesh)) {
      ++strategies.all;
      gradients.all += program.isDifferentiated;
      if (!isFull && random() % oneOf != 0)
        continue;
      ++strategies.run;
      gradients.run += program.isDifferentiated;
      llvm::DenseMap<Operation *, Strategy> given;
      for (Operation *op : program.tested)
        given[op] = strategy;
      interpret::Report report = one.compareSplit(mesh, given);
      EXPECT_TRUE(report.passed()) << function.getName().str() << " on " << mesh.str() << " with "
                                   << strategyText(strategy) << "\n"
                                   << reportText(report);
    }
}

TEST_F(OpMatrix, NoOpIsForgotten) { EXPECT_EQ(listForgotten(*cases), std::vector<std::string>()); }

using Counts = std::vector<int64_t>;

/// Returns the part counts of the factors, for all strategies of `op` on `mesh`.
std::set<Counts> countStrategies(Operation *op, const Mesh &mesh) {
  std::set<Counts> all;
  for (const Strategy &strategy : listStrategies(op, mesh)) {
    Counts counts;
    for (const dist::AxisList &axes : strategy)
      counts.push_back(mesh.getSize(axes));
    all.insert(counts);
  }
  return all;
}

TEST_F(OpMatrix, CountsAreThoseThatAxesGive) {
  const Mesh meshes[] = {Mesh({{"x", 2}}), Mesh({{"x", 3}}), Mesh({{"x", 2}, {"y", 3}}),
                         Mesh({{"x", 2}, {"y", 2}, {"z", 2}})};
  for (func::FuncOp function : cases->getOps<func::FuncOp>())
    for (const Mesh &mesh : meshes) {
      Operation *op = findTested(function);
      ASSERT_TRUE(op) << function.getName().str();
      analysis::StrategyList list = analysis::StrategySpace(op).list(mesh.getNumRanks());
      std::set<Counts> counts;
      for (size_t index = 0; index < list.size(); ++index)
        EXPECT_TRUE(counts.insert(list[index].vec()).second);
      EXPECT_EQ(counts, countStrategies(op, mesh)) << function.getName().str() << mesh.str();
    }
}

TEST_F(OpMatrix, EveryStrategyKeepsValuesAndGradients) {
  for (func::FuncOp function : cases->getOps<func::FuncOp>()) {
    ASSERT_TRUE(findTested(function)) << function.getName().str();
    checkEveryStrategy(function);
  }
  strategies.print("pairs of an op and a strategy, seed " + std::to_string(seed));
  gradients.print("of them with gradients");
}

/// Returns `function` in a module of its own, with random shardings at its boundary.
OwningOpRef<ModuleOp> markBoundary(func::FuncOp function, const Mesh &mesh,
                                   std::mt19937_64 &random) {
  MLIRContext *context = function.getContext();
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  (*module)->setAttr(dist::meshAttrName, dist::MeshAttr::get(context, mesh));
  auto copy = cast<func::FuncOp>(function->clone());
  module->push_back(copy);
  auto pick = [&](Type type) {
    dist::Sharding picked = pickSharding(cast<RankedTensorType>(type).getShape(), mesh, random);
    bool isTruth = getElementTypeOrSelf(type).isInteger(1); // booleans have no sums
    return dist::ShardingAttr::get(context, isTruth ? picked.withoutPartial() : picked);
  };
  for (auto [index, type] : llvm::enumerate(copy.getArgumentTypes()))
    copy.setArgAttr(index, dist::shardingAttrName, pick(type));
  for (auto [index, type] : llvm::enumerate(copy.getResultTypes()))
    copy.setResultAttr(index, dist::shardingAttrName, pick(type));
  return module;
}

TEST_F(OpMatrix, AnyShardingOfOperandsAndResults) {
  const Mesh meshes[] = {Mesh({{"x", 2}, {"y", 2}}), Mesh({{"x", 2}, {"y", 4}}),
                         Mesh({{"x", 2}, {"y", 3}})};
  constexpr int64_t perOp = 120, perOpInSample = 6;
  Totals totals;
  for (func::FuncOp function : cases->getOps<func::FuncOp>()) {
    totals.all += perOp;
    for (int64_t index = 0; index < (isFull ? perOp : perOpInSample); ++index, ++totals.run) {
      OwningOpRef<ModuleOp> marked =
          markBoundary(function, meshes[index % std::size(meshes)], random);
      interpret::Report report = comparePartitioned(*marked);
      std::string text;
      if (!report.passed())
        llvm::raw_string_ostream(text) << *marked;
      EXPECT_TRUE(report.passed()) << text << reportText(report);
    }
  }
  totals.print("sharded ops, seed " + std::to_string(seed));
}

} // namespace
} // namespace pcc::test
