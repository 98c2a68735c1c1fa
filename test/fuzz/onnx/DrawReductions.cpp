// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and softmax.
#include "test/fuzz/onnx/Entries.h"

namespace pcc::fuzz {
namespace {

/// Draws a reduction. Its axes are an attribute before opset `firstWithInput` and then an input. An
/// empty list of axes stands for all axes, or for none with `noop_with_empty_axes`.
Entry reduction(llvm::StringLiteral name, Domain domain, int64_t firstWithInput = 18,
                bool keepsExact = false) {
  return {name, [=](Maker &m) {
            const Value &x = m.input(m.types(), domain, 1);
            int64_t rank = x.data.getRank();
            Shape axes;
            bool hasInput = m.opset() >= firstWithInput;
            for (int64_t axis : m.axes(rank, hasInput && m.random.chance(20) ? 0 : 1))
              axes.push_back(m.written(axis, rank));
            m.random.shuffle(axes);
            Draft draft = m.draft();
            draft.input(x);
            bool isListed = m.random.chance(75);
            if (isListed && hasInput)
              draft.input(m.known(axes));
            else if (isListed)
              draft.set("axes", axes);
            m.maySet<int64_t>(draft, "keepdims", m.random.below(2), 1);
            m.maySet<int64_t>(draft, "noop_with_empty_axes", m.random.chance(30), 0);
            return m.add(draft, 1, keepsExact);
          }};
}

/// Before opset 13 all dimensions from the axis on are normalized together.
bool drawSoftmax(Maker &m) {
  constexpr int64_t firstAlongAxis = 13;
  bool isFlat = m.opset() < firstAlongAxis;
  const Value &x = m.input(m.types(), within(-20, 20), isFlat ? 2 : 1);
  int64_t rank = x.data.getRank();
  Draft draft = m.draft();
  draft.input(x);
  m.maySet<int64_t>(draft, "axis", m.written(m.random.below(rank), rank), isFlat ? 1 : -1);
  return m.add(draft);
}

} // namespace

std::vector<Entry> reductionEntries() {
  constexpr int64_t firstSumWithInput = 13;
  constexpr Domain special = {.hasSpecials = true};
  return {
      {"LogSoftmax", drawSoftmax},
      reduction("ReduceL1", {}),
      reduction("ReduceL2", {}),
      reduction("ReduceLogSum", within(0.1, 100)),
      reduction("ReduceLogSumExp", within(-30, 30)),
      reduction("ReduceMax", special, 18, true),
      reduction("ReduceMean", {}),
      reduction("ReduceMin", special, 18, true),
      reduction("ReduceProd", within(-2, 2)),
      reduction("ReduceSum", {}, firstSumWithInput),
      reduction("ReduceSumSquare", within(-11, 11)),
      {"Softmax", drawSoftmax},
  };
}

} // namespace pcc::fuzz
