// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention and rotary embedding.
#include "test/fuzz/onnx/Entries.h"

namespace pcc::fuzz {
namespace {

using values::Tensor;

constexpr Domain small = {.low = -5, .high = 5};

/// Draws a mask that leaves at least the first key to every query.
const Value &drawMask(Maker &m, ElementType type, Shape shape) {
  Shape broadcast = m.random.chance(60) ? Shape(llvm::ArrayRef(shape).take_back(2)) : shape;
  for (size_t dim = 0; dim + 1 < broadcast.size(); ++dim)
    if (m.random.chance(25))
      broadcast[dim] = 1;
  if (m.random.chance(50))
    return m.leaf(type, broadcast, small);
  Tensor mask = m.draw(ElementType::I1, broadcast);
  for (int64_t n = 0; n < mask.size(); n += broadcast.back())
    mask.mutableElements()[n].i = 1;
  return m.leaf(mask);
}

bool drawAttention(Maker &m) {
  int64_t samples = m.random.between(1, 3), groups = m.random.between(1, 3);
  int64_t keyHeads = m.random.between(1, 3), heads = keyHeads * groups;
  int64_t queries = m.random.between(1, 9), keys = m.random.chance(50) ? queries : m.size();
  int64_t width = m.random.of<int64_t>({1, 2, 4, 5, 8}), valueWidth = width;
  if (m.random.chance(20))
    valueWidth = m.random.between(1, 8);
  bool isFlat = m.random.chance(40);
  auto shaped = [&](int64_t heads, int64_t positions, int64_t width) {
    return isFlat ? Shape{samples, positions, heads * width}
                  : Shape{samples, heads, positions, width};
  };
  ElementType type = m.input(m.types()).data.getType();
  Draft draft = m.draft();
  draft.input(m.inputOf(type, shaped(heads, queries, width), small));
  draft.input(m.inputOf(type, shaped(keyHeads, keys, width), small));
  draft.input(m.inputOf(type, shaped(keyHeads, keys, valueWidth)));
  if (m.random.chance(40))
    draft.input(drawMask(m, type, {samples, heads, queries, keys}));
  if (isFlat)
    draft.set("q_num_heads", heads).set("kv_num_heads", keyHeads);
  m.maySet<int64_t>(draft, "is_causal", m.random.below(2), 0);
  if (m.random.chance(40))
    draft.set("scale", m.random.uniform(0.1, 1.5));
  m.maySet(draft, "softcap", 0.0, 0.0);
  m.maySet<int64_t>(draft, "qk_matmul_output_mode", m.random.below(2), 0);
  m.maySet<int64_t>(draft, "left_window_size", -1, -1);
  m.maySet<int64_t>(draft, "right_window_size", -1, -1);
  if (m.random.chance(20))
    draft.set("softmax_precision", static_cast<int64_t>(onnx::TensorProto::FLOAT));
  return m.add(draft);
}

/// Draws a table of cosines and sines of random angles, either indexed by positions or one for each
/// sample.
bool drawRotaryEmbedding(Maker &m) {
  int64_t samples = m.random.between(1, 3), heads = m.random.between(1, 4);
  int64_t positions = m.random.between(1, 9), width = 2 * m.random.between(1, 4);
  int64_t rotated = m.random.chance(40) ? 2 * m.random.between(1, width / 2) : width;
  bool isFlat = m.random.chance(50), hasNumbers = m.random.chance(50);
  ElementType type = m.input(m.types()).data.getType();
  Shape table = {samples, positions, rotated / 2};
  if (hasNumbers)
    table = {positions + m.random.between(0, 3), rotated / 2};
  Draft draft = m.draft();
  draft.input(m.inputOf(type, isFlat ? Shape{samples, positions, heads * width}
                                     : Shape{samples, heads, positions, width}));
  draft.input(m.leaf(type, table, within(-1, 1))).input(m.leaf(type, table, within(-1, 1)));
  if (hasNumbers)
    draft.input(m.indices({samples, positions}, 0, table[0] - 1, /*mayBeI32=*/false));
  if (isFlat)
    draft.set("num_heads", heads);
  m.maySet<int64_t>(draft, "interleaved", m.random.below(2), 0);
  // With a flat input the operator cannot derive the width of the rotated part from the table
  // alone.
  if (rotated != width)
    draft.set("rotary_embedding_dim", rotated);
  return m.add(draft);
}

} // namespace

std::vector<Entry> attentionEntries() {
  return {
      {"Attention", drawAttention},
      {"RotaryEmbedding", drawRotaryEmbedding},
  };
}

} // namespace pcc::fuzz
