// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time, computed by hand.

#include "test/unit/runtime/Pipelines.h"
#include "test/unit/simulate/Sketch.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using simulate::Memory;

/// Returns levels as (time, bytes).
std::vector<std::pair<double, uint64_t>> levelsOf(const Memory &memory) {
  std::vector<std::pair<double, uint64_t>> levels;
  for (const simulate::LiveBytes &level : memory.live)
    levels.emplace_back(level.begin, level.bytes);
  return levels;
}

using Levels = std::vector<std::pair<double, uint64_t>>;

abi::Instruction &copy(Sketch &sketch, uint32_t section, uint32_t from, uint32_t to,
                       uint64_t bytes) {
  abi::Instruction &instruction =
      *sketch.executable.mutable_programs(0)->mutable_sections(int(section))->add_instructions();
  instruction.set_op("copy");
  instruction.mutable_copy()->mutable_source()->set_buffer(from);
  instruction.mutable_copy()->mutable_destination()->set_buffer(to);
  instruction.mutable_copy()->set_bytes(bytes);
  return instruction;
}

/// Fills a (buffer 0) in 100 s and b (buffer 1) in 80 s, then copies 50 bytes of a over b.
Sketch filled() {
  Sketch sketch(1);
  uint32_t s = sketch.section(0, "forward");
  sketch.work(0, s, "a", 100);
  sketch.work(0, s, "b", 80);
  copy(sketch, s, 0, 1, 50);
  sketch.action(0, s);
  return sketch;
}

TEST(LiveMemory, FromTheFirstWriteToTheLastRead) {
  Sketch sketch = filled();
  Memory memory =
      simulate::simulate(sketch.executable, exactCluster({1}, {1}))->timelines[0].memory;
  // Half of a is never read. A part of b is written twice, and its first content is never read.
  EXPECT_EQ(levelsOf(memory), (Levels{{0, 100}, {100, 50 + 80}, {180, 50 + 50}, {280, 0}}));
}

TEST(LiveMemory, WhatIsChangedInPlaceCountsOnce) {
  Sketch sketch(1, 2);
  uint32_t s = sketch.section(0, "forward");
  sketch.work(0, s, "a", 4);
  abi::Collective &sum = *sketch.reduce(0, s, "sum", {}, abi::COMPUTE).mutable_collective();
  sum.mutable_source()->set_buffer(0);
  sum.mutable_destination()->set_buffer(0);
  sketch.action(0, s);
  Memory memory =
      simulate::simulate(sketch.executable, exactCluster({2}, {3}))->timelines[0].memory;
  EXPECT_EQ(levelsOf(memory), (Levels{{0, 4}, {7, 0}}));
}

TEST(LiveMemory, TensorsAtThePeakAreTheirWriters) {
  Sketch sketch = filled();
  auto step = simulate::simulate(sketch.executable, exactCluster({1}, {1}));
  const std::vector<simulate::LiveTensor> &tensors = step->timelines[0].memory.atPeak;
  // b is live, and so is the part of a that is still to be copied.
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(std::tuple(tensors[0].instruction, tensors[0].buffer, tensors[0].bytes),
            std::tuple(1u, 1u, 80u));
  EXPECT_EQ(std::tuple(tensors[1].instruction, tensors[1].buffer, tensors[1].bytes),
            std::tuple(0u, 0u, 50u));
}

TEST(LiveMemory, HeldAndPlannedBytes) {
  Sketch sketch = filled();
  sketch.executable.mutable_programs(0)->mutable_memory()->set_persistent_bytes(1000);
  sketch.executable.mutable_programs(0)->mutable_memory()->set_input_bytes(200);
  sketch.executable.set_constants(std::string(30, ' '));
  Memory memory =
      simulate::simulate(sketch.executable, exactCluster({1}, {1}))->timelines[0].memory;
  EXPECT_EQ(memory.held, 1230u);
  EXPECT_EQ(memory.peakLive, 1360u);
  EXPECT_EQ(memory.planned, 1230u + 128 + 128);
}

TEST(LiveMemory, CopiesOfARingLiveApart) {
  Sketch sketch(1);
  uint32_t forward = sketch.section(0, "forward"), backward = sketch.section(0, "backward");
  sketch.work(0, forward, "saved", 64);
  sketch.work(0, backward, "gradient", 64);
  copy(sketch, backward, 0, 1, 64);
  abi::MemoryPlan &memory = *sketch.executable.mutable_programs(0)->mutable_memory();
  abi::Ring &ring = *memory.mutable_buffers(0)->mutable_ring();
  ring.set_depth(2);
  ring.set_stride(64);
  memory.mutable_buffers(1)->set_offset(128);
  memory.set_temporary_bytes(192);
  for (auto [section, microbatch] : {std::pair(forward, 0),
                                     {forward, 1},
                                     {backward, 0},
                                     {forward, 2},
                                     {backward, 1},
                                     {backward, 2}})
    sketch.action(0, section, uint32_t(microbatch));
  auto step = simulate::simulate(sketch.executable, exactCluster({1}, {1}));
  EXPECT_EQ(step->timelines[0].memory.peakLive, 192u); // two in flight and a gradient
  EXPECT_EQ(step->timelines[0].memory.planned, 192u);
  // Order: forward 0, forward 1, backward 0. The gradient takes 64 s, the copy 128 s.
  EXPECT_EQ(levelsOf(step->timelines[0].memory).front(), std::pair(0.0, uint64_t(64)));
  EXPECT_EQ(levelsOf(step->timelines[0].memory)[1], std::pair(64.0, uint64_t(128)));
  EXPECT_EQ(levelsOf(step->timelines[0].memory)[2], std::pair(128.0, uint64_t(192)));
}

// In a run, a sent value is live until somebody waits for the send, however soon the send is done.
// By simulated time, the sent byte of a is dead when c is made.
TEST(LiveMemory, ThePeakIsThatOfARun) {
  Sketch sketch(2);
  uint32_t sends = sketch.section(0, "forward"), receives = sketch.section(1, "forward");
  sketch.work(0, sends, "a", 5);
  uint32_t made = sketch.signal(0);
  sketch.send(0, sends, 1, 1, {made}).mutable_collective()->mutable_source()->set_buffer(0);
  sketch.work(0, sends, "b", 7);
  sketch.work(0, sends, "c", 90);
  sketch.receive(1, receives, 0, 1, {});
  sketch.action(0, sends);
  sketch.action(1, receives);
  auto step = simulate::simulate(sketch.executable, exactCluster({2}, {1}));
  ASSERT_TRUE(step) << step.status().describe();
  Levels levels = levelsOf(step->timelines[0].memory);
  EXPECT_EQ(levels.back().second, 0u);
  uint64_t most = 0;
  for (auto [time, bytes] : levels)
    most = std::max(most, bytes);
  EXPECT_EQ(most, 90u);
  EXPECT_EQ(step->timelines[0].memory.peakLive, step->timelines[0].memory.held + 90 + 1);
}

// At the end of a section, a run waits for the collective that writes a result of the section. The
// buffers of the collective are dead in the next section. Otherwise the collective may be in flight
// until the end of the step.
TEST(LiveMemory, ASectionEndsAfterTheWritersOfItsResults) {
  Sketch sketch(1, 2);
  uint32_t forward = sketch.section(0, "forward"), update = sketch.section(0, "update");
  sketch.work(0, forward, "part", 4);
  abi::Instruction &sum = sketch.reduce(0, forward, "loss", {sketch.signal(0)});
  sum.mutable_collective()->mutable_source()->set_buffer(0);
  sketch.work(0, update, "step", 90);
  sketch.action(0, forward);
  sketch.action(0, update);
  auto peakOf = [&] {
    auto step = simulate::simulate(sketch.executable, exactCluster({2}, {100}));
    EXPECT_TRUE(step) << step.status().describe();
    return step ? step->timelines[0].memory.peakLive : 0;
  };
  EXPECT_EQ(peakOf(), 4u + 4 + 90);
  abi::Result &result = *sketch.executable.mutable_programs(0)->add_results();
  result.set_section(forward);
  result.set_buffer(1);
  EXPECT_EQ(peakOf(), 90u);
}

TEST(LiveMemory, NeverMoreThanThePlan) {
  for (int stages : {1, 2, 4}) {
    abi::Executable executable =
        makePipeline({.stages = stages, .microBatches = 6, .batch = 48, .shares = stages > 1});
    auto step = simulate::simulate(executable, exactCluster({stages * 2}, {1e3}));
    ASSERT_TRUE(step) << step.status().describe();
    for (const simulate::Timeline &timeline : step->timelines) {
      EXPECT_LE(timeline.memory.peakLive, timeline.memory.planned);
      for (const simulate::LiveBytes &level : timeline.memory.live)
        EXPECT_LE(timeline.memory.held + level.bytes, timeline.memory.planned);
      EXPECT_GT(timeline.memory.peakLive, timeline.memory.held);
      EXPECT_EQ(timeline.memory.live.back().bytes, 0u);
    }
  }
}

} // namespace
} // namespace pcc::test
