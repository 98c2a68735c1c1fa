// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/PipelineChoice.h"

#include <gtest/gtest.h>

using namespace pcc;
using namespace pcc::plan;

/// A cut into stages of equal times, each of which holds `held` bytes and saves 10 for a
/// microbatch.
static CompiledCut compileEvenly(const PipelineCut &cut, double seconds, int64_t held) {
  CompiledCut compiled;
  order::PipelineShape shape = cut.getShape();
  double part = seconds / 3 / shape.stages();
  compiled.price.times = order::PipelineTimes::uniform(shape, {part, part, part});
  compiled.price.stages.resize(cut.stages);
  for (StagePrice &stage : compiled.price.stages) {
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

// One whose bound is above what another takes is not compiled, wherever it stands among the cuts.
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
  EXPECT_DOUBLE_EQ(ranked[0].seconds, 6); // 2 microbatches of 2 s on each stage, and one to fill
  EXPECT_FALSE(ranked[1].isPruned);
  EXPECT_TRUE(ranked[2].isPruned && ranked[3].isPruned);
  EXPECT_EQ(ranked[3].bound, 100);
}

// A cut that does not fit is cut again for as much less as it lacks, and for 50 to 70 %.
TEST(PipelineChoice, CutsAgainForWhatIsLacking) {
  PipelineSpace space = makeSpace();
  space.stages = {2};
  space.microbatches = {2};
  space.memoryLimit = 100;
  std::vector<int64_t> memories;
  std::vector<PipelineCandidate> ranked = rankPipelines(space, [&](const PipelineCut &cut) {
    memories.push_back(cut.memory);
    // Half of what is asked for is not saved in the end.
    int64_t saved = cut.memory ? (100 - cut.memory) / 2 : 0;
    CompiledCut compiled = compileEvenly(cut, /*seconds=*/4, /*held=*/100 - saved);
    compiled.recomputedOps = saved;
    return compiled;
  });
  // Two microbatches live on the first stage: 20 bytes are missing, then 5.
  EXPECT_EQ(memories, (std::vector<int64_t>{0, 70, 49}));
  ASSERT_EQ(ranked.size(), 1u);
  EXPECT_EQ(ranked[0].peakBytes, 95);
  EXPECT_EQ(ranked[0].error, "");
  EXPECT_EQ(ranked[0].recomputedOps, 25);
}

// Where the road refuses less memory, there is some between; if that does not fit, what was found
// before is told.
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

/// One device with two chunks, each of which takes 1 s forward and 2 s backward.
static PipelinePrice makeTwoChunks() {
  PipelinePrice price;
  price.times = order::PipelineTimes::uniform({.chunks = 2}, {1, 2, 0});
  price.stages.resize(1);
  return price;
}

static double runTwoChunks(const PipelinePrice &price) {
  using order::WorkKind;
  order::Order order = {{{WorkKind::Forward, 0, 0},
                         {WorkKind::Forward, 0, 1},
                         {WorkKind::Backward, 0, 1},
                         {WorkKind::Backward, 0, 0}}};
  return price.run({.chunks = 2}, order).seconds;
}

// Work ends after 6 s, the backward pass of the second chunk after 4. Each chunk reduces for 3 s,
// and may begin a second before its end.
TEST(PipelinePrice, ChunksReduceBesideEachOther) {
  PipelinePrice price = makeTwoChunks();
  EXPECT_DOUBLE_EQ(runTwoChunks(price), 6);
  StagePrice &stage = price.stages[0];
  stage.step.sectionReductions = {{"backward.0", {{1, 3}}}, {"backward.1", {{1, 3}}}};
  EXPECT_DOUBLE_EQ(runTwoChunks(price), 9); // from 3 to 9
  stage.delaysReductions = true;
  EXPECT_DOUBLE_EQ(runTwoChunks(price), 10); // from 4 to 10
  stage.hiddenShare = 0.5;
  EXPECT_DOUBLE_EQ(runTwoChunks(price), 11); // of 2 s beside work half counts
  stage.hidesReductions = false;
  EXPECT_DOUBLE_EQ(runTwoChunks(price), 12);
}

// Each chunk gathers for 2 s, one of them beside its forward pass.
TEST(PipelinePrice, ChunksGatherBesideTheirForwardPass) {
  PipelinePrice price = makeTwoChunks();
  StepPrice &step = price.stages[0].step;
  step.gathers = 4;
  step.sections.resize(2);
  step.sections[0].name = "forward_train.0";
  step.sections[1].name = "forward_train.1";
  for (SectionPrice &section : step.sections)
    section.forward.contraction = 1;
  EXPECT_DOUBLE_EQ(runTwoChunks(price), 8);
}
