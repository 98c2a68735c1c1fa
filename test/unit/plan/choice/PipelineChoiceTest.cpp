// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/choice/PipelineChoice.h"

#include <gtest/gtest.h>

using namespace pcc;
using namespace pcc::plan;

/// Compiles a cut into stages of equal times. Each stage holds `held` bytes and saves 10 bytes per
/// microbatch.
static CompiledCut compileEvenly(const PipelineCut &cut, double seconds, int64_t held) {
  CompiledCut compiled;
  order::PipelineShape shape = cut.getShape();
  double part = seconds / 3 / shape.stages();
  compiled.cost.times = order::PipelineTimes::uniform(shape, {part, part, part});
  compiled.cost.stages.resize(cut.stages);
  for (StageCost &stage : compiled.cost.stages) {
    stage.heldBytes = held;
    stage.savedBytes = 10;
  }
  return compiled;
}

static PipelineSpace makeSpace() {
  PipelineSpace space;
  space.stages = {1, 2};
  space.microbatches = {2, 4};
  space.chunks = {1};
  space.schedules = {"1f1b"};
  return space;
}

// A cut whose bound is above the time of another cut is not compiled, wherever it is in the list.
TEST(PipelineChoice, PrunesWhatCannotBeBest) {
  PipelineSpace space = makeSpace();
  std::vector<std::pair<int, int64_t>> compiled;
  std::vector<PipelineCandidate> ranked = rankPipelines(
      space, listCuts(space),
      [](const PipelineCut &cut) { return cut.stages == 1 ? 100.0 : double(cut.microbatches); },
      [&](const PipelineCut &cut) {
        compiled.emplace_back(cut.stages, cut.microbatches);
        return compileEvenly(cut, /*seconds=*/4, /*held=*/0);
      });
  EXPECT_EQ(compiled, (std::vector<std::pair<int, int64_t>>{{2, 2}, {2, 4}}));
  ASSERT_EQ(ranked.size(), 4u);
  EXPECT_EQ(ranked[0].cut.microbatches, 2);
  EXPECT_DOUBLE_EQ(ranked[0].seconds, 6); // 2 microbatches of 2 s on each stage, and one to fill it
  EXPECT_FALSE(ranked[1].isPruned);
  EXPECT_TRUE(ranked[2].isPruned && ranked[3].isPruned);
  EXPECT_EQ(ranked[3].bound, 100);
}

// A cut that does not fit is compiled again with less memory: by the missing bytes, and with 50 to
// 70 %.
TEST(PipelineChoice, CutsAgainForWhatIsLacking) {
  PipelineSpace space = makeSpace();
  space.stages = {2};
  space.microbatches = {2};
  space.memoryLimit = 100;
  std::vector<int64_t> memories;
  std::vector<PipelineCandidate> ranked = rankPipelines(space, [&](const PipelineCut &cut) {
    memories.push_back(cut.memory);
    // Only half of the requested bytes are saved.
    int64_t saved = cut.memory ? (100 - cut.memory) / 2 : 0;
    CompiledCut compiled = compileEvenly(cut, /*seconds=*/4, /*held=*/100 - saved);
    compiled.recomputedOps = saved;
    return compiled;
  });
  // Two microbatches are live on the first stage: 20 bytes are missing, then 5.
  EXPECT_EQ(memories, (std::vector<int64_t>{0, 70, 49}));
  ASSERT_EQ(ranked.size(), 1u);
  EXPECT_EQ(ranked[0].peakBytes, 95);
  EXPECT_EQ(ranked[0].error, "");
  EXPECT_EQ(ranked[0].recomputedOps, 25);
}

// If the compilation pipeline refuses a memory limit, limits in between are tried. If none fits,
// the cut that was compiled before is reported.
TEST(PipelineChoice, KeepsWhatWasFoundBeforeARefusal) {
  PipelineSpace space = makeSpace();
  space.stages = {2};
  space.microbatches = {2};
  space.memoryLimit = 1000;
  std::vector<int64_t> memories;
  std::vector<PipelineCandidate> ranked =
      rankPipelines(space, [&](const PipelineCut &cut) -> CompiledCut {
        memories.push_back(cut.memory);
        if (cut.memory > 0 && cut.memory < 800)
          return {{}, "it cannot be cut"};
        return compileEvenly(cut, /*seconds=*/4, /*held=*/2000);
      });
  EXPECT_EQ(memories, (std::vector<int64_t>{0, 500, 750, 875, 812, 781}));
  ASSERT_EQ(ranked.size(), 1u);
  EXPECT_EQ(ranked[0].schedule, "1f1b");
  EXPECT_EQ(ranked[0].peakBytes, 2020);
}

/// Returns the cost of one device with two chunks. Each chunk takes 1 s forward and 2 s backward.
static PipelineCost makeTwoChunks() {
  PipelineCost cost;
  cost.times = order::PipelineTimes::uniform({.chunks = 2}, {1, 2, 0});
  cost.stages.resize(1);
  return cost;
}

static double runTwoChunks(const PipelineCost &cost) {
  using order::PipelineActionKind;
  order::Order order = {{{PipelineActionKind::Forward, 0, 0},
                         {PipelineActionKind::Forward, 0, 1},
                         {PipelineActionKind::Backward, 0, 1},
                         {PipelineActionKind::Backward, 0, 0}}};
  return cost.run({.chunks = 2}, order).seconds;
}

// Work ends after 6 s, the backward pass of the second chunk after 4 s. Each chunk reduces for 3 s,
// and may begin 1 s before its end.
TEST(PipelineCost, ChunksReduceBesideEachOther) {
  PipelineCost cost = makeTwoChunks();
  EXPECT_DOUBLE_EQ(runTwoChunks(cost), 6);
  StageCost &stage = cost.stages[0];
  stage.step.sectionReductions = {{"backward.0", {{1, 3}}}, {"backward.1", {{1, 3}}}};
  EXPECT_DOUBLE_EQ(runTwoChunks(cost), 9); // from 3 to 9
  stage.alignsReductions = true;
  EXPECT_DOUBLE_EQ(runTwoChunks(cost), 10); // from 4 to 10
  stage.hiddenShare = 0.5;
  EXPECT_DOUBLE_EQ(runTwoChunks(cost), 11); // half of the 2 s that overlap with work counts
  stage.hidesReductions = false;
  EXPECT_DOUBLE_EQ(runTwoChunks(cost), 12);
}

// If weight gradients have a section of their own, each section reduces from its own last run on.
// Gradients that no section returns are reduced from the end on.
TEST(PipelineCost, AllSectionsOfAChunkReduce) {
  using order::PipelineActionKind;
  PipelineCost cost;
  cost.times = order::PipelineTimes::uniform({}, {1, 2, 3});
  cost.stages.resize(1);
  order::Order order = {{{PipelineActionKind::Forward, 0, 0},
                         {PipelineActionKind::BackwardInput, 0, 0},
                         {PipelineActionKind::BackwardWeight, 0, 0}}};
  auto run = [&] { return cost.run({}, order).seconds; };
  EXPECT_DOUBLE_EQ(run(), 6);
  StepCost &step = cost.stages[0].step;
  step.sectionReductions = {{"backward_weight", {{1, 2}}}};
  EXPECT_DOUBLE_EQ(run(), 7); // from 5 to 7
  step.sectionReductions.push_back({"backward_input", {{1, 4}}});
  EXPECT_DOUBLE_EQ(run(), 8); // from 2 to 6, and until 8
  step.sectionReductions.push_back({"", {{0, 1}}});
  EXPECT_DOUBLE_EQ(run(), 9);
}

/// Returns the cost of two stages of one chunk and one microbatch. Each stage reduces for 2 s.
static PipelineCost makeTwoStages() {
  PipelineCost cost;
  cost.times = order::PipelineTimes::uniform({.devices = 2}, {1, 2, 0});
  cost.stages.resize(2);
  for (StageCost &stage : cost.stages)
    stage.step.sectionReductions = {{"backward", {{1, 2}}}};
  return cost;
}

static double runTwoStages(const PipelineCost &cost) {
  using order::PipelineActionKind;
  std::vector<order::PipelineAction> each = {{PipelineActionKind::Forward, 0, 0},
                                             {PipelineActionKind::Backward, 0, 0}};
  return cost.run({.devices = 2}, {each, each}).seconds;
}

// The first stage works until 6 s, the second until 4 s.
TEST(PipelineCost, LaterStagesReduceBehindTheirLastBackwardPass) {
  PipelineCost cost = makeTwoStages();
  EXPECT_DOUBLE_EQ(runTwoStages(cost), 7); // the first from 5 to 7
  cost.stages[0].alignsReductions = true;
  EXPECT_DOUBLE_EQ(runTwoStages(cost), 7); // the first waits for no other stage
  cost.stages[1].alignsReductions = true;
  cost.stages[1].step.sectionReductions = {{"backward", {{1, 4}}}};
  EXPECT_DOUBLE_EQ(runTwoStages(cost), 8); // the second from 4 to 8
}

// A reduction while a stage waits for another stage takes no units from the stage's matmuls.
TEST(PipelineCost, ReductionsInABubbleTakeNoUnits) {
  PipelineCost cost = makeTwoStages();
  cost.stages[0].step.sectionReductions.clear();
  cost.stages[1].hiddenShare = 0.5;
  cost.stages[1].step.sectionReductions = {{"backward", {{1, 4}}}};
  EXPECT_DOUBLE_EQ(runTwoStages(cost), 7.5); // from 3 to 7; one second overlaps with work
}

// Chunks of the second stage begin to reduce one backward pass later than necessary.
TEST(PipelineCost, ChunksOfLaterStagesReduceLater) {
  using order::PipelineActionKind;
  PipelineCost cost;
  cost.times = order::PipelineTimes::uniform({.devices = 2, .chunks = 2}, {1, 1, 0});
  cost.stages.resize(2);
  std::vector<order::PipelineAction> each = {{PipelineActionKind::Forward, 0, 0},
                                             {PipelineActionKind::Forward, 0, 1},
                                             {PipelineActionKind::Backward, 0, 1},
                                             {PipelineActionKind::Backward, 0, 0}};
  auto run = [&] { return cost.run({.devices = 2, .chunks = 2}, {each, each}).seconds; };
  EXPECT_DOUBLE_EQ(run(), 8);
  cost.stages[1].step.sectionReductions = {{"backward.1", {{0, 3}}}};
  EXPECT_DOUBLE_EQ(run(), 8); // from 5 to 8
  cost.stages[1].alignsReductions = true;
  EXPECT_DOUBLE_EQ(run(), 10); // from 7 to 10
}

// Each chunk gathers for 2 s, of which 1 s overlaps with its forward pass.
TEST(PipelineCost, ChunksGatherBesideTheirForwardPass) {
  PipelineCost cost = makeTwoChunks();
  StepCost &step = cost.stages[0].step;
  step.gathers = 4;
  step.sections.resize(2);
  step.sections[0].name = "forward_train.0";
  step.sections[1].name = "forward_train.1";
  for (SectionCost &section : step.sections)
    section.forward.contraction = 1;
  EXPECT_DOUBLE_EQ(runTwoChunks(cost), 8);
}
