// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that are wrong by little more than the tolerance of `pcc verify` fail, compiled and run
// as that subcommand does. The bound is worked out by hand, so the test holds the factor of
// compiled programs from above.
#include "compiler/Register.h"
#include "compiler/search/CompileProgram.h"
#include "compiler/verify/VerifyModel.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace pcc::test {
namespace {

/// A model of sums of 64 squares, which are wrong by `error` of themselves.
std::string makeSums(double error) {
  std::string text;
  llvm::raw_string_ostream(text)
      << "func.func @forward(%x: tensor<4x64xf32> {graph.role = #graph.role<input \"x\">})\n"
         "    -> (tensor<4xf32> {graph.role = #graph.role<output \"y\">}) {\n"
         "  %c = graph.constant dense<"
      << llvm::format("%.9f", 1 + error)
      << "> : tensor<4xf32>\n"
         "  %s = graph.square %x : tensor<4x64xf32>\n"
         "  %r = graph.reduce sum %s, [1] : tensor<4x64xf32>\n"
         "  %y = graph.mul %r, %c : tensor<4xf32>\n"
         "  return %y : tensor<4xf32>\n}\n";
  return text;
}

CompileOptions makeOptions() {
  CompileOptions options;
  options.parallel.set_device_num(1);
  options.parallel.set_parallel_mode(abi::STAND_ALONE);
  options.parallel.set_micro_batches(1);
  options.parallel.set_interleave_num(1);
  return options;
}

/// Verifies the right model with the program of one that is wrong by `error`.
interpret::Report verifyWrong(double error) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto right = parseSourceString<ModuleOp>(makeSums(0), &context);
  auto wrong = parseSourceString<ModuleOp>(makeSums(error), &context);
  verify::VerifiedModel model;
  if (!right || !wrong || failed(verify::compileVerified(*right, makeOptions(), {}, model)))
    return {};
  FailureOr<abi::Executable> program = compile(*wrong, makeOptions());
  if (failed(program))
    return {};
  model.program = std::move(*program);
  auto report = verify::verifyModel(std::move(model));
  return report ? std::move(*report) : interpret::Report();
}

// The factor of a sum of 64 terms is 16 · √64, times a rounding of f32. The terms have one sign, so
// their moves are smaller than the rounding of the sum.
TEST(WrongPrograms, FailJustAboveTheTolerance) {
  const double bound = 16 * 8 * 0x1p-23;
  for (auto [share, passes] :
       {std::pair(0.0, true), {0.6, true}, {-0.6, true}, {1.6, false}, {-1.6, false}}) {
    interpret::Report report = verifyWrong(share * bound);
    std::string text;
    llvm::raw_string_ostream os(text);
    report.print(os, /*all=*/true);
    EXPECT_EQ(report.cases.size(), 2u) << text; // one in the interpreter, one on the CPU
    EXPECT_EQ(report.count(interpret::CaseStatus::Failed), passes ? 0 : 1) << share << ": " << text;
  }
}

} // namespace
} // namespace pcc::test
