// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// predict-steps [--details]: published step times beside those that pcc predicts from shapes and
// data sheets.
#include "compiler/Pipeline.h"
#include "compiler/Register.h"
#include "compiler/import/Pins.h"
#include "mlir/IR/Diagnostics.h"
#include "runtime/machine/Cluster.h"
#include "test/conformance/prediction/Pins.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace pcc;

static FailureOr<plan::StepPrice> predict(const conformance::Row &row, MLIRContext &context) {
  OwningOpRef<ModuleOp> module = conformance::buildGpt(row.shape, context);
  if (failed(import::attachPins(*module, conformance::makePins(row),
                                [](llvm::StringRef, int) { return "a row's pin"; })))
    return failure();
  PipelineOptions options;
  options.parallel.set_device_num(row.dataParallel * row.tensorParallel);
  options.parallel.set_parallel_mode(abi::SEMI_AUTO_PARALLEL);
  options.parallel.set_gradients_mean(true);
  options.parallel.set_micro_batches(row.slots);
  options.parallel.set_enable_parallel_optimizer(row.shardsOptimizer);
  options.parallel.set_parallel_optimizer_level(1);
  options.training.loss = "softmax_cross_entropy";
  options.training.optimizer = "adam,lr=0.001";
  options.training.microBatches = row.slots;
  options.cluster = *machine::parseForm(row.cluster);
  if (failed(runPipeline(*module, options, Stage::Spmd)))
    return failure();
  return plan::priceStep(*module, *options.cluster, row.price);
}

/// What the seconds of a step are spent on.
static void printParts(const plan::StepPrice &step) {
  auto print = [](StringRef name, const plan::Seconds &seconds, double times) {
    if (seconds.sum() == 0)
      return;
    llvm::outs() << llvm::formatv("    {0,-28} products {1:f3}, elements {2:f3}, rows {3:f3}, "
                                  "moves {4:f3}, messages {5:f3}\n",
                                  name, seconds.contraction * times, seconds.elementwise * times,
                                  seconds.reduction * times, seconds.movement * times,
                                  seconds.communication * times);
  };
  for (const plan::SectionPrice &section : step.sections) {
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

/// How many pairs of rows are in the published order.
static void printRanking(ArrayRef<std::pair<double, double>> times) {
  int64_t pairs = 0, right = 0;
  for (size_t i = 0; i < times.size(); ++i)
    for (size_t j = 0; j < i; ++j, ++pairs)
      right += (times[i].first < times[j].first) == (times[i].second < times[j].second);
  llvm::outs() << llvm::formatv("pairs ranked as published: {0} of {1}\n", right, pairs);
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  bool details = argc > 1 && StringRef(argv[1]) == "--details";
  llvm::outs() << "row                published   predicted    error\n";
  double sum = 0;
  std::vector<std::pair<double, double>> times;
  for (const conformance::Row &row : conformance::listRows()) {
    FailureOr<plan::StepPrice> step = predict(row, context);
    if (failed(step))
      return 1;
    double error = step->sum() / row.seconds - 1;
    llvm::outs() << llvm::formatv("{0,-16} {1,9:f3} s {2,9:f3} s {3,7:f1} %\n", row.name,
                                  row.seconds, step->sum(), error * 100);
    if (details)
      printParts(*step);
    sum += std::abs(error);
    times.push_back({row.seconds, step->sum()});
  }
  llvm::outs() << llvm::formatv("mean error {0:f1} %\n", sum / double(times.size()) * 100);
  printRanking(times);
  return 0;
}
