// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines. The rank's stage has the same nodes and parameters, with the same slices, states and
// scalings. The same messages go between the same ranks for each microbatch. The order required by
// the answer's data and states holds. The order added by the answer's scheduling may differ.
#include "test/conformance/training/Pipeline.h"

#include "dialects/pipe/Stages.h"
#include "test/conformance/strategies/ModelWriter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

using namespace mlir;

namespace pcc::conformance {
namespace {

constexpr Refusal refusals[] = {
    {"too_few_micro_batches", "micro_batches: expected at least one for each of"},
    {"stage_order", "stages do not decrease along the data"},
    {"stage_count", "expected 'pipe.stage' of"},
    {"stage_count", "no op is on stage"},
    {"too_many_devices", "expected a number of parts that divides"},
    {"devices_per_stage", "pipeline_stages: expected a divisor of device_num"},
    {"not_divisible", "divide"},
};

/// Refusals of MindSpore that pcc does not have, with the reason.
constexpr struct {
  llvm::StringLiteral category, reason;
} allowed[] = {
    {"reshape_at_border", "any op may stand at a border: a message has a shape of its own"},
    {"stage_without_parameters", "a stage may hold parameters that are not trained alone"},
    {"needs_lazy_inline", "chunks need no mark: sections are made of all models"},
    {"count_not_power_of_two", "shards need not be powers of two"},
};

Judgement judgeRefused(const Case &question, StringRef error) {
  for (auto [category, reason] : allowed)
    if (category == question.category)
      return error.empty() ? Judgement{Verdict::Differs, reason.str()}
                           : Judgement{Verdict::Failed, error.str()};
  return judgeRefusal(question, error, refusals);
}

/// Returns the number of virtual stages: one, plus the number of returns to an earlier stage.
int countChunks(const Case &question) {
  int chunks = 1;
  int64_t before = 0;
  for (const Node &node : question.nodes) {
    int64_t stage = node.object->getInteger("stage").value_or(before);
    chunks += stage < before;
    before = stage;
  }
  return chunks;
}

CompileOptions makeOptions(const Case &question, const StepOptions &given) {
  CompileOptions options = makeStepOptions(question, given);
  const llvm::json::Object *all = question.object->getObject("options");
  const llvm::json::Object *config = all ? all->getObject("pipeline_config") : nullptr;
  if (config && config->getBoolean("pipeline_interleave").value_or(false)) {
    options.parallel.set_virtual_stages(countChunks(question));
    options.parallel.set_pipeline_schedule(abi::SCHEDULE_INTERLEAVED_1F1B);
  }
  return options;
}

/// Adds a line for each text whose counts differ.
void compareCounts(const Counts &expected, const Counts &actual, std::vector<std::string> &lines) {
  std::set<std::string> texts;
  for (const Counts *counts : {&expected, &actual})
    for (const auto &[text, count] : *counts)
      texts.insert(text);
  auto countIn = [](const Counts &counts, const std::string &text) {
    auto known = counts.find(text);
    return known == counts.end() ? 0 : known->second;
  };
  for (const std::string &text : texts)
    if (int want = countIn(expected, text), got = countIn(actual, text); want != got)
      lines.push_back(llvm::formatv("{0}: expected {1}, got {2}", text, want, got));
}

Counts countMessages(const PipelineRank &rank, bool withShapes) {
  Counts counts;
  for (Message message : rank.messages) {
    if (!withShapes)
      message.shape.clear();
    ++counts[message.str()];
  }
  return counts;
}

int64_t countElements(const PipelineRank &rank) {
  int64_t sum = 0;
  for (const Message &message : rank.messages)
    sum += std::accumulate(message.shape.begin(), message.shape.end(), int64_t(1),
                           std::multiplies<int64_t>());
  return sum;
}

/// Returns the strategy of a node's result, derived from those of its operands.
Shape resultTuple(const Node &node) {
  Tuples tuples = ModelWriter::strategyOf(node).value_or(Tuples{});
  if (tuples.empty())
    return {};
  Shape result = tuples.front();
  if (node.op == "MatMul")
    result.back() = tuples.back().back();
  return result;
}

/// Returns true if the maker and a reader of a value are in different stages and cut it
/// differently.
bool isCutAtBorder(const Case &question) {
  for (const Node &reader : question.nodes)
    for (auto [index, input] : llvm::enumerate(reader.inputs))
      for (const Node &maker : question.nodes) {
        bool crosses = maker.name == input &&
                       maker.object->getInteger("stage") != reader.object->getInteger("stage");
        std::optional<Tuples> read = ModelWriter::strategyOf(reader);
        if (crosses && read && resultTuple(maker) != (*read)[index])
          return true;
      }
  return false;
}

/// Compares messages. If a value is cut differently by two stages, MindSpore cuts it
/// before or after the message.
std::string compareMessages(const Case &question, const PipelineRank &expected,
                            const PipelineRank &actual, std::vector<std::string> &lines) {
  bool isSame = countMessages(expected, true) == countMessages(actual, true);
  bool mayDiffer = isCutAtBorder(question) &&
                   countMessages(expected, false) == countMessages(actual, false) &&
                   countElements(actual) <= countElements(expected);
  if (!isSame && mayDiffer)
    return "a value that two stages cut in different ways is sent as one of them has it";
  compareCounts(countMessages(expected, true), countMessages(actual, true), lines);
  return "";
}

/// Judges the program of the rank's stage, `module`.
Judgement judgeProgram(const Case &question, ModuleOp module,
                       const std::map<std::string, double> &factors) {
  PipelineRank expected = readPipelineAnswer(question);
  std::vector<std::string> reasons = applyPipelineDocuments(question, expected), lines;
  PipelineRank actual = readPipelineModule(question, module, factors);
  compareCounts(expected.nodes, actual.nodes, lines);
  if (std::string reason = compareMessages(question, expected, actual, lines); !reason.empty())
    reasons.push_back(reason);
  if (std::string differences = compare(expected.parameters, actual.parameters);
      !differences.empty())
    lines.push_back(differences);
  if (expected.lossScale != actual.lossScale)
    lines.push_back(llvm::formatv("loss: expected {0} times the sum, got {1}", expected.lossScale,
                                  actual.lossScale));
  OrderCheck order = checkOrder(question, readPlaces(question, module));
  llvm::append_range(lines, order.broken);
  if (!lines.empty())
    return {Verdict::Failed, llvm::join(lines, "\n  ")};
  if (!reasons.empty())
    return {Verdict::Differs, llvm::join(reasons, "; ")};
  return {Verdict::Same, llvm::formatv("{0} nodes, {1} parameters, {2} messages, {3} constraints",
                                       actual.nodes.size(), actual.parameters.size(),
                                       actual.messages.size(), order.constraints)};
}

} // namespace

Judgement judgePipeline(const Case &question, MLIRContext &context) {
  StepOptions given(question);
  llvm::Expected<CompiledStep> compiled =
      compileStep(question, given, makeOptions(question, given), CompilePhase::Stages, context,
                  [&](ModuleOp parsed) { markStages(question, parsed); });
  if (!compiled)
    return {Verdict::Failed, llvm::toString(compiled.takeError())};
  auto &[module, error, factors] = *compiled;
  if (question.refused)
    return judgeRefused(question, error);
  if (!module)
    return {Verdict::Failed, error};
  FailureOr<SmallVector<ModuleOp>> stages = pipe::listPrograms(*module);
  if (failed(stages))
    return {Verdict::Failed, "the stages are not numbered"};
  return judgeProgram(question, (*stages)[stageOf(given)], factors);
}

} // namespace pcc::conformance
