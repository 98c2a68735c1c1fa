// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators whose results are known to the importer.
#include "test/fuzz/onnx/Entries.h"

namespace pcc::fuzz {
namespace {

using values::Tensor;

/// Draws a constant in one of its forms; a later node reads it.
bool drawConstant(Maker &m) {
  Types types = m.types();
  ElementType type = m.random.of(llvm::ArrayRef(types));
  Draft draft = m.draft();
  bool isList = m.random.chance(50), isFloat = m.random.chance(50);
  int64_t count = isList ? m.random.between(1, 5) : 1;
  Tensor data = m.draw(isFloat ? ElementType::F32 : ElementType::I64, count);
  if (!m.has("value_int") || m.random.chance(30)) {
    draft.set("value", toTensorProto("", m.draw(type, m.shape(0, 3)), m.random.chance(50)));
  } else if (isFloat) {
    std::vector<double> numbers;
    for (values::Element element : data.elements())
      numbers.push_back(element.f);
    isList ? draft.set("value_floats", numbers) : draft.set("value_float", numbers[0]);
  } else {
    std::vector<int64_t> numbers;
    for (values::Element element : data.elements())
      numbers.push_back(element.i);
    isList ? draft.set("value_ints", numbers) : draft.set("value_int", numbers[0]);
  }
  return m.add(draft, 1, true);
}

bool drawConstantOfShape(Maker &m) {
  Draft draft = m.draft();
  draft.input(m.known(m.shape(0, 3)));
  Types types = m.types();
  if (m.random.chance(70))
    draft.set("value", toTensorProto("", m.draw(m.random.of(llvm::ArrayRef(types)), 1)));
  return m.add(draft, 1, true);
}

/// Negative bounds count from the end, and bounds may lie outside the shape.
bool drawShape(Maker &m) {
  const Value &x = m.input(m.types(), {.hasSpecials = true, .hasNaN = true}, 1);
  int64_t rank = x.data.getRank(), start = m.random.below(rank);
  int64_t end = m.random.between(start + 1, rank);
  Draft draft = m.draft();
  draft.input(x);
  if (m.random.chance(60))
    m.maySet<int64_t>(draft, "start", start - (m.random.chance(50) ? rank : 0), 0);
  if (m.random.chance(60))
    m.maySet<int64_t>(draft, "end",
                      end == rank ? m.random.of<int64_t>({rank, rank + 3}) : end - rank, rank);
  return m.add(draft, 1, true);
}

bool drawSize(Maker &m) {
  Draft draft = m.draft();
  draft.input(m.input(m.types(), {.hasSpecials = true, .hasNaN = true}));
  return m.add(draft, 1, true);
}

/// Draws a limit between two numbers of the range: otherwise rounding would decide whether the
/// limit counts.
bool drawRange(Maker &m) {
  Types types = m.types();
  ElementType type = m.random.of(llvm::ArrayRef(types));
  auto count = static_cast<double>(m.random.between(1, 20));
  bool isFloat = values::isFloat(type);
  double delta = isFloat ? m.random.of({0.25, -0.5, 0.3, 1.0, 7.1})
                         : static_cast<double>(m.random.of({1, 2, -3, 5}));
  auto start = static_cast<double>(m.random.between(-9, 9));
  double limit = isFloat ? start + delta * (count - 0.5) : start + delta * count;
  Draft draft = m.draft();
  for (double number : {start, limit, delta})
    draft.input(m.known(isFloat ? Tensor::floats(type, {}, number)
                                : Tensor::integers(type, {}, static_cast<int64_t>(number))));
  m.maySet<int64_t>(draft, "stash_type", 1, 1);
  return m.add(draft);
}

} // namespace

std::vector<Entry> constantEntries() {
  return {
      {"Constant", drawConstant}, {"ConstantOfShape", drawConstantOfShape},
      {"Range", drawRange},       {"Shape", drawShape},
      {"Size", drawSize},
  };
}

} // namespace pcc::fuzz
