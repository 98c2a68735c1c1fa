// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// predict-steps [--details]: published step times beside those that pcc predicts from shapes and
// data sheets.
#include "bench/prediction/Rows.h"
#include "compiler/Pipeline.h"
#include "compiler/Register.h"
#include "compiler/import/Pins.h"
#include "google/protobuf/text_format.h"
#include "mlir/IR/Diagnostics.h"
#include "runtime/machine/Cluster.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace pcc;

/// Megatron's split of the blocks, the table and the head; with `splitsPositions` what lies between
/// is split by positions over the same ranks (Korthikanti et al., section 4.2).
static abi::Pins makePins(const bench::Row &row) {
  std::string text = llvm::formatv("mesh: 'dp={0}, tp={1}'", row.dataParallel, row.tensorParallel);
  auto pin = [&](StringRef op, StringRef in) {
    text += ("\npin { op: '" + op + "' in: '" + in + "' }").str();
  };
  if (row.tensorParallel > 1) {
    pin("/h\\\\.\\\\d+/(attn/)?(q|k|v|fc)/matmul", "[dp, _, _], [tp, _]");
    pin("/h\\\\.\\\\d+/(attn/)?(proj|out)/matmul", "[dp, _, tp], [_, tp]");
    pin("/head/einsum", "[dp, _, _], [tp, _]");
    auto parameter = [&](StringRef names, StringRef sharding) {
      text += ("\npin { parameter: '" + names + "' sharding: '" + sharding + "' }").str();
    };
    parameter("wte\\\\.weight", "[tp, _]");
    parameter("h\\\\..*\\\\.(q|k|v|fc)\\\\.weight", "[tp, _]");
    parameter("h\\\\..*\\\\.(proj|out)\\\\.weight", "[_, tp]");
  }
  if (row.splitsPositions) {
    pin("/h\\\\.\\\\d+/ln[12]/layer_norm", "[dp, tp, _], [_], [_]");
    pin("/ln_f/layer_norm", "[dp, tp, _], [_], [_]");
    pin("/h\\\\.\\\\d+/(attn/proj/|out/)?add(_1)?", "[dp, tp, _], [dp, tp, _]");
    pin("/add", "[dp, tp, _], [dp, tp, _]");
    pin("/h\\\\.\\\\d+/(attn/)?(q|k|v)/matmul\\\\.grad", "[dp, _, tp], [tp, _]");
    pin("/h\\\\.\\\\d+/(attn/)?(q|k|v|fc)/matmul\\\\.grad_weight", "[dp, _, tp], [dp, _, _]");
    pin("/h\\\\.\\\\d+/(attn/)?(proj|out)/matmul\\\\.grad", "[dp, _, _], [_, tp]");
    pin("/h\\\\.\\\\d+/(attn/)?(proj|out)/matmul\\\\.grad_weight", "[dp, _, _], [dp, _, tp]");
    text += "\npin { op: '/h\\\\.\\\\d+/fc/matmul\\\\.grad' in: '[dp, _, tp], [tp, _]' out: '[dp, "
            "tp, _]' }";
    text += "\npin { op: '/h\\\\.\\\\d+/ln1/layer_norm\\\\.grad_sum' out: '[dp, tp, _]' }";
  }
  text += "\npin { input: 'x' sharding: '[dp, _]' }";
  abi::Pins pins;
  if (!google::protobuf::TextFormat::ParseFromString(text, &pins))
    llvm::report_fatal_error("pins of a row: expected a message");
  return pins;
}

static FailureOr<plan::StepPrice> predict(const bench::Row &row, MLIRContext &context) {
  OwningOpRef<ModuleOp> module = bench::buildGpt(row.shape, context);
  if (failed(import::attachPins(*module, makePins(row), [](int) { return "a row's pin"; })))
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
  options.keptWhole = {"dropout"};
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

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  bool details = argc > 1 && StringRef(argv[1]) == "--details";
  llvm::outs() << "row                published   predicted    error\n";
  double sum = 0;
  int64_t count = 0;
  for (const bench::Row &row : bench::listRows()) {
    FailureOr<plan::StepPrice> step = predict(row, context);
    if (failed(step))
      return 1;
    double error = step->sum() / row.seconds - 1;
    llvm::outs() << llvm::formatv("{0,-16} {1,9:f3} s {2,9:f3} s {3,7:f1} %\n", row.name,
                                  row.seconds, step->sum(), error * 100);
    if (details)
      printParts(*step);
    sum += std::abs(error);
    ++count;
  }
  llvm::outs() << llvm::formatv("mean error {0:f1} %\n", sum / double(count) * 100);
  return 0;
}
