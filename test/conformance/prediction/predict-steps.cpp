// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// predict-steps [--details] [REGEX]: prints published step times and the times that pcc predicts
// from shapes and data sheets: first for the rows of the calibration, then for held-out rows. REGEX
// selects rows by name. Details are the parts of a stage's time and its most expensive ops. The
// exit code is 1 if a row cannot be predicted, and 2 if no row has such a name.
#include "compiler/Compile.h"
#include "compiler/Register.h"
#include "compiler/import/constraints/Constraints.h"
#include "compiler/plan/choice/PipelineChoice.h"
#include "dialects/pipe/Stages.h"
#include "mlir/IR/Diagnostics.h"
#include "runtime/machine/Cluster.h"
#include "test/conformance/prediction/Constraints.h"
#include "test/conformance/prediction/Systems.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <regex>

using namespace mlir;
using namespace pcc;

namespace {

struct Prediction {
  double seconds = 0;
  std::vector<plan::StepCost> stages;
  std::optional<plan::PipelineCandidate> pipeline; ///< only with several stages
};

/// Compiles a row and predicts its time.
class Predictor {
public:
  Predictor(const conformance::Row &row, MLIRContext &context)
      : row(row), context(context), cluster(*machine::parseForm(row.cluster)) {}

  FailureOr<Prediction> run();

private:
  CompileOptions makeOptions(const plan::PipelineCut &cut) const;
  OwningOpRef<ModuleOp> compile(const plan::PipelineCut &cut) const;
  plan::PipelineSpace listSpace() const;

  const conformance::Row &row;
  MLIRContext &context;
  const abi::Cluster cluster;
};

} // namespace

CompileOptions Predictor::makeOptions(const plan::PipelineCut &cut) const {
  CompileOptions options;
  options.parallel.set_device_num(row.dataParallel * row.tensorParallel * row.stages);
  options.parallel.set_parallel_mode(abi::SEMI_AUTO_PARALLEL);
  options.parallel.set_micro_batches(cut.microbatches);
  options.parallel.set_interleave_num(1);
  options.parallel.set_pipeline_stages(cut.stages);
  options.parallel.set_virtual_stages(cut.chunks);
  if (cut.chunks > 1)
    options.parallel.set_pipeline_schedule(abi::SCHEDULE_INTERLEAVED_1F1B);
  options.parallel.set_enable_parallel_optimizer(row.shardsOptimizer);
  options.parallel.set_parallel_optimizer_level(1);
  options.training.loss = "softmax_cross_entropy";
  options.training.optimizer = "adam,lr=0.001";
  options.training.microBatches = cut.microbatches;
  options.cluster = cluster;
  return options;
}

/// Returns null after a diagnostic. A kernel of the row's system that matches no op of the program
/// is a mistake in the system's description.
OwningOpRef<ModuleOp> Predictor::compile(const plan::PipelineCut &cut) const {
  OwningOpRef<ModuleOp> module = conformance::buildGpt(row.shape, context);
  if (failed(
          import::attachConstraints(*module, conformance::makeConstraints(row, cut.chunks),
                                    [](llvm::StringRef, int) { return "a row's constraint"; })) ||
      failed(runPhases(*module, makeOptions(cut), CompilePhase::Stages)))
    return {};
  if (const conformance::KnownKernel *kernel =
          conformance::findUnused(row.system.kernels.known, *module)) {
    llvm::errs() << row.name << ": no op belongs to the kernel '" << kernel->ops << "'\n";
    return {};
  }
  return module;
}

/// Lists the choices that the row leaves open: microbatches of one or two sequences, one or two
/// virtual stages of each stage.
plan::PipelineSpace Predictor::listSpace() const {
  plan::PipelineSpace space;
  space.stages = {row.stages};
  space.schedules = {"1f1b", "interleaved-1f1b"};
  if (row.chunks > 0) {
    space.microbatches = {row.slots};
    space.chunks = {row.chunks};
    return space;
  }
  space.microbatches = {row.slots, row.slots / 2};
  for (int layers = int(row.shape.layers) / row.stages, chunks = 1; chunks <= layers; ++chunks)
    if (layers % chunks == 0 && chunks <= 2)
      space.chunks.push_back(chunks);
  return space;
}

FailureOr<Prediction> Predictor::run() {
  Prediction prediction;
  if (row.stages == 1) {
    OwningOpRef<ModuleOp> module = compile({.microbatches = row.slots});
    if (!module)
      return failure();
    prediction.stages.push_back(plan::estimateStepCost(*module, cluster, row.system.costOptions()));
    prediction.seconds = prediction.stages.front().sum();
    return prediction;
  }
  std::vector<std::pair<plan::PipelineCut, std::vector<plan::StepCost>>> estimated;
  std::vector<plan::PipelineCandidate> ranked =
      plan::rankPipelines(listSpace(), [&](const plan::PipelineCut &cut) -> plan::CompiledCut {
        OwningOpRef<ModuleOp> module = compile(cut);
        if (!module)
          return {{}, "not compiled"};
        conformance::System system = conformance::inChunks(row.system, cut.chunks);
        plan::PipelineCost cost = plan::estimatePipelineCost(
            *pipe::listPrograms(*module), cut.getShape(), cluster, system.costOptions());
        estimated.push_back({cut, {}});
        for (const plan::StageCost &stage : cost.stages)
          estimated.back().second.push_back(stage.step);
        return {std::move(cost), ""};
      });
  if (ranked.empty() || !ranked.front().error.empty()) {
    llvm::errs() << row.name
                 << ": no pipeline: " << (ranked.empty() ? "no candidates" : ranked.front().error)
                 << "\n";
    return failure();
  }
  for (auto &[cut, stages] : estimated)
    if (cut.microbatches == ranked.front().cut.microbatches &&
        cut.chunks == ranked.front().cut.chunks)
      prediction.stages = stages;
  prediction.pipeline = ranked.front();
  prediction.seconds = ranked.front().seconds;
  return prediction;
}

/// Prints the schedule of a row's stages.
static void printPipeline(const plan::PipelineCandidate &pipeline) {
  llvm::outs() << llvm::formatv(
      "    {0} stages, {1} microbatches, {2} chunks, {3}: bubble {4:f1} %, "
      "{5:f1} GB\n",
      pipeline.cut.stages, pipeline.cut.microbatches, pipeline.cut.chunks, pipeline.schedule,
      100 * pipeline.bubble, static_cast<double>(pipeline.peakBytes) / 1e9);
}

/// Prints the parts of a step's time.
static void printParts(const plan::StepCost &step) {
  auto print = [](StringRef name, const plan::Seconds &seconds, double times) {
    if (seconds.sum() == 0)
      return;
    llvm::outs() << llvm::formatv("    {0,-28} matmuls {1:f3}, elements {2:f3}, rows {3:f3}, "
                                  "moves {4:f3}, messages {5:f3}\n",
                                  name, seconds.contraction * times, seconds.elementwise * times,
                                  seconds.reduction * times, seconds.movement * times,
                                  seconds.communication * times);
  };
  for (const plan::SectionCost &section : step.sections) {
    double runs = static_cast<double>(section.runs);
    if (section.runs == 0)
      continue;
    print(section.name, section.forward, runs);
    print("  recomputed", section.recomputed, runs);
    print("  backward", section.backward, runs);
    if (section.hidden > 0)
      llvm::outs() << llvm::formatv("      hidden {0:f3}\n", section.hidden * runs);
  }
  llvm::outs() << llvm::formatv("    reductions {0:f3}, gathers {1:f3}, hidden {2:f3}; {3:f1} GB\n",
                                step.reductions, step.gathers, step.hidden,
                                static_cast<double>(step.peakBytes) / 1e9);
}

/// Prints the ops that take most of a step; equal ops of all blocks are added up.
static void printOps(const plan::StepCost &step) {
  llvm::StringMap<double> sums;
  static const std::regex layer("h\\.\\d+");
  double all = 0;
  for (const plan::SectionCost &section : step.sections)
    for (const plan::OpTime &op : section.ops) {
      const char *pass = op.pass == plan::Pass::Forward ? "" : " backward";
      std::string name = std::regex_replace(op.name, layer, "h.*") + " " + op.mnemonic + pass;
      sums[name] += op.seconds * static_cast<double>(section.runs);
      all += op.seconds * static_cast<double>(section.runs);
    }
  std::vector<std::pair<double, StringRef>> sorted;
  for (const auto &entry : sums)
    if (entry.getValue() > all / 500)
      sorted.push_back({entry.getValue(), entry.getKey()});
  llvm::sort(sorted, std::greater<>());
  for (auto [seconds, name] : sorted)
    llvm::outs() << llvm::formatv("      {0,7:f4} s {1}\n", seconds, name);
}

/// Prints details of the first and the last stage.
static void printDetails(ArrayRef<plan::StepCost> stages) {
  for (size_t stage = 0; stage < stages.size(); ++stage)
    if (stage == 0 || stage + 1 == stages.size()) {
      printParts(stages[stage]);
      printOps(stages[stage]);
    }
}

/// The published and the predicted time of a row.
struct RowTimes {
  double published = 0, predicted = 0;
  double error() const { return predicted / published - 1; }
};

/// Prints the errors of the rows of one kind, and how many pairs of them are in the published
/// order; nothing if there are no rows.
static void printErrors(StringRef kind, ArrayRef<RowTimes> times) {
  if (times.empty())
    return;
  double sum = 0, worst = 0;
  for (const RowTimes &row : times) {
    sum += std::abs(row.error());
    worst = std::max(worst, std::abs(row.error()));
  }
  int64_t pairs = 0, right = 0;
  for (size_t i = 0; i < times.size(); ++i)
    for (size_t j = 0; j < i; ++j, ++pairs)
      right +=
          (times[i].published < times[j].published) == (times[i].predicted < times[j].predicted);
  llvm::outs() << llvm::formatv(
      "{0}: mean error {1:f1} %, worst {2:f1} %; {3} of {4} pairs in order\n", kind,
      sum / double(times.size()) * 100, worst * 100, right, pairs);
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  bool details = argc > 1 && StringRef(argv[1]) == "--details";
  const char *filter = argc > 1 + details ? argv[1 + details] : "";
  std::vector<RowTimes> calibration, heldOut;
  for (const conformance::Row &row : conformance::listRows()) {
    if (!std::regex_search(row.name, std::regex(filter)))
      continue;
    FailureOr<Prediction> found = Predictor(row, context).run();
    if (failed(found))
      return 1;
    if (calibration.empty() && heldOut.empty())
      llvm::outs() << "row                 published   predicted    error\n";
    RowTimes times = {row.seconds, found->seconds};
    llvm::outs() << llvm::formatv("{0,-17} {1,9:f3} s {2,9:f3} s {3,7:f1} %{4}\n", row.name,
                                  times.published, times.predicted, times.error() * 100,
                                  row.isHeldOut ? ", held out" : "");
    if (found->pipeline)
      printPipeline(*found->pipeline);
    if (details)
      printDetails(found->stages);
    llvm::outs().flush();
    (row.isHeldOut ? heldOut : calibration).push_back(times);
  }
  if (calibration.empty() && heldOut.empty()) {
    llvm::errs() << "no row has a name like '" << filter << "'\n";
    return 2;
  }
  printErrors("calibration", calibration);
  printErrors("held out", heldOut);
  return 0;
}
