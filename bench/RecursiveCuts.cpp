// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times recursive cuts: of a chain of 100,000 matmuls on 4,096 devices, which is the algorithm
// alone, and of GPT-3 with several numbers of layers on 512 and 1,024 devices. For GPT-3 the time
// includes the step from ops to the problem and from cuts to strategies. Prints seconds of
// processor time, the least of several runs, so that other work on the machine does not matter.
//   recursive-cuts

#include "passes/solve/cuts/RecursiveCuts.h"
#include "compiler/Register.h"
#include "compiler/example/Example.h"
#include "mlir/IR/MLIRContext.h"
#include "passes/strategy/recursive/RecursiveStrategy.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>

using namespace pcc;

namespace {

/// Returns the least processor time of several runs, in seconds.
double timeRuns(llvm::function_ref<void()> run) {
  constexpr int runs = 5;
  double least = 0;
  for (int i = 0; i < runs; ++i) {
    std::clock_t start = std::clock();
    run();
    double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (i == 0 || seconds < least)
      least = seconds;
  }
  return least;
}

/// Builds a chain of matmuls, each with its own parameter.
solve::CutProblem makeChain(int length) {
  constexpr int64_t rows = 1 << 20, width = 4096;
  solve::CutProblem problem;
  problem.rules.push_back(
      {{{rows}, {width}, {width}}, {{{{0}, {2}}, 0.5}, {{{2}, {1}}, 0.125}, {{{0}, {1}}, 0.5}}});
  for (int op = 0; op < length; ++op)
    problem.ops.push_back({0, {2 * op, 2 * op + 1, 2 * op + 2}, 1});
  problem.numTensors = 2 * length + 1;
  return problem;
}

void print(llvm::StringRef what, int64_t devices, size_t ops, double seconds) {
  llvm::outs() << llvm::formatv("{0,-16} {1,8} devices {2,8} ops {3,9:f4} s\n", what, devices, ops,
                                seconds);
}

void timeChain() {
  constexpr int length = 100000;
  constexpr int64_t devices = 4096;
  solve::CutProblem problem = makeChain(length);
  print("chain", devices, length,
        timeRuns([&] { cutRecursively(problem, solve::listPrimes(devices)); }));
}

void timeModel(int64_t layers, int64_t devices, mlir::MLIRContext &context) {
  example::Sizes sizes;
  sizes["batch"] = devices;
  sizes["sequence"] = 2048;
  sizes["layers"] = layers;
  sizes["width"] = 12288;
  sizes["heads"] = 96;
  sizes["vocabulary"] = 51200;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      example::buildGpt(sizes, mlir::Float32Type::get(&context));
  size_t ops = 0;
  double seconds = timeRuns([&] {
    strategy::ConstrainedProgram program;
    strategy::addRecursiveStrategy(*module, devices, program);
    ops = program.given.ops.size();
  });
  print(llvm::formatv("gpt3 {0} layers", layers).str(), devices, ops, seconds);
}

} // namespace

int main() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  timeChain();
  for (int64_t devices : {512, 1024})
    for (int64_t layers : {12, 24, 48, 96})
      timeModel(layers, devices, context);
  constexpr int64_t manyLayers = 2000, manyDevices = 4096;
  timeModel(manyLayers, manyDevices, context);
  return 0;
}
