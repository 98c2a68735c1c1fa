// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/host/HostDevice.h"
#include "runtime/base/HalfFloat.h"
#include "test/unit/runtime/RunRecord.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace pcc::test {
namespace {

using namespace runtime;

/// A product's operands, and what it should give.
struct ProductCase {
  abi::Matmul matmul;
  std::vector<float> a, b, c, bias;
};

ProductCase makeCase(std::mt19937 &random, int64_t batch, int64_t m, int64_t n, int64_t k,
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

std::vector<double> reference(const ProductCase &test, bool add) {
  const abi::Matmul &s = test.matmul;
  int64_t m = s.m(), n = s.n(), k = s.k();
  std::vector<double> result(s.batch() * m * n);
  for (int64_t e = 0; e < s.batch(); ++e)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = test.bias.empty() ? 0 : test.bias[j];
        for (int64_t p = 0; p < k; ++p)
          sum += double(test.a[e * m * k + (s.transpose_a() ? p * m + i : i * k + p)]) *
                 double(test.b[(s.shared_b() ? 0 : e * k * n) +
                               (s.transpose_b() ? j * k + p : p * n + j)]);
        sum += add ? test.c[(e * m + i) * n + j] : 0;
        result[(e * m + i) * n + j] = s.activation() == abi::RELU ? std::max(sum, 0.0) : sum;
      }
  return result;
}

std::vector<float> runProduct(const ProductCase &test, int threads, bool first) {
  ProgramBuilder builder(1);
  auto add = [&](const char *name, size_t count) {
    return builder.buffer(name, abi::PERSISTENT, abi::F32, {int64_t(count)});
  };
  uint32_t a = add("a", test.a.size()), b = add("b", test.b.size()), c = add("c", test.c.size()),
           bias = add("bias", test.bias.size());
  abi::Record record;
  abi::Matmul &matmul = *record.mutable_matmul();
  matmul = test.matmul;
  matmul.mutable_a()->set_buffer(a);
  matmul.mutable_b()->set_buffer(b);
  matmul.mutable_c()->set_buffer(c);
  if (!test.bias.empty())
    matmul.mutable_bias()->set_buffer(bias);
  return runRecord(builder, record, {{a, test.a}, {b, test.b}, {c, test.c}, {bias, test.bias}}, c,
                   threads, {.first = first});
}

TEST(HostDevice, ProductsOfAllForms) {
  std::mt19937 random(1);
  for (auto [batch, m, n, k] : {std::array<int64_t, 4>{1, 4, 512, 70},
                                {1, 300, 31, 4},
                                {3, 2, 5, 33},
                                {1, 64, 48, 80},
                                {2, 40, 24, 32},
                                {1, 1, 1, 1},
                                {1, 600, 20, 17}})
    for (int variant = 0; variant < 64; ++variant) {
      ProductCase test = makeCase(random, batch, m, n, k, variant);
      for (bool first : {true, false}) {
        bool add = test.matmul.accumulation() == abi::ADD_AFTER_FIRST && !first;
        std::vector<float> got = runProduct(test, 1, first);
        std::vector<double> expected = reference(test, add);
        double worst = 0;
        for (size_t i = 0; i < got.size(); ++i)
          worst = std::max(worst, std::abs(got[i] - expected[i]));
        // Terms are below 1 in size; f32 rounds each of k + 2 additions by at most half an ulp of
        // their sum's bound.
        EXPECT_LE(worst, double(k + 2) * double(k + 2) * 0x1p-24)
            << batch << "x" << m << "x" << n << "x" << k << " variant " << variant;
      }
    }
}

// ReLU hands a NaN on (docs/spec/interpreter.md).
TEST(HostDevice, ReluOfASmallProductKeepsNan) {
  std::mt19937 random(3);
  constexpr int64_t extent = 4;
  ProductCase test = makeCase(random, 1, extent, extent, extent, 8);
  test.a[0] = NAN;
  std::vector<float> got = runProduct(test, 1, true);
  for (int64_t i = 0; i < extent * extent; ++i)
    EXPECT_EQ(std::isnan(got[i]), i < extent) << "element " << i;
}

// Which way and which cut a product takes depends on its sizes alone.
TEST(HostDevice, BitsDoNotDependOnThreads) {
  std::mt19937 random(2);
  for (auto [m, n, k] : {std::array<int64_t, 3>{4, 512, 784},
                         {512, 784, 4},
                         {32, 512, 784},
                         {512, 784, 32},
                         {256, 256, 256}})
    for (int variant : {0, 1, 2, 40}) {
      ProductCase test = makeCase(random, 1, m, n, k, variant);
      std::vector<float> one = runProduct(test, 1, true);
      for (int threads : {2, 3, 8})
        EXPECT_EQ(runProduct(test, threads, true), one)
            << m << "x" << n << "x" << k << " variant " << variant << ", " << threads << " threads";
    }
}

TEST(HostDevice, AccumulatesInF32) {
  for (int threads : {1, 3}) {
    ProgramBuilder builder(1);
    constexpr int64_t count = 10000;
    uint32_t source = builder.buffer("source", abi::PERSISTENT, abi::BF16, {count});
    uint32_t sum = builder.buffer("sum", abi::PERSISTENT, abi::F32, {count});
    abi::Record record;
    abi::Accumulate &accumulate = *record.mutable_accumulate();
    accumulate.mutable_source()->set_buffer(source);
    accumulate.mutable_destination()->set_buffer(sum);
    accumulate.set_source_type(abi::BF16);
    accumulate.set_count(count);
    accumulate.set_accumulation(abi::ADD_AFTER_FIRST);
    uint32_t twoHalves = uint32_t(toBFloat16(2.0f).bits) << 16 | toBFloat16(2.0f).bits;
    std::vector<float> packed(count / 2, std::bit_cast<float>(twoHalves));
    std::vector<float> before(count, 1.5f);
    EXPECT_EQ(
        runRecord(builder, record, {{source, packed}, {sum, before}}, sum, threads, {.first = 1}),
        std::vector<float>(count, 2.0f));
    EXPECT_EQ(
        runRecord(builder, record, {{source, packed}, {sum, before}}, sum, threads, {.first = 0}),
        std::vector<float>(count, 3.5f));
  }
}

TEST(HostDevice, CopiesAndFills) {
  ProgramBuilder builder(1);
  uint32_t source = builder.buffer("source", abi::PERSISTENT, abi::F32, {8});
  uint32_t target = builder.buffer("target", abi::PERSISTENT, abi::F32, {8});
  std::vector<float> ones(8, 1), counting(8);
  std::iota(counting.begin(), counting.end(), 0.0f);
  abi::Record copy, fill;
  copy.mutable_copy()->mutable_source()->set_buffer(source);
  copy.mutable_copy()->mutable_source()->set_offset(8);
  copy.mutable_copy()->mutable_destination()->set_buffer(target);
  copy.mutable_copy()->set_bytes(12);
  EXPECT_EQ(runRecord(builder, copy, {{source, counting}, {target, ones}}, target, 1, {}),
            (std::vector<float>{2, 3, 4, 1, 1, 1, 1, 1}));
  fill.mutable_fill()->mutable_destination()->set_buffer(target);
  fill.mutable_fill()->mutable_destination()->set_offset(4);
  fill.mutable_fill()->set_bytes(24);
  EXPECT_EQ(runRecord(builder, fill, {{target, ones}}, target, 1, {}),
            (std::vector<float>{1, 0, 0, 0, 0, 0, 0, 1}));
}

TEST(HostDevice, RefusesAnotherCpu) {
  ProgramBuilder builder(1);
  builder.executable.mutable_object()->add_cpu_features("avx9000");
  Status status = makeHostDevices(builder.executable).status();
  EXPECT_EQ(status.exitCode(), 6);
  EXPECT_EQ(status.message(),
            "the program was compiled for a cpu with avx9000, which this one has not; "
            "compile it here");
}

TEST(HostDevice, NamesAMissingSymbol) {
  ProgramBuilder builder(1);
  builder.executable.mutable_kernels(0)->set_symbol("gone");
  EXPECT_EQ(makeHostDevices(builder.executable).status().message(),
            "kernel 'softmax_cross_entropy': the object has no symbol 'gone'");
}

} // namespace
} // namespace pcc::test
