// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modes and sharded optimizers. Every parameter has the same slice and states, and the same
// collectives over the same groups with the same scalings. The expected values are the answer's, as
// changed by the option documents.
#include "test/conformance/training/Step.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace pcc::conformance {

std::string Share::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto list = [&](ArrayRef<int64_t> numbers) { os << "[" << llvm::interleaved(numbers) << "]"; };
  list(slice);
  os << " states";
  for (const Shape &state : states)
    list((os << " ", state));
  if (!accumulator.empty())
    list((os << " accumulator ", accumulator));
  os << " factor " << factor;
  for (const Transfer &transfer : transfers) {
    os << ", " << transfer.kind << " " << transfer.element << " ";
    list(transfer.input);
    list((os << " over ", transfer.group));
  }
  return text;
}

namespace {

constexpr Refusal refusals[] = {
    {"threshold", "expected 'threshold' not to be negative"},
    {"not_divisible", "divide"},
};

/// Returns true if the option documents allow what MindSpore refuses.
bool isAllowed(const Case &question) {
  return hasLossPerRank(question) && (question.category == "optimizer_unsupported" ||
                                      question.category == "more_devices_than_parameters");
}

std::string describe(const Step &step) {
  return llvm::join(
      llvm::map_range(step,
                      [](const auto &entry) { return entry.first + " " + entry.second.str(); }),
      "; ");
}

} // namespace

CompileOptions makeStepOptions(const Case &question, const StepOptions &given) {
  CompileOptions options;
  abi::ParallelMode mode = modeOf(question);
  options.parallel.set_parallel_mode(mode);
  options.parallel.set_device_num(mode == abi::STAND_ALONE ? 1 : question.devices);
  options.parallel.set_pipeline_stages(given.stages);
  options.parallel.set_micro_batches(given.slots);
  options.parallel.set_interleave_num(int(given.copies));
  options.parallel.set_full_batch(given.fullBatch);
  options.parallel.set_gradients_mean(given.gradientsMean);
  options.parallel.set_loss_repeated_mean(given.lossRepeatedMean);
  options.parallel.set_enable_parallel_optimizer(given.shardsOptimizer);
  options.parallel.set_parallel_optimizer_level(given.level);
  options.parallel.set_parallel_optimizer_threshold(given.threshold);
  options.training.optimizer = given.optimizer;
  options.training.microBatches = given.slots;
  options.training.copies = given.copies;
  return options;
}

llvm::Expected<CompiledStep> compileStep(const Case &question, const StepOptions &given,
                                         CompileOptions options, CompilePhase last,
                                         MLIRContext &context,
                                         llvm::function_ref<void(ModuleOp)> prepare) {
  if (given.optimizer.empty() || !given.unknownWrap.empty())
    return llvm::createStringError("optimizer or wrap '" + given.unknownWrap +
                                   "' is not known here");
  llvm::Expected<std::string> model = makeStepModel(question);
  if (!model)
    return model.takeError();
  std::map<std::string, double> factors;
  options.observe = [&](CompilePhase phase, ModuleOp module) {
    if (phase == CompilePhase::Strategy)
      factors = readGradientFactors(module);
    return success();
  };
  auto [module, error] = compileModel(*model, options, last, context, prepare);
  return CompiledStep{std::move(module), std::move(error), std::move(factors)};
}

std::string compare(const Step &expected, const Step &actual) {
  std::vector<std::string> lines;
  auto text = [](const Step &step, const std::string &name) {
    auto share = step.find(name);
    return share == step.end() ? "nothing" : share->second.str();
  };
  std::set<std::string> names;
  for (const Step *step : {&expected, &actual})
    for (const auto &[name, share] : *step)
      names.insert(name);
  for (const std::string &name : names)
    if (std::string want = text(expected, name), got = text(actual, name); want != got)
      lines.push_back(name + ": expected " + want + "; got " + got);
  return llvm::join(lines, "\n  ");
}

Judgement judgeStep(const Case &question, MLIRContext &context) {
  StepOptions given(question);
  llvm::Expected<CompiledStep> compiled =
      compileStep(question, given, makeStepOptions(question, given), CompilePhase::Spmd, context);
  if (!compiled)
    return {Verdict::Failed, llvm::toString(compiled.takeError())};
  auto &[module, error, factors] = *compiled;
  if (question.refused && !isAllowed(question))
    return judgeRefusal(question, error, refusals);
  if (!module)
    return {Verdict::Failed, error};
  Step expected = readStepAnswer(question);
  std::vector<std::string> reasons = applyDocuments(question, expected);
  Step actual = readStepModule(*module, factors, given);
  if (std::string differences = compare(expected, actual); !differences.empty())
    return {Verdict::Failed, differences};
  if (!reasons.empty())
    return {Verdict::Differs, llvm::join(reasons, "; ")};
  return {Verdict::Same, describe(actual)};
}

} // namespace pcc::conformance
