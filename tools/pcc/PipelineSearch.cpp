// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/PipelineSearch.h"

#include "compiler/PipelineShape.h"
#include "dialects/pipe/Stages.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/solve/order/Schedule.h"
#include "tools/pcc/Output.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;
namespace json = llvm::json;

/// Beyond so many microbatches for each stage bubbles are small, and so are products.
static constexpr int64_t mostMicrobatchesPerStage = 8;
static constexpr int mostStages = 64;

plan::PipelineSpace PipelineSearch::listSpace() const {
  const abi::ParallelConfig &config = options.parallel;
  plan::PipelineSpace space;
  for (int stages = 1; stages <= std::min(config.device_num(), mostStages); ++stages)
    if (config.device_num() % stages == 0 &&
        (!road.has("pipeline_stages") || stages == config.pipeline_stages()))
      space.stages.push_back(stages);
  if (road.has("micro_batches"))
    space.microbatches = {int64_t(config.micro_batches()) * config.interleave_num()};
  else
    for (int64_t count = 1; count <= mostMicrobatchesPerStage * space.stages.back(); count *= 2)
      space.microbatches.push_back(count * config.interleave_num());
  space.chunks = road.has("virtual_stages") ? std::vector<int>{config.virtual_stages()}
                                            : std::vector<int>{1, 2};
  if (road.has("pipeline_schedule"))
    space.schedules = {getScheduleName(config)};
  else
    for (const order::Schedule &schedule : order::listSchedules())
      space.schedules.emplace_back(schedule.name);
  space.memoryLimit = config.memory_limit() > 0
                          ? config.memory_limit()
                          : int64_t(options.cluster->device().memory_bytes().value());
  return space;
}

PipelineOptions PipelineSearch::makeOptions(const plan::PipelineCut &cut) const {
  PipelineOptions own = options;
  abi::ParallelConfig &config = own.parallel;
  config.set_pipeline_stages(cut.stages);
  config.set_micro_batches(int(cut.microbatches / config.interleave_num()));
  config.set_virtual_stages(cut.chunks);
  own.training.microBatches = config.micro_batches();
  for (const order::Schedule &schedule : order::listSchedules())
    if (schedule.placement == cut.placement && schedule.splitsBackward == cut.splitsBackward &&
        schedule.whyNot(cut.getShape()).empty())
      setSchedule(config, schedule.name);
  config.set_time_limit(std::max(config.time_limit() / double(numCuts), 0.1));
  return own;
}

/// Diagnostics become the reason why a candidate is none.
plan::CompiledCut PipelineSearch::compile(mlir::ModuleOp model,
                                          const plan::PipelineCut &cut) const {
  std::string error;
  mlir::ScopedDiagnosticHandler handler(model.getContext(), [&](mlir::Diagnostic &diagnostic) {
    if (error.empty() && diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      error = diagnostic.str();
    return mlir::success();
  });
  mlir::OwningOpRef<mlir::ModuleOp> module = model.clone();
  if (mlir::failed(runPipeline(*module, makeOptions(cut), Stage::Stages)))
    return {{}, error.empty() ? "it cannot be compiled" : error};
  return {plan::pricePipeline(*pipe::listPrograms(*module), cut.getShape(), *options.cluster), ""};
}

ExitCode PipelineSearch::run() {
  Session session;
  ExitCode code;
  mlir::OwningOpRef<mlir::ModuleOp> model = road.getModel().load(session.context, code);
  if (!model)
    return code;
  plan::PipelineSpace space = listSpace();
  numCuts = plan::listCuts(space).size();
  candidates = plan::rankPipelines(
      space, [&](const plan::PipelineCut &cut) { return compile(*model, cut); });
  if (candidates.empty())
    return fail(BadUsage, "no pipeline is left: expected fewer of '--pipeline-stages', "
                          "'--micro-batches', '--virtual-stages' and '--pipeline-schedule', or "
                          "others");
  return candidates.front().error.empty() ? Success : Infeasible;
}

PipelineOptions PipelineSearch::getBest() const {
  PipelineOptions best = makeOptions(candidates.front().cut);
  setSchedule(best.parallel, candidates.front().schedule);
  return best;
}

/// What could not be compiled, each reason once.
static void printRefused(llvm::ArrayRef<plan::PipelineCandidate> candidates) {
  llvm::MapVector<llvm::StringRef, int> reasons;
  for (const plan::PipelineCandidate &candidate : candidates)
    if (candidate.schedule.empty())
      ++reasons[candidate.error];
  for (auto [reason, count] : reasons)
    llvm::outs() << llvm::formatv("{0} not compiled: {1}\n", count, reason);
}

void PipelineSearch::print() const {
  llvm::outs() << llvm::formatv("{0,6} {1,12} {2,6}  {3,-16} {4,12} {5,8} {6,10}\n", "stages",
                                "microbatches", "chunks", "schedule", "step ms", "bubble",
                                "memory GB");
  for (const plan::PipelineCandidate &candidate : candidates) {
    if (candidate.schedule.empty())
      continue;
    llvm::outs() << llvm::formatv("{0,6} {1,12} {2,6}  {3,-16} ", candidate.cut.stages,
                                  candidate.cut.microbatches, candidate.cut.chunks,
                                  candidate.schedule);
    if (!candidate.error.empty())
      llvm::outs() << candidate.error << "\n";
    else
      llvm::outs() << llvm::formatv("{0,12:f4} {1,6:f1} % {2,10:f2}\n", candidate.seconds * 1e3,
                                    100 * candidate.bubble, candidate.peakBytes / 1e9);
  }
  printRefused(candidates);
  if (!candidates.front().error.empty())
    return;
  PipelineOptions best = getBest();
  llvm::outs() << llvm::formatv(
      "best: --pipeline-stages={0} --micro-batches={1} --virtual-stages={2} "
      "--pipeline-schedule={3}\n",
      best.parallel.pipeline_stages(), best.parallel.micro_batches(),
      best.parallel.virtual_stages(), candidates.front().schedule);
}

json::Value PipelineSearch::toJson() const {
  json::Array rows;
  for (const plan::PipelineCandidate &candidate : candidates)
    rows.push_back(json::Object{{"pipeline_stages", candidate.cut.stages},
                                {"micro_batches", candidate.cut.microbatches},
                                {"virtual_stages", candidate.cut.chunks},
                                {"pipeline_schedule", candidate.schedule},
                                {"seconds", candidate.seconds},
                                {"bubble", candidate.bubble},
                                {"peak_bytes", candidate.peakBytes},
                                {"error", candidate.error}});
  return json::Object{{"candidates", std::move(rows)}};
}
