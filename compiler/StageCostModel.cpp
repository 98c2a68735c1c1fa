// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/StageCostModel.h"

#include "compiler/plan/cost/PipelineCost.h"
#include "runtime/machine/MemoryBudget.h"

using namespace mlir;
using namespace pcc;

schedule::StageCostModel pcc::makeStageCostModel(const CompileOptions &options) {
  if (!options.cluster)
    return nullptr;
  int64_t memory = machine::memoryBudget(options.parallel, *options.cluster);
  return [cluster = *options.cluster, memory](ArrayRef<ModuleOp> stages,
                                              const order::PipelineShape &shape) {
    plan::PipelineCost price = plan::estimatePipelineCost(stages, shape, cluster);
    int64_t limit = price.getLiveLimit(shape.chunks, memory);
    return schedule::StageCosts{std::move(price.times), std::max<int64_t>(limit, 1)};
  };
}
