// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/emulator/LtMatmul.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

namespace pcc::test {

using namespace runtime::cuda;
using namespace runtime::cuda::lt;

namespace {

size_t bytesOf(DataType type) { return type == DataType::F32 ? 4 : 2; }

double load(DataType type, const std::byte *data, int64_t at) {
  if (type == DataType::F32)
    return reinterpret_cast<const float *>(data)[at];
  if (type == DataType::F16)
    return double(reinterpret_cast<const _Float16 *>(data)[at]);
  return std::bit_cast<float>(uint32_t(reinterpret_cast<const uint16_t *>(data)[at]) << 16);
}

void store(DataType type, std::byte *data, int64_t at, double value) {
  if (type == DataType::F32)
    reinterpret_cast<float *>(data)[at] = float(value);
  else if (type == DataType::F16)
    reinterpret_cast<_Float16 *>(data)[at] = static_cast<_Float16>(float(value));
  else {
    uint32_t bits = std::bit_cast<uint32_t>(float(value));
    if (!std::isnan(value))
      bits += 0x7fff + (bits >> 16 & 1); // round to nearest, ties to even
    reinterpret_cast<uint16_t *>(data)[at] = uint16_t(bits >> 16);
  }
}

/// Returns true if the matmul's epilogue is one of the list.
bool isEpilogue(const MatmulDescObject &desc, std::initializer_list<Epilogue> list) {
  return std::any_of(list.begin(), list.end(),
                     [&](Epilogue one) { return desc.epilogue == uint32_t(one); });
}
bool hasBias(const MatmulDescObject &desc) {
  return isEpilogue(
      desc, {Epilogue::Bias, Epilogue::ReluBias, Epilogue::GeluBias, Epilogue::GeluAuxBias});
}
bool hasAux(const MatmulDescObject &desc) {
  return isEpilogue(desc, {Epilogue::GeluAux, Epilogue::GeluAuxBias, Epilogue::GeluGradient});
}
bool hasSum(const MatmulDescObject &desc) {
  return isEpilogue(desc, {Epilogue::SumA, Epilogue::SumB});
}
bool isKnown(const MatmulDescObject &desc) {
  return hasBias(desc) || hasAux(desc) || hasSum(desc) ||
         isEpilogue(desc, {Epilogue::None, Epilogue::Relu, Epilogue::Gelu});
}

double bend(double x) {
  return std::tanh(std::numbers::sqrt2 * std::numbers::inv_sqrtpi * (x + 0.044715 * x * x * x));
}
double gelu(double x) { return 0.5 * x * (1 + bend(x)); }
double geluSlope(double x) {
  const double c = std::numbers::sqrt2 * std::numbers::inv_sqrtpi, t = bend(x);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x);
}

/// Returns the number of elements from the first to the last one.
int64_t extentOf(const MatrixLayoutObject &layout) {
  return (layout.batch - 1) * layout.stride +
         (int64_t(layout.columns) - 1) * layout.leadingDimension + int64_t(layout.rows);
}

/// Returns op(matrix) of one index of the batch, row by row.
std::vector<double> take(const MatrixLayoutObject &layout, const std::byte *data, bool isTransposed,
                         int64_t index) {
  int64_t rows = int64_t(layout.rows), columns = int64_t(layout.columns);
  std::vector<double> values(size_t(rows * columns));
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < rows; ++r)
      values[size_t(isTransposed ? c * rows + r : r * columns + c)] =
          load(layout.type, data, index * layout.stride + c * layout.leadingDimension + r);
  return values;
}

} // namespace

LtStatus LtMatmul::check() const {
  auto isPlain = [](const MatrixLayoutObject &layout) {
    return layout.rows > 0 && layout.columns > 0 && layout.batch > 0 && layout.stride >= 0 &&
           layout.leadingDimension >= int64_t(layout.rows);
  };
  uint64_t m = desc.transposeA ? a.columns : a.rows, k = desc.transposeA ? a.rows : a.columns;
  uint64_t n = desc.transposeB ? b.rows : b.columns, depth = desc.transposeB ? b.columns : b.rows;
  bool fits = isPlain(a) && isPlain(b) && isPlain(c) && isPlain(d) && k == depth && m == d.rows &&
              n == d.columns && c.rows == d.rows && c.columns == d.columns && a.batch == d.batch &&
              b.batch == d.batch && c.batch == d.batch;
  if (!fits || !isKnown(desc) || ((hasBias(desc) || hasSum(desc)) && !desc.bias) ||
      (hasAux(desc) && (!desc.aux || desc.auxLeadingDimension < int64_t(d.rows) ||
                        desc.auxLeadingDimension % 8 != 0 || desc.auxStride % 8 != 0)))
    return LtStatus::InvalidValue;
  bool isHalf = a.type != DataType::F32;
  bool isDone = a.type == b.type && c.type == d.type && desc.scale == DataType::F32 &&
                (d.type == DataType::F32 || d.type == a.type) &&
                !(isHalf && desc.compute == ComputeType::Tf32) && !(hasSum(desc) && d.batch > 1);
  return isDone ? LtStatus::Success : LtStatus::NotSupported;
}

uint64_t LtMatmul::fingerprint() const {
  uint64_t sum = 14695981039346656037ull;
  auto add = [&](auto value) { sum = (sum ^ uint64_t(value)) * 1099511628211ull; };
  for (const MatrixLayoutObject *layout : {&a, &b, &c, &d})
    for (int64_t value : {int64_t(layout->type), int64_t(layout->rows), int64_t(layout->columns),
                          layout->leadingDimension, int64_t(layout->batch), layout->stride})
      add(value);
  add(desc.compute);
  add(desc.transposeA);
  add(desc.transposeB);
  add(desc.epilogue);
  return sum;
}

std::vector<GpuBytes> LtCall::touched() const {
  auto bytes = [](const std::byte *address, int64_t count, DataType type) {
    return GpuBytes{pointer(address), size_t(count) * bytesOf(type)};
  };
  const LtMatmul &p = product;
  std::vector<GpuBytes> list = {
      bytes(a, extentOf(p.a), p.a.type), bytes(b, extentOf(p.b), p.b.type),
      bytes(c, extentOf(p.c), p.c.type), bytes(d, extentOf(p.d), p.d.type)};
  if (hasBias(p.desc) || hasSum(p.desc))
    list.push_back(bytes(p.desc.bias, isEpilogue(p.desc, {Epilogue::SumB}) ? p.d.columns : p.d.rows,
                         p.d.type));
  if (hasAux(p.desc)) {
    MatrixLayoutObject aux = p.d;
    aux.leadingDimension = p.desc.auxLeadingDimension;
    aux.stride = p.desc.auxStride;
    list.push_back(bytes(p.desc.aux, extentOf(aux), p.d.type));
  }
  return list;
}

void LtCall::run() const {
  const MatmulDescObject &desc = product.desc;
  const MatrixLayoutObject &out = product.d;
  int64_t m = int64_t(out.rows), n = int64_t(out.columns);
  int64_t k = int64_t(desc.transposeA ? product.a.rows : product.a.columns);
  bool isGelu = isEpilogue(
      desc, {Epilogue::Gelu, Epilogue::GeluBias, Epilogue::GeluAux, Epilogue::GeluAuxBias});
  bool isGradient = isEpilogue(desc, {Epilogue::GeluGradient});
  bool isRelu = isEpilogue(desc, {Epilogue::Relu, Epilogue::ReluBias});
  for (int64_t e = 0; e < out.batch; ++e) {
    std::vector<double> left = take(product.a, a, desc.transposeA, e);
    std::vector<double> right = take(product.b, b, !desc.transposeB, e); // by columns
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += left[size_t(i * k + p)] * right[size_t(j * k + p)];
        int64_t at = e * out.stride + j * out.leadingDimension + i;
        int64_t inC = e * product.c.stride + j * product.c.leadingDimension + i;
        int64_t inAux = e * desc.auxStride + j * desc.auxLeadingDimension + i;
        double value = alpha * sum + (beta != 0 ? beta * load(product.c.type, c, inC) : 0);
        value += hasBias(desc) ? load(out.type, desc.bias, i) : 0;
        if (isGelu && hasAux(desc))
          store(out.type, desc.aux, inAux, value);
        if (isGelu)
          value = gelu(value);
        if (isGradient)
          value *= geluSlope(load(out.type, desc.aux, inAux));
        store(out.type, d, at, isRelu ? std::max(value, 0.0) : value);
      }
    bool isOfA = isEpilogue(desc, {Epilogue::SumA});
    for (int64_t r = 0; hasSum(desc) && r < (isOfA ? m : n); ++r) {
      const double *row = (isOfA ? left : right).data() + r * k;
      double sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += row[p];
      store(out.type, desc.bias, r, sum);
    }
  }
}

} // namespace pcc::test
