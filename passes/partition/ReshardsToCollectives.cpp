// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ReshardsToCollectives: replaces each reshard by to_local, the collectives of its plan, and
// to_global. With a cluster the plan is the fastest one, else the one that moves least. Assumes
// nothing of the other ops; leaves no reshard.
#include "dialects/dist/Dist.h"
#include "dialects/task/Task.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/ClusterAnalysis.h"
#include "passes/analysis/reshard/ExchangeVolume.h"
#include "passes/analysis/reshard/ReshardPlan.h"
#include "passes/analysis/reshard/ReshardPlanCache.h"
#include "passes/analysis/sharding/Reasons.h"
#include "passes/partition/LocalValues.h"
#include "passes/partition/Passes.h"

using namespace mlir;
using namespace pcc;

namespace pcc::partition {

using pcc::analysis::ReshardStep;
using pcc::analysis::StepKind;

namespace {

/// Emits the steps of a reshard plan as ops on the blocks of one rank.
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
  /// Emits an exchange and its table. Rows are `source, target` for a permutation, but `target,
  /// source, source offset, size, target offset` for a block exchange.
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

/// Emits the steps of `plan` on `block`, this rank's part of a tensor of `globalShape`. Returns the
/// block under the plan's last sharding.
static Value emitPlan(OpBuilder &builder, Location loc, Value block,
                      const analysis::ReshardPlan &plan, ArrayRef<int64_t> globalShape,
                      const dist::Mesh &mesh) {
  StepEmitter emitter(builder, loc, globalShape, mesh);
  for (const ReshardStep &step : plan.steps)
    block = emitter.emit(step, block);
  return block;
}

#define GEN_PASS_DEF_RESHARDSTOCOLLECTIVES
#include "passes/partition/Passes.h.inc"

namespace {

/// Replaces reshards one by one.
class Replacer {
public:
  Replacer(dist::Mesh mesh, const abi::Cluster *cluster)
      : cluster(cluster), planCache(std::move(mesh), cluster) {}

  void replace(dist::ReshardOp reshard) {
    OpBuilder builder(reshard);
    Location loc = reshard.getLoc();
    const dist::Mesh &mesh = planCache.getMesh();
    auto type = cast<RankedTensorType>(reshard.getType());
    dist::Sharding from = reshard.getFrom().getSharding(), to = reshard.getTo().getSharding();
    const analysis::ReshardPlan &plan =
        planCache.plan(from, to, type.getShape(), task::bytesOf(type.clone(ArrayRef<int64_t>{})));
    RankedTensorType localType = type.clone(from.getLocalShape(type.getShape(), mesh));
    Value block =
        dist::ToLocalOp::create(builder, loc, localType, reshard.getInput(), reshard.getFrom());
    block = emitPlan(builder, loc, block, plan, type.getShape(), mesh);
    Value whole = dist::ToGlobalOp::create(builder, loc, type, block, reshard.getTo());
    explain(reshard, from, to, plan);
    reshard.replaceAllUsesWith(whole);
    reshard.erase();
  }

private:
  void explain(dist::ReshardOp reshard, const dist::Sharding &from, const dist::Sharding &to,
               const analysis::ReshardPlan &plan) const {
    auto remark = remark::passed(reshard.getLoc(),
                                 remark::RemarkOpts::name("reshard")
                                     .category("partition")
                                     .function(reshard->getParentOfType<func::FuncOp>().getName()));
    if (std::optional<analysis::Request> request = analysis::findRequest(reshard.getLoc()))
      remark << remark::metric("value", request->value)
             << remark::metric("made_because", request->fromReason)
             << remark::metric("reader", request->reader)
             << remark::metric("reader_location", request->readerLocation)
             << remark::metric("readers", request->readers)
             << remark::metric("wanted_because", request->toReason);
    remark << remark::metric("from", from.str()) << remark::metric("to", to.str())
           << remark::metric("steps", plan.str())
           << remark::metric("elements_received", plan.getReceived());
    if (cluster)
      remark << remark::metric("seconds", plan.cost);
  }

  const abi::Cluster *cluster;
  analysis::ReshardPlanCache planCache;
};

struct ReshardsToCollectives : impl::ReshardsToCollectivesBase<ReshardsToCollectives> {
  using ReshardsToCollectivesBase::ReshardsToCollectivesBase;

  void runOnOperation() override {
    dist::Mesh mesh = dist::getMesh(getOperation());
    auto &attached = getAnalysis<analysis::ClusterAnalysis>();
    std::optional<abi::Cluster> machine;
    if (attached.isGiven()) {
      FailureOr<abi::Cluster> cluster = attached.get(mesh.getNumRanks());
      if (failed(cluster))
        return signalPassFailure();
      machine = std::move(*cluster);
    }
    SmallVector<dist::ReshardOp> reshards;
    getOperation().walk([&](dist::ReshardOp op) { reshards.push_back(op); });
    Replacer replacer(mesh, machine ? &*machine : nullptr);
    for (dist::ReshardOp reshard : reshards)
      replacer.replace(reshard);
  }
};

} // namespace
} // namespace pcc::partition
