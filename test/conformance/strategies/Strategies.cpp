// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/interpret/compare/Verify.h"
#include "test/conformance/strategies/Differences.h"
#include "test/conformance/strategies/Refusals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace pcc::conformance {
namespace {

/// Limit of input elements, over all ranks, for running a program on all ranks. Programs that
/// differ from MindSpore's are always run.
constexpr int64_t runLimit = 1 << 21;

/// Judges one question.
class Judge {
public:
  Judge(const Case &question, const Model &model, MLIRContext &context)
      : question(question), model(model), context(context),
        program(compileForward(question, model.text, context)) {}

  Judgement judge() {
    if (question.refused)
      return judgeRefusal();
    if (!program.module)
      return {Verdict::Failed, "refused: " + program.error};
    Differences differences = compare();
    if (!differences.wrong.empty())
      return {Verdict::Failed, llvm::join(differences.wrong, "; ")};
    if (differences.explained.empty() && countElements(question) * question.devices > runLimit)
      return {Verdict::Same, "compared"};
    return run(differences.explained);
  }

private:
  Judgement judgeRefusal() {
    if (program.module) {
      llvm::StringRef reason = reasonToAllow(question);
      if (reason.empty())
        return {Verdict::Failed, "expected to be refused as " + question.category};
      return run({("refused there as " + question.category + ": " + reason).str()});
    }
    llvm::StringRef ours = categoryOf(question, program.error);
    if (ours == question.category)
      return {Verdict::Same, "refused: " + program.error};
    if (llvm::StringRef reason = reasonToDiffer(question.category, ours); !reason.empty())
      return {
          Verdict::Differs,
          ("refused there as " + question.category + ", here as " + ours + ": " + reason).str()};
    return {Verdict::Failed,
            "expected to be refused as " + question.category + ", got " + program.error};
  }

  Differences compare() {
    Answer answer(question);
    Compiled compiled(*program.module, model, rankOf(question));
    Differences differences = compareForward(question, answer, compiled);
    if (trains())
      compareGradients(answer, differences);
    return differences;
  }

  bool trains() const {
    return !question.parameters.empty() && question.object->getBoolean("train").value_or(false);
  }

  void compareGradients(const Answer &answer, Differences &differences) {
    std::map<std::string, Gradient> gradients;
    training = compileTraining(question, model, gradients, context);
    if (training.module)
      conformance::compareGradients(answer, gradients, differences);
    else
      differences.wrong.push_back("no training step: " + training.error);
  }

  /// Runs the compiled program and compares it with one device. Differences are explained before.
  Judgement run(const std::vector<std::string> &explained) {
    interpret::Report report;
    if (failed(finishForward(*program.module)))
      return {Verdict::Failed, "not partitioned"};
    compareRuns(compileSingle(model.text, false, context), *program.module, report);
    if (training.module)
      compareRuns(compileSingle(model.trainingText, true, context), *training.module, report);
    if (!report.passed()) {
      std::string text;
      llvm::raw_string_ostream os(text);
      report.print(os);
      return {Verdict::Failed, text};
    }
    std::string ran = llvm::formatv("{0} results equal one device's",
                                    report.count(interpret::CaseStatus::Passed));
    if (explained.empty())
      return {Verdict::Same, ran};
    return {Verdict::Differs, llvm::join(explained, "; ") + "; " + ran};
  }

  static void compareRuns(const Program &single, ModuleOp sharded, interpret::Report &report) {
    if (single.module)
      report.append(interpret::verifyModules(*single.module, sharded));
    else
      report.cases.push_back({"one device", interpret::CaseStatus::Failed, single.error});
  }

  const Case &question;
  const Model &model;
  MLIRContext &context;
  Program program, training;
};

} // namespace

Judgement judgeStrategies(const Case &question, MLIRContext &context) {
  Model model = makeModel(question);
  if (!model.unknownOperator.empty())
    return {Verdict::Skipped, "operator " + model.unknownOperator};
  return Judge(question, model, context).judge();
}

} // namespace pcc::conformance
