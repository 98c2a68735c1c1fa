// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/training/TrainedModel.h"

#include "compiler/Register.h"
#include "compiler/search/CompileProgram.h"
#include "compiler/verify/VerifyModel.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using pcc::interpret::Report;

namespace pcc::test {

static Report failedReport(const std::string &reason) {
  return {{{"training", interpret::CaseStatus::Failed, reason}}};
}

static CompileOptions optionsOf(const std::string &optimizer) {
  CompileOptions options;
  options.training.optimizer = optimizer;
  options.parallel.set_device_num(1);
  options.parallel.set_parallel_mode(abi::STAND_ALONE);
  options.parallel.set_gradients_mean(true);
  options.parallel.set_micro_batches(1);
  options.parallel.set_interleave_num(1);
  return options;
}

Report compareTraining(const std::string &model, const std::string &optimizer, uint64_t seed) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors += diagnostic.str() + "; ";
  });
  auto one = parseSourceString<ModuleOp>(model, &context);
  if (!one)
    return failedReport(errors);
  OwningOpRef<ModuleOp> compiled = one->clone();
  CompileOptions options = optionsOf(optimizer);
  if (failed(runPhases(*one, options, CompilePhase::Grad)))
    return failedReport(errors);
  FailureOr<abi::Executable> program = compile(*compiled, options);
  if (failed(program))
    return failedReport(errors);
  interpret::VerifyOptions verify;
  verify.seed = seed;
  auto reference = interpret::makeTrainingReference(*one, verify);
  if (failed(reference))
    return failedReport(errors);
  auto session = runtime::Session::load(std::move(*program), {.seed = seed, .threads = 1});
  if (!session)
    return failedReport(session.status().describe());
  auto actual = verify::trainOnRanks(**session, *reference);
  if (!actual)
    return failedReport(actual.status().describe());
  return interpret::compareTraining(*reference, *actual, interpret::compiledFactor(*one));
}

} // namespace pcc::test
