// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that choose elements by indices, and operators that compare positions.
#include "test/fuzz/onnx/Entries.h"
#include "llvm/ADT/STLExtras.h"

namespace pcc::fuzz {
namespace {

using values::Tensor;

constexpr Domain anything = {.hasSpecials = true, .hasNaN = true};
constexpr int64_t firstWithNegative = 11;

/// Returns the least index of a dimension; negative indices count from its end.
int64_t minIndex(Maker &m, int64_t size) {
  return m.opset() >= firstWithNegative && m.random.chance(50) ? -size : 0;
}

bool drawGather(Maker &m) {
  const Value &x = m.input(m.types(), anything, 1);
  int64_t rank = x.data.getRank(), axis = m.random.below(rank), size = x.data.getShape()[axis];
  Draft draft = m.draft();
  draft.input(x).input(m.indices(m.shape(0, 2), minIndex(m, size), size - 1));
  m.maySet<int64_t>(draft, "axis", m.written(axis, rank), 0);
  return m.add(draft, 1, true);
}

/// Returns a random shape no larger than `shape`.
Shape smaller(Maker &m, llvm::ArrayRef<int64_t> shape) {
  Shape result(shape);
  for (int64_t &size : result)
    if (m.random.chance(40))
      size = m.random.between(1, size);
  return result;
}

bool drawGatherElements(Maker &m) {
  const Value &x = m.input(m.types(), anything, 1);
  int64_t rank = x.data.getRank(), axis = m.random.below(rank), size = x.data.getShape()[axis];
  Shape shape = smaller(m, x.data.getShape());
  if (m.random.chance(30))
    shape[axis] = m.random.between(1, 9);
  Draft draft = m.draft();
  draft.input(x).input(m.indices(shape, minIndex(m, size), size - 1));
  m.maySet<int64_t>(draft, "axis", m.written(axis, rank), 0);
  return m.add(draft, 1, true);
}

/// Draws positions in the dimensions [batch, batch + indexed) of `shape`. `before` is the shape of
/// the list of positions. With `areDistinct` each position occurs once.
Tensor drawPlaces(Maker &m, llvm::ArrayRef<int64_t> shape, Shape before, int64_t batch,
                  int64_t indexed, bool areDistinct) {
  llvm::ArrayRef<int64_t> dims = shape.slice(batch, indexed);
  int64_t space = values::sizeOf(dims), count = values::sizeOf(before);
  std::vector<int64_t> order(space), places;
  for (int64_t n = 0; n < space; ++n)
    order[n] = n;
  m.random.shuffle(order);
  for (int64_t n = 0; n < count; ++n) {
    int64_t place = areDistinct ? order[n] : m.random.below(space);
    Shape index(indexed);
    for (int64_t dim = indexed - 1; dim >= 0; place /= dims[dim--])
      index[dim] = place % dims[dim] - (m.random.chance(20) ? dims[dim] : 0);
    llvm::append_range(places, index);
  }
  before.push_back(indexed);
  return Tensor::integers(ElementType::I64, before, places);
}

bool drawGatherNd(Maker &m) {
  const Value &x = m.input(m.types(), anything, 1);
  int64_t rank = x.data.getRank();
  int64_t batch = m.has("batch_dims") && m.random.chance(40) ? m.random.below(rank) : 0;
  int64_t indexed = m.random.between(1, rank - batch);
  Shape before(x.data.getShape().take_front(batch));
  llvm::append_range(before, m.shape(0, 1));
  Draft draft = m.draft();
  draft.input(x).input(m.leaf(drawPlaces(m, x.data.getShape(), before, batch, indexed, false)));
  m.maySet<int64_t>(draft, "batch_dims", batch, 0);
  return m.add(draft, 1, true);
}

/// Draws the reduction. Returns true if repeated positions are allowed: without a reduction their
/// result is unspecified.
bool drawReduction(Maker &m, Draft &draft, ElementType type) {
  bool adds = m.has("reduction") && type != ElementType::I1 && m.random.chance(50);
  llvm::StringRef reduction = adds ? "add" : "none";
  m.maySet(draft, "reduction", reduction, llvm::StringRef("none"));
  return adds;
}

/// Draws indices along `axis`; no index repeats in a line along that axis.
Tensor drawDistinct(Maker &m, llvm::ArrayRef<int64_t> data, llvm::ArrayRef<int64_t> shape,
                    int64_t axis, ElementType type) {
  int64_t inner = values::sizeOf(shape.drop_front(axis + 1)), count = shape[axis];
  std::vector<int64_t> indices(values::sizeOf(shape)), order(data[axis]);
  for (int64_t n = 0; n < data[axis]; ++n)
    order[n] = n;
  int64_t lines = static_cast<int64_t>(indices.size()) / count;
  for (int64_t line = 0; line < lines; ++line) {
    m.random.shuffle(order);
    for (int64_t n = 0; n < count; ++n) {
      bool fromEnd = m.opset() >= firstWithNegative && m.random.chance(20);
      int64_t place = (line / inner * count + n) * inner + line % inner;
      indices[place] = order[n] - (fromEnd ? data[axis] : 0);
    }
  }
  return Tensor::integers(type, shape, indices);
}

bool drawScatterElements(Maker &m) {
  const Value &x = m.input(m.types(), {}, 1);
  ElementType type = x.data.getType();
  llvm::ArrayRef<int64_t> data = x.data.getShape();
  int64_t rank = x.data.getRank(), axis = m.random.below(rank), size = data[axis];
  Shape shape = smaller(m, data);
  Draft draft = m.draft();
  draft.input(x);
  ElementType indexType = m.random.of({ElementType::I64, ElementType::I32});
  if (drawReduction(m, draft, type))
    draft.input(m.indices(shape, minIndex(m, size), size - 1));
  else
    draft.input(m.leaf(drawDistinct(m, data, shape, axis, indexType)));
  draft.input(m.inputOf(type, shape));
  m.maySet<int64_t>(draft, "axis", m.written(axis, rank), 0);
  return m.add(draft, 1);
}

bool drawScatterNd(Maker &m) {
  const Value &x = m.input(m.types(), {}, 1);
  ElementType type = x.data.getType();
  int64_t indexed = m.random.between(1, x.data.getRank());
  Draft draft = m.draft();
  draft.input(x);
  bool adds = drawReduction(m, draft, type);
  int64_t space = values::sizeOf(x.data.getShape().take_front(indexed));
  Shape before = {m.random.between(1, std::min<int64_t>(space, 9))};
  draft.input(m.leaf(drawPlaces(m, x.data.getShape(), before, 0, indexed, !adds)));
  llvm::append_range(before, x.data.getShape().drop_front(indexed));
  draft.input(m.inputOf(type, before));
  return m.add(draft, 1);
}

/// An index outside the depth selects nothing. Before opset 11 no index counts from the end.
bool drawOneHot(Maker &m) {
  int64_t depth = m.random.between(1, 9);
  ElementType type = m.random.of({ElementType::I64, ElementType::I32, ElementType::F32});
  Shape shape = m.shape(1, 3);
  auto end = static_cast<double>(depth);
  Tensor indices =
      m.draw(ElementType::I64, shape, within(m.opset() >= firstWithNegative ? -end : 0, end));
  std::vector<double> numbers;
  std::vector<int64_t> integers;
  for (values::Element element : indices.elements()) {
    integers.push_back(element.i);
    numbers.push_back(static_cast<double>(element.i));
  }
  Types types = m.types();
  ElementType result = m.random.of(llvm::ArrayRef(types));
  Tensor values = m.draw(result, 2);
  if (m.random.chance(50))
    values = values::isFloat(result) ? Tensor::floats(result, 2, {0.0, 1.0})
                                     : Tensor::integers(result, 2, {0, 1});
  int64_t rank = static_cast<int64_t>(shape.size()) + 1;
  Draft draft = m.draft();
  draft.input(m.leaf(values::isFloat(type) ? Tensor::floats(type, shape, numbers)
                                           : Tensor::integers(type, shape, integers)));
  draft.input(
      m.known(depth, m.random.of({ElementType::I64, ElementType::I32}), m.random.chance(50)));
  draft.input(m.leaf(values));
  m.maySet<int64_t>(draft, "axis", m.random.chance(40) ? -1 : m.written(m.random.below(rank), rank),
                    -1);
  return m.add(draft, 1, true);
}

bool drawTrilu(Maker &m) {
  const Value &x = m.input(m.types(), anything, 2);
  Draft draft = m.draft();
  draft.input(x);
  int64_t diagonal = m.random.between(-4, 4);
  if (m.random.chance(50))
    draft.input(m.random.chance(50) ? m.known(diagonal, ElementType::I64, true)
                                    : m.inputOf(ElementType::I64, {}, within(-9, 9)));
  m.maySet<int64_t>(draft, "upper", m.random.below(2), 1);
  return m.add(draft, 1, true);
}

bool drawEyeLike(Maker &m) {
  Types types = m.types();
  Draft draft = m.draft();
  draft.input(m.input(types, anything, 2, 2));
  if (m.random.chance(60))
    draft.set("dtype", static_cast<int64_t>(onnxTypeOf(m.random.of(llvm::ArrayRef(types)))));
  m.maySet<int64_t>(draft, "k", m.random.between(-3, 3), 0);
  return m.add(draft, 1, true);
}

} // namespace

std::vector<Entry> indexEntries() {
  return {
      {"EyeLike", drawEyeLike},
      {"Gather", drawGather},
      {"GatherElements", drawGatherElements},
      {"GatherND", drawGatherNd},
      {"OneHot", drawOneHot},
      {"Scatter", drawScatterElements, /*lastOpset=*/10},
      {"ScatterElements", drawScatterElements},
      {"ScatterND", drawScatterNd},
      {"Trilu", drawTrilu},
  };
}

} // namespace pcc::fuzz
