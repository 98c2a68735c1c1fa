// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares several programs, one per stage, with the one program that they were cut from: messages
// between stages, activations in rings, parameters and results on their stages.

#include "runtime/abi/files/Safetensors.h"
#include "runtime/abi/files/WholeFile.h"
#include "runtime/execute/Train.h"
#include "test/unit/runtime/Pipelines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace pcc::test {
namespace {

using runtime::Expected;
using runtime::NamedTensors;
using runtime::Session;
using runtime::StepResults;
using runtime::Tensor;

/// Makes random images and labels that are below the width.
NamedTensors makeBatch(const CompileOptions &options, int step) {
  Tensor image = Tensor::zeros(abi::F32, {options.batch, options.width});
  Tensor label = Tensor::zeros(abi::I64, {options.batch});
  for (int64_t i = 0; i < image.count(); ++i)
    image.set(i, double((i * 7919 + step * 104729) % 1000) / 500 - 1);
  for (int64_t i = 0; i < label.count(); ++i)
    label.set(i, double((i * 31 + step) % options.width));
  return {{"image", image}, {"label", label}};
}

std::unique_ptr<Session> load(const CompileOptions &options) {
  Expected<std::unique_ptr<Session>> session =
      Session::load(makePipeline(options), {.seed = 3, .timeout = 20});
  EXPECT_TRUE(bool(session)) << session.status().describe();
  return session ? std::move(*session) : nullptr;
}

void expectNear(const Tensor &a, const Tensor &b, const std::string &what) {
  ASSERT_EQ(a.shape, b.shape) << what;
  for (int64_t i = 0; i < a.count(); ++i)
    ASSERT_NEAR(a.at(i), b.at(i), 1e-5) << what << " element " << i;
}

class Pipeline : public testing::TestWithParam<CompileOptions> {};

// Three steps of the pipeline give the losses, gradients, parameters and outputs of one rank.
TEST_P(Pipeline, TrainsLikeOneRank) {
  CompileOptions options = GetParam(), one = options;
  one.stages = one.dataRanks = one.microBatches = 1;
  one.shares = one.lastRuns = one.fused = false;
  std::unique_ptr<Session> pipeline = load(options), reference = load(one);
  ASSERT_TRUE(pipeline && reference);
  for (int i = 0; i < 3; ++i) {
    NamedTensors batch = makeBatch(options, i);
    Expected<StepResults> got = pipeline->runStep(batch), expected = reference->runStep(batch);
    ASSERT_TRUE(bool(got)) << got.status().describe();
    ASSERT_TRUE(bool(expected)) << expected.status().describe();
    EXPECT_NEAR(got->loss, expected->loss, 1e-5) << "step " << i;
    ASSERT_EQ(got->gradients.size(), size_t(options.layers));
    for (const auto &[name, gradient] : expected->gradients)
      expectNear(got->gradients.at(name), gradient, name);
  }
  for (int layer = 0; layer < options.layers; ++layer) {
    std::string name = "w" + std::to_string(layer);
    expectNear(*pipeline->parameter(name), *reference->parameter(name), name);
  }
  Tensor rows = Tensor::zeros(abi::F32, {options.batch / options.microBatches, options.width});
  Tensor labels = Tensor::zeros(abi::I64, {rows.shape[0]});
  Expected<NamedTensors> logits = pipeline->runForward({{"image", rows}, {"label", labels}});
  ASSERT_TRUE(bool(logits)) << logits.status().describe();
  EXPECT_EQ(logits->at("logits").shape, rows.shape);
}

// A rank holds only the parameters of its own stage; a file holds all.
TEST_P(Pipeline, KeepsParametersByStage) {
  CompileOptions options = GetParam();
  std::unique_ptr<Session> session = load(options);
  ASSERT_TRUE(session);
  int perStage = options.layers / options.stages;
  for (int64_t rank = 0; rank < session->ranks(); ++rank)
    for (int layer = 0; layer < options.layers; ++layer)
      EXPECT_EQ(bool(session->parameter("w" + std::to_string(layer), rank)),
                layer / perStage == rank / options.dataRanks);
  std::string path = testing::TempDir() + "pipeline.safetensors";
  ASSERT_TRUE(session->saveParameters(path).ok());
  auto bytes = abi::readFile(path);
  ASSERT_TRUE(bool(bytes));
  for (int layer = 0; layer < options.layers; ++layer)
    EXPECT_NE(bytes->find("\"w" + std::to_string(layer) + "\""), std::string::npos);
  std::filesystem::remove(path);
}

// Training and evaluation loops: the stages that read data get them, and the last stage's loss is
// the run's loss.
TEST_P(Pipeline, RunsTheLoops) {
  CompileOptions options = GetParam(), one = options;
  one.stages = one.dataRanks = one.microBatches = 1;
  one.shares = one.lastRuns = one.fused = false;
  std::unique_ptr<Session> session = load(options), reference = load(one);
  ASSERT_TRUE(session && reference);
  runtime::Dataset data = runtime::makeSyntheticDataset(session->program(), 2 * options.batch, 1);
  auto report = runtime::train(*session, data, {.epochs = 4});
  ASSERT_TRUE(bool(report)) << report.status().describe();
  auto expected = runtime::train(*reference, data, {.epochs = 4});
  ASSERT_TRUE(bool(expected)) << expected.status().describe();
  ASSERT_EQ(report->steps_size(), 8);
  for (int step = 0; step < 8; ++step)
    EXPECT_NEAR(report->steps(step).loss(), expected->steps(step).loss(), 1e-5) << step;
  auto metrics = runtime::evaluate(*session, data);
  ASSERT_TRUE(bool(metrics)) << metrics.status().describe();
  EXPECT_GE(metrics->at("accuracy"), 0);
}

// Collectives that are adjacent in one program need not be adjacent in another.
TEST(PipelineGroups, StagesHaveNeighboursOfTheirOwn) {
  CompileOptions options{.shares = true, .fused = true};
  abi::Executable executable = makePipeline(options);
  for (abi::Program &program : *executable.mutable_programs())
    for (abi::Instruction &instruction : *program.mutable_sections(2)->mutable_instructions())
      if (instruction.op() == "all_reduce tied.grad half")
        instruction.mutable_collective()->clear_fused();
  auto &instructions = *executable.mutable_programs(1)->mutable_sections(2)->mutable_instructions();
  auto isHalf = [](const abi::Instruction &instruction) {
    return instruction.op() == "all_reduce tied.grad half";
  };
  auto half = std::find_if(instructions.begin(), instructions.end(), isHalf);
  ASSERT_EQ((half - 3)->op(), "sgd");
  std::rotate(half - 3, half - 2, half);
  Expected<std::unique_ptr<Session>> session =
      Session::load(executable, {.seed = 3, .timeout = 20});
  ASSERT_TRUE(bool(session)) << session.status().describe();
  Expected<StepResults> got = (*session)->runStep(makeBatch(options, 0));
  EXPECT_TRUE(bool(got)) << got.status().describe();
}

INSTANTIATE_TEST_SUITE_P(
    Stages, Pipeline,
    testing::Values(CompileOptions{.stages = 2}, CompileOptions{.stages = 4},
                    CompileOptions{.stages = 4, .microBatches = 8},
                    CompileOptions{.stages = 2, .dataRanks = 1, .microBatches = 2},
                    CompileOptions{.stages = 4, .microBatches = 8, .early = true},
                    CompileOptions{.stages = 2, .shares = true},
                    CompileOptions{.stages = 2, .shares = true, .fused = true},
                    CompileOptions{.stages = 2, .lastRuns = true},
                    CompileOptions{
                        .stages = 4, .microBatches = 8, .early = true, .lastRuns = true}));

} // namespace
} // namespace pcc::test
