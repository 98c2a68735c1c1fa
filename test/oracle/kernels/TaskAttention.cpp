// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/kernels/TaskMachine.h"

#include "runtime/base/HalfFloat.h"
#include <cmath>
#include <deque>

using namespace mlir;

namespace pcc::test {

namespace {

/// The elements of a buffer in f32, which can be written back. With `isExchanged`, positions and
/// heads are exchanged in the buffer.
class Widened {
public:
  Widened() = default;
  Widened(Value buffer, char *memory, bool isExchanged)
      : type(cast<ShapedType>(buffer.getType())), memory(memory), isExchanged(isExchanged),
        numbers(size_t(type.getNumElements())) {
    for (size_t n = 0; n < numbers.size(); ++n)
      numbers[n] = isF32()    ? reinterpret_cast<float *>(memory)[placeOf(n)]
                   : isBf16() ? runtime::toFloat(bits<runtime::BFloat16>()[placeOf(n)])
                              : runtime::toFloat(bits<runtime::Float16>()[placeOf(n)]);
  }

  float *data() { return numbers.empty() ? nullptr : numbers.data(); }
  void putBack() {
    for (size_t n = 0; n < numbers.size(); ++n)
      if (isF32())
        reinterpret_cast<float *>(memory)[placeOf(n)] = numbers[n];
      else if (isBf16())
        bits<runtime::BFloat16>()[placeOf(n)] = runtime::toBFloat16(numbers[n]);
      else
        bits<runtime::Float16>()[placeOf(n)] = runtime::toFloat16(numbers[n]);
  }

private:
  bool isF32() const { return type.getElementType().isF32(); }
  bool isBf16() const { return type.getElementType().isBF16(); }
  template <typename T> T *bits() const { return reinterpret_cast<T *>(memory); }
  size_t placeOf(size_t n) const {
    if (!isExchanged)
      return n;
    size_t positions = type.getDimSize(1), heads = type.getDimSize(2), width = type.getDimSize(3);
    size_t row = n / width, head = row / positions;
    size_t sample = head / heads, at = row % positions;
    return ((sample * positions + at) * heads + head % heads) * width + n % width;
  }

  ShapedType type;
  char *memory = nullptr;
  bool isExchanged = false;
  std::vector<float> numbers;
};

/// The buffers of one attention, as numbers in memory; null if absent.
struct Attention {
  SmallVector<int64_t> query, key, value, maskShape;
  const float *q, *k, *v, *mask;
  float *result, *logSum;
  const float *given;
  float *dq, *dk, *dv;
  double scale;
  bool causal;
  int64_t offset;

  int64_t rows() const { return query[0] * query[1] * query[2]; }
  int64_t keyRow(int64_t row, int64_t to) const {
    int64_t head = row / query[2], sample = head / query[1];
    return (sample * key[1] + head % query[1] / (query[1] / key[1])) * key[2] + to;
  }

  double score(int64_t row, int64_t to) const {
    int64_t at[] = {row / query[2] / query[1], row / query[2] % query[1], row % query[2], to};
    if (causal && to > at[2] + offset)
      return -HUGE_VAL;
    double sum = 0;
    for (int64_t i = 0; i < query[3]; ++i)
      sum += double(q[row * query[3] + i]) * k[keyRow(row, to) * query[3] + i];
    int64_t flat = 0;
    for (auto [dim, size] : llvm::enumerate(maskShape))
      flat = flat * size + (size == 1 ? 0 : at[dim]);
    return sum * scale + (mask ? mask[flat] : 0.0);
  }

  void attend(int64_t row) const {
    std::vector<double> weights(key[2]);
    double sum = 0;
    for (int64_t to = 0; to < key[2]; ++to)
      sum += weights[to] = std::exp(score(row, to));
    logSum[row] = std::log(sum);
    for (int64_t i = 0; i < value[3]; ++i) {
      double total = 0;
      for (int64_t to = 0; to < key[2]; ++to)
        total += weights[to] * v[keyRow(row, to) * value[3] + i];
      result[row * value[3] + i] = sum == 0 ? 0 : total / sum;
    }
  }

  void addGradients(int64_t row, int64_t to) const {
    double weight = std::isinf(logSum[row]) ? 0 : std::exp(score(row, to) - logSum[row]);
    double ofScore = 0;
    for (int64_t i = 0; i < value[3]; ++i) {
      double gradient = given[row * value[3] + i];
      dv[keyRow(row, to) * value[3] + i] += weight * gradient;
      ofScore += weight * gradient *
                 (v[keyRow(row, to) * value[3] + i] - result[row * value[3] + i]) * scale;
    }
    for (int64_t i = 0; i < query[3]; ++i) {
      dq[row * query[3] + i] += ofScore * k[keyRow(row, to) * query[3] + i];
      dk[keyRow(row, to) * query[3] + i] += ofScore * q[row * query[3] + i];
    }
  }
};

} // namespace

void TaskMachine::attend(task::AttentionOp op) {
  auto shapeOf = [](Value buffer) { return cast<ShapedType>(buffer.getType()).getShape(); };
  auto headsFirst = [&](Value buffer) {
    SmallVector<int64_t> shape(shapeOf(buffer));
    if (op.getPositionsFirst())
      std::swap(shape[1], shape[2]);
    return shape;
  };
  std::deque<Widened> copies;
  auto dense = [&](Value buffer) {
    return buffer ? copies.emplace_back(buffer, addressOf(buffer), false).data() : nullptr;
  };
  auto floats = [&](Value buffer) {
    return copies.emplace_back(buffer, addressOf(buffer), op.getPositionsFirst()).data();
  };
  bool isForward = op.getGradients().empty();
  auto gradient = [&](unsigned n) { return isForward ? nullptr : floats(op.getGradients()[n]); };
  Attention a = {headsFirst(op.getQuery()),
                 headsFirst(op.getKey()),
                 headsFirst(op.getValue()),
                 SmallVector<int64_t>(op.getMask() ? shapeOf(op.getMask()) : ArrayRef<int64_t>()),
                 floats(op.getQuery()),
                 floats(op.getKey()),
                 floats(op.getValue()),
                 dense(op.getMask()),
                 floats(op.getResult()),
                 dense(op.getLogSum()),
                 gradient(0),
                 gradient(1),
                 gradient(2),
                 gradient(3),
                 op.getScale().convertToDouble(),
                 op.getCausal(),
                 0};
  a.offset = op.getOffset() ? *reinterpret_cast<int64_t *>(addressOf(op.getOffset()))
                            : a.key[2] - a.query[2];
  float *written[] = {a.dq, a.dk, a.dv};
  for (unsigned n = 1; n < op.getGradients().size(); ++n)
    std::fill_n(written[n - 1], llvm::product_of(shapeOf(op.getGradients()[n])), 0.0f);
  for (int64_t row = 0; row < a.rows(); ++row) {
    if (isForward)
      a.attend(row);
    for (int64_t to = 0; !isForward && to < a.key[2]; ++to)
      a.addGradients(row, to);
  }
  for (Widened &copy : copies)
    copy.putBack();
}

} // namespace pcc::test
