// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations, dropout and losses.
#include "test/fuzz/onnx/Entries.h"

namespace pcc::fuzz {
namespace {

using values::Tensor;

void setEpsilon(Maker &m, Draft &draft) {
  m.maySet(draft, "epsilon", m.random.chance(50) ? m.random.of({1e-3, 1e-2, 0.1}) : 1e-5, 1e-5);
}

/// Returns the type of scale and bias or of statistics; from an opset on it may differ from the
/// input's.
ElementType otherType(Maker &m, ElementType type, int64_t firstOpset) {
  return m.opset() >= firstOpset && m.random.chance(20) ? ElementType::F32 : type;
}

/// Draws a batch normalization. Batch statistics are extra results up to opset 13, and an attribute
/// from opset 14 on.
bool drawBatchNormalization(Maker &m) {
  constexpr int64_t firstOfTypes = 15;
  const Value &x = m.input(m.types(), within(-20, 20), 2);
  ElementType type = x.data.getType(), affine = otherType(m, type, firstOfTypes);
  ElementType statistics = otherType(m, type, firstOfTypes);
  Draft draft = m.draft();
  bool isElementwise = m.has("spatial") && m.random.chance(20);
  Shape shape(x.data.getShape().slice(1, isElementwise ? x.data.getRank() - 1 : 1));
  draft.input(x).input(m.inputOf(affine, shape)).input(m.inputOf(affine, shape));
  // Training requires the statistics to be parameters.
  draft.input(m.inputOf(statistics, shape)).input(m.leaf(statistics, shape, within(0.1, 10)));
  setEpsilon(m, draft);
  m.maySet(draft, "momentum", m.random.chance(50) ? m.random.uniform(0, 1) : 0.9, 0.9);
  m.maySet<int64_t>(draft, "spatial", !isElementwise, 1);
  bool trains = m.has("training_mode") && m.random.chance(35);
  m.maySet<int64_t>(draft, "training_mode", trains, 0);
  return m.add(draft, trains ? 3 : 1);
}

/// Draws a dropout whose random numbers, if it drops, depend on the implementation. Sometimes the
/// mask is a result too.
bool drawDropout(Maker &m) {
  constexpr int64_t firstWithInputs = 12;
  Types types = m.types();
  Draft draft = m.draft();
  draft.input(m.input(types));
  if (m.opset() < firstWithInputs) {
    m.maySet(draft, "ratio", m.random.uniform(0.1, 0.9), 0.5);
  } else {
    ElementType type = m.random.of({ElementType::F32, ElementType::F16});
    bool drops = m.random.chance(20);
    if (m.random.chance(70))
      draft.input(m.known(Tensor::floats(type, {}, m.random.of({0.0, 0.25, 0.5, 0.75}))));
    else
      draft.absent();
    if (drops || m.random.chance(50))
      draft.input(m.known(Tensor::integers(ElementType::I1, {}, static_cast<int64_t>(drops))));
    m.maySet<int64_t>(draft, "seed", m.random.below(100), 0);
  }
  return m.add(draft, m.random.between(1, 2));
}

/// Scale and bias have the normalized dimensions, or broadcast to them.
bool drawTrailing(Maker &m) {
  bool hasBias = m.op() == "LayerNormalization";
  const Value &x = m.input(m.types(), within(-20, 20), 1);
  int64_t rank = x.data.getRank(), axis = m.random.below(rank);
  Shape shape(x.data.getShape().drop_front(axis));
  auto sized = [&] { return m.random.chance(80) ? shape : m.partnerShape(shape, true); };
  Draft draft = m.draft();
  draft.input(x).input(m.inputOf(x.data.getType(), sized()));
  if (hasBias && m.random.chance(60))
    draft.input(m.inputOf(x.data.getType(), sized()));
  m.maySet<int64_t>(draft, "axis", m.random.chance(50) ? axis - rank : axis, -1);
  setEpsilon(m, draft);
  m.maySet<int64_t>(draft, "stash_type", 1, 1);
  return m.add(draft, hasBias ? m.random.of<int64_t>({1, 1, 2, 3}) : 1);
}

/// Draws class numbers. Some are the ignored number, which may be outside all classes. At least one
/// sample counts.
const Value &drawLabels(Maker &m, llvm::ArrayRef<int64_t> scores, std::optional<int64_t> ignored) {
  Shape shape = {scores[0]};
  shape.append(scores.begin() + 2, scores.end());
  ElementType type = m.random.of({ElementType::I64, ElementType::I32});
  std::vector<int64_t> labels(values::sizeOf(shape));
  for (int64_t &label : labels)
    label = ignored && m.random.chance(30) ? *ignored : m.random.below(scores[1]);
  if (ignored && *ignored == 0 && scores[1] > 1)
    labels[0] = 1;
  else if (ignored && *ignored != 0)
    labels[0] = 0;
  return m.leaf(Tensor::integers(type, shape, labels));
}

bool drawLoss(Maker &m) {
  bool isNll = m.op() == "NegativeLogLikelihoodLoss";
  const Value &x = m.input(
      m.types(), within(-10, 10),
      [](llvm::ArrayRef<int64_t> shape) { return shape.size() >= 2 && shape[1] > 1; },
      [&] {
        Shape shape = m.shape(2, 4);
        shape[1] = m.random.between(2, 9);
        return shape;
      });
  llvm::ArrayRef<int64_t> shape = x.data.getShape();
  std::optional<int64_t> ignored;
  if (m.random.chance(40))
    ignored = m.random.of<int64_t>({0, shape[1] - 1, -1, -100});
  Draft draft = m.draft();
  draft.input(x).input(drawLabels(m, shape, ignored));
  if (m.random.chance(40))
    draft.input(m.inputOf(x.data.getType(), shape[1], within(0.1, 3)));
  if (ignored)
    draft.set("ignore_index", *ignored);
  auto reduction = m.random.of<llvm::StringRef>({"none", "mean", "sum"});
  m.maySet(draft, "reduction", reduction, llvm::StringRef("mean"));
  return m.add(draft, isNll ? 1 : m.random.between(1, 2));
}

} // namespace

std::vector<Entry> normalEntries() {
  return {
      {"BatchNormalization", drawBatchNormalization},
      {"Dropout", drawDropout},
      {"LayerNormalization", drawTrailing},
      {"NegativeLogLikelihoodLoss", drawLoss},
      {"RMSNormalization", drawTrailing},
      {"SoftmaxCrossEntropyLoss", drawLoss},
  };
}

} // namespace pcc::fuzz
