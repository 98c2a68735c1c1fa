// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// check-onnx-nodes FOLDER: runs the node tests of ONNX in FOLDER, in the interpreter and on this
// machine's CPU. With --split it runs them in the interpreter on 2 and 4 ranks. Prints the tests
// that did not pass with the reason, and counts by operator.
#include "compiler/Register.h"
#include "compiler/verify/VerifyModel.h"
#include "mlir/IR/Dialect.h"
#include "passes/partition/forms/LocalForms.h"
#include "test/conformance/onnx/SplitTest.h"
#include "test/conformance/onnx/Tally.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace pcc;
using namespace pcc::conformance;
namespace cl = llvm::cl;

static cl::opt<std::string> folder(cl::Positional, cl::desc("FOLDER"), cl::Required);
static cl::list<std::string> ops("operators", cl::CommaSeparated,
                                 cl::desc("tests of these operators alone, and of no others"));
static cl::list<std::string> types("types", cl::CommaSeparated,
                                   cl::desc("tests on elements of these types alone: f32,i64"));
static cl::opt<std::string> only("only", cl::desc("tests whose names contain this"));
static cl::opt<bool> withoutExpanded("without-expanded",
                                     cl::desc("no copies of tests with functions taken apart"));
static cl::opt<bool> split("split", cl::desc("on 2 and 4 ranks under each legal strategy"));
static cl::opt<bool> listAll("all", cl::desc("print the tests that passed as well"));

/// Returns true if `wanted` is empty or contains all of `names`.
static bool isWithin(const std::set<std::string> &names, const cl::list<std::string> &wanted) {
  return wanted.empty() || llvm::all_of(names, [&](const std::string &name) {
           return llvm::is_contained(wanted, name);
         });
}

static bool isWanted(const NodeTest &test) {
  return isWithin(test.ops, ops) && isWithin(test.types, types) &&
         (only.empty() || llvm::StringRef(test.name).contains(only)) &&
         !(withoutExpanded && test.isExpanded());
}

/// Makes options for one device without training.
static CompileOptions makeOptions() {
  CompileOptions options;
  options.parallel.set_device_num(1);
  options.parallel.set_micro_batches(1);
  options.parallel.set_interleave_num(1);
  return options;
}

/// Runs one test as the flags say; with `--split`, `strategies` counts the strategies tried.
static interpret::Report run(const NodeTest &test, mlir::MLIRContext &context,
                             int64_t &strategies) {
  if (std::string_view reason = whyNotComparable(test); !reason.empty())
    return {{{"results", interpret::CaseStatus::Skipped, std::string(reason)}}};
  if (split)
    return verifySplit(test, context, strategies);
  return verify::verifyTestData(context, test.model(), test.folder, makeOptions());
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "runs the node tests of ONNX\n");
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::vector<NodeTest> tests = listNodeTests(folder, context);
  if (tests.empty()) {
    llvm::errs() << "check-onnx-nodes: no tests in '" << folder
                 << "': Debian's package libonnx-testdata has them\n";
    return 1;
  }
  Tally tally;
  int64_t strategies = 0;
  for (const NodeTest &test : tests)
    if (isWanted(test))
      tally.add(test, run(test, context, strategies), listAll);
  tally.print();
  if (split)
    llvm::outs() << strategies << " strategies\n";
  return tally.passed() ? 0 : 1;
}
