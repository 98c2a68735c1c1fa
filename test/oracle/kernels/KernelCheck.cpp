// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/kernels/KernelCheck.h"

#include "test/emulator/GpuThreads.h"
#include "test/oracle/kernels/TaskMachine.h"

#include "compiler/Register.h"
#include "compiler/interpret/function/Run.h"
#include "compiler/values/TensorAttr.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/fusion/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/lower/Passes.h"
#include "passes/schedule/Passes.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using pcc::values::Tensor;

namespace pcc::test {

/// Makes floats of magnitude one, or small integers (also indices, some out of range).
static Tensor randomTensor(RankedTensorType type, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> floats;
  std::vector<int64_t> integers;
  for (int64_t n = 0; n < type.getNumElements(); ++n) {
    floats.push_back(std::normal_distribution<double>(0, 1)(random));
    integers.push_back(type.getElementType().isInteger(1) ? random() % 2
                                                          : int64_t(random() % 9) - 1);
  }
  values::ElementType element = *values::elementTypeOf(type.getElementType());
  return values::isFloat(element) ? Tensor::floats(element, type.getShape(), floats)
                                  : Tensor::integers(element, type.getShape(), integers);
}

/// Returns the tolerance, relative to the largest magnitude of the tensor. It allows for f32
/// arithmetic with approximated functions, and for one rounding to a narrow type where the
/// interpreter rounds after every op.
static double toleranceOf(const Tensor &reference) {
  double greatest = 1;
  for (values::Element element : reference.elements())
    if (std::isfinite(element.f))
      greatest = std::max(greatest, std::fabs(element.f));
  double unit = values::epsilon(reference.getType());
  return greatest * (unit <= values::epsilon(values::ElementType::F32) ? 64 : 24) * unit;
}

static void expectNear(const Tensor &got, const Tensor &reference, const std::string &what) {
  ASSERT_EQ(got.size(), reference.size()) << what;
  double tolerance = reference.isFloat() ? toleranceOf(reference) : 0;
  for (int64_t n = 0; n < got.size(); ++n) {
    double a = got.asDouble(n), b = reference.asDouble(n);
    bool same = (reference.isFloat() ? a == b : got[n].i == reference[n].i) ||
                (std::isnan(a) && std::isnan(b)) ||
                (reference.isFloat() && std::fabs(a - b) <= tolerance);
    ASSERT_TRUE(same) << what << ": element " << n << " is " << a << ", expected " << b
                      << " within " << tolerance;
  }
}

KernelCheck::KernelCheck(Loops loops) : loops(loops) {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

/// Compiles the functions to a program with emitted kernels.
OwningOpRef<ModuleOp> KernelCheck::compile(ModuleOp source) {
  OwningOpRef<ModuleOp> module = source.clone();
  PassManager passes(&context);
  graph::GraphDecomposeOptions decompose;
  decompose.keep = {"attention", "attention_gradient"}; // as the compilation pipeline does
  passes.addPass(graph::createGraphDecompose(decompose));
  passes.addPass(fusion::createPrepareKernels({loops == Loops::Gpu}));
  if (loops == Loops::Gpu) {
    passes.addPass(fusion::createFuseEpilogues());
    passes.addPass(fusion::createSplitReductions());
  }
  passes.addPass(fusion::createFuseHeadTransposes());
  passes.addNestedPass<func::FuncOp>(fusion::createAssignKernels());
  passes.addNestedPass<func::FuncOp>(fusion::createRecomputePointwise());
  passes.addPass(schedule::createPlanMemory());
  passes.addPass(lower::createLowerToTask());
  if (loops == Loops::Gpu) {
    passes.addPass(lower::createEmitGpuKernels());
    passes.addPass(lower::createEmulateGpuKernels());
  } else {
    passes.addPass(lower::createEmitKernels());
  }
  return succeeded(passes.run(*module)) ? std::move(module) : OwningOpRef<ModuleOp>();
}

namespace {
/// One function with inputs and the interpreter's results.
struct Reference {
  func::FuncOp function;
  std::map<std::string, Tensor> inputs;
  SmallVector<Tensor> results;

  Reference(func::FuncOp function, uint64_t seed);
  void expectSame(TaskMachine &machine, const std::string &cpu);
};
} // namespace

Reference::Reference(func::FuncOp function, uint64_t seed) : function(function) {
  SmallVector<Tensor> arguments;
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    arguments.push_back(
        randomTensor(cast<RankedTensorType>(argument.getType()), seed * 31 + index));
    auto role = function.getArgAttrOfType<graph::RoleAttr>(index, "graph.role");
    inputs[role.getName().str()] = arguments.back();
  }
  auto reference = interpret::runOnRanks(function, {arguments});
  EXPECT_TRUE(succeeded(reference));
  if (succeeded(reference))
    results = (*reference)[0];
}

void Reference::expectSame(TaskMachine &machine, const std::string &cpu) {
  std::map<std::string, Tensor> outputs = machine.run(function.getName(), inputs);
  for (auto [index, result] : llvm::enumerate(results)) {
    auto role = function.getResultAttrOfType<graph::RoleAttr>(index, "graph.role");
    std::string what = function.getName().str() + " result " + std::to_string(index);
    if (!cpu.empty())
      what += " on " + cpu;
    expectNear(outputs[role.getName().str()], result, what);
    if (testing::Test::HasFatalFailure())
      return function->print(llvm::errs());
  }
}

void KernelCheck::run(const std::vector<std::string> &functions, uint64_t seed,
                      ArrayRef<std::string> cpus, const std::function<void(ModuleOp)> &look) {
  std::string text;
  for (const std::string &function : functions)
    text += function;
  OwningOpRef<ModuleOp> source = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(source) << text;
  OwningOpRef<ModuleOp> module = compile(*source);
  ASSERT_TRUE(module) << text;
  if (look)
    look(*module);
  std::vector<Reference> references;
  for (auto function : source->getOps<func::FuncOp>())
    references.emplace_back(function, seed);
  for (const std::string &cpu : cpus) {
    llvm::Expected<lower::KernelObject> object = lower::compileKernels(*module, cpu);
    ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
    for (Reference &reference : references)
      for (int64_t pieces : {1, 3}) {
        runBackwards(pieces > 1);
        TaskMachine machine(*module, *object, pieces, /*finishes=*/pieces > 1);
        reference.expectSame(machine, cpu);
        if (testing::Test::HasFatalFailure())
          return;
      }
  }
}

} // namespace pcc::test
