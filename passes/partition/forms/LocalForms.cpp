// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the forms of ops without a file of their own, as external models of
// LocalFormOpInterface. Indices become relative to the rank's block. An index outside of the block
// must contribute nothing: ops that drop it need no more, and a gather masks its rows.
#include "passes/partition/forms/LocalForms.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/partition/LocalValues.h"

using namespace mlir;
using pcc::analysis::LocalFormOpInterface;
using pcc::dist::AxisList;
using pcc::dist::Sharding;

namespace pcc::partition {
namespace {

using Values = SmallVector<Value>;

/// Defaults: no whole factor may be split, and the same op on blocks suffices.
template <typename Model, typename Op>
struct LocalForm : LocalFormOpInterface::ExternalModel<Model, Op> {
  bool canSplitWhole(Operation *, unsigned) const { return false; }
  bool leavesPartial(Operation *, unsigned) const { return false; }
};

struct ConstantForm : LocalForm<ConstantForm, graph::ConstantOp> {
  bool canSplitWhole(Operation *, unsigned) const { return true; }

  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange, TypeRange types) const {
    auto constant = cast<graph::ConstantOp>(op);
    auto type = cast<RankedTensorType>(types.front());
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return {graph::ConstantOp::create(builder, op->getLoc(), type, splat.resizeSplat(type))};
    Value value = graph::ConstantOp::create(builder, op->getLoc(), constant.getResult().getType(),
                                            constant.getValue());
    Sharding sharding = analysis::getSharding(op->getResult(0));
    for (auto [dim, axes] : llvm::enumerate(sharding.getDims()))
      if (!axes.empty())
        value = takeBlock(builder, op->getLoc(), value, dim, axes, dist::getMesh(op));
    return {value};
  }
};

struct IotaForm : LocalForm<IotaForm, graph::IotaOp> {
  bool canSplitWhole(Operation *, unsigned) const { return true; }

  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    int64_t axis = cast<graph::IotaOp>(op).getAxis();
    AxisList axes = analysis::getSharding(op->getResult(0)).getDim(axis);
    if (axes.empty())
      return {};
    // In integers: a float may hold neither the offset nor the index in the block exactly.
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(types.front());
    RankedTensorType exact = type.clone(builder.getI64Type());
    Value indices = cloneOn(builder, op, operands, exact)->getResult(0);
    Value offset = makeOffset(builder, loc, axes, type.getDimSize(axis));
    Value all =
        graph::AddOp::create(builder, loc, exact, indices, spread(builder, loc, offset, exact));
    return {type == exact ? all : graph::CastOp::create(builder, loc, type, all)};
  }
};

struct ReduceForm : LocalForm<ReduceForm, graph::ReduceOp> {
  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    auto reduce = cast<graph::ReduceOp>(op);
    Sharding sharding = analysis::getOperandSharding(op, 0);
    int64_t shards = 1;
    for (int64_t dim : reduce.getDims())
      shards *= sharding.getShardCount(dim, dist::getMesh(op));
    if (reduce.getKind() != graph::ReduceOpKind::Mean || reduce.getCrossBatch() || shards == 1)
      return {};
    Value mean = cloneOn(builder, op, operands, types)->getResult(0);
    return {scale(builder, op->getLoc(), mean, 1.0 / static_cast<double>(shards))};
  }
};

struct OneHotForm : LocalForm<OneHotForm, graph::OneHotOp> {
  bool canSplitWhole(Operation *, unsigned) const { return true; }

  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    int64_t axis = cast<graph::OneHotOp>(op).getAxis();
    AxisList axes = analysis::getSharding(op->getResult(0)).getDim(axis);
    if (axes.empty())
      return {};
    int64_t depth = cast<RankedTensorType>(types.front()).getDimSize(axis);
    Value relative =
        makeRelative(builder, op->getLoc(), operands[0], axes, depth, dist::getMesh(op));
    return {cloneOn(builder, op, relative, types)->getResult(0)};
  }
};

struct ScatterAddForm : LocalForm<ScatterAddForm, graph::ScatterAddOp> {
  bool canSplitWhole(Operation *, unsigned) const { return true; }

  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    int64_t axis = cast<graph::ScatterAddOp>(op).getAxis();
    AxisList axes = analysis::getSharding(op->getResult(0)).getDim(axis);
    if (axes.empty())
      return {};
    int64_t rows = cast<RankedTensorType>(types.front()).getDimSize(axis);
    Value relative =
        makeRelative(builder, op->getLoc(), operands[1], axes, rows, dist::getMesh(op));
    return {cloneOn(builder, op, {operands[0], relative, operands[2]}, types)->getResult(0)};
  }
};

struct GatherForm : LocalForm<GatherForm, graph::GatherOp> {
  /// Partial results are summed, so the elements are numbers.
  bool canSplitWhole(Operation *op, unsigned) const {
    return !cast<graph::GatherOp>(op).getInput().getType().getElementType().isInteger(1);
  }
  bool leavesPartial(Operation *, unsigned) const { return true; }

  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    auto gather = cast<graph::GatherOp>(op);
    int64_t axis = gather.getAxis();
    AxisList axes = analysis::getOperandSharding(op, 0).getDim(axis);
    if (axes.empty())
      return {};
    Location loc = op->getLoc();
    dist::Mesh mesh = dist::getMesh(op);
    int64_t rows = cast<RankedTensorType>(operands[0].getType()).getDimSize(axis);
    int64_t size = rows * mesh.getSize(axes);
    Value indices = widenIndices(builder, loc, operands[1], size);
    Value legal = graph::ClampOp::create(builder, loc, indices, llvm::APFloat(0.0),
                                         llvm::APFloat(static_cast<double>(size - 1)));
    Value relative = makeRelative(builder, loc, legal, axes, rows, mesh);
    Value found = graph::GatherOp::create(builder, loc, operands[0], relative, axis);
    return {zeroForeignRows(builder, loc, found, relative, rows, axis)};
  }

  /// Returns zeros where the index lies outside of this rank's rows.
  static Value zeroForeignRows(OpBuilder &builder, Location loc, Value found, Value relative,
                               int64_t rows, int64_t axis) {
    auto indexType = cast<RankedTensorType>(relative.getType());
    auto type = cast<RankedTensorType>(found.getType());
    auto compare = [&](graph::Direction direction, int64_t bound) -> Value {
      Value limit = graph::ConstantOp::create(builder, loc, indexType, static_cast<double>(bound));
      return graph::CompareOp::create(builder, loc, indexType.clone(builder.getI1Type()), direction,
                                      relative, limit);
    };
    Value low = compare(graph::Direction::GE, 0), high = compare(graph::Direction::LT, rows);
    Value isHeld = graph::AndOp::create(builder, loc, low.getType(), low, high);
    auto dims = llvm::to_vector(llvm::seq<int64_t>(axis, axis + indexType.getRank()));
    Value mask = graph::BroadcastOp::create(builder, loc, type.clone(builder.getI1Type()), isHeld,
                                            builder.getDenseI64ArrayAttr(dims));
    Value zeros = graph::ConstantOp::create(builder, loc, type, 0.0);
    return graph::SelectOp::create(builder, loc, type, mask, found, zeros);
  }
};

} // namespace

void registerLocalForms(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, graph::GraphDialect *) {
    graph::ConstantOp::attachInterface<ConstantForm>(*context);
    graph::IotaOp::attachInterface<IotaForm>(*context);
    graph::ReduceOp::attachInterface<ReduceForm>(*context);
    graph::OneHotOp::attachInterface<OneHotForm>(*context);
    graph::ScatterAddOp::attachInterface<ScatterAddForm>(*context);
    graph::GatherOp::attachInterface<GatherForm>(*context);
    attachOptimizerForms(context);
    attachSoftmaxForms(context);
    attachWindowForms(context);
    attachNormalizationForms(context);
    attachLossForms(context);
    attachAttentionForms(context);
    attachOrderForms(context);
  });
}

} // namespace pcc::partition
