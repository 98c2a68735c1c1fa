// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels against the interpreter: single ops in all types and odd sizes, and random fused graphs,
// with the loops of the host and, thread by thread, with those of GPUs. `PCC_TEST_FULL` multiplies
// the number of random graphs by 20.
#include "test/emulator/GpuThreads.h"
#include "test/oracle/kernels/Cases.h"
#include "test/oracle/kernels/OpCases.h"
#include "test/oracle/kernels/RandomGraph.h"
#include "test/oracle/kernels/SizeCases.h"
#include "test/oracle/kernels/TaskMachine.h"

#include "compiler/Register.h"
#include "compiler/interpret/Run.h"
#include "compiler/interpret/TensorAttr.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/graph/Passes.h"
#include "passes/lower/Passes.h"
#include "passes/schedule/Passes.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace mlir;
using pcc::interpret::Tensor;

namespace pcc::test {

/// Floats of magnitude one, small integers (indices too, some out of range).
static Tensor randomTensor(RankedTensorType type, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> floats;
  std::vector<int64_t> integers;
  for (int64_t n = 0; n < type.getNumElements(); ++n) {
    floats.push_back(std::normal_distribution<double>(0, 1)(random));
    integers.push_back(type.getElementType().isInteger(1) ? random() % 2
                                                          : int64_t(random() % 9) - 1);
  }
  interpret::ElementType element = *interpret::elementTypeOf(type.getElementType());
  return interpret::isFloat(element) ? Tensor::floats(element, type.getShape(), floats)
                                     : Tensor::integers(element, type.getShape(), integers);
}

/// Relative to the greatest magnitude of the tensor: f32 arithmetic with approximated functions,
/// and one rounding to a narrow type where the interpreter rounds after every op.
static double toleranceOf(const Tensor &reference) {
  double greatest = 1;
  for (interpret::Element element : reference.elements())
    if (std::isfinite(element.f))
      greatest = std::max(greatest, std::fabs(element.f));
  double unit = interpret::epsilon(reference.getType());
  return greatest * (reference.getType() == interpret::ElementType::F32 ? 64 : 24) * unit;
}

static void expectNear(const Tensor &got, const Tensor &reference, const std::string &what) {
  ASSERT_EQ(got.size(), reference.size()) << what;
  double tolerance = reference.isFloat() ? toleranceOf(reference) : 0;
  for (int64_t n = 0; n < got.size(); ++n) {
    double a = got.asDouble(n), b = reference.asDouble(n);
    bool same = a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= tolerance;
    ASSERT_TRUE(same) << what << ": element " << n << " is " << a << ", expected " << b
                      << " within " << tolerance;
  }
}

/// Whose loops the kernels have.
enum class Loops { Host, Gpu };

class KernelOracle : public testing::TestWithParam<Loops> {
protected:
  KernelOracle() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  void check(const std::vector<std::string> &functions, uint64_t seed);
  void listProducts(ModuleOp module);

  MLIRContext context;
  std::set<std::string> productParts; ///< what products did besides, with the element's type
};

void KernelOracle::listProducts(ModuleOp module) {
  module.walk([&](task::MatmulOp op) {
    std::string type;
    llvm::raw_string_ostream(type) << cast<ShapedType>(op.getC().getType()).getElementType();
    auto addIf = [&](bool has, StringRef part) {
      if (has)
        productParts.insert((part + " " + type).str());
    };
    addIf(op.getBias() != nullptr, "bias");
    addIf(op.getKept() != nullptr, "kept");
    addIf(op.getSumOfA() != nullptr, "sum_of_a");
    addIf(op.getSumOfB() != nullptr, "sum_of_b");
    addIf(true, task::stringifyActivation(op.getActivation()));
  });
}

/// Compiles all functions as one program and compares each with the interpreter.
void KernelOracle::check(const std::vector<std::string> &functions, uint64_t seed) {
  std::string text;
  for (const std::string &function : functions)
    text += function;
  OwningOpRef<ModuleOp> source = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(source) << text;
  OwningOpRef<ModuleOp> module = source->clone();
  PassManager passes(&context);
  graph::GraphDecomposeOptions decompose;
  decompose.keep = {"attention", "attention_gradient"}; // as the road does
  passes.addPass(graph::createGraphDecompose(decompose));
  passes.addPass(lower::createPrepareKernels({GetParam() == Loops::Gpu}));
  if (GetParam() == Loops::Gpu) {
    passes.addPass(schedule::createFuseEpilogues());
    passes.addPass(lower::createSplitReductions());
  }
  passes.addPass(schedule::createFuseHeadTransposes());
  passes.addNestedPass<func::FuncOp>(schedule::createAssignKernels());
  passes.addNestedPass<func::FuncOp>(schedule::createRecomputePointwise());
  passes.addPass(schedule::createPlanMemory());
  passes.addPass(lower::createLowerToTask());
  if (GetParam() == Loops::Gpu) {
    passes.addPass(lower::createEmitGpuKernels());
    passes.addPass(lower::createEmulateGpuKernels());
  } else {
    passes.addPass(lower::createEmitKernels());
  }
  ASSERT_TRUE(succeeded(passes.run(*module))) << text;
  listProducts(*module);
  llvm::Expected<lower::KernelObject> object = lower::compileKernels(*module);
  ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());

  for (auto function : source->getOps<func::FuncOp>()) {
    SmallVector<Tensor> arguments;
    std::map<std::string, Tensor> inputs;
    for (BlockArgument argument : function.getArguments()) {
      unsigned index = argument.getArgNumber();
      arguments.push_back(
          randomTensor(cast<RankedTensorType>(argument.getType()), seed * 31 + index));
      auto role = function.getArgAttrOfType<graph::RoleAttr>(index, "graph.role");
      inputs[role.getName().str()] = arguments.back();
    }
    auto reference = interpret::runOnRanks(function, {arguments});
    ASSERT_TRUE(succeeded(reference));
    for (int64_t pieces : {1, 3}) {
      runBackwards(pieces > 1);
      TaskMachine machine(*module, *object, pieces, /*finishes=*/pieces > 1);
      std::map<std::string, Tensor> outputs = machine.run(function.getName(), inputs);
      for (unsigned i = 0; i < function.getNumResults(); ++i) {
        auto role = function.getResultAttrOfType<graph::RoleAttr>(i, "graph.role");
        std::string what = function.getName().str() + " result " + std::to_string(i);
        expectNear(outputs[role.getName().str()], (*reference)[0][i], what);
        if (HasFatalFailure()) {
          function->print(llvm::errs());
          return;
        }
      }
    }
  }
}

TEST_P(KernelOracle, EveryOpInEveryType) {
  std::vector<std::string> functions = opCases("op");
  printf("%zu of %zu single ops\n", functions.size(), functions.size());
  check(functions, 1);
}

TEST_P(KernelOracle, ProductsThatDoMore) {
  check(productCases("product"), 1);
  if (GetParam() == Loops::Host)
    return; // its products do less
  for (const std::string &type : floats)
    for (const char *part :
         {"bias", "kept", "sum_of_a", "sum_of_b", "relu", "gelu", "gelu_gradient"})
      EXPECT_TRUE(productParts.contains(part + (" " + type))) << part << " of " << type;
}

TEST_P(KernelOracle, SizesAtWhichLoopsChange) {
  std::vector<std::string> functions = sizeCases("size");
  printf("%zu of %zu sizes\n", functions.size(), functions.size());
  check(functions, 1);
}

TEST_P(KernelOracle, RandomFusedGraphs) {
  int full = 2000, count = getenv("PCC_TEST_FULL") ? full : 100;
  printf("%d of %d random graphs, seeds from 1\n", count, full);
  for (int first = 1; first <= count; first += 50) {
    std::vector<std::string> functions;
    for (int seed = first; seed < first + 50; ++seed)
      functions.push_back(randomFunction("seed" + std::to_string(seed), seed));
    check(functions, first);
    if (HasFatalFailure())
      return;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, KernelOracle, testing::Values(Loops::Host, Loops::Gpu),
                         [](const auto &info) {
                           return info.param == Loops::Host ? "Host" : "Gpu";
                         });

} // namespace pcc::test
