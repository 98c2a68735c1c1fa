// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/abi/program/RankExpression.h"
#include "runtime/base/CpuFeatures.h"
#include "runtime/base/HalfFloat.h"
#include "runtime/base/SharedLibrary.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pcc::test {
namespace {

using namespace runtime;

TEST(HalfFloat, EveryHalfComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    Float16 half{uint16_t(bits)};
    bool isNan = (bits & 0x7fff) > 0x7c00;
    if (isNan)
      EXPECT_TRUE(std::isnan(toFloat(half)));
    else
      EXPECT_EQ(toFloat16(toFloat(half)).bits, bits);
  }
}

// A number halfway between two halves rounds to the even one; a number just above halfway rounds
// up.
TEST(HalfFloat, RoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    float low = toFloat(Float16{uint16_t(bits)}), high = toFloat(Float16{uint16_t(bits + 1)});
    float middle = (low + high) / 2;
    EXPECT_EQ(toFloat16(middle).bits, bits % 2 ? bits + 1 : bits);
    EXPECT_EQ(toFloat16(std::nextafter(middle, high)).bits, bits + 1);
    EXPECT_EQ(toFloat16(std::nextafter(middle, low)).bits, bits);
  }
  EXPECT_EQ(toFloat16(65520.0f).bits, 0x7c00); // to infinity
  EXPECT_EQ(toFloat16(-1e10f).bits, 0xfc00);
}

TEST(HalfFloat, BFloat16RoundsToNearestEven) {
  EXPECT_EQ(toBFloat16(1.0f).bits, 0x3f80);
  EXPECT_EQ(toBFloat16(1.0f + 0x1p-8f).bits, 0x3f80);
  EXPECT_EQ(toBFloat16(1.0f + 0x1p-8f + 0x1p-20f).bits, 0x3f81);
  EXPECT_TRUE(std::isnan(toFloat(toBFloat16(NAN))));
}

TEST(CpuFeatures, UnderstandsLlvmsNames) {
  std::set<std::string> flags = {"sse41", "abm", "avx512vnni", "pni"};
  EXPECT_TRUE(hasCpuFeature(flags, "sse4.1"));
  EXPECT_TRUE(hasCpuFeature(flags, "lzcnt"));
  EXPECT_TRUE(hasCpuFeature(flags, "avx512vnni"));
  EXPECT_TRUE(hasCpuFeature(flags, "sse3"));
  EXPECT_FALSE(hasCpuFeature(flags, "avx2"));
}

TEST(CpuFeatures, NamesWhatIsMissing) {
  Status status = checkCpuFeatures(std::vector<std::string>{"no-such-feature", "sse2"});
  EXPECT_EQ(status.message(),
            "the program was compiled for a cpu with no-such-feature, which this machine lacks; "
            "compile it here");
  EXPECT_EQ(status.exitCode(), 6);
}

// Only x86 has the list of flags. Where the kernel prints another one, no feature is missing.
TEST(CpuFeatures, AMachineWithoutFlagsIsNotRefused) {
  std::vector<std::string> features = {"sse2"};
  EXPECT_TRUE(checkCpuFeatures(features, {}).ok());
  EXPECT_FALSE(checkCpuFeatures(features, {"avx2"}).ok());
}

TEST(SharedLibrary, NamesWhatCannotBeOpened) {
  constexpr const char *names[] = {"libnowhere.so.1", "libnowhere.so"};
  Status status = SharedLibrary::open(names, "install nowhere").status();
  EXPECT_EQ(status.message(), "cannot open 'libnowhere.so.1', 'libnowhere.so'; install nowhere");
  EXPECT_EQ(status.exitCode(), 6);
}

TEST(SharedLibrary, DamagedImageIsAnError) {
  Status status = SharedLibrary::openImage("kernels", "no code").status();
  EXPECT_TRUE(status.message().starts_with("'kernels' cannot be loaded: "));
}

// The system limits the length of names.
TEST(SharedLibrary, ImageMayHaveALongName) {
  std::string name(300, 'k');
  Status status = SharedLibrary::openImage(name, "no code").status();
  EXPECT_TRUE(status.message().starts_with("'" + name + "' cannot be loaded: "))
      << status.message();
}

TEST(RankExpression, SumsCoordinates) {
  abi::Mesh mesh;
  for (auto [name, size] : {std::pair("dp", 2), {"tp", 4}}) {
    mesh.add_axes()->set_name(name);
    mesh.mutable_axes(mesh.axes_size() - 1)->set_size(size);
  }
  EXPECT_EQ(abi::coordinatesOf(mesh, 6), (std::vector<int64_t>{1, 2}));
  abi::RankExpression expression;
  expression.set_constant(1);
  expression.add_terms()->set_stride(2);
  EXPECT_EQ(abi::evaluate(expression, mesh, 6), 3);
  abi::RankExpression table;
  for (int64_t entry : {9, 8, 7, 6, 5, 4, 3, 2})
    table.add_table(entry);
  EXPECT_EQ(abi::evaluate(table, mesh, 6), 3);
}

TEST(Status, SaysWhere) {
  Status status = Status::failed("it broke").at({.op = "/fc1/Gemm", .location = "train.py:53"});
  status = std::move(status).at({.rank = 3, .step = 7, .section = "update"});
  EXPECT_EQ(status.describe(), "rank 3: step 7: update[0,0]: '/fc1/Gemm' (train.py:53): it broke");
  EXPECT_EQ(status.exitCode(), 5);
}

} // namespace
} // namespace pcc::test
