// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares whole programs on the emulated GPU with the same programs on the host.

#include "runtime/execute/Session.h"
#include "runtime/execute/Train.h"
#include "runtime/execute/monitor/LossReader.h"
#include "test/unit/runtime/GpuPrograms.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace pcc::test {
namespace {

using namespace runtime;

std::unique_ptr<Session> load(const abi::Executable &executable) {
  auto session = Session::load(executable, {.seed = 3, .threads = 1, .timeout = 60});
  EXPECT_TRUE(bool(session)) << session.status().describe();
  return std::move(*session);
}

/// The same program on the host and on the GPU. Two microbatches, so that sums run over actions.
class GpuSession : public testing::Test {
protected:
  abi::Executable source = makeMlp({.batch = 64, .microBatches = 2, .widths = {20, 16, 12, 4}});
  std::unique_ptr<Session> host = load(source), gpu = load(forGpu(source));
};

void expectNear(const Tensor &got, const Tensor &expected, const std::string &name) {
  ASSERT_EQ(got.shape, expected.shape) << name;
  for (int64_t i = 0; i < got.count(); ++i)
    ASSERT_NEAR(got.at(i), expected.at(i), 1e-5) << name << "[" << i << "]";
}

void expectNear(const NamedTensors &got, const NamedTensors &expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (const auto &[name, tensor] : expected)
    expectNear(got.at(name), tensor, name);
}

/// Returns the losses of some steps on inputs of zeros, and the number of unread losses after each
/// step.
std::pair<std::vector<double>, std::vector<int64_t>> lateLosses(Session &session) {
  auto losses = std::make_shared<std::vector<double>>();
  auto unread = std::make_shared<std::vector<int64_t>>();
  Status status = session.onEveryRank([&, losses, unread](RankExecutor &rank) {
    LossReader reader(rank.executable());
    Expected<DeferredLossReader> deferred = DeferredLossReader::make(reader, rank);
    StepHooks hooks;
    hooks.sectionDone = [&](uint32_t section) { return deferred->sectionDone(section); };
    for (int64_t step = 0; step < 4; ++step) {
      if (Status status = rank.runStep(step, hooks); !status.ok())
        return status;
      if (Status status = deferred->stepDone(); !status.ok())
        return status;
      while (deferred->unread() > (step == 3 ? 0 : deferred->maxUnread()))
        losses->push_back(*deferred->read());
      unread->push_back(deferred->unread());
    }
    return Status();
  });
  EXPECT_TRUE(status.ok()) << status.describe();
  return {*losses, *unread};
}

// A loss is read two steps later, so that the device has the next step before it completes the
// current one, even if the host takes long for its inputs.
TEST_F(GpuSession, LossesAreReadTwoStepsLater) {
  auto [ofHost, unseenOnHost] = lateLosses(*host);
  auto [ofGpu, unseenOnGpu] = lateLosses(*gpu);
  EXPECT_EQ(unseenOnHost, (std::vector<int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(unseenOnGpu, (std::vector<int64_t>{1, 2, 2, 0}));
  ASSERT_EQ(ofGpu.size(), ofHost.size());
  for (size_t i = 0; i < ofHost.size(); ++i)
    EXPECT_NEAR(ofGpu[i], ofHost[i], 1e-5) << "step " << i;
  EXPECT_NE(ofHost[0], ofHost[1]);
}

TEST_F(GpuSession, TrainsAsTheHost) {
  Dataset data = makeSyntheticDataset(host->program(), 256, 1);
  auto ofHost = train(*host, data, {.steps = 20});
  auto ofGpu = train(*gpu, data, {.steps = 20});
  ASSERT_TRUE(bool(ofHost)) << ofHost.status().describe();
  ASSERT_TRUE(bool(ofGpu)) << ofGpu.status().describe();
  ASSERT_EQ(ofGpu->steps_size(), 20);
  for (int i = 0; i < ofGpu->steps_size(); ++i)
    EXPECT_NEAR(ofGpu->steps(i).loss(), ofHost->steps(i).loss(), 1e-4) << "step " << i;
  EXPECT_LT(ofGpu->steps(19).loss(), ofGpu->steps(0).loss());
  uint64_t allocated = gpu->memoryUse()[0].allocated;
  auto accuracyOfHost = evaluate(*host, data), accuracyOfGpu = evaluate(*gpu, data);
  EXPECT_EQ(gpu->memoryUse()[0].allocated, allocated); // the data take the same path
  ASSERT_TRUE(bool(accuracyOfHost) && bool(accuracyOfGpu));
  EXPECT_NEAR(accuracyOfGpu->at("accuracy"), accuracyOfHost->at("accuracy"), 2.0 / 256);
}

/// Continues from the latest checkpoint in `folder`, if there is one, until `steps` steps are done.
/// Writes a checkpoint after every second step. Returns the losses.
std::vector<double> continueTraining(Session &session, const Dataset &data,
                                     const std::string &folder, int64_t steps) {
  Tell ignore = [](const std::string &) {};
  Tell refuse = [](const std::string &text) { ADD_FAILURE() << text; };
  abi::CheckpointConfig config;
  config.set_checkpoint(folder);
  config.set_resume("latest");
  auto point = findResumePoint(config, session.executable(), ignore);
  EXPECT_TRUE(bool(point)) << point.status().describe();
  if (*point) {
    Status status = session.onEveryRank(
        [point = *point](RankExecutor &rank) { return loadCheckpoint(rank, *point); });
    EXPECT_TRUE(status.ok()) << status.describe();
  }
  auto checkpoints = TrainingCheckpoints::open(
      session.executable(), session.world(),
      {.folder = folder, .every = {.steps = 2}, .written = ignore, .warn = refuse});
  EXPECT_TRUE(bool(checkpoints)) << checkpoints.status().describe();
  auto report =
      train(session, data, {.steps = steps, .checkpoints = *checkpoints, .resume = *point});
  EXPECT_TRUE(bool(report)) << report.status().describe();
  std::vector<double> losses;
  for (const abi::StepLoss &step : report->steps())
    losses.push_back(step.loss());
  return losses;
}

// A checkpoint of the host continues on the GPU and back. Blocks go through copies.
TEST_F(GpuSession, ContinuesWhatTheHostBegan) {
  Dataset data = makeSyntheticDataset(host->program(), 256, 1);
  std::string whole = testing::TempDir() + "/gpu-whole", parts = testing::TempDir() + "/gpu-parts";
  std::filesystem::remove_all(whole);
  std::filesystem::remove_all(parts);
  std::vector<double> expected = continueTraining(*host, data, whole, 9), got;
  ASSERT_EQ(expected.size(), 9u);
  for (int64_t steps : {3, 6, 9})
    for (double loss : continueTraining(steps == 6 ? *gpu : *load(source), data, parts, steps))
      got.push_back(loss);
  ASSERT_EQ(got.size(), 9u);
  for (size_t i = 0; i < 9; ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-4) << "step " << i;
}

NamedTensors batchOf(const abi::Program &program, int64_t rows) {
  NamedTensors batch;
  for (const abi::Input &input : program.inputs()) {
    std::vector<int64_t> shape(input.block().global_shape().begin(),
                               input.block().global_shape().end());
    shape[0] = rows;
    Tensor &tensor = batch[input.name()] = Tensor::zeros(input.block().type(), shape);
    for (int64_t i = 0; i < tensor.count(); ++i)
      tensor.set(i, input.block().type() == abi::I64 ? double(i % 4) : std::sin(double(i)));
  }
  return batch;
}

TEST_F(GpuSession, StepsAndForwardsAsTheHost) {
  NamedTensors batch = batchOf(host->program(), 64), microbatch = batchOf(host->program(), 32);
  for (int i = 0; i < 2; ++i) {
    auto ofHost = host->runStep(batch), ofGpu = gpu->runStep(batch);
    ASSERT_TRUE(bool(ofHost)) << ofHost.status().describe();
    ASSERT_TRUE(bool(ofGpu)) << ofGpu.status().describe();
    EXPECT_NEAR(ofGpu->loss, ofHost->loss, 1e-5);
    expectNear(ofGpu->gradients, ofHost->gradients);
  }
  auto ofHost = host->runForward(microbatch), ofGpu = gpu->runForward(microbatch);
  ASSERT_TRUE(bool(ofHost) && bool(ofGpu));
  expectNear(*ofGpu, *ofHost);
}

TEST_F(GpuSession, ParametersAreReadSetAndSaved) {
  auto ofHost = host->parameter("w1"), ofGpu = gpu->parameter("w1");
  ASSERT_TRUE(bool(ofHost) && bool(ofGpu));
  EXPECT_EQ(ofGpu->data, ofHost->data) << "first values";
  for (int64_t i = 0; i < ofGpu->count(); ++i)
    ofGpu->set(i, double(i));
  ASSERT_TRUE(gpu->setParameter("w1", *ofGpu).ok());
  EXPECT_EQ(gpu->parameter("w1", 0)->data, ofGpu->data);
  ASSERT_TRUE(host->setParameter("w1", *ofGpu).ok());
  auto saved = [](Session &session, const char *name) {
    std::string path = testing::TempDir() + name;
    Status status = session.saveParameters(path);
    EXPECT_TRUE(status.ok()) << status.describe();
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
  };
  EXPECT_EQ(saved(*gpu, "gpu.safetensors"), saved(*host, "host.safetensors"));
}

/// Returns the losses of some steps.
std::vector<double> lossesOf(const abi::Executable &executable) {
  std::unique_ptr<Session> session = load(executable);
  auto report = train(*session, makeSyntheticDataset(session->program(), 256, 1), {.steps = 12});
  EXPECT_TRUE(bool(report)) << report.status().describe();
  std::vector<double> losses;
  for (const abi::StepLoss &step : report->steps())
    losses.push_back(step.loss());
  return losses;
}

// Ranks that share a GPU reduce their gradients in line, or overlapped with computation.
TEST(GpuRanks, TrainAsTheHost) {
  for (int ranks : {1, 2, 4})
    for (bool overlapped : {false, true}) {
      abi::Executable source = makeMlp({.ranks = ranks,
                                        .batch = 64,
                                        .microBatches = 2,
                                        .widths = {20, 16, 12, 4},
                                        .overlapped = overlapped});
      std::vector<double> ofHost = lossesOf(source), ofGpu = lossesOf(forGpu(source));
      ASSERT_EQ(ofGpu.size(), ofHost.size());
      for (size_t i = 0; i < ofHost.size(); ++i)
        EXPECT_NEAR(ofGpu[i], ofHost[i], 1e-4) << ranks << " ranks, step " << i;
    }
}

// Ranks that do not communicate may share a GPU; each has its own stream.
TEST(GpuRanks, ShareAGpu) {
  ProgramBuilder builder(3);
  uint32_t seen = builder.buffer("seen", abi::PERSISTENT, abi::I64, {3});
  uint32_t step = builder.buffer("step", abi::PERSISTENT, abi::I64, {});
  builder.program.set_step_buffer(step);
  abi::Section &section = builder.section("main");
  abi::Instruction &instruction = builder.launch(section, "store_scalars", {seen}, {3, 100, 0, 0});
  abi::RankExpression::Term &term =
      *instruction.mutable_launch()->mutable_scalars(1)->mutable_expression()->add_terms();
  term.set_stride(7);
  instruction.mutable_launch()->mutable_scalars(2)->set_action_value(abi::Scalar::STEP);
  instruction.mutable_launch()->mutable_scalars(3)->set_action_value(abi::Scalar::FIRST);
  builder.executable.mutable_batch()->set_micro_batches(2);
  builder.program.add_actions();
  builder.program.add_actions()->set_microbatch(1);
  std::unique_ptr<Session> session = load(forGpu(builder.executable));
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(bool(session->runStep({})));
  Status status = session->onEveryRank([&](RankExecutor &rank) {
    std::vector<int64_t> got(3), number(1);
    Status read = rank.read(std::as_writable_bytes(std::span(got)), seen);
    if (read.ok())
      read = rank.read(std::as_writable_bytes(std::span(number)), step);
    EXPECT_EQ(got, (std::vector<int64_t>{100 + 7 * rank.rank(), 2, 0}));
    EXPECT_EQ(number[0], 5);
    return read;
  });
  EXPECT_TRUE(status.ok()) << status.describe();
}

} // namespace
} // namespace pcc::test
