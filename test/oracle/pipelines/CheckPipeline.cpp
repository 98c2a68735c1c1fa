// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/pipelines/RandomPipeline.h"

#include "compiler/Register.h"
#include "compiler/interpret/compare/Verify.h"
#include "compiler/search/CompileProgram.h"
#include "compiler/verify/VerifyModel.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "runtime/execute/Session.h"

using namespace mlir;

namespace pcc::test {
namespace {

/// Collects the text of errors, and drops other diagnostics.
class Errors {
public:
  explicit Errors(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return;
          text += (text.empty() ? "" : "; ") + diagnostic.str();
          for (Diagnostic &note : diagnostic.getNotes())
            text += "; " + note.str();
        }) {}

  std::string take() { return text.empty() ? "failed without an error" : std::move(text); }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

/// A program compiled for its ranks, and the same program for one device.
class Check {
public:
  Check(const RandomPipeline &program, MLIRContext &context) : program(program), context(context) {}

  PipelineFailure run(bool runsOnCpu);

private:
  bool compile(bool runsOnCpu);
  PipelineFailure compareCpu();

  const RandomPipeline &program;
  MLIRContext &context;
  OwningOpRef<ModuleOp> one, ranks; ///< after phases grad and schedule
  interpret::VerifyOptions verify;
  abi::Executable executable;
};

} // namespace

/// Makes a context with all dialects and passes that compiling needs.
static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  context->printOpOnDiagnostic(false);
  return context;
}

static PipelineFailure failureOf(const char *step, const interpret::Report &report) {
  if (report.passed())
    return {};
  std::string text;
  llvm::raw_string_ostream os(text);
  report.print(os);
  return {step, text};
}

/// Compiles the program. Linking proves it; without the CPU only its instructions are proved.
bool Check::compile(bool runsOnCpu) {
  auto module = parseSourceString<ModuleOp>(program.text(), &context);
  if (!module)
    return false;
  one = module->clone();
  CompileOptions single = program.setup.optionsOfOneDevice(), options = program.setup.options();
  single.training.loss = options.training.loss = program.classes > 0 ? "softmax_cross_entropy" : "";
  options.observe = [&](CompilePhase phase, ModuleOp current) {
    if (phase == CompilePhase::Strategy)
      verify.gradientFactors = interpret::gradientFactors(current);
    if (phase == CompilePhase::Stages)
      ranks = current.clone();
    return success();
  };
  if (failed(runPhases(*one, single, CompilePhase::Grad)))
    return false;
  FailureOr<abi::Executable> compiled =
      runsOnCpu ? pcc::compile(*module, options) : compileInstructions(*module, options);
  if (succeeded(compiled))
    executable = std::move(*compiled);
  return succeeded(compiled);
}

PipelineFailure Check::compareCpu() {
  constexpr double patience = 60;
  auto session = runtime::Session::load(std::move(executable), {.seed = 1, .timeout = patience});
  if (!session)
    return {"cpu", session.status().describe()};
  return failureOf("cpu", verify::verifyTraining(*one, **session, verify));
}

PipelineFailure Check::run(bool runsOnCpu) {
  Errors errors(&context);
  if (!compile(runsOnCpu))
    return {"compile", errors.take()};
  PipelineFailure failure =
      failureOf("interpreter", interpret::verifyModules(*one, *ranks, verify));
  return failure || !runsOnCpu ? failure : compareCpu();
}

PipelineFailure checkPipeline(const RandomPipeline &program, bool runsOnCpu) {
  std::unique_ptr<MLIRContext> context = makeContext();
  return Check(program, *context).run(runsOnCpu);
}

/// Returns the program without op number `index`, whose readers take its first operand; nothing if
/// that operand has another width.
static std::optional<RandomPipeline> dropOp(const RandomPipeline &program, size_t index) {
  size_t value = program.inputs.size() + index;
  size_t other = program.ops[index].operands.front();
  if (program.isUsed(value) && program.widthOf(value) != program.widthOf(other))
    return std::nullopt;
  RandomPipeline smaller = program;
  smaller.ops.erase(smaller.ops.begin() + index);
  for (GraphOp &user : smaller.ops)
    for (size_t &operand : user.operands)
      operand = operand == value ? other : operand > value ? operand - 1 : operand;
  return smaller;
}

RandomPipeline shrink(RandomPipeline program, const PipelineFailure &failure) {
  bool runsOnCpu = failure.step == "cpu";
  std::string begin = failure.text.substr(0, 12); // the beginning of a refusal identifies its kind
  auto stillFails = [&](const RandomPipeline &smaller) {
    PipelineFailure now = checkPipeline(smaller, runsOnCpu);
    return now.step == failure.step && now.text.substr(0, 12) == begin;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t index = program.ops.size(); index-- > 0;)
      if (auto smaller = dropOp(program, index); smaller && stillFails(*smaller)) {
        program = std::move(*smaller);
        changed = true;
      }
  }
  return program;
}

} // namespace pcc::test
