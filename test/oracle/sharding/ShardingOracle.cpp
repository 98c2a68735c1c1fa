// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// N ranks against one device: ops with random shardings of their operands and result, and random
// programs. `PCC_TEST_FULL` multiplies their number.
#include "test/oracle/sharding/OpMatrix.h"
#include "test/oracle/sharding/Partitioned.h"
#include "test/oracle/sharding/RandomProgram.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace llvm;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::test {

static const Mesh meshes[] = {Mesh({{"x", 2}, {"y", 2}}), Mesh({{"x", 2}, {"y", 4}}),
                              Mesh({{"x", 2}, {"y", 3}})};

static int64_t sampleSize(int64_t normal) {
  return std::getenv("PCC_TEST_FULL") ? 20 * normal : normal;
}

static std::string textOf(const interpret::Report &report) {
  std::string text;
  raw_string_ostream os(text);
  report.print(os);
  return text;
}

/// `op` with random shardings of operands and result.
static std::string makeCase(const OpCase &op, const Mesh &mesh, std::mt19937_64 &random) {
  std::string arguments;
  for (size_t index = 0; index < op.operands.size(); ++index) {
    std::string element = op.elements.empty() ? "f32" : op.elements[index];
    arguments += std::string(index ? ", %" : "%") + char('a' + index) + ": " +
                 typeText(op.operands[index], element) + " " +
                 markText(pickSharding(op.operands[index], mesh, random));
  }
  std::string type = typeText(op.result);
  return "func.func @f(" + arguments + ") -> (" + type + " " +
         markText(pickSharding(op.result, mesh, random)) + ") {\n  " + op.text +
         "\n  return %r : " + type + "\n}\n";
}

TEST(Ops, AnyShardingOfOperandsAndResult) {
  constexpr uint64_t seed = 1;
  std::mt19937_64 random(seed);
  int64_t perOp = sampleSize(6), count = 0;
  for (const OpCase &op : listOpCases())
    for (int64_t index = 0; index < perOp; ++index, ++count) {
      const Mesh &mesh = meshes[index % std::size(meshes)];
      std::string text = makeCase(op, mesh, random);
      interpret::Report report = comparePartitioned(text, mesh);
      EXPECT_TRUE(report.passed()) << op.name << " on " << mesh.str() << "\n"
                                   << text << textOf(report);
    }
  int64_t full = count / perOp * 20 * 6;
  outs() << count << " of " << full << " sharded ops, seed " << seed << "\n";
}

TEST(Programs, RandomOnesEqualOneDevice) {
  constexpr uint64_t firstSeed = 100;
  int64_t count = sampleSize(20);
  for (int64_t index = 0; index < count; ++index) {
    std::mt19937_64 random(firstSeed + index);
    const Mesh &mesh = meshes[index % std::size(meshes)];
    std::string text = makeRandomProgram(mesh, 4 + index % 12, random);
    interpret::Report report = comparePartitioned(text, mesh);
    EXPECT_TRUE(report.passed()) << "seed " << firstSeed + index << " on " << mesh.str() << "\n"
                                 << text << textOf(report);
  }
  outs() << count << " of " << 20 * 20 << " random programs, seeds from " << firstSeed << "\n";
}

} // namespace pcc::test
