// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that select, join and cut: slices, splits, gathers.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/TorchOperators.h"
#include "llvm/ADT/Sequence.h"
#include <algorithm>
#include <limits>

using namespace mlir;

namespace pcc::import {
namespace {

LogicalResult importConcat(Node &node) {
  if (!node.hasAttribute("axis"))
    return node.emit.error() << "expected attribute 'axis'";
  auto axis = node.checkAxis(node.integer("axis", 0), node.input(0).rank());
  return axis ? node.setResult(node.emit.concat(node.allInputs(), *axis)) : failure();
}

/// Splits along `axis` into parts of `sizes`. Without sizes the parts are equal, except that the
/// last may be smaller.
LogicalResult split(Node &node, std::optional<Shape> sizes) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  auto axis = node.checkAxis(node.integer("axis", 0), x.rank());
  auto count = static_cast<int64_t>(node.outputCount());
  int64_t declared = node.integer("num_outputs", count);
  if (!axis)
    return failure();
  if (declared != count || count == 0)
    return emit.error() << "expected " << declared << " outputs, got " << count;
  int64_t size = x.shape()[*axis];
  if (!sizes) {
    int64_t piece = size / count + (size % count != 0);
    sizes.emplace();
    for (int64_t i = 0; i < count; ++i)
      sizes->push_back(std::clamp<int64_t>(size - i * piece, 0, piece));
  }
  if (static_cast<int64_t>(sizes->size()) != count || sumSizes(*sizes) != size)
    return emit.error() << "expected " << count << " sizes of sum " << size << ", got "
                        << formatShape(*sizes);
  return node.setResults(emit.split(x, *axis, *sizes));
}

LogicalResult importSplitAttribute(Node &node) { return split(node, node.integers("split")); }

LogicalResult importSplit(Node &node) {
  auto sizes = node.optionalIntegers(1, "list of sizes");
  return succeeded(sizes) ? split(node, *sizes) : failure();
}

/// A slice along one axis with its bounds resolved against the size of the dimension.
struct Cut {
  int64_t start, stride, count;
};

/// Resolves the bounds: negative bounds count from the end, and all are clamped to the range that
/// `step` can reach.
Cut resolveCut(int64_t size, int64_t start, int64_t end, int64_t step) {
  step = std::max(step, -std::numeric_limits<int64_t>::max());
  int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
  auto resolve = [&](int64_t bound, int64_t low) {
    return std::clamp(bound < 0 ? bound + size : bound, low, std::max(low, highest));
  };
  start = resolve(start, 0);
  end = resolve(end, lowest);
  int64_t distance = step > 0 ? end - start : start - end;
  if (size == 0 || distance <= 0)
    return {0, 1, 0};
  int64_t count = (distance - 1) / std::abs(step) + 1;
  return {start, count == 1 ? 1 : step, count};
}

LogicalResult slice(Node &node, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> ends,
                    std::optional<Shape> axes, std::optional<Shape> steps) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  if (!axes)
    axes = llvm::to_vector(llvm::seq<int64_t>(0, starts.size()));
  if (!steps)
    steps = Shape(starts.size(), 1);
  if (ends.size() != starts.size() || axes->size() != starts.size() ||
      steps->size() != starts.size())
    return emit.error() << "expected as many starts, ends, axes and steps, got " << starts.size()
                        << ", " << ends.size() << ", " << axes->size() << " and " << steps->size();
  if (!node.checkAxes(*axes, x.rank()))
    return failure();
  for (auto [start, end, axis, step] : llvm::zip_equal(starts, ends, *axes, *steps)) {
    if (step == 0)
      return emit.error() << "expected a step other than 0";
    int64_t dim = *node.checkAxis(axis, node.input(0).rank());
    Cut cut = resolveCut(node.input(0).shape()[dim], start, end, step);
    x = emit.slice(x, dim, cut.start, cut.stride, cut.count);
  }
  return node.setResult(x);
}

LogicalResult importSliceAttributes(Node &node) {
  auto starts = node.integers("starts"), ends = node.integers("ends");
  auto axes = node.integers("axes");
  if (!starts || !ends)
    return node.emit.error() << "expected attributes 'starts' and 'ends'";
  return slice(node, *starts, *ends, axes, std::nullopt);
}

LogicalResult importSlice(Node &node) {
  auto starts = node.knownIntegers(1, "start of the slice");
  auto ends = node.knownIntegers(2, "end of the slice");
  auto axes = node.optionalIntegers(3, "list of axes");
  auto steps = node.optionalIntegers(4, "list of steps");
  if (!starts || !ends || failed(axes) || failed(steps))
    return failure();
  return slice(node, *starts, *ends, *axes, *steps);
}

/// Pads one axis with elements of the input: mirrored, repeated at the edge, or from the other end.
/// Negative widths cut elements off first.
Tensor padWithElements(Emitter &emit, const Tensor &x, int64_t axis, int64_t low, int64_t high,
                       llvm::StringRef mode) {
  Tensor inner = emit.pad(x, axis, std::min<int64_t>(low, 0), std::min<int64_t>(high, 0), 0.0);
  low = std::max<int64_t>(low, 0), high = std::max<int64_t>(high, 0);
  if (!inner || low + high == 0)
    return inner;
  int64_t size = inner.shape()[axis];
  if (size == 0 || low + high > Emitter::maxFoldedElements) {
    emit.error() << "cannot pad dimension " << axis << " of " << formatShape(inner.shape())
                 << " by " << low << " and " << high;
    return {};
  }
  Shape indices;
  for (int64_t n = -low; n < size + high; ++n) {
    int64_t period = mode == "reflect" ? std::max<int64_t>(2 * size - 2, 1) : size;
    int64_t place = ((n % period) + period) % period;
    if (mode == "edge")
      place = std::clamp<int64_t>(n, 0, size - 1);
    indices.push_back(mode == "reflect" && place >= size ? period - place : place);
  }
  return emit.gather(inner, Tensor::of(Constant::integers(emit.context(), indices)), axis);
}

/// Pads with a constant or with elements of the input; `pads` has all widths before the axes, then
/// all widths after.
LogicalResult pad(Node &node, llvm::ArrayRef<int64_t> pads, std::optional<Shape> axes,
                  double value) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  std::string mode = node.text("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
    return emit.error()
           << "expected attribute 'mode' to be 'constant', 'reflect', 'edge' or 'wrap', got '"
           << mode << "'";
  if (!axes)
    axes = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  if (pads.size() != 2 * axes->size())
    return emit.error() << "expected " << 2 * axes->size() << " widths, got " << pads.size();
  if (!node.checkAxes(*axes, x.rank()))
    return failure();
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    int64_t dim = *node.checkAxis(axis, node.input(0).rank());
    int64_t low = pads[i], high = pads[i + axes->size()];
    x = mode == "constant" ? emit.pad(x, dim, low, high, value)
                           : padWithElements(emit, x, dim, low, high, mode);
    if (!x)
      return failure();
  }
  return node.setResult(x);
}

LogicalResult importPadAttributes(Node &node) {
  auto pads = node.integers("pads");
  double value = node.number("value", 0.0);
  return pads ? pad(node, *pads, std::nullopt, value)
              : node.emit.error() << "expected attribute 'pads'";
}

LogicalResult importPad(Node &node) {
  auto pads = node.knownIntegers(1, "list of widths");
  auto axes = node.optionalIntegers(3, "list of axes");
  if (!pads || failed(axes))
    return failure();
  Tensor value = node.input(2);
  if (!value)
    return pad(node, *pads, *axes, 0.0);
  auto number = value.known ? value.known->asNumber() : std::nullopt;
  return number ? pad(node, *pads, *axes, *number)
                : node.emit.error() << "expected the padding value to be a number known at import";
}

LogicalResult importGather(Node &node) {
  auto axis = node.checkAxis(node.integer("axis", 0), node.input(0).rank());
  if (!axis)
    return failure();
  Tensor rows = node.emit.gather(node.input(0), node.input(1), *axis);
  auto gather = rows.value ? rows.value.getDefiningOp<graph::GatherOp>() : graph::GatherOp();
  if (gather && failed(setEmbeddingGradient(node, gather)))
    return failure();
  return node.setResult(rows);
}

} // namespace

llvm::ArrayRef<Operator> indexOperators() {
  static const Operator rows[] = {
      {"Concat", 4, 1, anyNumber, AllInputs, importConcat},
      {"Gather", 1, 2, 2, FirstInput, importGather},
      {"Pad", 2, 1, 1, FirstInput, importPadAttributes},
      {"Pad", 11, 2, 4, FirstInput, importPad},
      {"Slice", 1, 1, 1, FirstInput, importSliceAttributes},
      {"Slice", 10, 3, 5, FirstInput, importSlice},
      {"Split", 2, 1, 1, FirstInput, importSplitAttribute},
      {"Split", 13, 1, 2, FirstInput, importSplit},
  };
  return rows;
}

} // namespace pcc::import
