// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that depend on the order of the elements along one axis.
#include "test/fuzz/onnx/Entries.h"

namespace pcc::fuzz {
namespace {

constexpr Domain exact = {.isExact = true};

bool drawArgument(Maker &m) {
  const Value &x = m.input(m.types(), {.isExact = true, .hasSpecials = true}, 1);
  int64_t rank = x.data.getRank();
  Draft draft = m.draft();
  draft.input(x);
  m.maySet<int64_t>(draft, "axis", m.written(m.random.below(rank), rank), 0);
  m.maySet<int64_t>(draft, "keepdims", m.random.below(2), 1);
  m.maySet<int64_t>(draft, "select_last_index", m.random.below(2), 0);
  return m.add(draft);
}

bool drawHardmax(Maker &m) {
  constexpr int64_t firstAlongAxis = 13;
  bool isFlat = m.opset() < firstAlongAxis;
  const Value &x = m.input(m.types(), exact, isFlat ? 2 : 1);
  int64_t rank = x.data.getRank();
  Draft draft = m.draft();
  draft.input(x);
  m.maySet<int64_t>(draft, "axis", m.written(m.random.below(rank), rank), isFlat ? 1 : -1);
  return m.add(draft, 1, true);
}

/// Draws `sorted` = 0 for one element only: otherwise the order of the results is unspecified.
bool drawTopK(Maker &m) {
  constexpr int64_t firstWithInput = 10;
  const Value &x = m.input(m.types(), exact, 1);
  int64_t rank = x.data.getRank(), axis = m.random.below(rank);
  int64_t count = m.random.between(1, x.data.getShape()[axis]);
  bool isSorted = !m.has("sorted") || m.random.chance(85);
  count = isSorted ? count : 1;
  Draft draft = m.draft();
  draft.input(x);
  if (m.opset() >= firstWithInput)
    draft.input(m.known(count));
  else
    draft.set("k", count);
  m.maySet<int64_t>(draft, "axis", m.random.chance(50) ? m.written(axis, rank) : axis - rank, -1);
  m.maySet<int64_t>(draft, "largest", m.random.below(2), 1);
  m.maySet<int64_t>(draft, "sorted", isSorted, 1);
  return m.add(draft, 2, true);
}

bool drawCumSum(Maker &m) {
  const Value &x = m.input(m.types(), {}, 1);
  int64_t rank = x.data.getRank(), axis = m.written(m.random.below(rank), rank);
  Draft draft = m.draft();
  draft.input(x).input(
      m.known(axis, m.random.of({ElementType::I64, ElementType::I32}), /*isScalar=*/true));
  m.maySet<int64_t>(draft, "exclusive", m.random.below(2), 0);
  m.maySet<int64_t>(draft, "reverse", m.random.below(2), 0);
  return m.add(draft);
}

} // namespace

std::vector<Entry> orderEntries() {
  return {
      {"ArgMax", drawArgument}, {"ArgMin", drawArgument}, {"CumSum", drawCumSum},
      {"Hardmax", drawHardmax}, {"TopK", drawTopK},
  };
}

} // namespace pcc::fuzz
