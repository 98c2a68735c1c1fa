// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each case breaks one property of a pipeline of two stages with two data ranks and expects the
// message that names it. Ranks 0 and 1 are the first stage, 2 and 3 the second.

#include "runtime/check/Check.h"
#include "runtime/abi/files/Executable.h"
#include "runtime/check/dataflow/Dataflow.h"
#include "runtime/check/match/LaunchGrouping.h"
#include "test/unit/runtime/Pipelines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace pcc::test {
namespace {

using abi::Executable;

/// Sections of a stage.
enum { Forward, Backward, Update };

struct Break {
  const char *name;
  std::function<void(Executable &)> change;
  const char *message;
};

void PrintTo(const Break &test, std::ostream *out) { *out << test.name; }

abi::Section &section(Executable &e, int stage, int number) {
  return *e.mutable_programs(stage)->mutable_sections(number);
}

/// Returns the instruction of a section that has the given op.
abi::Instruction &instruction(Executable &e, int stage, int number, const std::string &op) {
  for (abi::Instruction &instruction : *section(e, stage, number).mutable_instructions())
    if (instruction.op() == op)
      return instruction;
  std::abort();
}

/// Removes the instruction, and all waits for it.
void drop(Executable &e, int stage, int number, const std::string &op) {
  auto &instructions = *section(e, stage, number).mutable_instructions();
  const abi::Instruction &dropped = instruction(e, stage, number, op);
  std::set<uint32_t> events(dropped.signals().begin(), dropped.signals().end());
  for (abi::Section &section : *e.mutable_programs(stage)->mutable_sections())
    for (abi::Instruction &other : *section.mutable_instructions()) {
      auto &waits = *other.mutable_waits();
      waits.erase(std::remove_if(waits.begin(), waits.end(),
                                 [&](uint32_t event) { return events.contains(event); }),
                  waits.end());
    }
  for (int i = 0; i < instructions.size(); ++i)
    if (instructions[i].op() == op)
      return instructions.DeleteSubrange(i, 1);
}

void swap(Executable &e, int stage, int number, const std::string &a, const std::string &b) {
  instruction(e, stage, number, a).Swap(&instruction(e, stage, number, b));
}

abi::Buffer &buffer(Executable &e, int stage, const std::string &name) {
  for (abi::Buffer &buffer : *e.mutable_programs(stage)->mutable_memory()->mutable_buffers())
    if (buffer.name() == name)
      return buffer;
  std::abort();
}

const Break breaks[] = {
    {"receive_missing", [](Executable &e) { drop(e, 1, Forward, "recv x"); },
     "rank 0: 'send h1' in forward[0,0] sends to rank 2 under tag 1 what rank 2 never receives"},
    {"send_missing", [](Executable &e) { drop(e, 1, Backward, "send x.grad"); },
     "rank 0: 'recv h1.grad' in backward[0,0] receives from rank 2 under tag 2 what rank 2 never "
     "sends"},
    {"message_size",
     [](Executable &e) {
       instruction(e, 1, Forward, "recv x").mutable_collective()->set_shape(0, 2);
     },
     "rank 0 sends by 'send h1' a send of 4x8xf32, but rank 2 expects by 'recv x' a recv of "
     "2x8xf32"},
    {"tag_twice",
     [](Executable &e) {
       instruction(e, 1, Backward, "send x.grad").mutable_collective()->set_tag(7);
       *section(e, 1, Backward).add_instructions() = instruction(e, 1, Backward, "send x.grad");
       abi::Instruction &again = *section(e, 1, Backward).mutable_instructions()->rbegin();
       again.set_op("send again");
       again.clear_signals();
       again.set_number(99);
     },
     "rank 2 sends to rank 0 under tag 7 by 'send x.grad' and by 'send again'; expected one "
     "instruction "
     "for a tag"},
    {"microbatch",
     [](Executable &e) { e.mutable_programs(0)->mutable_actions()->SwapElements(0, 1); },
     "message 0 from rank 0 to rank 2 under tag 1: sent by 'send h1' in forward[1,0], received by "
     "'recv x' in forward[0,0]; expected the same microbatch and copy"},
    {"collective_kind",
     [](Executable &e) {
       instruction(e, 1, Update, "all_reduce tied.grad")
           .mutable_collective()
           ->set_reduction(abi::MAX);
     },
     "collective 0 of group 1: rank 0 calls all_reduce of 8xf32 by 'all_reduce tied.grad' in "
     "update[0,0], but rank 2 calls all_reduce of 8xf32 by 'all_reduce tied.grad' in update[0,0]; "
     "they differ in 'reduction'"},
    {"collective_missing", [](Executable &e) { drop(e, 1, Update, "all_reduce tied.grad"); },
     "collective 0 of group 1: rank 0 calls all_reduce of 8xf32 by 'all_reduce tied.grad' in "
     "update[0,0], but rank 2 has no more collectives there"},
    {"blocking_sends",
     [](Executable &e) {
       for (int stage : {0, 1})
         for (int number : {Forward, Backward})
           for (abi::Instruction &instruction : *section(e, stage, number).mutable_instructions())
             if (instruction.op().starts_with("send"))
               instruction.set_stream(abi::COMPUTE);
     },
     "deadlock: rank 0 waits at 'send h1' in forward[1,0] until rank 2 comes to 'recv x' in "
     "forward[1,0]; rank 2 waits at 'send x.grad' in backward[0,0] until rank 0 comes to 'recv "
     "h1.grad' in backward[0,0]"},
    {"race", [](Executable &e) { instruction(e, 0, Backward, "fc1.relu_grad").clear_waits(); },
     "ranks 0 to 1: 'fc1.relu_grad' in backward[0,0] reads 'h1.grad', which 'recv h1.grad' in "
     "backward[0,0] writes, and nothing orders them; expected an event between them"},
    {"send_overwritten",
     [](Executable &e) { instruction(e, 1, Backward, "fc2.grad").clear_waits(); },
     "ranks 2 to 3: 'fc2.grad' in backward[1,0] writes 'x.grad', which 'send x.grad' in "
     "backward[0,0] reads, and nothing orders them; expected an event between them"},
    {"ring_too_short", [](Executable &e) { buffer(e, 0, "h0").mutable_ring()->set_depth(1); },
     "ranks 0 to 1: 'fc1.grad_weight' in backward[0,0] reads 'h0' as 'fc0' in forward[1,0] left it "
     "for another microbatch; expected a ring of greater depth, or another order of actions"},
    {"not_written", [](Executable &e) { drop(e, 1, Backward, "softmax_cross_entropy"); },
     "ranks 2 to 3: 'loss' in backward[0,0] reads 'loss', of which not every byte was written; "
     "expected an instruction before it that writes them"},
    {"other_buffer",
     [](Executable &e) { buffer(e, 1, "h3").set_offset(buffer(e, 1, "x").offset()); },
     "ranks 2 to 3: 'fc2.grad_weight' in backward[0,0] reads 'x' as 'fc3' in forward[0,0] left it; "
     "expected one of the sources that the program states"},
    {"step_before", [](Executable &e) { swap(e, 0, Update, "sgd tied", "tied.zero"); },
     "ranks 0 to 1: 'sgd tied' in update[0,0] reads 'tied.grad' as 'tied.zero' in update[0,0] of "
     "the step before left it; expected one of the sources that the program states"},
    {"result_lost", [](Executable &e) { drop(e, 1, Backward, "loss"); },
     "rank 2: result 'loss' shows no result of instruction 5, which is not in the program; "
     "expected one, since the program states it as a source"},
};

Executable valid() {
  Executable executable = makePipeline({.shares = true});
  check::annotateDataflow(executable);
  return executable;
}

class Check : public testing::TestWithParam<Break> {};

TEST_P(Check, ShowsWhatIsWrong) {
  Executable executable = valid();
  ASSERT_TRUE(check::prove(executable).ok()) << check::prove(executable).message();
  GetParam().change(executable);
  ASSERT_TRUE(abi::validate(executable).ok()) << abi::validate(executable).message();
  EXPECT_EQ(check::prove(executable).message(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Check, testing::ValuesIn(breaks),
                         [](const auto &info) { return std::string(info.param.name); });

// Two groups have the same ranks. The ranks call the groups in different orders.
TEST(CheckPrograms, SeesCirclesOfLaunches) {
  Executable executable = makePipeline({.stages = 2, .dataRanks = 1, .shares = true});
  *executable.add_groups() = executable.groups(1);
  for (int stage : {0, 1}) {
    abi::Instruction again = instruction(executable, stage, Update, "all_reduce tied.grad");
    again.set_op("again");
    again.set_stream(abi::COMMUNICATION);
    again.mutable_collective()->set_group(2);
    again.mutable_collective()->mutable_source()->set_buffer(
        instruction(executable, stage, Update, "sgd tied").launch().operands(0).buffer());
    *again.mutable_collective()->mutable_destination() = again.collective().source();
    *section(executable, stage, Update).add_instructions() = again;
  }
  swap(executable, 1, Update, "all_reduce tied.grad", "again");
  EXPECT_EQ(check::prove(executable).message(),
            "collectives are launched in a circle: rank 0 waits at 'all_reduce tied.grad' in "
            "update[0,0] until rank 1 comes to 'all_reduce tied.grad' in update[0,0]; rank 1 waits "
            "at 'again' in update[0,0] until rank 0 comes to 'again' in update[0,0]");
}

// A rank that fuses two collectives does not match a rank that calls them one by one.
TEST(CheckPrograms, SeesOtherMessages) {
  Executable executable = makePipeline({.dataRanks = 1, .shares = true, .fused = true});
  ASSERT_TRUE(check::prove(executable).ok()) << check::prove(executable).message();
  instruction(executable, 1, Update, "all_reduce tied.grad half")
      .mutable_collective()
      ->clear_fused();
  EXPECT_EQ(check::prove(executable).message(),
            "collective 1 of group 1: rank 0 calls all_reduce of 4xf32, fused with the one before "
            "it, by 'all_reduce tied.grad half' in update[0,0], but rank 1 calls all_reduce of "
            "4xf32 by 'all_reduce tied.grad half' in update[0,0]; they differ in 'fused'");
}

/// Replaces the update of one of two stages by 18 collectives on COMMUNICATION. The first stage
/// then sends a message; the second stage waits for that message before its collectives.
void reduceInParts(Executable &e, int stage, bool areFused) {
  constexpr int count = 18;
  abi::Instruction part = instruction(e, stage, Update, "all_reduce tied.grad");
  abi::Instruction message =
      stage == 0 ? instruction(e, 0, Forward, "send h0") : instruction(e, 1, Forward, "recv x");
  part.set_stream(abi::COMMUNICATION);
  part.mutable_collective()->set_shape(0, 1);
  message.clear_waits();
  message.clear_behind();
  message.clear_signals();
  message.set_stream(abi::COMPUTE);
  message.mutable_collective()->set_tag(9);
  auto &instructions = *section(e, stage, Update).mutable_instructions();
  instructions.Clear();
  for (int i = 0; i < count; ++i) {
    part.mutable_collective()->set_fused(areFused && i > 0);
    part.mutable_collective()->mutable_source()->set_offset(uint64_t(i) * 4);
    *part.mutable_collective()->mutable_destination() = part.collective().source();
    *instructions.Add() = part;
  }
  *instructions.Add() = message;
  if (stage == 1)
    std::rotate(instructions.begin(), instructions.end() - 1, instructions.end());
}

// At most 16 fused collectives are in flight on a rank, however many members each has.
TEST(CheckPrograms, CountsWhatIsFusedOnce) {
  auto verdictOn = [](bool areFused) {
    Executable executable =
        makePipeline({.dataRanks = 1, .layers = 2, .width = 18, .shares = true});
    for (int stage : {0, 1})
      reduceInParts(executable, stage, areFused);
    EXPECT_TRUE(abi::validate(executable).ok()) << abi::validate(executable).message();
    return check::prove(executable).message();
  };
  EXPECT_EQ(verdictOn(true), "");
  EXPECT_TRUE(verdictOn(false).starts_with("deadlock: rank 0 waits at ")) << verdictOn(false);
}

// A member of a fused collective is done only when all earlier members are done; an earlier
// member's end does not imply the end of a later one.
TEST(CheckPrograms, KnowsWhenAMessageIsDone) {
  auto waitsFor = [](int waited) {
    Executable executable = makePipeline({.dataRanks = 2, .fused = true});
    auto &instructions = *section(executable, 0, Update).mutable_instructions();
    for (int reader : {2, 3})
      *instructions[reader].mutable_waits() = instructions[waited].signals();
    EXPECT_TRUE(abi::validate(executable).ok()) << abi::validate(executable).message();
    return check::prove(executable).message();
  };
  EXPECT_EQ(waitsFor(1), "");
  EXPECT_EQ(waitsFor(0), "ranks 0 to 1: 'sgd' in update[0,0] reads 'w1.grad', which 'all_reduce "
                         "w1.grad' in update[0,0] writes, and nothing orders them; expected an "
                         "event between them");
}

/// Returns `message` moved to another stream, where it waits for nothing.
abi::Instruction onStream(abi::Instruction message, abi::StreamKind stream) {
  message.set_stream(stream);
  message.clear_waits();
  message.clear_behind();
  return message;
}

// Two adjacent messages on COMPUTE are launched together, so a ring of them does not hang. On
// TRANSFER each message is launched alone, because one may end long before the other.
TEST(CheckPrograms, StartsEachTransferAlone) {
  Executable executable = makePipeline({.stages = 3, .dataRanks = 1, .layers = 3});
  check::LaunchGrouping grouping(executable, executable.programs(1));
  auto areTogether = [&](abi::StreamKind stream) {
    abi::Instruction receive = onStream(instruction(executable, 1, Forward, "recv x"), stream),
                     send = onStream(instruction(executable, 1, Backward, "send x.grad"), stream);
    return grouping.join(std::vector<const abi::Instruction *>{&receive}, send);
  };
  EXPECT_TRUE(areTogether(abi::COMPUTE));
  EXPECT_FALSE(areTogether(abi::TRANSFER));
}

// Bytes of all spaces, compared with a limit.
TEST(CheckPrograms, KnowsThePeak) {
  Executable executable = valid();
  std::vector<uint64_t> peaks = check::peakBytes(executable);
  ASSERT_EQ(peaks.size(), 2u);
  EXPECT_TRUE(check::prove(executable, {.memoryLimit = std::max(peaks[0], peaks[1])}).ok());
  EXPECT_EQ(check::prove(executable, {.memoryLimit = 64}).message(),
            "rank 0: expected at most 64 bytes, got " + std::to_string(peaks[0]));
}

// 64 stages of 64 ranks.
TEST(CheckPrograms, TakesManyRanks) {
  Executable executable = makePipeline(
      {.stages = 64, .dataRanks = 64, .microBatches = 128, .layers = 64, .batch = 64 * 128});
  EXPECT_TRUE(check::prove(executable).ok()) << check::prove(executable).message();
}

} // namespace
} // namespace pcc::test
