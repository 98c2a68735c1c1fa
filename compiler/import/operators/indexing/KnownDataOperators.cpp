// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators whose result has a shape that depends on data, which must be known at import: NonZero,
// Compress, Unique, NonMaxSuppression, and the windows of signal processing.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>
#include <numbers>

using namespace mlir;

namespace pcc::import {
namespace {

/// Returns whether the input has data that import knows; emits an error if not.
bool isKnown(Node &node, size_t position) {
  Tensor x = node.input(position);
  if (x.known && x.known->size() <= Emitter::maxFoldedElements)
    return true;
  node.emit.error() << "the shape of the result depends on data: expected input " << position
                    << " to be known at import";
  return false;
}

Tensor listOf(Emitter &emit, llvm::ArrayRef<int64_t> numbers) {
  return Tensor::of(Constant::integers(emit.context(), numbers));
}

/// Returns whether an element is not zero.
bool isSet(const Constant &x, int64_t index) {
  return x.isFloat() ? x[index].f != 0.0 : x[index].i != 0;
}

LogicalResult importNonZero(Node &node) {
  if (!isKnown(node, 0))
    return failure();
  const Constant &x = *node.input(0).known;
  llvm::SmallVector<int64_t> found;
  for (int64_t index : llvm::seq(x.size()))
    if (isSet(x, index))
      found.push_back(index);
  // One row of coordinates for each dimension, the last one fastest.
  auto count = static_cast<int64_t>(found.size()), rank = x.type.getRank();
  llvm::SmallVector<int64_t> places(rank * count);
  for (auto [column, index] : llvm::enumerate(found)) {
    int64_t rest = index;
    for (int64_t dim = rank - 1; dim >= 0; --dim) {
      places[dim * count + static_cast<int64_t>(column)] = rest % x.shape()[dim];
      rest /= x.shape()[dim];
    }
  }
  return node.setResult(node.emit.reshape(listOf(node.emit, places), {rank, count}));
}

/// Returns the attribute `axis`. Without it, makes `x` one dimension and returns 0.
std::optional<int64_t> readAxisOrFlatten(Node &node, Tensor &x) {
  if (node.hasAttribute("axis"))
    return node.checkAxis(node.integer("axis", 0), x.rank());
  x = node.emit.reshape(x, {x.type.getNumElements()});
  return 0;
}

LogicalResult importCompress(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  std::optional<int64_t> axis = readAxisOrFlatten(node, x);
  if (!axis)
    return failure();
  if (!isKnown(node, 1))
    return failure();
  const Constant &condition = *node.input(1).known;
  llvm::SmallVector<int64_t> chosen;
  for (int64_t index : llvm::seq(std::min(condition.size(), x.shape()[*axis])))
    if (isSet(condition, index))
      chosen.push_back(index);
  return node.setResult(emit.gather(x, listOf(emit, chosen), *axis));
}

/// The distinct slices of a constant along one axis.
struct Distinct {
  llvm::SmallVector<int64_t> first, inverse, counts; ///< as the results of Unique
};

/// Finds the distinct rows of a matrix of `rows` rows, sorted or in order of their occurrence.
Distinct findDistinct(const Constant &x, int64_t rows, bool isSorted) {
  int64_t width = rows == 0 ? 0 : x.size() / rows;
  auto isLess = [&](int64_t a, int64_t b) {
    for (int64_t column : llvm::seq(width)) {
      Element left = x[a * width + column], right = x[b * width + column];
      if (x.isFloat() ? left.f != right.f : left.i != right.i)
        return x.isFloat() ? left.f < right.f : left.i < right.i;
    }
    return false;
  };
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rows));
  llvm::stable_sort(order, isLess);
  Distinct found;
  for (auto [n, row] : llvm::enumerate(order))
    if (n == 0 || isLess(order[n - 1], row))
      found.first.push_back(row);
  if (!isSorted)
    llvm::sort(found.first);
  found.counts.assign(found.first.size(), 0);
  for (int64_t row : llvm::seq(rows)) {
    auto *same = llvm::find_if(
        found.first, [&](int64_t other) { return !isLess(row, other) && !isLess(other, row); });
    found.inverse.push_back(same - found.first.begin());
    ++found.counts[found.inverse.back()];
  }
  return found;
}

LogicalResult importUnique(Node &node) {
  Emitter &emit = node.emit;
  bool isSorted = node.integer("sorted", 1) != 0;
  if (!isKnown(node, 0))
    return failure();
  Tensor x = node.input(0);
  std::optional<int64_t> axis = readAxisOrFlatten(node, x);
  if (!axis)
    return failure();
  Shape permutation = {*axis};
  for (int64_t dim : llvm::seq(x.rank()))
    if (dim != *axis)
      permutation.push_back(dim);
  Tensor rows = emit.transpose(x, permutation);
  Distinct found = findDistinct(*rows.known, x.shape()[*axis], isSorted);
  llvm::SmallVector<Tensor> results = {emit.gather(x, listOf(emit, found.first), *axis),
                                       listOf(emit, found.first), listOf(emit, found.inverse),
                                       listOf(emit, found.counts)};
  return node.setResults(
      llvm::ArrayRef(results).take_front(std::min(node.outputCount(), results.size())));
}

/// A box by its corners.
struct Box {
  float left, right, top, bottom;
  float area() const { return (right - left) * (bottom - top); }
};

Box readBox(const Constant &boxes, int64_t index, bool isCentered) {
  auto number = [&](int64_t n) { return static_cast<float>(boxes[index * 4 + n].f); };
  if (isCentered) // center x, center y, width, height
    return {number(0) - number(2) / 2, number(0) + number(2) / 2, number(1) - number(3) / 2,
            number(1) + number(3) / 2};
  return {std::min(number(1), number(3)), std::max(number(1), number(3)),
          std::min(number(0), number(2)), std::max(number(0), number(2))};
}

/// Returns whether the intersection of two boxes is more than a share of their union.
bool overlap(const Box &x, const Box &y, float share) {
  float width = std::min(x.right, y.right) - std::max(x.left, y.left);
  float height = std::min(x.bottom, y.bottom) - std::max(x.top, y.top);
  if (width <= 0 || height <= 0 || x.area() <= 0 || y.area() <= 0)
    return false;
  float both = width * height, all = x.area() + y.area() - both;
  return all > 0 && both / all > share;
}

/// Options of NonMaxSuppression.
struct Suppression {
  bool isCentered;
  int64_t most; ///< boxes of each class
  float share;  ///< of the union, above which a box is suppressed
  std::optional<double> minScore;
};

/// Selects the boxes of one class of one sample, those of the greatest scores first.
Shape selectBoxes(const Constant &boxes, int64_t firstBox, const Constant &scores,
                  int64_t firstScore, int64_t count, const Suppression &how) {
  Shape order, selected;
  for (int64_t n : llvm::seq(count))
    if (!how.minScore || scores[firstScore + n].f > *how.minScore)
      order.push_back(n);
  llvm::stable_sort(order, [&](int64_t a, int64_t b) {
    return scores[firstScore + a].f > scores[firstScore + b].f;
  });
  for (int64_t n : order) {
    if (static_cast<int64_t>(selected.size()) >= how.most)
      break;
    Box box = readBox(boxes, firstBox + n, how.isCentered);
    bool isFree = llvm::none_of(selected, [&](int64_t other) {
      return overlap(box, readBox(boxes, firstBox + other, how.isCentered), how.share);
    });
    if (isFree)
      selected.push_back(n);
  }
  return selected;
}

LogicalResult importNonMaxSuppression(Node &node) {
  Emitter &emit = node.emit;
  if (!isKnown(node, 0) || !isKnown(node, 1))
    return failure();
  Tensor boxes = node.input(0), scores = node.input(1);
  bool fits = boxes.rank() == 3 && scores.rank() == 3 && boxes.shape()[2] == 4 &&
              boxes.shape()[0] == scores.shape()[0] && boxes.shape()[1] == scores.shape()[2] &&
              boxes.known->isFloat() && scores.known->isFloat();
  if (!fits)
    return emit.error() << "expected boxes [batch, boxes, 4] and scores [batch, classes, boxes], "
                           "got "
                        << boxes.type << " and " << scores.type;
  std::optional<double> options[3];
  constexpr llvm::StringLiteral names[] = {"number of boxes", "share of the union", "least score"};
  for (auto [n, name] : llvm::enumerate(names)) {
    if (!node.input(n + 2))
      continue;
    auto numbers = node.knownNumbers(n + 2, name);
    if (!numbers)
      return failure();
    if (numbers->size() > 1)
      return emit.error() << "expected one number as the " << name << ", got " << numbers->size();
    if (!numbers->empty())
      options[n] = numbers->front();
  }
  Suppression how = {node.integer("center_point_box", 0) != 0,
                     static_cast<int64_t>(options[0].value_or(0.0)),
                     static_cast<float>(options[1].value_or(0.0)), options[2]};
  int64_t count = boxes.shape()[1], classes = scores.shape()[1];
  llvm::SmallVector<int64_t> rows;
  for (int64_t sample : llvm::seq(boxes.shape()[0]))
    for (int64_t category : llvm::seq(classes))
      for (int64_t box : selectBoxes(*boxes.known, sample * count, *scores.known,
                                     (sample * classes + category) * count, count, how))
        rows.append({sample, category, box});
  auto selected = static_cast<int64_t>(rows.size()) / 3;
  return node.setResult(emit.reshape(listOf(emit, rows), {selected, 3}));
}

/// Imports a window: a sum of cosines of one, two, … periods with these factors.
LogicalResult cosineWindow(Node &node, llvm::ArrayRef<double> factors) {
  Emitter &emit = node.emit;
  auto sizes = node.knownIntegers(0, "size of the window");
  bool isPeriodic = node.integer("periodic", 1) != 0;
  int64_t number = node.integer("output_datatype", 1);
  Type type = elementTypeOf(static_cast<int32_t>(number), *emit.context());
  if (!sizes)
    return failure();
  if (sizes->size() != 1 || sizes->front() < 0 || sizes->front() > Emitter::maxFoldedElements)
    return emit.error() << "expected one size of at most " << Emitter::maxFoldedElements << ", got "
                        << formatShape(*sizes);
  if (!type)
    return emit.error() << "elements of ONNX type number " << number << " are not supported";
  int64_t size = sizes->front();
  auto period = static_cast<double>(isPeriodic ? size : size - 1);
  llvm::SmallVector<double> window;
  for (int64_t n : llvm::seq(size)) {
    double sum = 0;
    for (auto [k, factor] : llvm::enumerate(factors))
      sum += factor * std::cos(2 * std::numbers::pi * double(n) * double(k) / period);
    window.push_back(sum);
  }
  auto wide = RankedTensorType::get({size}, Float64Type::get(emit.context()));
  Constant values =
      Constant::of(wide, values::Tensor::floats(values::ElementType::F64, {size}, window));
  return node.setResult(emit.cast(Tensor::of(std::move(values)), type));
}

LogicalResult importBlackman(Node &node) { return cosineWindow(node, {0.42, -0.5, 0.08}); }
LogicalResult importHamming(Node &node) {
  return cosineWindow(node, {25.0 / 46.0, -(1 - 25.0 / 46.0)});
}
LogicalResult importHann(Node &node) { return cosineWindow(node, {0.5, -0.5}); }

} // namespace

llvm::ArrayRef<Operator> knownDataOperators() {
  static const Operator rows[] = {
      {"BlackmanWindow", 17, 1, 1, NoGradient, importBlackman},
      {"Compress", 9, 2, 2, FirstInput, importCompress},
      {"HammingWindow", 17, 1, 1, NoGradient, importHamming},
      {"HannWindow", 17, 1, 1, NoGradient, importHann},
      {"NonMaxSuppression", 10, 2, 5, NoGradient, importNonMaxSuppression},
      {"NonZero", 9, 1, 1, NoGradient, importNonZero},
      {"Unique", 11, 1, 1, NoGradient, importUnique},
  };
  return rows;
}

} // namespace pcc::import
