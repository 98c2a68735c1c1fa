// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that change the shape or the order of elements, but no element.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <numeric>

using namespace mlir;

namespace pcc::import {
namespace {

/// Replaces 0 (copy the input's size, unless `allowZero`) and -1 (the remaining size) in `shape`.
bool resolveReshape(llvm::ArrayRef<int64_t> input, bool allowZero, Shape &shape) {
  int64_t *unknown = nullptr;
  int64_t others = 1, elements = 1;
  for (int64_t size : input)
    elements *= size;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size == 0 && !allowZero) {
      if (dim >= input.size())
        return false;
      size = input[dim];
    }
    if (size == -1) {
      if (unknown)
        return false;
      unknown = &size;
      continue;
    }
    auto product = size < 0 ? std::nullopt : llvm::checkedMul(others, size);
    if (!product)
      return false;
    others = *product;
  }
  if (!unknown)
    return true;
  *unknown = others == 0 ? 0 : elements / others;
  return others != 0;
}

LogicalResult importReshape(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  bool allowZero = node.integer("allowzero", 0) != 0;
  auto shape = node.knownIntegers(1, "shape of the result");
  if (!shape)
    return failure();
  Shape resolved = *shape;
  if (!resolveReshape(x.shape(), allowZero, resolved))
    return emit.error() << "cannot reshape " << formatShape(x.shape()) << " to "
                        << formatShape(*shape);
  return node.setResult(emit.reshape(x, resolved));
}

/// Imports Flatten to two dimensions: those before the axis, and the rest. The axis may equal the
/// rank.
LogicalResult importFlatten(Node &node) {
  Tensor x = node.input(0);
  int64_t axis = node.integer("axis", 1), rank = x.rank();
  if (axis < -rank || axis > rank)
    return node.emit.error() << "axis " << axis << " is out of range: expected one in [" << -rank
                             << ", " << rank << "]";
  axis = axis < 0 ? axis + rank : axis;
  int64_t rows = ShapedType::getNumElements(x.shape().take_front(axis));
  int64_t columns = ShapedType::getNumElements(x.shape().drop_front(axis));
  return node.setResult(node.emit.reshape(x, {rows, columns}));
}

LogicalResult importTranspose(Node &node) {
  Tensor x = node.input(0);
  Shape reversed(x.rank());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  Shape permutation = node.integers("perm").value_or(reversed);
  Shape sorted = permutation;
  llvm::sort(sorted);
  if (!std::equal(sorted.begin(), sorted.end(), reversed.rbegin(), reversed.rend()))
    return node.emit.error() << "attribute 'perm' " << formatShape(permutation)
                             << " is no permutation of the " << x.rank() << " dimensions";
  return node.setResult(node.emit.transpose(x, permutation));
}

/// Removes dimensions of size one: the listed dimensions, or without a list all.
LogicalResult squeeze(Node &node, std::optional<Shape> axes) {
  Tensor x = node.input(0);
  Shape shape;
  if (axes && !(axes = node.checkAxes(*axes, x.rank())))
    return failure();
  for (auto [dim, size] : llvm::enumerate(x.shape())) {
    bool isListed = axes && llvm::is_contained(*axes, static_cast<int64_t>(dim));
    if (isListed && size != 1)
      return node.emit.error() << "expected dimension " << dim << " of " << formatShape(x.shape())
                               << " to have size 1";
    if (axes ? !isListed : size != 1)
      shape.push_back(size);
  }
  return node.setResult(node.emit.reshape(x, shape));
}

/// Adds dimensions of size one; the axes refer to the result.
LogicalResult unsqueeze(Node &node, std::optional<Shape> axes) {
  Tensor x = node.input(0);
  if (!axes)
    return node.emit.error() << "expected attribute 'axes'";
  if (!(axes = node.checkAxes(*axes, x.rank() + axes->size())))
    return failure();
  Shape shape(x.shape());
  for (int64_t axis : *axes)
    shape.insert(shape.begin() + axis, 1);
  return node.setResult(node.emit.reshape(x, shape));
}

using WithAxes = LogicalResult (*)(Node &, std::optional<Shape>);

template <WithAxes handler> LogicalResult withAxesAttribute(Node &node) {
  return handler(node, node.integers("axes"));
}

template <WithAxes handler> LogicalResult withAxesInput(Node &node) {
  auto axes = node.optionalIntegers(1, "list of axes");
  return succeeded(axes) ? handler(node, *axes) : failure();
}

/// Imports Expand: the shape and the input broadcast together, so a size of one keeps the input's
/// size.
LogicalResult importExpand(Node &node) {
  auto shape = node.knownIntegers(1, "shape of the result");
  auto common = shape ? node.emit.broadcastShape({node.input(0).shape(), *shape}) : std::nullopt;
  return common ? node.setResult(node.emit.broadcast(node.input(0), *common)) : failure();
}

/// Imports Tile: repeats the tensor along each dimension, by an extra dimension before it for the
/// repetitions.
LogicalResult importTile(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  auto repeats = node.knownIntegers(1, "list of repetitions");
  if (!repeats)
    return failure();
  if (static_cast<int64_t>(repeats->size()) != x.rank() ||
      llvm::any_of(*repeats, [](int64_t count) { return count < 1; }))
    return emit.error() << "expected " << x.rank() << " positive numbers of repetitions, got "
                        << formatShape(*repeats);
  Shape apart, repeated, merged;
  for (auto [size, count] : llvm::zip_equal(x.shape(), *repeats)) {
    apart.append({1, size});
    repeated.append({count, size});
    merged.push_back(llvm::checkedMul(size, count).value_or(-1));
  }
  if (!isAddressable(merged))
    return emit.error() << "the result " << formatShape(merged) << " is too large";
  return node.setResult(emit.reshape(emit.broadcast(emit.reshape(x, apart), repeated), merged));
}

/// Reads the side of the squares that DepthToSpace and SpaceToDepth rearrange. The side must
/// satisfy `divides` for the image.
template <typename Divides>
std::optional<int64_t> readBlockSize(Node &node, const Tensor &x, Divides divides) {
  int64_t side = node.integer("blocksize", 0);
  constexpr int64_t most = 1 << 16;
  if (x.rank() == 4 && side >= 1 && side <= most && divides(side))
    return side;
  node.emit.error() << "cannot rearrange " << formatShape(x.shape()) << " in blocks of " << side;
  return std::nullopt;
}

/// Returns whether the channels have the positions in a block first (DCR) or last (CRD).
std::optional<std::string> readBlockOrder(Node &node) {
  std::string mode = node.text("mode", "DCR");
  if (mode == "DCR" || mode == "CRD")
    return mode;
  node.emit.error() << "expected attribute 'mode' to be 'DCR' or 'CRD', got '" << mode << "'";
  return std::nullopt;
}

/// Imports DepthToSpace: channels become blocks of pixels. The channel dimension has the block
/// positions first (DCR) or last (CRD).
LogicalResult importDepthToSpace(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  auto mode = readBlockOrder(node);
  if (!mode)
    return failure();
  auto side =
      readBlockSize(node, x, [&](int64_t side) { return x.shape()[1] % (side * side) == 0; });
  if (!side)
    return failure();
  int64_t n = x.shape()[0], c = x.shape()[1] / (*side * *side), h = x.shape()[2], w = x.shape()[3];
  Tensor moved =
      *mode == "DCR"
          ? emit.transpose(emit.reshape(x, {n, *side, *side, c, h, w}), {0, 3, 4, 1, 5, 2})
          : emit.transpose(emit.reshape(x, {n, c, *side, *side, h, w}), {0, 1, 4, 2, 5, 3});
  return node.setResult(emit.reshape(moved, {n, c, h * *side, w * *side}));
}

LogicalResult importSpaceToDepth(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  auto mode = readBlockOrder(node);
  if (!mode)
    return failure();
  auto side = readBlockSize(
      node, x, [&](int64_t side) { return x.shape()[2] % side == 0 && x.shape()[3] % side == 0; });
  if (!side)
    return failure();
  int64_t n = x.shape()[0], c = x.shape()[1], h = x.shape()[2] / *side, w = x.shape()[3] / *side;
  Tensor apart = emit.reshape(x, {n, c, h, *side, w, *side});
  Tensor moved = emit.transpose(apart, *mode == "DCR" ? llvm::ArrayRef<int64_t>{0, 3, 5, 1, 2, 4}
                                                      : llvm::ArrayRef<int64_t>{0, 1, 3, 5, 2, 4});
  return node.setResult(emit.reshape(moved, {n, c * *side * *side, h, w}));
}

} // namespace

llvm::ArrayRef<Operator> shapeOperators() {
  static const Operator rows[] = {
      {"DepthToSpace", 1, 1, 1, FirstInput, importDepthToSpace},
      {"Expand", 8, 2, 2, FirstInput, importExpand},
      movesNarrow({"Flatten", 1, 1, 1, FirstInput, importFlatten}),
      movesNarrow({"Reshape", 5, 2, 2, FirstInput, importReshape}),
      {"SpaceToDepth", 1, 1, 1, FirstInput, importSpaceToDepth},
      movesNarrow({"Squeeze", 1, 1, 1, FirstInput, withAxesAttribute<squeeze>}),
      movesNarrow({"Squeeze", 13, 1, 2, FirstInput, withAxesInput<squeeze>}),
      {"Tile", 6, 2, 2, FirstInput, importTile},
      movesNarrow({"Transpose", 1, 1, 1, FirstInput, importTranspose}),
      movesNarrow({"Unsqueeze", 1, 1, 1, FirstInput, withAxesAttribute<unsqueeze>}),
      movesNarrow({"Unsqueeze", 13, 2, 2, FirstInput, withAxesInput<unsqueeze>}),
  };
  return rows;
}

} // namespace pcc::import
