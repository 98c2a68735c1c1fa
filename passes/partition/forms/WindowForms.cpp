// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of convolutions and pooling whose rows or columns are split: the op on a block with
// its halo. A gradient of the image belongs to the block with its halo, and goes back to
// the ranks that hold the rows. A gradient of a weight is a partial sum.
#include "passes/partition/forms/LocalForms.h"

#include "dialects/dist/Dist.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/partition/LocalValues.h"

#include "dialects/dist/Sharding.h"
#include "dialects/graph/Window.h"
#include "mlir/IR/Builders.h"
#include <cmath>

using namespace mlir;
using namespace pcc::graph;
using pcc::analysis::LocalFormOpInterface;

namespace pcc::partition {

// Exchanges the halo of an image block: rows and columns that windows of one rank's block of the
// result see, but other ranks hold. With 2 blocks of 8 rows, windows of 3 rows and one row of
// padding:
//
//   rank 0 has rows 0 … 7, its windows see rows -1 … 8: it gets row 8, and a zero for row -1
//   rank 1 has rows 8 … 15, its windows see rows 7 … 16: it gets row 7, and a zero for row 16
//
// An op on a block with its halo thus needs no padding along split dimensions. One block exchange
// per dimension fetches exactly the missing rows, from any number of ranks.

namespace {

class Halo {
public:
  /// Halo of an image sharded as `image`. `blocks` and `results` are the shapes of one rank's block
  /// of the image and of the op's result.
  Halo(mlir::OpBuilder &builder, mlir::Location loc, const dist::Mesh &mesh,
       const graph::Window &window, const dist::Sharding &image, llvm::ArrayRef<int64_t> blocks,
       llvm::ArrayRef<int64_t> results);

  /// Returns whether rows or columns are split at all.
  bool splits() const { return !dims[0].axes.empty() || !dims[1].axes.empty(); }
  bool splits(unsigned dim) const { return !dims[dim].axes.empty(); }
  /// Returns the mesh axes that cut rows (dim 0) or columns (dim 1).
  const dist::AxisList &getAxes(unsigned dim) const { return dims[dim].axes; }
  /// Returns the sizes of the whole image and of the whole result.
  int64_t getImageSize(unsigned dim) const { return dims[dim].block * dims[dim].count; }
  int64_t getResultSize(unsigned dim) const { return dims[dim].result * dims[dim].count; }
  /// Returns whether some window sees positions outside of the image.
  bool seesPadding(unsigned dim) const;

  /// Returns the shape of a block with its halo.
  llvm::SmallVector<int64_t> getShape() const;
  /// Returns the op's padding on a block with its halo.
  llvm::SmallVector<int64_t> getPadding() const;

  /// Returns the block with its halo; outside of the image it is zero.
  mlir::Value fetch(mlir::Value block);
  /// Returns the block with its halo; outside of the image it is `value`.
  mlir::Value fetch(mlir::Value block, double value);
  /// Returns the gradient of the block, from the gradients of blocks with their halos. Sums the
  /// gradients of the block's rows over all ranks that saw them.
  mlir::Value giveBack(mlir::Value gradient);

private:
  struct Dim {
    dist::AxisList axes;
    int64_t count;  ///< number of blocks
    int64_t block;  ///< rows of the image on one rank
    int64_t result; ///< rows of the result on one rank
    int64_t extent; ///< rows that its windows see
  };
  /// Returns whether the windows of each block see only that block.
  bool isLocal(unsigned dim) const;
  /// Returns the first row that the windows of block `position` see; may be negative.
  int64_t getStart(unsigned dim, int64_t position) const;
  mlir::Value exchange(mlir::Value value, unsigned dim, bool givesBack);
  mlir::Value fillOutside(mlir::Value block, unsigned dim, double value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  graph::Window window;
  llvm::SmallVector<int64_t> blocks;
  Dim dims[2];
};

} // namespace

Halo::Halo(OpBuilder &builder, Location loc, const dist::Mesh &mesh, const graph::Window &window,
           const dist::Sharding &image, ArrayRef<int64_t> blocks, ArrayRef<int64_t> results)
    : builder(builder), loc(loc), window(window), blocks(blocks) {
  for (unsigned dim : {0, 1}) {
    const dist::AxisList &axes = image.getDim(dim + 2);
    int64_t result = results[dim + 2];
    int64_t extent = (result - 1) * window.strides[dim] + window.getExtent(dim);
    dims[dim] = {axes, mesh.getSize(axes), blocks[dim + 2], result, extent};
    if (isLocal(dim)) // rows after the last window stay
      dims[dim].extent = blocks[dim + 2];
  }
}

bool Halo::isLocal(unsigned dim) const {
  const Dim &d = dims[dim];
  return window.getLow(dim) == 0 && d.result * window.strides[dim] == d.block &&
         d.extent <= d.block;
}

bool Halo::seesPadding(unsigned dim) const {
  const Dim &d = dims[dim];
  return getStart(dim, 0) < 0 || getStart(dim, d.count - 1) + d.extent > getImageSize(dim);
}

SmallVector<int64_t> Halo::getShape() const {
  SmallVector<int64_t> shape(blocks);
  for (unsigned dim : {0, 1})
    if (splits(dim))
      shape[dim + 2] = dims[dim].extent;
  return shape;
}

SmallVector<int64_t> Halo::getPadding() const {
  SmallVector<int64_t> padding(window.padding);
  for (unsigned dim : {0, 1})
    if (splits(dim))
      padding[dim] = padding[dim + 2] = 0;
  return padding;
}

int64_t Halo::getStart(unsigned dim, int64_t position) const {
  return position * dims[dim].result * window.strides[dim] - window.getLow(dim);
}

/// In rows lo ≤ row < hi of the image, the windows of `target` see the block of `source`.
Value Halo::exchange(Value value, unsigned dim, bool givesBack) {
  const Dim &d = dims[dim];
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<SmallVector<int64_t>> table;
  for (int64_t target = 0; target < d.count; ++target)
    for (int64_t source = 0; source < d.count; ++source) {
      int64_t start = getStart(dim, target);
      int64_t lo = std::max(start, source * d.block);
      int64_t hi = std::min(start + d.extent, (source + 1) * d.block);
      if (lo >= hi)
        continue;
      SmallVector<int64_t> from(type.getRank(), 0), to = from, size(type.getShape());
      from[dim + 2] = lo - source * d.block;
      to[dim + 2] = lo - start;
      size[dim + 2] = hi - lo;
      SmallVector<int64_t> &row = table.emplace_back();
      row.append({givesBack ? source : target, givesBack ? target : source});
      row.append(givesBack ? to : from);
      row.append(size);
      row.append(givesBack ? from : to);
    }
  SmallVector<int64_t> shape(type.getShape());
  shape[dim + 2] = givesBack ? d.block : d.extent;
  return dist::BlockExchangeOp::create(
      builder, loc, type.clone(shape), value, dist::TableAttr::get(builder.getContext(), table),
      dist::GroupAttr::get(builder.getContext(), d.axes), /*adding=*/true);
}

Value Halo::fetch(Value block) {
  for (unsigned dim : {0, 1})
    if (splits(dim) && !isLocal(dim))
      block = exchange(block, dim, /*givesBack=*/false);
  return block;
}

Value Halo::fetch(Value block, double value) {
  block = fetch(block);
  for (unsigned dim : {0, 1})
    if (splits(dim) && seesPadding(dim))
      block = fillOutside(block, dim, value);
  return block;
}

Value Halo::fillOutside(Value block, unsigned dim, double value) {
  const Dim &d = dims[dim];
  auto type = cast<RankedTensorType>(block.getType());
  auto rowType = RankedTensorType::get({d.extent}, builder.getI64Type());
  auto number = [&](int64_t row) -> Value {
    return graph::ConstantOp::create(builder, loc, rowType, static_cast<double>(row));
  };
  // Rows are counted from the first row that block 0 sees.
  Value rows = graph::IotaOp::create(builder, loc, rowType, 0);
  Value offset = makeOffset(builder, loc, d.axes, d.result * window.strides[dim]);
  rows = graph::AddOp::create(builder, loc, rowType, rows, spread(builder, loc, offset, rowType));
  auto compare = [&](graph::Direction direction, int64_t row) -> Value {
    return graph::CompareOp::create(builder, loc, rowType.clone(builder.getI1Type()), direction,
                                    rows, number(row - getStart(dim, 0)));
  };
  Value from = compare(graph::Direction::GE, 0);
  Value to = compare(graph::Direction::LT, getImageSize(dim));
  Value inside = graph::AndOp::create(builder, loc, from.getType(), from, to);
  inside = graph::BroadcastOp::create(builder, loc, type.clone(builder.getI1Type()), inside,
                                      builder.getDenseI64ArrayAttr({dim + 2}));
  Value outside = graph::ConstantOp::create(builder, loc, type, value);
  return graph::SelectOp::create(builder, loc, type, inside, block, outside);
}

Value Halo::giveBack(Value gradient) {
  for (unsigned dim : {1, 0})
    if (splits(dim) && !isLocal(dim))
      gradient = exchange(gradient, dim, /*givesBack=*/true);
  return gradient;
}

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
