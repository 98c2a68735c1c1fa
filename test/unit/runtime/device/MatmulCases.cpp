// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/device/MatmulCases.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pcc::test {

ProductCase makeProduct(std::mt19937 &random, int64_t batch, int64_t m, int64_t n, int64_t k,
                        int variant) {
  ProductCase test;
  abi::Matmul &matmul = test.matmul;
  matmul.set_batch(batch);
  matmul.set_m(m);
  matmul.set_n(n);
  matmul.set_k(k);
  matmul.set_transpose_a(variant & 1);
  matmul.set_transpose_b(variant & 2);
  matmul.set_shared_b(batch > 1 && (variant & 4));
  matmul.set_activation(variant & 8 ? abi::RELU : abi::ACTIVATION_NONE);
  matmul.set_accumulation(variant & 16 ? abi::ADD_AFTER_FIRST : abi::OVERWRITE);
  matmul.set_type(abi::F32);
  matmul.set_result_type(abi::F32);
  test.a = randomFloats(random, batch * m * k);
  test.b = randomFloats(random, (matmul.shared_b() ? 1 : batch) * k * n);
  test.c = randomFloats(random, batch * m * n);
  if (variant & 32)
    test.bias = randomFloats(random, n);
  return test;
}

ProductCase makeGelu(std::mt19937 &random, int64_t batch, int64_t m, int64_t n, int64_t k,
                     int variant, Gelu gelu) {
  constexpr int transposesAndShared = 7, biasOfGelu = 8, biasOfAll = 32;
  bool isGradient = gelu == Gelu::Gradient;
  ProductCase test = makeProduct(random, batch, m, n, k,
                                 (variant & transposesAndShared) |
                                     ((variant & biasOfGelu) && !isGradient ? biasOfAll : 0));
  test.matmul.set_activation(isGradient ? abi::GELU_GRADIENT : abi::GELU);
  if (gelu != Gelu::Plain)
    test.preActivation = randomFloats(random, batch * m * n);
  return test;
}

ProductCase makeSum(std::mt19937 &random, int64_t batch, int64_t m, int64_t n, int64_t k,
                    int variant) {
  ProductCase test = makeProduct(random, batch, m, n, k, variant & 3);
  bool isOfB = variant & 4;
  test.sum = randomFloats(random, isOfB ? n : m);
  (isOfB ? test.matmul.mutable_sum_of_b() : test.matmul.mutable_sum_of_a())->set_buffer(0);
  return test;
}

std::vector<double> ProductCase::beforeActivation(bool add) const {
  const abi::Matmul &s = matmul;
  int64_t m = s.m(), n = s.n(), k = s.k();
  std::vector<double> result(s.batch() * m * n);
  for (int64_t e = 0; e < s.batch(); ++e)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = bias.empty() ? 0 : bias[j];
        for (int64_t p = 0; p < k; ++p)
          sum +=
              double(a[e * m * k + (s.transpose_a() ? p * m + i : i * k + p)]) *
              double(b[(s.shared_b() ? 0 : e * k * n) + (s.transpose_b() ? j * k + p : p * n + j)]);
        result[(e * m + i) * n + j] = sum + (add ? c[(e * m + i) * n + j] : 0);
      }
  return result;
}

/// Computes gelu by the tanh formula; geluSlope is its derivative.
static double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
static double geluSlope(double x) {
  constexpr double step = 1e-5;
  return (gelu(x + step) - gelu(x - step)) / (2 * step);
}

std::vector<double> ProductCase::expected(bool add) const {
  std::vector<double> result = beforeActivation(add);
  for (size_t i = 0; i < result.size(); ++i)
    switch (matmul.activation()) {
    case abi::RELU:
      result[i] = std::max(result[i], 0.0);
      break;
    case abi::GELU:
      result[i] = gelu(result[i]);
      break;
    case abi::GELU_GRADIENT:
      result[i] *= geluSlope(preActivation[i]);
      break;
    default:
      break;
    }
  return result;
}

std::vector<double> ProductCase::expectedSum() const {
  bool isOfA = matmul.has_sum_of_a();
  int64_t rows = isOfA ? matmul.m() : matmul.n(), k = matmul.k();
  bool isByRows = isOfA ? !matmul.transpose_a() : matmul.transpose_b();
  std::vector<double> sums(rows);
  for (int64_t e = 0; e < matmul.batch(); ++e)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t p = 0; p < k; ++p)
        sums[i] += (isOfA ? a : b)[e * rows * k + (isByRows ? i * k + p : p * rows + i)];
  return sums;
}

ProductProgram::ProductProgram(const ProductCase &test) {
  auto add = [&](const char *name, const std::vector<float> &list) {
    uint32_t buffer = builder.buffer(name, abi::PERSISTENT, abi::F32, {int64_t(list.size())});
    values.push_back({buffer, list});
    return buffer;
  };
  abi::Matmul &matmul = *instruction.mutable_matmul();
  matmul = test.matmul;
  matmul.mutable_a()->set_buffer(add("a", test.a));
  matmul.mutable_b()->set_buffer(add("b", test.b));
  result = add("c", test.c);
  matmul.mutable_c()->set_buffer(result);
  if (!test.bias.empty())
    matmul.mutable_bias()->set_buffer(add("bias", test.bias));
  if (!test.preActivation.empty())
    matmul.mutable_pre_activation()->set_buffer(preActivation =
                                                    add("preActivation", test.preActivation));
  if (!test.sum.empty())
    (matmul.has_sum_of_a() ? matmul.mutable_sum_of_a() : matmul.mutable_sum_of_b())
        ->set_buffer(sum = add("sum", test.sum));
}

} // namespace pcc::test
