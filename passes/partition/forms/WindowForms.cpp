// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/partition/forms/WindowForms.h"

#include "dialects/dist/Dist.h"
#include "passes/analysis/LocalForm.h"
#include "passes/analysis/Shardings.h"
#include "passes/partition/Halo.h"
#include "passes/partition/LocalValues.h"

#include <cmath>

using namespace mlir;
using namespace pcc::graph;
using pcc::analysis::LocalFormOpInterface;

namespace pcc::partition {
namespace {

using Values = SmallVector<Value>;

ArrayRef<int64_t> shapeOf(Type type) { return cast<RankedTensorType>(type).getShape(); }

/// Returns the halo of an image of which one rank has `block`.
template <typename Op>
Halo haloOf(Op op, OpBuilder &builder, const dist::Sharding &image, Type block, Type result) {
  return Halo(builder, op.getLoc(), dist::getMesh(op), Window::of(op), image, shapeOf(block),
              shapeOf(result));
}

/// Clones the op on blocks with their halos.
template <typename Op>
Value cloneWithHalo(Op op, OpBuilder &builder, const Halo &halo, ValueRange operands, Type type) {
  Operation *clone = cloneOn(builder, op, operands, type);
  cast<Op>(clone).setPadding(halo.getPadding());
  return clone->getResult(0);
}

/// Allows splits of window factors, and of no other factors that must stay whole.
template <typename Model, typename Op>
struct WindowForm : LocalFormOpInterface::ExternalModel<Model, Op> {
  bool canSplitWhole(Operation *op, unsigned factor) const {
    return cast<FactorRuleOpInterface>(op).getFactorRule().getFactor(factor).kind ==
           FactorKind::Window;
  }
  bool leavesPartial(Operation *, unsigned) const { return false; }
};

struct Conv2dForm : WindowForm<Conv2dForm, Conv2dOp> {
  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    auto conv = cast<Conv2dOp>(op);
    Halo halo = haloOf(conv, builder, analysis::getOperandSharding(op, 0), operands[0].getType(),
                       types.front());
    if (!halo.splits())
      return {};
    return {
        cloneWithHalo(conv, builder, halo, {halo.fetch(operands[0]), operands[1]}, types.front())};
  }
};

struct InputGradientForm : WindowForm<InputGradientForm, Conv2dInputGradientOp> {
  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    auto conv = cast<Conv2dInputGradientOp>(op);
    Halo halo = haloOf(conv, builder, analysis::getSharding(op->getResult(0)), types.front(),
                       operands[0].getType());
    if (!halo.splits())
      return {};
    Type type = cast<RankedTensorType>(types.front()).clone(halo.getShape());
    return {halo.giveBack(cloneWithHalo(conv, builder, halo, operands, type))};
  }
};

struct WeightGradientForm : WindowForm<WeightGradientForm, Conv2dWeightGradientOp> {
  bool leavesPartial(Operation *, unsigned) const { return true; }

  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    auto conv = cast<Conv2dWeightGradientOp>(op);
    Halo halo = haloOf(conv, builder, analysis::getOperandSharding(op, 0), operands[0].getType(),
                       operands[1].getType());
    if (!halo.splits())
      return {};
    return {
        cloneWithHalo(conv, builder, halo, {halo.fetch(operands[0]), operands[1]}, types.front())};
  }
};

struct MaxPoolForm : WindowForm<MaxPoolForm, MaxPoolOp> {
  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    auto pool = cast<MaxPoolOp>(op);
    Halo halo = haloOf(pool, builder, analysis::getOperandSharding(op, 0), operands[0].getType(),
                       types.front());
    if (!halo.splits())
      return {};
    return {cloneWithHalo(pool, builder, halo, halo.fetch(operands[0], -INFINITY), types.front())};
  }
};

struct MaxPoolGradientForm : WindowForm<MaxPoolGradientForm, MaxPoolGradientOp> {
  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    auto pool = cast<MaxPoolGradientOp>(op);
    Halo halo = haloOf(pool, builder, analysis::getOperandSharding(op, 0), operands[0].getType(),
                       operands[1].getType());
    if (!halo.splits())
      return {};
    Type type = cast<RankedTensorType>(types.front()).clone(halo.getShape());
    Value image = halo.fetch(operands[0], -INFINITY);
    return {halo.giveBack(cloneWithHalo(pool, builder, halo, {image, operands[1]}, type))};
  }
};

/// On a block with its halo, the padding counts as elements. The correction of each window's mean
/// depends on the window's position in the image.
struct AvgPoolForm : WindowForm<AvgPoolForm, AvgPoolOp> {
  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    auto pool = cast<AvgPoolOp>(op);
    Halo halo = haloOf(pool, builder, analysis::getOperandSharding(op, 0), operands[0].getType(),
                       types.front());
    if (!halo.splits())
      return {};
    Value mean = cloneWithHalo(pool, builder, halo, halo.fetch(operands[0]), types.front());
    for (unsigned dim : {0, 1})
      if (!pool.getCountIncludePad() && halo.splits(dim) && halo.seesPadding(dim))
        mean = leaveOutPadding(pool, builder, halo, dim, mean);
    return {mean};
  }

  /// Returns `mean` times the window's rows, divided by the number of these rows inside the image.
  static Value leaveOutPadding(AvgPoolOp op, OpBuilder &builder, const Halo &halo, unsigned dim,
                               Value mean) {
    Window window = Window::of(op);
    auto type = cast<RankedTensorType>(mean.getType());
    SmallVector<Attribute> counts;
    for (int64_t at = 0; at < halo.getResultSize(dim); ++at) {
      int64_t inside = window.countInside(dim, at, halo.getImageSize(dim));
      counts.push_back(FloatAttr::get(type.getElementType(), static_cast<double>(inside)));
    }
    auto rows = RankedTensorType::get({halo.getResultSize(dim)}, type.getElementType());
    Value all =
        ConstantOp::create(builder, op.getLoc(), rows, DenseElementsAttr::get(rows, counts));
    Value own = takeBlock(builder, op.getLoc(), all, 0, halo.getAxes(dim), dist::getMesh(op));
    Value spread = BroadcastOp::create(builder, op.getLoc(), type, own,
                                       builder.getDenseI64ArrayAttr({dim + 2}));
    Value sum = scale(builder, op.getLoc(), mean, static_cast<double>(window.sizes[dim]));
    return DivOp::create(builder, op.getLoc(), type, sum, spread);
  }
};

} // namespace

void attachWindowForms(MLIRContext *context) {
  Conv2dOp::attachInterface<Conv2dForm>(*context);
  Conv2dInputGradientOp::attachInterface<InputGradientForm>(*context);
  Conv2dWeightGradientOp::attachInterface<WeightGradientForm>(*context);
  MaxPoolOp::attachInterface<MaxPoolForm>(*context);
  MaxPoolGradientOp::attachInterface<MaxPoolGradientForm>(*context);
  AvgPoolOp::attachInterface<AvgPoolForm>(*context);
}

} // namespace pcc::partition
