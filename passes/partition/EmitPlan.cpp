// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/partition/EmitPlan.h"

#include "dialects/dist/Dist.h"
#include "passes/analysis/BlockTable.h"
#include "passes/partition/LocalValues.h"

using namespace mlir;
using pcc::analysis::ReshardStep;
using pcc::analysis::StepKind;

namespace pcc::partition {
namespace {

/// Emits one step at a time.
class StepEmitter {
public:
  StepEmitter(OpBuilder &builder, Location loc, ArrayRef<int64_t> globalShape,
              const dist::Mesh &mesh)
      : builder(builder), loc(loc), globalShape(globalShape), mesh(mesh) {}

  Value emit(const ReshardStep &step, Value block) {
    auto before = cast<RankedTensorType>(block.getType());
    RankedTensorType type = before.clone(step.to.getLocalShape(globalShape, mesh));
    auto group = dist::GroupAttr::get(builder.getContext(), step.axes);
    auto kind = step.from.getPartialKind();
    switch (step.kind) {
    case StepKind::Mask:
      return keepOnFirst(builder, loc, block, step.axes, step.to.getPartialKind());
    case StepKind::Slice:
      return takeBlock(builder, loc, block, step.toDim, step.axes, mesh);
    case StepKind::AllGather:
      return dist::AllGatherOp::create(builder, loc, type, block, step.fromDim, group);
    case StepKind::AllToAll:
      return dist::AllToAllOp::create(builder, loc, type, block, step.toDim, step.fromDim, group);
    case StepKind::ReduceScatter:
      return dist::ReduceScatterOp::create(builder, loc, type, kind, block, step.toDim, group);
    case StepKind::AllReduce:
      return dist::AllReduceOp::create(builder, loc, type, kind, block, group);
    case StepKind::CollectivePermute:
    case StepKind::BlockExchange:
      return emitExchange(step, block, type);
    }
    return block;
  }

private:
  Value emitExchange(const ReshardStep &step, Value block, RankedTensorType type) {
    analysis::BlockTable table = analysis::makeBlockTable(step.from, step.to, globalShape, mesh);
    auto group = dist::GroupAttr::get(builder.getContext(), table.axes);
    bool permutes = step.kind == StepKind::CollectivePermute;
    SmallVector<SmallVector<int64_t>> rows;
    for (const analysis::BlockMove &move : table.moves) {
      SmallVector<int64_t> &row = rows.emplace_back();
      if (permutes) {
        row.append({move.source, move.target});
        continue;
      }
      row.append({move.target, move.source});
      row.append(move.sourceOffset);
      row.append(move.size);
      row.append(move.targetOffset);
    }
    auto rowsAttr = dist::TableAttr::get(builder.getContext(), rows);
    if (permutes)
      return dist::CollectivePermuteOp::create(builder, loc, type, block, rowsAttr, group);
    return dist::BlockExchangeOp::create(builder, loc, type, block, rowsAttr, group);
  }

  OpBuilder &builder;
  Location loc;
  ArrayRef<int64_t> globalShape;
  const dist::Mesh &mesh;
};

} // namespace

Value emitPlan(OpBuilder &builder, Location loc, Value block, const analysis::ReshardPlan &plan,
               ArrayRef<int64_t> globalShape, const dist::Mesh &mesh) {
  StepEmitter emitter(builder, loc, globalShape, mesh);
  for (const ReshardStep &step : plan.steps)
    block = emitter.emit(step, block);
  return block;
}

} // namespace pcc::partition
