// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention records on the host against all scores in memory, in doubles.

#include "test/unit/runtime/RunRecord.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace pcc::test {
namespace {

using namespace runtime;

/// Sizes and form of an attention.
struct Form {
  int64_t batch, heads, groups, positions, keyPositions, width, depth;
  bool causal = false;
  std::vector<int64_t> mask = {};
  std::optional<int64_t> offset = {};

  int64_t rows() const { return batch * heads * positions; }
  int64_t keys() const { return batch * groups * keyPositions; }
};

const Form forms[] = {{2, 3, 3, 7, 7, 4, 4},                   // one small tile
                      {1, 4, 2, 130, 70, 16, 8},               // three tiles of rows, groups
                      {1, 2, 1, 70, 600, 8, 24, true},         // three tiles of columns, causal
                      {2, 2, 2, 65, 65, 8, 8, true},           // tiles that see nothing
                      {1, 2, 2, 100, 90, 8, 8, true, {}, -30}, // rows that see nothing
                      {1, 2, 2, 40, 300, 8, 8, true, {}, 5},   // most of the key unseen
                      {2, 4, 2, 66, 258, 8, 8, false, {2, 1, 1, 258}}, // a mask of samples
                      {2, 4, 2, 66, 258, 8, 8, true, {1, 4, 66, 1}},   // a mask of rows and heads
                      {1, 1, 1, 1, 1, 1, 1}};                          // one element

/// Operands and results.
struct Tensors {
  std::vector<float> query, key, value, mask, given;        ///< read
  std::vector<double> result, logSum, dQuery, dKey, dValue; ///< expected
};

Tensors randomTensors(std::mt19937 &random, const Form &f) {
  Tensors t;
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
  return t;
}

constexpr double scale = 0.3;

class Reference {
public:
  Reference(const Form &form, Tensors &tensors) : f(form), t(tensors) {}

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

  const Form &f;
  Tensors &t;
};

/// What a record writes, by its place in the message.
enum class Out { Result, LogSum, Query, Key, Value };

std::vector<float> narrow(const std::vector<double> &values) {
  return {values.begin(), values.end()};
}

/// Runs the record that writes `out`.
std::vector<float> run(const Form &f, const Tensors &t, Out out, int threads) {
  ProgramBuilder builder(1);
  std::vector<std::pair<uint32_t, std::vector<float>>> values;
  auto add = [&](abi::Operand *operand, const std::vector<float> &content) {
    uint32_t buffer = builder.buffer("b" + std::to_string(values.size()), abi::PERSISTENT, abi::F32,
                                     {int64_t(content.size())});
    operand->set_buffer(buffer);
    values.push_back({buffer, content});
    return buffer;
  };
  abi::Record record;
  abi::Attention &a = *record.mutable_attention();
  a.set_batch(f.batch);
  a.set_heads(f.heads);
  a.set_groups(f.groups);
  a.set_positions(f.positions);
  a.set_key_positions(f.keyPositions);
  a.set_width(f.width);
  a.set_depth(f.depth);
  a.set_scale(scale);
  a.set_causal(f.causal);
  add(a.mutable_query(), t.query);
  add(a.mutable_key(), t.key);
  add(a.mutable_value(), t.value);
  uint32_t result = add(a.mutable_result(), narrow(t.result));
  uint32_t logSum = add(a.mutable_log_sum(), narrow(t.logSum));
  if (!f.mask.empty()) {
    add(a.mutable_mask(), t.mask);
    a.mutable_mask_shape()->Add(f.mask.begin(), f.mask.end());
  }
  if (f.offset) {
    auto halves = std::bit_cast<std::array<float, 2>>(*f.offset);
    add(a.mutable_offset(), {halves[0], halves[1]});
  }
  if (out == Out::Result || out == Out::LogSum)
    return runRecord(builder, record, values, out == Out::Result ? result : logSum, threads, {});
  add(a.mutable_gradients()->mutable_result(), t.given);
  uint32_t query = add(a.mutable_gradients()->mutable_query(), t.query);
  uint32_t key = add(a.mutable_gradients()->mutable_key(), t.key);
  uint32_t value = add(a.mutable_gradients()->mutable_value(), t.value);
  return runRecord(builder, record, values,
                   out == Out::Query ? query
                   : out == Out::Key ? key
                                     : value,
                   threads, {});
}

void expectNear(const std::vector<float> &got, const std::vector<double> &expected) {
  ASSERT_EQ(got.size(), expected.size());
  double most = 1;
  for (double value : expected)
    if (std::isfinite(value))
      most = std::max(most, std::abs(value));
  // Up to 600 terms, each rounded a few times, none greater than the sum of their sizes.
  for (size_t i = 0; i < got.size(); ++i)
    if (std::isfinite(expected[i]))
      ASSERT_NEAR(got[i], expected[i], 1e-5 * most) << "element " << i;
    else
      ASSERT_EQ(got[i], float(expected[i])) << "element " << i;
}

TEST(Attention, AgreesWithAllScoresInMemory) {
  std::mt19937 random(1);
  for (const Form &form : forms) {
    SCOPED_TRACE(&form - forms);
    Tensors tensors = randomTensors(random, form);
    Reference(form, tensors).compute();
    expectNear(run(form, tensors, Out::Result, 1), tensors.result);
    expectNear(run(form, tensors, Out::LogSum, 1), tensors.logSum);
    expectNear(run(form, tensors, Out::Query, 1), tensors.dQuery);
    expectNear(run(form, tensors, Out::Key, 1), tensors.dKey);
    expectNear(run(form, tensors, Out::Value, 1), tensors.dValue);
  }
}

TEST(Attention, BitsDoNotDependOnThreads) {
  std::mt19937 random(2);
  const Form &form = forms[1];
  Tensors tensors = randomTensors(random, form);
  Reference(form, tensors).compute();
  for (Out out : {Out::Result, Out::LogSum, Out::Query, Out::Key, Out::Value}) {
    std::vector<float> alone = run(form, tensors, out, 1);
    for (int threads : {2, 3})
      EXPECT_EQ(run(form, tensors, out, threads), alone);
  }
}

} // namespace
} // namespace pcc::test
