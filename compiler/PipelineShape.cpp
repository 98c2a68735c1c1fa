// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts between the configuration and the table of schedules in passes/solve/order, by name:
// `zb-h1` is SCHEDULE_ZB_H1. The table defines placement, default number of virtual stages, and the
// requirements that checkPipeline reports.
#include "compiler/PipelineShape.h"

#include "dialects/pipe/Stages.h"
#include "passes/solve/order/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace pcc;

std::string pcc::getScheduleName(const abi::ParallelConfig &config) {
  llvm::StringRef name = abi::PipelineSchedule_Name(config.pipeline_schedule());
  name.consume_front("SCHEDULE_");
  std::string lower = name.lower();
  llvm::replace(lower, '_', '-');
  return lower;
}

void pcc::setSchedule(abi::ParallelConfig &config, llvm::StringRef name) {
  std::string upper = "SCHEDULE_" + name.upper();
  llvm::replace(upper, '-', '_');
  abi::PipelineSchedule schedule = abi::SCHEDULE_1F1B;
  [[maybe_unused]] bool isKnown = abi::PipelineSchedule_Parse(upper, &schedule);
  assert(isKnown && "expected the name of a schedule");
  config.set_pipeline_schedule(schedule);
}

/// Returns the schedule of `config`; null for `auto`, for which a search finds the order.
static const order::Schedule *getSchedule(const abi::ParallelConfig &config) {
  return order::findSchedule(getScheduleName(config));
}

order::PipelineShape pcc::getPipelineShape(const abi::ParallelConfig &config) {
  const order::Schedule *schedule = getSchedule(config);
  order::PipelineShape shape;
  shape.devices = std::max(config.pipeline_stages(), 1);
  shape.microbatches = config.micro_batches();
  shape.chunks = std::max(config.virtual_stages(), 1);
  if (schedule) {
    shape.placement = schedule->placement;
    if (shape.placement == order::Placement::Vee && shape.chunks == 1)
      shape.chunks = schedule->defaultChunks();
  }
  return shape;
}

bool pcc::splitsBackward(const abi::ParallelConfig &config) {
  const order::Schedule *schedule = getSchedule(config);
  return !schedule || schedule->splitsBackward;
}

std::string pcc::checkPipeline(const abi::ParallelConfig &config, bool trains) {
  int stages = std::max(config.pipeline_stages(), 1);
  if (config.device_num() % stages != 0)
    return llvm::formatv("pipeline_stages: expected a divisor of device_num {0}, got {1}",
                         config.device_num(), stages);
  if (stages == 1 || !trains)
    return {};
  order::PipelineShape shape = getPipelineShape(config);
  if (shape.microbatches < stages)
    return llvm::formatv("micro_batches: expected at least one for each of {0} pipeline stages, "
                         "got {1}",
                         stages, shape.microbatches);
  const order::Schedule *schedule = getSchedule(config);
  std::string error = schedule ? schedule->findViolation(shape) : "";
  return error.empty() ? error
                       : llvm::formatv("pipeline_schedule {0}: {1}", schedule->name, error).str();
}

int64_t pcc::countStages(mlir::ModuleOp module) {
  return llvm::count_if(module.getOps<mlir::ModuleOp>(),
                        [](mlir::ModuleOp inner) { return pipe::getStage(inner).has_value(); });
}
