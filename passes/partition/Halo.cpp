// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/partition/Halo.h"

#include "dialects/dist/Dist.h"
#include "passes/partition/LocalValues.h"

using namespace mlir;

namespace pcc::partition {

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

} // namespace pcc::partition
