// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces each reshard by to_local, the collectives of its plan, and to_global. Assumes nothing of
// the other ops; leaves no reshard.
#include "mlir/IR/Remarks.h"
#include "passes/partition/EmitPlan.h"
#include "passes/partition/Passes.h"

using namespace mlir;
using namespace pcc;

namespace pcc::partition {

#define GEN_PASS_DEF_RESHARDSTOCOLLECTIVES
#include "passes/partition/Passes.h.inc"

namespace {

void replace(dist::ReshardOp reshard, const dist::Mesh &mesh) {
  OpBuilder builder(reshard);
  Location loc = reshard.getLoc();
  auto type = cast<RankedTensorType>(reshard.getType());
  dist::Sharding from = reshard.getFrom().getSharding(), to = reshard.getTo().getSharding();
  facts::ReshardPlan plan = facts::planReshard(from, to, type.getShape(), mesh);
  Value block =
      dist::ToLocalOp::create(builder, loc, type.clone(from.getLocalShape(type.getShape(), mesh)),
                              reshard.getInput(), reshard.getFrom());
  block = emitPlan(builder, loc, block, plan, type.getShape(), mesh);
  Value whole = dist::ToGlobalOp::create(builder, loc, type, block, reshard.getTo());
  remark::passed(loc, remark::RemarkOpts::name("reshard").category("partition"))
      << remark::metric("from", from.str()) << remark::metric("to", to.str())
      << remark::metric("steps", plan.str())
      << remark::metric("elements_received", plan.getReceived());
  reshard.replaceAllUsesWith(whole);
  reshard.erase();
}

struct ReshardsToCollectives : impl::ReshardsToCollectivesBase<ReshardsToCollectives> {
  void runOnOperation() override {
    dist::Mesh mesh = dist::getMesh(getOperation());
    SmallVector<dist::ReshardOp> reshards;
    getOperation().walk([&](dist::ReshardOp op) { reshards.push_back(op); });
    for (dist::ReshardOp reshard : reshards)
      replace(reshard, mesh);
  }
};

} // namespace
} // namespace pcc::partition
