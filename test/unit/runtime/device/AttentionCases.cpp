// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/runtime/device/AttentionCases.h"

#include "runtime/base/HalfFloat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace pcc::test {
namespace {

using namespace runtime;

constexpr double scale = 0.3;

class Reference {
public:
  Reference(const AttentionForm &form, AttentionTensors &tensors) : f(form), t(tensors) {}

  void compute() {
    t.result.assign(t.given.size(), 0);
    t.logSum.assign(f.rows(), 0);
    t.dQuery.assign(t.query.size(), 0);
    t.dKey.assign(t.key.size(), 0);
    t.dValue.assign(t.value.size(), 0);
    for (int64_t row = 0; row < f.rows(); ++row)
      addRow(row);
  }

private:
  int64_t keyRow(int64_t row, int64_t to) const {
    int64_t head = row / f.positions, sample = head / f.heads;
    int64_t group = head % f.heads / (f.heads / f.groups);
    return (sample * f.groups + group) * f.keyPositions + to;
  }

  double score(int64_t row, int64_t to) const {
    int64_t from = row % f.positions, head = row / f.positions;
    if (f.causal && to > from + f.offset.value_or(f.keyPositions - f.positions))
      return -INFINITY;
    double sum = 0;
    for (int64_t i = 0; i < f.width; ++i)
      sum += double(t.query[row * f.width + i]) * t.key[keyRow(row, to) * f.width + i];
    int64_t at[] = {head / f.heads, head % f.heads, from, to}, flat = 0;
    for (size_t dim = 0; dim < f.mask.size(); ++dim)
      flat = flat * f.mask[dim] + (f.mask[dim] == 1 ? 0 : at[dim]);
    return sum * scale + (t.mask.empty() ? 0 : t.mask[flat]);
  }

  void addRow(int64_t row) {
    std::vector<double> weights(f.keyPositions);
    double sum = 0, mean = 0;
    for (int64_t to = 0; to < f.keyPositions; ++to)
      sum += weights[to] = std::exp(score(row, to));
    t.logSum[row] = std::log(sum);
    for (int64_t to = 0; to < f.keyPositions; ++to) {
      weights[to] = sum == 0 ? 0 : weights[to] / sum;
      for (int64_t i = 0; i < f.depth; ++i)
        t.result[row * f.depth + i] += weights[to] * t.value[keyRow(row, to) * f.depth + i];
    }
    for (int64_t i = 0; i < f.depth; ++i)
      mean += t.result[row * f.depth + i] * t.given[row * f.depth + i];
    for (int64_t to = 0; to < f.keyPositions; ++to)
      addGradients(row, keyRow(row, to), weights[to], mean);
  }

  void addGradients(int64_t row, int64_t key, double weight, double mean) {
    double ofWeight = 0;
    for (int64_t i = 0; i < f.depth; ++i) {
      ofWeight += double(t.given[row * f.depth + i]) * t.value[key * f.depth + i];
      t.dValue[key * f.depth + i] += weight * t.given[row * f.depth + i];
    }
    double ofScore = scale * weight * (ofWeight - mean);
    for (int64_t i = 0; i < f.width; ++i) {
      t.dQuery[row * f.width + i] += ofScore * t.key[key * f.width + i];
      t.dKey[key * f.width + i] += ofScore * t.query[row * f.width + i];
    }
  }

  const AttentionForm &f;
  AttentionTensors &t;
};

std::vector<float> narrow(const std::vector<double> &values) {
  return {values.begin(), values.end()};
}

/// Packs the bits of numbers of a type into floats; `unpacked` returns the numbers again.
std::vector<float> packed(const std::vector<float> &numbers, abi::ElementType type) {
  if (type == abi::F32)
    return numbers;
  std::vector<float> bits((numbers.size() + 1) / 2);
  for (size_t i = 0; i < numbers.size(); ++i) {
    uint16_t half = type == abi::F16 ? toFloat16(numbers[i]).bits : toBFloat16(numbers[i]).bits;
    std::memcpy(reinterpret_cast<std::byte *>(bits.data()) + 2 * i, &half, sizeof half);
  }
  return bits;
}

std::vector<float> unpacked(const std::vector<float> &bits, size_t count, abi::ElementType type) {
  if (type == abi::F32)
    return bits;
  std::vector<float> numbers(count);
  for (size_t i = 0; i < count; ++i) {
    uint16_t half;
    std::memcpy(&half, reinterpret_cast<const std::byte *>(bits.data()) + 2 * i, sizeof half);
    numbers[i] = type == abi::F16 ? toFloat(Float16{half}) : toFloat(BFloat16{half});
  }
  return numbers;
}

/// Transposes numbers of shape [batch, outer, inner, width] to [batch, inner, outer, width].
std::vector<float> exchanged(const std::vector<float> &numbers, int64_t batch, int64_t outer,
                             int64_t inner) {
  std::vector<float> result(numbers.size());
  int64_t width = int64_t(numbers.size()) / (batch * outer * inner);
  for (int64_t row = 0; row < batch * outer * inner; ++row) {
    int64_t sample = row / (outer * inner), at = row / inner % outer, n = row % inner;
    std::copy_n(numbers.begin() + row * width, width,
                result.begin() + ((sample * inner + n) * outer + at) * width);
  }
  return result;
}

/// Compares numbers; `error` is relative to the greatest number.
void expectNear(const std::vector<float> &got, const std::vector<double> &expected, double error) {
  ASSERT_EQ(got.size(), expected.size());
  double most = 1;
  for (double value : expected)
    if (std::isfinite(value))
      most = std::max(most, std::abs(value));
  // Up to 600 terms, each rounded a few times. No term is greater than the sum of all absolute
  // values.
  for (size_t i = 0; i < got.size(); ++i)
    if (std::isfinite(expected[i]))
      ASSERT_NEAR(got[i], expected[i], error * most) << "element " << i;
    else
      ASSERT_EQ(got[i], float(expected[i])) << "element " << i;
}

/// Rounds the numbers to a half type.
void roundTo(abi::ElementType type, std::vector<float> &numbers) {
  numbers = unpacked(packed(numbers, type), numbers.size(), type);
}

const AttentionForm forms[] = {
    {2, 3, 3, 7, 7, 4, 4},                           // one small tile
    {1, 4, 2, 130, 70, 16, 8},                       // three tiles of rows, groups
    {1, 2, 1, 70, 600, 8, 24, true},                 // three tiles of columns, causal
    {2, 2, 2, 65, 65, 8, 8, true},                   // tiles without any visible key
    {1, 2, 2, 100, 90, 8, 8, true, {}, -30},         // rows without any visible key
    {1, 2, 2, 40, 300, 8, 8, true, {}, 5},           // most of the keys are hidden
    {2, 4, 2, 66, 258, 8, 8, false, {2, 1, 1, 258}}, // a mask for each sample
    {2, 4, 2, 66, 258, 8, 8, true, {1, 4, 66, 1}},   // a mask for rows and heads
    {1, 1, 1, 1, 1, 1, 1}};                          // one element

} // namespace

std::span<const AttentionForm> attentionForms() { return forms; }

AttentionTensors makeAttention(std::mt19937 &random, const AttentionForm &f,
                               abi::ElementType type) {
  AttentionTensors t;
  t.query = randomFloats(random, f.rows() * f.width);
  t.key = randomFloats(random, f.keys() * f.width);
  t.value = randomFloats(random, f.keys() * f.depth);
  t.given = randomFloats(random, f.rows() * f.depth);
  int64_t count = f.mask.empty() ? 0 : 1;
  for (int64_t size : f.mask)
    count *= size;
  t.mask = randomFloats(random, count);
  for (size_t i = 0; i < t.mask.size(); i += 5)
    t.mask[i] = -INFINITY;
  for (auto *numbers : {&t.query, &t.key, &t.value, &t.mask, &t.given})
    roundTo(type, *numbers);
  Reference(f, t).compute();
  return t;
}

std::vector<float> runAttention(const AttentionForm &f, const AttentionTensors &t, AttentionOut out,
                                abi::ElementType type, const RecordRunner &runner) {
  using Out = AttentionOut;
  ProgramBuilder builder(1);
  std::vector<std::pair<uint32_t, std::vector<float>>> values;
  auto addBytes = [&](abi::Operand *operand, const std::vector<float> &content) {
    uint32_t buffer = builder.buffer("b" + std::to_string(values.size()), abi::PERSISTENT, abi::F32,
                                     {int64_t(content.size())});
    operand->set_buffer(buffer);
    values.push_back({buffer, content});
    return buffer;
  };
  auto add = [&](abi::Operand *operand, const std::vector<float> &content) {
    return addBytes(operand, packed(content, type));
  };
  auto addRows = [&](abi::Operand *operand, const std::vector<float> &content) {
    return add(operand,
               f.positionsFirst ? exchanged(content, f.batch, f.heads, f.positions) : content);
  };
  auto addKeys = [&](abi::Operand *operand, const std::vector<float> &content) {
    return add(operand,
               f.positionsFirst ? exchanged(content, f.batch, f.groups, f.keyPositions) : content);
  };
  abi::Instruction instruction;
  abi::Attention &a = *instruction.mutable_attention();
  a.set_batch(f.batch);
  a.set_heads(f.heads);
  a.set_groups(f.groups);
  a.set_positions(f.positions);
  a.set_key_positions(f.keyPositions);
  a.set_width(f.width);
  a.set_depth(f.depth);
  a.set_type(type);
  a.set_scale(scale);
  a.set_causal(f.causal);
  a.set_positions_first(f.positionsFirst);
  addRows(a.mutable_query(), t.query);
  addKeys(a.mutable_key(), t.key);
  addKeys(a.mutable_value(), t.value);
  uint32_t result = addRows(a.mutable_result(), narrow(t.result));
  uint32_t logSum = addBytes(a.mutable_log_sum(), narrow(t.logSum));
  if (!f.mask.empty()) {
    add(a.mutable_mask(), t.mask);
    a.mutable_mask_shape()->Add(f.mask.begin(), f.mask.end());
  }
  if (f.offset) {
    auto halves = std::bit_cast<std::array<float, 2>>(*f.offset);
    addBytes(a.mutable_offset(), {halves[0], halves[1]});
  }
  auto readRows = [&](uint32_t buffer, size_t count) {
    std::vector<float> read = unpacked(runner(builder, instruction, values, buffer), count, type);
    return f.positionsFirst ? exchanged(read, f.batch, f.positions, f.heads) : read;
  };
  auto readKeys = [&](uint32_t buffer, size_t count) {
    std::vector<float> read = unpacked(runner(builder, instruction, values, buffer), count, type);
    return f.positionsFirst ? exchanged(read, f.batch, f.keyPositions, f.groups) : read;
  };
  if (out == Out::LogSum)
    return runner(builder, instruction, values, logSum);
  if (out == Out::Result)
    return readRows(result, t.given.size());
  addRows(a.mutable_gradients()->mutable_result(), t.given);
  uint32_t query = addRows(a.mutable_gradients()->mutable_query(), t.query);
  uint32_t key = addKeys(a.mutable_gradients()->mutable_key(), t.key);
  uint32_t value = addKeys(a.mutable_gradients()->mutable_value(), t.value);
  return out == Out::Query ? readRows(query, t.query.size())
         : out == Out::Key ? readKeys(key, t.key.size())
                           : readKeys(value, t.value.size());
}

static void checkLayout(const AttentionForm &form, const AttentionTensors &tensors,
                        abi::ElementType type, int roundings, const RecordRunner &runner) {
  auto run = [&](AttentionOut out) { return runAttention(form, tensors, out, type, runner); };
  // Each rounding is half a unit in the last place. Gradients also see the rounding of the result.
  double unit = type == abi::F16 ? 0x1p-11 : 0x1p-8;
  double once = type == abi::F32 ? 1e-5 : roundings * unit,
         more = type == abi::F32 ? once : 4 * once;
  expectNear(run(AttentionOut::Result), tensors.result, once);
  expectNear(run(AttentionOut::LogSum), tensors.logSum, 1e-5);
  expectNear(run(AttentionOut::Query), tensors.dQuery, more);
  expectNear(run(AttentionOut::Key), tensors.dKey, more);
  expectNear(run(AttentionOut::Value), tensors.dValue, once);
}

void checkAttention(const AttentionForm &given, const AttentionTensors &tensors,
                    abi::ElementType type, int roundings, const RecordRunner &runner) {
  for (bool positionsFirst : {false, true}) {
    SCOPED_TRACE(positionsFirst ? "positions first" : "heads first");
    AttentionForm form = given;
    form.positionsFirst = positionsFirst;
    checkLayout(form, tensors, type, roundings, runner);
  }
}

} // namespace pcc::test
