// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes and reads the annotation. Each virtual stage has three times in seconds: forward, input
// gradients and weight gradients.
#include "passes/schedule/order/StageCosts.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace pcc::schedule {

static constexpr StringLiteral costsAttrName = "pipe.stage_costs";
static constexpr StringLiteral timesKey = "times", latencyKey = "latency", overlapKey = "overlap",
                               liveLimitKey = "live_limit";

void annotateStageCosts(ModuleOp module, const StageCosts &costs) {
  Builder b(module.getContext());
  SmallVector<Attribute> times;
  for (const order::PipelineTimes::Stage &stage : costs.times.stages)
    for (double seconds : {stage.forward, stage.backwardInput, stage.backwardWeight})
      times.push_back(b.getF64FloatAttr(seconds));
  module->setDiscardableAttr(
      costsAttrName,
      b.getDictionaryAttr({b.getNamedAttr(timesKey, b.getArrayAttr(times)),
                           b.getNamedAttr(latencyKey, b.getF64FloatAttr(costs.times.latency)),
                           b.getNamedAttr(overlapKey, b.getF64FloatAttr(costs.times.overlap)),
                           b.getNamedAttr(liveLimitKey, b.getI64IntegerAttr(costs.liveLimit))}));
}

FailureOr<std::optional<StageCosts>> takeStageCosts(ModuleOp module, size_t stages) {
  Attribute attribute = module->removeDiscardableAttr(costsAttrName);
  if (!attribute)
    return std::optional<StageCosts>();
  auto entries = dyn_cast<DictionaryAttr>(attribute);
  auto times = entries ? entries.getAs<ArrayAttr>(timesKey) : ArrayAttr();
  auto latency = entries ? entries.getAs<FloatAttr>(latencyKey) : FloatAttr();
  auto overlap = entries ? entries.getAs<FloatAttr>(overlapKey) : FloatAttr();
  auto liveLimit = entries ? entries.getAs<IntegerAttr>(liveLimitKey) : IntegerAttr();
  if (!times || !latency || !overlap || !liveLimit || times.size() != 3 * stages ||
      !llvm::all_of(times, llvm::IsaPred<FloatAttr>))
    return module.emitError("'") << costsAttrName << "': expected 'times' F, B and W of each of "
                                 << stages
                                 << " virtual stages, 'latency', 'overlap' and 'live_limit', got "
                                 << attribute;
  StageCosts costs;
  costs.times.latency = latency.getValueAsDouble();
  costs.times.overlap = overlap.getValueAsDouble();
  costs.liveLimit = liveLimit.getInt();
  auto at = [&](size_t index) { return cast<FloatAttr>(times[index]).getValueAsDouble(); };
  for (size_t stage = 0; stage < stages; ++stage)
    costs.times.stages.push_back({at(3 * stage), at(3 * stage + 1), at(3 * stage + 2)});
  return std::optional(std::move(costs));
}

} // namespace pcc::schedule
