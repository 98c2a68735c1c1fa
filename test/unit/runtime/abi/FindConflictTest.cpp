// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares conflicts among many instructions with pairwise checks.

#include "runtime/abi/validate/OperandRanges.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

#include <random>

namespace pcc::test {
namespace {

using Random = std::mt19937;

int pick(Random &random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

/// Adds buffers and rings at random places of two spaces; many overlap.
void addBuffers(Random &random, abi::MemoryPlan &memory, int count) {
  for (int b = 0; b < count; ++b) {
    abi::Buffer &buffer = *memory.add_buffers();
    buffer.set_space(pick(random, 0, 3) ? abi::TEMPORARY : abi::PERSISTENT);
    buffer.set_offset(uint64_t(pick(random, 0, 400)) * 8);
    buffer.set_bytes(uint64_t(pick(random, 1, 3)) * 8);
    if (pick(random, 0, 2) > 0)
      continue;
    buffer.mutable_ring()->set_depth(uint32_t(pick(random, 2, 3)));
    buffer.mutable_ring()->set_stride(uint64_t(pick(random, 3, 4)) * 8);
  }
}

/// Returns an all-reduce from one buffer to another, or in place.
abi::Instruction allReduce(Random &random, const abi::MemoryPlan &memory) {
  abi::Instruction instruction;
  abi::Collective &collective = *instruction.mutable_collective();
  collective.set_kind(abi::ALL_REDUCE);
  collective.set_type(abi::F32);
  uint32_t source = uint32_t(pick(random, 0, memory.buffers_size() - 1));
  bool isInPlace = pick(random, 0, 1);
  uint32_t target = isInPlace ? source : uint32_t(pick(random, 0, memory.buffers_size() - 1));
  collective.mutable_source()->set_buffer(source);
  collective.mutable_destination()->set_buffer(target);
  uint64_t bytes =
      std::min(memory.buffers(int(source)).bytes(), memory.buffers(int(target)).bytes());
  collective.add_shape(int64_t(bytes / sizeof(float)));
  return instruction;
}

/// Whether the bytes that an instruction reads and writes are disjoint or equal.
bool isValid(const abi::Executable &executable, const abi::Instruction &instruction) {
  const abi::Collective &collective = instruction.collective();
  abi::Instruction reader = instruction, writer = instruction;
  *reader.mutable_collective()->mutable_destination() = collective.source();
  *writer.mutable_collective()->mutable_source() = collective.destination();
  return collective.source().buffer() == collective.destination().buffer() ||
         !abi::mayConflict(executable, executable.programs(0), reader, writer);
}

TEST(FindConflict, AsForEveryTwoRecords) {
  int found = 0, none = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    Random random(seed);
    ProgramBuilder builder(2);
    abi::MemoryPlan &memory = *builder.program.mutable_memory();
    addBuffers(random, memory, 12);
    std::vector<abi::Instruction> instructions;
    for (int count = pick(random, 1, 6); int(instructions.size()) < count;)
      if (abi::Instruction next = allReduce(random, memory); isValid(builder.executable, next))
        instructions.push_back(next);
    std::vector<const abi::Instruction *> list;
    for (const abi::Instruction &instruction : instructions)
      list.push_back(&instruction);
    auto conflicts = [&](size_t a, size_t b) {
      return a != b && abi::mayConflict(builder.executable, builder.program, instructions[a],
                                        instructions[b]);
    };
    auto hasConflict = [&](size_t a) {
      for (size_t b = 0; b < instructions.size(); ++b)
        if (conflicts(a, b))
          return true;
      return false;
    };
    bool expected = false;
    for (size_t a = 0; a < instructions.size(); ++a)
      expected |= hasConflict(a);
    auto conflict = abi::findConflict(builder.executable, builder.program, list);
    ASSERT_EQ(conflict.has_value(), expected) << "seed " << seed;
    ASSERT_TRUE(!conflict || hasConflict(*conflict)) << "seed " << seed;
    ++(expected ? found : none);
  }
  EXPECT_GT(found, 500);
  EXPECT_GT(none, 500);
}

} // namespace
} // namespace pcc::test
