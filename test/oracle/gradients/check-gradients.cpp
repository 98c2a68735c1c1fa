// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// check-gradients FILE…: checks the derivative of every op of the graph and dist dialects by finite
// differences. Each function of the files is a case (Case.h). An op fails if it has no row in the
// table of derivatives, or if it has one and no case contains it. So no op can be forgotten.
#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "passes/autodiff/derivatives/Derivatives.h"
#include "test/oracle/gradients/Case.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace pcc;
using autodiff::Derivative;

static llvm::cl::list<std::string> files(llvm::cl::Positional, llvm::cl::desc("FILE…"),
                                         llvm::cl::OneOrMore);
static llvm::cl::opt<bool> verbose("all", llvm::cl::desc("print the cases that passed as well"));

namespace {
struct Totals {
  int64_t cases = 0, elements = 0, failures = 0;
  llvm::StringSet<> ops; ///< contained in a case
};
} // namespace

static void runCase(func::FuncOp function, Totals &totals) {
  function.walk([&](Operation *op) { totals.ops.insert(op->getName().getStringRef()); });
  gradients::Outcome outcome = gradients::checkCase(function);
  ++totals.cases;
  totals.elements += outcome.elements;
  if (!outcome.failure.empty()) {
    ++totals.failures;
    llvm::outs() << "FAILED " << function.getName() << ": " << outcome.failure << "\n";
  } else if (verbose) {
    llvm::outs() << llvm::formatv("passed {0}: {1} elements, largest error {2:E1}\n",
                                  function.getName(), outcome.elements, outcome.largestError);
  }
}

/// Returns the error of the derivative of one op; empty without an error.
static std::string checkOp(RegisteredOperationName op, const Totals &totals) {
  const Derivative *row = autodiff::getDerivativeTable().lookup(op.getStringRef());
  if (!row)
    return "has no row in the table of derivatives";
  if (row->kind != Derivative::Kind::None && !totals.ops.contains(op.getStringRef()))
    return "is in no case";
  return "";
}

/// Checks every op of a dialect that has results; returns their number.
static int64_t checkDialect(MLIRContext &context, StringRef dialect, Totals &totals) {
  int64_t ops = 0;
  for (RegisteredOperationName op : context.getRegisteredOperationsByDialect(dialect)) {
    if (op.hasTrait<OpTrait::ZeroResults>())
      continue;
    ++ops;
    if (std::string wrong = checkOp(op, totals); !wrong.empty()) {
      ++totals.failures;
      llvm::outs() << "FAILED " << op.getStringRef() << ": " << wrong << "\n";
    }
  }
  return ops;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv, "checks derivatives by finite differences\n");
  DialectRegistry registry;
  registry.insert<func::FuncDialect, graph::GraphDialect, dist::DistDialect, pipe::PipeDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  // Needed for the attributes of cases, whose prefix is not a dialect.
  context.allowUnregisteredDialects();
  Totals totals;
  for (const std::string &file : files) {
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(file, &context);
    if (!module)
      return 1;
    module->walk([&](func::FuncOp function) { runCase(function, totals); });
  }
  int64_t ops = checkDialect(context, "graph", totals) + checkDialect(context, "dist", totals);
  llvm::outs() << ops << " ops, " << totals.cases << " cases, " << totals.elements
               << " elements checked, " << totals.failures << " failures\n";
  return totals.failures == 0 ? 0 : 1;
}
