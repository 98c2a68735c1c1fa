// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/Session.h"
#include "runtime/execute/Train.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace pcc::test {
namespace {

using namespace runtime;

template <typename Bits> FoundNumber find(abi::ElementType type, const std::vector<Bits> &numbers) {
  return findWorst(type, std::as_bytes(std::span(numbers)));
}

TEST(FindWorst, FindsTheFirstOfTheWorstKind) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  auto expect = [](FoundNumber got, int64_t index, NumberKind kind) {
    EXPECT_EQ(got.index, index);
    EXPECT_EQ(got.kind, kind);
  };
  expect(find<float>(abi::F32, {1, -infinity, infinity, -NAN, NAN}), 3, NumberKind::NaN);
  expect(find<float>(abi::F32, {1, -infinity, infinity, infinity}), 2, NumberKind::Infinity);
  expect(find<float>(abi::F32, {1, -infinity}), 1, NumberKind::NegativeInfinity);
  expect(find<float>(abi::F32, {1, 3e38f, -0.0f}), 0, NumberKind::Finite);
  expect(find<uint16_t>(abi::F16, {0x7bff, 0xfc00, 0x7c01}), 2, NumberKind::NaN);
  expect(find<uint16_t>(abi::BF16, {0x7f7f, 0x7f80}), 1, NumberKind::Infinity);
  expect(find<uint64_t>(abi::F64, {0x7fefffffffffffff, 0xfff0000000000000}), 1,
         NumberKind::NegativeInfinity);
  expect(find<int32_t>(abi::I32, {0x7f800000}), 0, NumberKind::Finite);
}

/// Puts each of `numbers` at the first, a middle and the last place of 5,001 finite numbers.
template <typename Bits>
void expectFinite(abi::ElementType type, Bits finite, const std::vector<Bits> &numbers,
                  bool expected) {
  for (Bits number : numbers)
    for (size_t place : {0, 1024, 5000}) {
      std::vector<Bits> all(5001, finite);
      all[place] = number;
      EXPECT_EQ(areFinite(type, std::as_bytes(std::span(all))), expected)
          << "type " << type << ", bits " << number << " at " << place;
    }
}

TEST(AreFinite, LooksAtEveryNumber) {
  expectFinite<uint16_t>(abi::F16, 0xfbff, {0x0001, 0x8000, 0x7bff}, true);
  expectFinite<uint16_t>(abi::F16, 0xfbff, {0x7c00, 0xfc00, 0x7c01, 0xffff}, false);
  expectFinite<uint16_t>(abi::BF16, 0xff7f, {0x7f80, 0xff80, 0x7fc0}, false);
  expectFinite<uint32_t>(abi::F32, 0xff7fffff, {0x7f7fffff, 0x80000000}, true);
  expectFinite<uint32_t>(abi::F32, 0xff7fffff, {0x7f800000, 0xff800000, 0x7f800001}, false);
  expectFinite<uint64_t>(abi::F64, 0xffefffffffffffff, {0x7ff0000000000000, ~uint64_t(0)}, false);
  expectFinite<uint32_t>(abi::I32, 0, {0x7f800000}, true);
  EXPECT_TRUE(areFinite(abi::F32, {}));
}

/// Trains with one number of a parameter of rank 2 replaced.
Status trainWith(float number, const FiniteCheckOptions &options) {
  auto session = Session::load(makeMlp({.ranks = 4, .batch = 64, .widths = {20, 16, 4}}),
                               {.timeout = 60, .finiteCheck = options});
  EXPECT_TRUE(bool(session)) << session.status().describe();
  Status status = (*session)->onEveryRank([&](RankExecutor &rank) {
    uint32_t buffer = rank.program().parameters(1).buffer();
    std::array<float, 6> numbers = {};
    Status read = rank.read(std::as_writable_bytes(std::span(numbers)), buffer);
    numbers[5] = number;
    return read.ok() && rank.rank() == 2 ? rank.write(buffer, std::as_bytes(std::span(numbers)))
                                         : read;
  });
  EXPECT_TRUE(status.ok()) << status.describe();
  Dataset data = makeSyntheticDataset((*session)->program(), 256, 1);
  return train(**session, data, {.onNonfinite = NonfiniteAction::Continue}).status();
}

TEST(FiniteCheck, NamesTheFirstInstructionThatWritesNaN) {
  Status status = trainWith(NAN, {.isOn = true});
  EXPECT_EQ(status.exitCode(), 5);
  EXPECT_EQ(
      status.describe(),
      "rank 2: step 1: forward_backward[0,0]: 'fc0': --check-finite: wrote NaN in 'h0'[0, 5], and "
      "read NaN in the parameter 'b0'[5]");
}

TEST(FiniteCheck, WarnsOncePerRank) {
  std::atomic<int> warnings = 0;
  Status status = trainWith(std::numeric_limits<float>::infinity(),
                            {.isOn = true, .warn = [&](const std::string &) { ++warnings; }});
  EXPECT_TRUE(status.ok()) << status.describe();
  EXPECT_EQ(warnings, 4); // the gradients bring it to the other ranks
}

TEST(FiniteCheck, IsSilentOnFiniteNumbers) {
  Status status = trainWith(1, {.isOn = true});
  EXPECT_TRUE(status.ok()) << status.describe();
}

} // namespace
} // namespace pcc::test
