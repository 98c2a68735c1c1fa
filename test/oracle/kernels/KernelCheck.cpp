// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/kernels/KernelCheck.h"

#include "test/emulator/GpuThreads.h"
#include "test/oracle/kernels/TaskMachine.h"

#include "compiler/Register.h"
#include "compiler/interpret/compare/Bounds.h"
#include "compiler/values/TensorAttr.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/fusion/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/lower/Passes.h"
#include "passes/schedule/Passes.h"
#include "runtime/abi/CompareNumbers.h"
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

/// Returns true if the constant has infinities or NaNs.
static bool hasSpecialValues(graph::ConstantOp op) {
  auto values = dyn_cast<DenseElementsAttr>(op.getValue());
  return values && isa<FloatType>(values.getElementType()) &&
         llvm::any_of(values.getValues<APFloat>(), [](APFloat x) { return !x.isFinite(); });
}

/// Returns true if the function declares that results may be NaN: an op has no number as its result
/// for some numbers, such as the logarithm of a negative one, or a constant has special values.
static bool mayBeUndefined(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        auto constant = dyn_cast<graph::ConstantOp>(op);
        bool isPartial = (constant && hasSpecialValues(constant)) ||
                         isa<graph::LogOp, graph::Log1pOp, graph::SqrtOp, graph::RsqrtOp,
                             graph::PowOp, graph::DivOp, graph::ModOp>(op);
        return isPartial ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Compares with the interpreter's value. A NaN equals a NaN only with `mayBeNaN`.
static void expectNear(const Tensor &got, const interpret::Bound &reference, bool mayBeNaN,
                       const std::string &what) {
  ASSERT_EQ(got.size(), reference.value.size()) << what;
  for (int64_t n = 0; n < got.size(); ++n) {
    double a = got.asDouble(n), b = reference.value.asDouble(n);
    bool isFloat = reference.value.isFloat();
    ASSERT_TRUE(mayBeNaN || !std::isnan(b)) << what << ": the reference is NaN";
    bool same = isFloat ? abi::isSameNumber(a, b) || std::fabs(a - b) <= reference.tolerance
                        : got[n].i == reference.value[n].i;
    ASSERT_TRUE(same) << what << ": element " << n << " is " << a << ", expected " << b
                      << " within " << reference.tolerance;
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
/// One function with inputs, and the interpreter's results with the tolerances of compiled
/// programs.
struct Reference {
  func::FuncOp function;
  std::map<std::string, Tensor> inputs;
  interpret::Bounds results;

  Reference(func::FuncOp function, uint64_t seed);
  void expectSame(TaskMachine &machine, const std::string &cpu);
};
} // namespace

Reference::Reference(func::FuncOp function, uint64_t seed) : function(function) {
  interpret::NamedTensors arguments;
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto role = function.getArgAttrOfType<graph::RoleAttr>(index, "graph.role");
    Tensor &input = inputs[role.getName().str()];
    input = randomTensor(cast<RankedTensorType>(argument.getType()), seed * 31 + index);
    arguments[interpret::bindingKey(role.getKind(), role.getName())] = input;
  }
  OwningOpRef<ModuleOp> alone = ModuleOp::create(function.getLoc());
  alone->push_back(function.clone());
  auto reference = interpret::makeReference(*alone, function.getName(), arguments);
  EXPECT_TRUE(succeeded(reference));
  if (succeeded(reference))
    results = interpret::boundsOf(*reference, interpret::compiledFactor(*alone));
}

void Reference::expectSame(TaskMachine &machine, const std::string &cpu) {
  std::map<std::string, Tensor> outputs = machine.run(function.getName(), inputs);
  EXPECT_EQ(results.size(), function.getNumResults()) << function.getName().str();
  for (unsigned index = 0; index < function.getNumResults(); ++index) {
    auto role = function.getResultAttrOfType<graph::RoleAttr>(index, "graph.role");
    std::string what = function.getName().str() + " result " + std::to_string(index);
    if (!cpu.empty())
      what += " on " + cpu;
    expectNear(outputs[role.getName().str()],
               results[interpret::bindingKey(role.getKind(), role.getName())],
               mayBeUndefined(function), what);
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
