// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times computed by hand.

#include "runtime/simulate/Simulate.h"
#include "test/unit/simulate/Sketch.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using simulate::Seconds;
using simulate::Simulation;
using simulate::Span;

Simulation run(const Sketch &sketch, const abi::Cluster &cluster) {
  abi::Expected<Simulation> simulation = simulate::simulate(sketch.executable, cluster);
  EXPECT_TRUE(simulation) << simulation.status().describe();
  for (const simulate::Timeline &timeline : simulation->timelines)
    EXPECT_DOUBLE_EQ(timeline.seconds.sum(), simulation->seconds);
  return std::move(*simulation);
}

#define EXPECT_SPAN(span, from, to)                                                                \
  do {                                                                                             \
    Span own = span;                                                                               \
    EXPECT_DOUBLE_EQ(own.begin, from);                                                             \
    EXPECT_DOUBLE_EQ(own.end, to);                                                                 \
  } while (false)

TEST(Simulate, RecordsOfComputeRunOneAfterTheOther) {
  Sketch sketch(1);
  uint32_t s = sketch.section(0, "forward");
  sketch.work(0, s, "a", 2);
  sketch.work(0, s, "b", 3);
  sketch.action(0, s, 0);
  sketch.action(0, s, 1);
  Simulation step = run(sketch, exactCluster({1}, {1}));
  EXPECT_EQ(step.execution, "step");
  EXPECT_EQ(step.seconds, 10);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "b"), 2, 5);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "a", 1), 5, 7);
  EXPECT_EQ(step.timelines[0].seconds.compute, 10);
}

TEST(Simulate, AProgramWithoutSlotsRunsItsFirstSection) {
  Sketch sketch(1);
  sketch.work(0, sketch.section(0, "forward"), "a", 2);
  Simulation step = run(sketch, exactCluster({1}, {1}));
  EXPECT_EQ(step.execution, "forward");
  EXPECT_EQ(step.seconds, 2);
}

/// A collective that takes `latency` while b runs: a b c, where c waits for it.
Sketch overlapped() {
  Sketch sketch(1, 2);
  uint32_t s = sketch.section(0, "backward");
  sketch.work(0, s, "a", 3);
  uint32_t ready = sketch.signal(0);
  sketch.reduce(0, s, "sum", {ready});
  uint32_t reduced = sketch.signal(0);
  sketch.work(0, s, "b", 5);
  sketch.work(0, s, "c", 2, {reduced});
  sketch.action(0, s);
  return sketch;
}

TEST(Simulate, CommunicationRunsBesideCompute) {
  Sketch sketch = overlapped();
  Simulation step = run(sketch, exactCluster({2}, {1}));
  ASSERT_EQ(step.timelines.size(), 1u);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "sum"), 3, 4);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "c"), 8, 10);
  EXPECT_EQ(step.timelines[0].moving, 1);
  EXPECT_EQ(step.timelines[0].hidden, 1);
  EXPECT_EQ(step.timelines[0].seconds.collective, 0);
}

TEST(Simulate, ComputeWaitsForACollectiveThatTakesLonger) {
  Sketch sketch = overlapped();
  Simulation step = run(sketch, exactCluster({2}, {10}));
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "sum"), 3, 13);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "c"), 13, 15);
  EXPECT_EQ(step.timelines[0].seconds.collective, 5);
  EXPECT_EQ(step.timelines[0].moving, 10);
  EXPECT_EQ(step.timelines[0].hidden, 5);
}

TEST(Simulate, WhatIsFusedTakesTheTimeOfOneMessage) {
  Sketch sketch(1, 2);
  uint32_t s = sketch.section(0, "forward");
  sketch.reduce(0, s, "a");
  sketch.reduce(0, s, "b").mutable_collective()->set_fused(true);
  uint32_t reduced = sketch.signal(0);
  sketch.work(0, s, "c", 2, {reduced});
  sketch.action(0, s);
  Simulation step = run(sketch, exactCluster({2}, {10}));
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "a"), 0, 10);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "b"), 10, 10);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "c"), 10, 12);
}

TEST(Simulate, CollectivesTakeTheirShareOfTheDevice) {
  Sketch sketch = overlapped();
  abi::Cluster cluster = exactCluster({2}, {4});
  cluster.mutable_device()->mutable_collective_share()->set_value(0.25);
  Simulation step = run(sketch, cluster);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "sum"), 3, 7);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "c"), 9, 11); // 4 s beside b cost one more second
  EXPECT_EQ(step.timelines[0].seconds.slowed, 1);
  EXPECT_EQ(step.timelines[0].seconds.compute, 11);
}

TEST(Simulate, ACollectiveOnComputeKeepsTheLane) {
  Sketch sketch(1, 2);
  uint32_t s = sketch.section(0, "forward");
  sketch.work(0, s, "a", 3);
  sketch.reduce(0, s, "sum", {}, abi::COMPUTE);
  sketch.work(0, s, "b", 2);
  sketch.action(0, s);
  Simulation step = run(sketch, exactCluster({2}, {4}));
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "b"), 7, 9);
  EXPECT_EQ(step.timelines[0].seconds.communication, 4);
  EXPECT_EQ(step.timelines[0].seconds.bubble(), 0);
  EXPECT_EQ(step.timelines[0].hidden, 0);
}

TEST(Simulate, CommunicationBeginsWithItsSlotAndRunsOneByOne) {
  Sketch sketch(1, 2);
  uint32_t s = sketch.section(0, "forward");
  sketch.reduce(0, s, "sum");
  sketch.reduce(0, s, "sum again");
  sketch.work(0, s, "a", 5);
  sketch.action(0, s, 0);
  sketch.action(0, s, 1);
  Simulation step = run(sketch, exactCluster({2}, {1}));
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "sum"), 0, 1);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "sum again"), 1, 2);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "sum", 1), 5, 6);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "a", 1), 5, 10);
}

/// Stage 0 computes for 5 s and sends; stage 1 computes for 2 s on the received value.
Sketch handedOn(abi::StreamKind stream) {
  Sketch sketch(2);
  uint32_t s = sketch.section(0, "forward"), t = sketch.section(1, "forward");
  sketch.work(0, s, "a", 5);
  uint32_t computed = sketch.signal(0);
  sketch.send(0, s, 1, 1, {computed}, stream);
  sketch.work(0, s, "b", 1);
  sketch.receive(1, t, 0, 1);
  uint32_t arrived = sketch.signal(1);
  sketch.work(1, t, "c", 2, {arrived});
  sketch.action(0, s);
  sketch.action(1, t);
  return sketch;
}

TEST(Simulate, AMessageMovesWhenBothSidesHaveCome) {
  Sketch sketch = handedOn(abi::TRANSFER);
  Simulation step = run(sketch, exactCluster({2}, {0.5}));
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "send 1"), 5, 5.5);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "b"), 5, 6);
  EXPECT_SPAN(spanOf(sketch.executable, step, 1, "recv 1"), 5, 5.5);
  EXPECT_SPAN(spanOf(sketch.executable, step, 1, "c"), 5.5, 7.5);
  const Seconds &first = step.timelines[0].seconds, &second = step.timelines[1].seconds;
  EXPECT_EQ(first.compute, 6);
  EXPECT_EQ(first.drain, 1.5);
  EXPECT_EQ(second.warmUp, 5.5);
  EXPECT_EQ(second.drain, 0);
  EXPECT_EQ(&step.longest(), &step.timelines[1]);
}

TEST(Simulate, ASendOnComputeWaitsUntilItIsTaken) {
  Sketch sketch = handedOn(abi::COMPUTE);
  // The receiver is busy first.
  uint32_t busy = sketch.section(1, "busy");
  sketch.work(1, busy, "d", 9);
  uint32_t done = sketch.signal(1);
  sketch.executable.mutable_programs(1)->mutable_sections(0)->mutable_instructions(0)->add_waits(
      done);
  sketch.executable.mutable_programs(1)->clear_actions();
  sketch.action(1, busy);
  sketch.action(1, 0);
  Simulation step = run(sketch, exactCluster({2}, {0.5}));
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "send 1"), 9, 9.5);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "b"), 9.5, 10.5);
  EXPECT_EQ(step.timelines[0].seconds.send, 4);
  EXPECT_EQ(step.timelines[0].seconds.communication, 0.5);
  EXPECT_EQ(step.timelines[1].seconds.receive, 0.5);
}

TEST(Simulate, MessagesOnComputeThatStandTogetherBeginTogether) {
  Sketch sketch(2);
  for (int stage : {0, 1}) {
    uint32_t s = sketch.section(stage, "exchange");
    sketch.work(stage, s, "a", 1 + stage);
    sketch.send(stage, s, 1 - stage, 7, {}, abi::COMPUTE);
    sketch.receive(stage, s, 1 - stage, 7, {}, abi::COMPUTE);
    sketch.action(stage, s);
  }
  Simulation step = run(sketch, exactCluster({2}, {4}));
  EXPECT_EQ(step.seconds, 6);
  EXPECT_EQ(step.timelines[0].seconds.send + step.timelines[0].seconds.warmUp, 1);
  EXPECT_EQ(step.timelines[0].seconds.communication, 4);
}

TEST(Simulate, ABufferIsReceivedIntoWhenItWasReadFrom) {
  Sketch sketch(2);
  uint32_t s = sketch.section(0, "forward"), t = sketch.section(1, "forward");
  abi::Instruction &make = sketch.work(0, s, "make", 1);
  uint32_t made = sketch.signal(0);
  sketch.send(0, s, 1, 1, {made});
  uint32_t sent = sketch.signal(0);
  make.add_waits(sent); // the send of the preceding microbatch
  abi::Instruction &receive = sketch.receive(1, t, 0, 1);
  uint32_t arrived = sketch.signal(1);
  sketch.work(1, t, "use", 4, {arrived});
  uint32_t used = sketch.signal(1);
  receive.add_waits(used);
  for (uint32_t microbatch : {0, 1, 2}) {
    sketch.action(0, s, microbatch);
    sketch.action(1, t, microbatch);
  }
  Simulation step = run(sketch, exactCluster({2}, {0.5}));
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "make", 1), 1.5, 2.5);
  EXPECT_SPAN(spanOf(sketch.executable, step, 1, "use"), 1.5, 5.5);
  EXPECT_SPAN(spanOf(sketch.executable, step, 1, "recv 1", 1), 5.5, 6);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "make", 2), 6, 7);
  EXPECT_SPAN(spanOf(sketch.executable, step, 1, "use", 2), 10.5, 14.5);
  EXPECT_EQ(step.timelines[0].seconds.send, 0.5 + 3.5 + 3.5);
  EXPECT_EQ(step.timelines[1].seconds.warmUp, 1.5);
  EXPECT_EQ(step.timelines[1].seconds.receive, 1);
}

/// Stage 0 makes one value per second and sends it; stage 1 uses each value for 4 s.
Sketch streamed(uint32_t microbatches) {
  Sketch sketch(2);
  uint32_t s = sketch.section(0, "forward"), t = sketch.section(1, "forward");
  sketch.work(0, s, "make", 1);
  sketch.send(0, s, 1, 1, {sketch.signal(0)});
  abi::Instruction &receive = sketch.receive(1, t, 0, 1);
  uint32_t arrived = sketch.signal(1);
  sketch.work(1, t, "use", 4, {arrived});
  uint32_t used = sketch.signal(1);
  receive.add_waits(used);
  for (uint32_t microbatch = 0; microbatch < microbatches; ++microbatch) {
    sketch.action(0, s, microbatch);
    sketch.action(1, t, microbatch);
  }
  return sketch;
}

TEST(Simulate, AWaitForTheRunOfAnotherMicrobatch) {
  Sketch sketch = streamed(4);
  // A ring of depth two: the receive waits for the use of the value two microbatches before.
  sketch.executable.mutable_programs(1)->mutable_sections(0)->mutable_instructions(0)->add_behind(
      3);
  Simulation step = run(sketch, exactCluster({2}, {0.5}));
  EXPECT_SPAN(spanOf(sketch.executable, step, 1, "recv 1", 1), 2, 2.5);
  EXPECT_SPAN(spanOf(sketch.executable, step, 1, "recv 1", 2), 5.5, 6);
  EXPECT_SPAN(spanOf(sketch.executable, step, 1, "recv 1", 3), 9.5, 10);
  EXPECT_SPAN(spanOf(sketch.executable, step, 1, "use", 3), 13.5, 17.5);
  EXPECT_EQ(step.timelines[1].seconds.receive, 0);
}

TEST(Simulate, WhoWaitsForACollectiveWaitsForWhatThatWaitedFor) {
  Sketch sketch(2, 2);
  uint32_t s = sketch.section(0, "forward"), t = sketch.section(1, "forward");
  sketch.work(0, s, "a", 5);
  sketch.send(0, s, 1, 1, {sketch.signal(0)});
  sketch.receive(1, t, 0, 1);
  uint32_t arrived = sketch.signal(1);
  sketch.reduce(1, t, "sum", {arrived});
  uint32_t reduced = sketch.signal(1);
  sketch.work(1, t, "b", 2);
  sketch.work(1, t, "c", 2, {reduced});
  sketch.action(0, s);
  sketch.action(1, t);
  Simulation step = run(sketch, exactCluster({2, 2}, {3, 0.5}));
  EXPECT_SPAN(spanOf(sketch.executable, step, 1, "sum"), 5.5, 8.5);
  EXPECT_EQ(step.timelines[1].seconds.warmUp, 3.5);
  EXPECT_EQ(step.timelines[1].seconds.collective, 3);
}

TEST(Simulate, MessagesOfAChannelShareItsLink) {
  Sketch sketch = streamed(3);
  sketch.executable.mutable_programs(1)
      ->mutable_sections(0)
      ->mutable_instructions(0)
      ->clear_waits();
  for (abi::Program &program : *sketch.executable.mutable_programs())
    for (abi::Instruction &instruction : *program.mutable_sections(0)->mutable_instructions())
      if (instruction.has_collective())
        instruction.mutable_collective()->set_shape(0, 6);
  abi::Cluster cluster = exactCluster({2}, {0.5});
  cluster.mutable_level(0)->mutable_figures()->mutable_bytes_per_second()->set_value(1);
  Simulation step = run(sketch, cluster);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "send 1"), 1, 7.5);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "send 1", 1), 7, 13.5);
  EXPECT_SPAN(spanOf(sketch.executable, step, 0, "send 1", 2), 13, 19.5);
  EXPECT_EQ(step.timelines[1].seconds.warmUp, 7.5);
  EXPECT_EQ(step.timelines[1].seconds.receive, 2 + 2);
}

TEST(Simulate, ARankWithoutAPeerSitsOut) {
  Sketch sketch(2);
  for (int stage : {0, 1}) {
    uint32_t s = sketch.section(stage, "forward");
    sketch.receive(stage, s, 0, 1, {}, abi::COMPUTE).mutable_collective()->clear_peer();
    abi::Instruction &instruction =
        *sketch.executable.mutable_programs(stage)->mutable_sections(0)->mutable_instructions(0);
    instruction.mutable_collective()->mutable_peer()->set_constant(-1);
    sketch.work(stage, s, "a", 2, {sketch.signal(stage)});
    sketch.action(stage, s);
  }
  Simulation step = run(sketch, exactCluster({2}, {1}));
  EXPECT_EQ(step.seconds, 2);
  EXPECT_FALSE(spanOf(sketch.executable, step, 0, "recv 1").hasTime());
  EXPECT_EQ(step.timelines[0].memory.live.front().bytes, 2u);
}

TEST(Simulate, WhatCannotRunIsAnError) {
  Sketch sketch(2);
  for (int stage : {0, 1}) {
    uint32_t s = sketch.section(stage, "exchange");
    sketch.receive(stage, s, 1 - stage, 7, {}, abi::COMPUTE);
    sketch.work(stage, s, "a", 1);
    sketch.send(stage, s, 1 - stage, 7, {}, abi::COMPUTE);
    sketch.action(stage, s);
  }
  abi::Expected<Simulation> step = simulate::simulate(sketch.executable, exactCluster({2}, {4}));
  EXPECT_EQ(step.status().describe(), "rank 0 does not get past 'recv 7' in exchange[0,0]: "
                                      "expected a program that 'pcc check' proves");
  EXPECT_EQ(simulate::simulate(sketch.executable, exactCluster({1}, {4})).status().kind(),
            abi::StatusKind::BadInput);
}

} // namespace
} // namespace pcc::test
