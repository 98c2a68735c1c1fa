// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/PhasePipelines.h"

#include "runtime/machine/Cluster.h"
#include "llvm/ADT/SmallVector.h"
#include <gtest/gtest.h>

using namespace pcc;

/// Returns options without a default value, except those that pipelines leave out.
static CompileOptions makeOptions() {
  CompileOptions options;
  options.parallel.set_device_num(8);
  options.parallel.set_parallel_mode(pcc::abi::DATA_PARALLEL);
  options.cluster = *machine::parseForm("8xH100");
  options.training.loss = "mse";
  options.training.optimizer = "sgd,lr=0.1";
  options.training.frozen = "^bias";
  options.training.freezeBatchNorm = true;
  options.training.lossScale = "dynamic:8";
  options.training.clipNorm = 0.5;
  options.training.skipNonfinite = true;
  options.precision = "bf16";
  options.precisionConstraints = {"head=f32", "norm=f32"};
  options.evaluatedLoss = "nll";
  options.keptComposites = {"dropout"};
  options.obeysAnnotations = false;
  options.obeysStages = false;
  options.gpuChip = "sm_90";
  options.isForCluster = true;
  options.roundsToTf32 = true;
  options.hidesReductions = false;
  options.matmulChunks = 3;
  options.stageMemory = 1 << 20;
  options.recomputedParts = {{1, 4}};
  options.recomputesNamedOps = true;
  options.listsRecomputeParts = true;
  options.recordsFusion = true;
  options.searchSeed = 7;
  options.searchThreads = 5;
  options.searchGap = 0.25;
  options.constraintTimeLimit = 3;
  return options;
}

/// Splits `{a=1 b={c d}}` into `a=1` and `b={c d}`.
static llvm::SmallVector<std::string> splitOptions(llvm::StringRef text) {
  llvm::SmallVector<std::string> parts(1);
  int depth = 0;
  for (char letter : text.drop_front().drop_back()) {
    depth += (letter == '{') - (letter == '}');
    if (letter == ' ' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += letter;
  }
  return parts;
}

// Every option of a pipeline is printed with its value. An option that is not set above fails.
TEST(PhasePipelines, PrintsEveryOption) {
  llvm::SmallVector<std::string> given = splitOptions(printPipelineOptions(makeOptions()));
  llvm::SmallVector<std::string> defaults = splitOptions(printPipelineOptions(CompileOptions()));
  EXPECT_GT(given.size(), 25u);
  for (const std::string &option : given)
    EXPECT_FALSE(llvm::is_contained(defaults, option)) << option;
}

TEST(PhasePipelines, ParsesEveryOption) {
  std::string text = printPipelineOptions(makeOptions());
  llvm::Expected<CompileOptions> parsed =
      parsePipelineOptions(llvm::StringRef(text).drop_front().drop_back());
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  llvm::SmallVector<std::string> before = splitOptions(text),
                                 after = splitOptions(printPipelineOptions(*parsed));
  ASSERT_EQ(before.size(), after.size());
  // Numbers of the configuration that are not given get their defaults.
  for (size_t index = 0; index < before.size(); ++index)
    if (!llvm::StringRef(before[index]).starts_with("config=")) {
      EXPECT_EQ(before[index], after[index]);
    }
  EXPECT_EQ(parsed->parallel.device_num(), 8);
  EXPECT_EQ(parsed->parallel.parallel_mode(), pcc::abi::DATA_PARALLEL);
}

TEST(PhasePipelines, RefusesWhatItDoesNotKnow) {
  for (const char *text : {"config={device_num: x}", "color=red", "cluster=0xH100", "loss=mean"})
    EXPECT_FALSE(bool(parsePipelineOptions(text))) << text;
}
