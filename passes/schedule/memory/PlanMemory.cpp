// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PlanMemory: assigns a place to every value that crosses kernels.
//
// Assumes kernels (AssignKernels). Leaves `task.place` on ops, arguments, parameters and
// accumulated results, and `task.bytes` on the module. Parameters, optimizer states and
// accumulators are persistent; inputs have a space of their own. Residuals that one section saves
// for another section of the same microbatch, and values that are sent or received, lie in rings
// (Rings.h). Other values are packed around the rings by live range (Layout.cpp). A gradient that
// is not accumulated uses the same buffer in the section that computes it and in the update.
#include "passes/schedule/Passes.h"
#include "passes/schedule/memory/LiveRanges.h"
#include "passes/schedule/order/PlannedBytes.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::PlaceAttr;

namespace pcc::schedule {
#define GEN_PASS_DEF_PLANMEMORY
#include "passes/schedule/Passes.h.inc"

namespace {

/// Memory plan of one module.
class MemoryPlanner {
public:
  /// `isTrial`: only computes the number of bytes.
  explicit MemoryPlanner(ModuleOp module, bool isTrial = false)
      : module(module), context(module.getContext()), isTrial(isTrial), fixed(context) {}
  LogicalResult run();
  int64_t getBytes() const {
    return fixed.getPersistentBytes() + temporaryBytes + fixed.getInputBytes();
  }

private:
  LogicalResult planTimeline(MutableArrayRef<analysis::Section> sections, const Rings *rings);
  void report(int64_t buffers, const LayoutBytes &bytes);
  void annotateModule();

  ModuleOp module;
  MLIRContext *context;
  bool isTrial;
  FixedPlaces fixed;
  int64_t temporaryBytes = 0;
};

} // namespace

void MemoryPlanner::report(int64_t buffers, const LayoutBytes &bytes) {
  remark::analysis(module.getLoc(), remark::RemarkOpts::name("plan-memory").category("schedule"))
      << remark::metric("buffers", buffers) << remark::metric("temporary_bytes", bytes.peak)
      << remark::metric("bound_bytes", bytes.bound) << remark::metric("ring_bytes", bytes.rings)
      << remark::metric("ring_depth", bytes.depth)
      << remark::metric("persistent_bytes", fixed.getPersistentBytes());
}

/// Sets the place of a result. An op with several results has a list of places.
static void setPlace(OpResult result, PlaceAttr place) {
  Operation *op = result.getOwner();
  if (op->getNumResults() == 1)
    return op->setAttr(analysis::placeAttrName, place);
  SmallVector<Attribute> places(op->getNumResults(), place);
  if (auto known = op->getAttrOfType<ArrayAttr>(analysis::placeAttrName))
    llvm::copy(known, places.begin());
  places[result.getResultNumber()] = place;
  op->setAttr(analysis::placeAttrName, ArrayAttr::get(op->getContext(), places));
}

static void annotate(analysis::Section &section, Values &values) {
  for (Value value : values.all()) {
    PlaceAttr place = values.find(value)->place;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner()->getParentOp() == section.function)
        section.function.setArgAttr(argument.getArgNumber(), analysis::placeAttrName, place);
    } else {
      setPlace(cast<OpResult>(value), place);
    }
  }
}

LogicalResult MemoryPlanner::planTimeline(MutableArrayRef<analysis::Section> sections,
                                          const Rings *rings) {
  LiveRanges ranges(module, sections, fixed, rings);
  if (failed(ranges.run()))
    return failure();
  Values &values = ranges.getValues();
  int64_t buffers = int64_t(values.temporaries().size());
  LayoutBytes bytes = Layout(values, rings, ranges.getTimes(), context).place();
  temporaryBytes = std::max(temporaryBytes, bytes.peak);
  if (isTrial)
    return success();
  report(buffers, bytes);
  for (analysis::Section &section : sections)
    annotate(section, values);
  return success();
}

void MemoryPlanner::annotateModule() {
  for (auto parameter : module.getOps<ParameterOp>()) {
    auto role = RoleAttr::get(context, RoleKind::Parameter, parameter.getSymNameAttr());
    if (PlaceAttr place = fixed.find(role))
      parameter->setAttr(analysis::placeAttrName, place);
  }
  module->setAttr(analysis::bytesAttrName,
                  task::BytesAttr::get(context, fixed.getPersistentBytes(), temporaryBytes,
                                       fixed.getInputBytes()));
}

LogicalResult MemoryPlanner::run() {
  SmallVector<analysis::Section> sections = analysis::collectSections(module);
  for (analysis::Section &section : sections)
    fixed.addArguments(section);
  for (analysis::Section &section : sections)
    fixed.addSums(section);
  auto outside =
      llvm::partition_point(sections, [](const analysis::Section &s) { return s.runs > 0; });
  if (MutableArrayRef<analysis::Section> step(sections.begin(), outside); !step.empty()) {
    Rings rings(analysis::getStep(module), step);
    if (failed(planTimeline(step, &rings)))
      return failure();
  }
  for (analysis::Section &section : MutableArrayRef(outside, sections.end()))
    if (failed(planTimeline(section, /*rings=*/nullptr)))
      return failure();
  if (!isTrial)
    annotateModule();
  return success();
}

FailureOr<int64_t> countPlannedBytes(ModuleOp module) {
  MemoryPlanner planner(module, /*isTrial=*/true);
  if (failed(planner.run()))
    return failure();
  return planner.getBytes();
}

namespace {
struct PlanMemory : impl::PlanMemoryBase<PlanMemory> {
  void runOnOperation() override {
    if (failed(MemoryPlanner(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace

} // namespace pcc::schedule
