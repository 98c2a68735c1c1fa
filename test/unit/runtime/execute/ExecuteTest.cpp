// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/Evaluate.h"
#include "runtime/execute/Session.h"
#include "runtime/execute/Train.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

namespace pcc::test {
namespace {

using namespace runtime;

const std::vector<int64_t> smallWidths = {20, 16, 12, 4};

/// Returns rows whose class can be learned: pixel c of a row of class c is high.
Dataset learnable(int64_t rows, int64_t width, int64_t classes) {
  Dataset data{.name = "learnable", .rows = rows, .fields = {}};
  std::vector<std::byte> images(rows * width), labels(rows);
  for (int64_t r = 0; r < rows; ++r) {
    int64_t own = r * 7 % classes;
    labels[r] = std::byte(own);
    for (int64_t i = 0; i < width; ++i)
      images[r * width + i] = std::byte(i % classes == own ? 200 : r * 31 % 97);
  }
  data.fields = {{"image", Storage::Pixels, {width}, std::move(images)},
                 {"label", Storage::Bytes, {}, std::move(labels)}};
  return data;
}

std::unique_ptr<Session> load(const MlpOptions &options, int threads = 1) {
  auto session = Session::load(makeMlp(options), {.seed = 3, .threads = threads, .timeout = 60});
  EXPECT_TRUE(bool(session)) << session.status().describe();
  return std::move(*session);
}

std::vector<double> lossesOf(Session &session, const Dataset &data, int64_t steps) {
  Expected<abi::RunReport> report = train(session, data, {.steps = steps});
  EXPECT_TRUE(bool(report)) << report.status().describe();
  std::vector<double> losses;
  for (const abi::StepLoss &step : report->steps())
    losses.push_back(step.loss());
  return losses;
}

std::vector<double> lossesOf(const MlpOptions &options, int64_t steps, int threads = 1) {
  std::unique_ptr<Session> session = load(options, threads);
  return lossesOf(*session, learnable(256, options.widths.front(), options.widths.back()), steps);
}

void expectNear(const std::vector<double> &got, const std::vector<double> &expected,
                double relative) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], relative * std::abs(expected[i])) << "step " << i + 1;
}

TEST(Execute, AnyNumberOfRanksTrainsAlike) {
  MlpOptions options{.batch = 64, .widths = smallWidths};
  std::vector<double> one = lossesOf(options, 60);
  EXPECT_LT(one.back(), one.front() / 4);
  for (int ranks : {2, 8, 64}) {
    options.ranks = ranks;
    expectNear(lossesOf(options, 60), one, 1e-4);
  }
}

TEST(Execute, RunsAreBitIdentical) {
  MlpOptions options{.ranks = 8, .batch = 64, .widths = {784, 512, 10}};
  EXPECT_EQ(lossesOf(options, 8), lossesOf(options, 8));
}

TEST(Execute, ThreadsDoNotChangeBits) {
  MlpOptions options{.ranks = 1, .batch = 64, .widths = {784, 512, 10}};
  std::vector<double> one = lossesOf(options, 5, 1);
  EXPECT_EQ(lossesOf(options, 5, 2), one);
  EXPECT_EQ(lossesOf(options, 5, 4), one);
}

// Microbatches split the same rows; their losses and gradients are summed.
TEST(Execute, MicrobatchesAddUp) {
  MlpOptions options{.ranks = 2, .batch = 64, .widths = smallWidths};
  std::vector<double> whole = lossesOf(options, 20);
  options.microBatches = 4;
  expectNear(lossesOf(options, 20), whole, 1e-4);
}

TEST(Execute, OverlappedReductionsGiveTheSameBits) {
  MlpOptions options{.ranks = 4, .batch = 64, .widths = smallWidths};
  std::vector<double> inOrder = lossesOf(options, 20);
  options.overlapped = true;
  EXPECT_EQ(lossesOf(options, 20), inOrder);
}

TEST(Execute, ManyStepsOnManyRanks) {
  MlpOptions options{.ranks = 64, .batch = 64, .widths = {8, 4}};
  std::vector<double> losses = lossesOf(options, 1000);
  EXPECT_EQ(losses.size(), 1000u);
  EXPECT_LT(losses.back(), losses.front());
}

TEST(Execute, EvaluatesWithAnIncompleteLastBatch) {
  std::unique_ptr<Session> session =
      load({.ranks = 4, .batch = 64, .widths = smallWidths, .rate = 0.3});
  lossesOf(*session, learnable(256, 20, 4), 200);
  auto metrics = evaluate(*session, learnable(100, 20, 4));
  ASSERT_TRUE(bool(metrics)) << metrics.status().message();
  EXPECT_GT(metrics->at("accuracy"), 0.9);
  double percent = metrics->at("accuracy") * 100;
  EXPECT_NEAR(percent, std::round(percent), 1e-9) << "100 rows count";
  EXPECT_EQ(metrics->size(), 1u) << "perplexity is on request";
}

// Before training, all four classes are about equally likely. The numbers of ranks and threads
// change no bit.
TEST(Execute, PerplexityOfAnyRanksAndThreads) {
  auto perplexity = [](int ranks, int threads) {
    std::unique_ptr<Session> session =
        load({.ranks = ranks, .batch = 64, .widths = smallWidths}, threads);
    auto metrics = evaluate(*session, learnable(100, 20, 4), "perplexity");
    EXPECT_TRUE(bool(metrics)) << metrics.status().message();
    return metrics->at("perplexity");
  };
  double one = perplexity(1, 1);
  EXPECT_GT(one, 2);
  EXPECT_LT(one, 8);
  EXPECT_EQ(one, perplexity(1, 4));
  EXPECT_NEAR(one, perplexity(4, 4), 1e-5);
}

TEST(Execute, EvaluatesSomethingOnly) {
  std::unique_ptr<Session> session = load({.ranks = 1, .batch = 64, .widths = smallWidths});
  EXPECT_EQ(evaluate(*session, learnable(0, 20, 4)).status().message(),
            "learnable: expected rows to evaluate on, got none");
}

/// Returns a batch of whole tensors, as `pcc verify` feeds it.
NamedTensors batchOf(const MlpOptions &options) {
  NamedTensors batch;
  Tensor image = Tensor::zeros(abi::F32, {options.batch, options.widths.front()});
  for (int64_t i = 0; i < image.count(); ++i)
    image.set(i, double(i * 37 % 101) / 101);
  Tensor label = Tensor::zeros(abi::I64, {options.batch});
  for (int64_t i = 0; i < options.batch; ++i)
    label.set(i, double(i * 3 % options.widths.back()));
  batch["image"] = image;
  batch["label"] = label;
  return batch;
}

TEST(Session, StepGivesLossGradientsAndParameters) {
  MlpOptions options{.ranks = 1, .batch = 16, .widths = smallWidths};
  std::unique_ptr<Session> one = load(options);
  Expected<StepResults> alone = one->runStep(batchOf(options));
  ASSERT_TRUE(bool(alone)) << alone.status().describe();
  options.ranks = 4;
  options.microBatches = 2;
  std::unique_ptr<Session> four = load(options);
  Expected<StepResults> together = four->runStep(batchOf(options));
  ASSERT_TRUE(bool(together)) << together.status().describe();
  EXPECT_NEAR(together->loss, alone->loss, 1e-5);
  ASSERT_EQ(together->gradients.size(), 3u);
  for (const auto &[name, gradient] : alone->gradients)
    for (int64_t i = 0; i < gradient.count(); ++i)
      ASSERT_NEAR(together->gradients.at(name).at(i), gradient.at(i), 1e-6) << name;
  Tensor expected = *one->parameter("w1"), got = *four->parameter("w1");
  for (int64_t i = 0; i < expected.count(); ++i)
    ASSERT_NEAR(got.at(i), expected.at(i), 1e-6);
  EXPECT_EQ(four->parameter("w1", 3)->data, got.data);
  EXPECT_EQ(four->parameter("w1", 4).status().message(), "expected a rank below 4, got 4");
  double mean = 0;
  for (double own : together->ownLosses)
    mean += own / 4;
  EXPECT_NEAR(mean, together->loss, 1e-6);
}

TEST(Session, SetsParametersAndRunsForward) {
  MlpOptions options{.ranks = 2, .batch = 4, .widths = {3, 2}};
  std::unique_ptr<Session> session = load(options);
  Tensor weight = Tensor::zeros(abi::F32, {2, 3});
  weight.set(0, 1);
  weight.set(5, 2);
  ASSERT_TRUE(session->setParameter("w0", weight).ok());
  NamedTensors batch = batchOf(options);
  Expected<NamedTensors> outputs = session->runForward(batch);
  ASSERT_TRUE(bool(outputs)) << outputs.status().describe();
  for (int64_t r = 0; r < 4; ++r) {
    EXPECT_FLOAT_EQ(outputs->at("logits").at(2 * r), batch["image"].at(3 * r));
    EXPECT_FLOAT_EQ(outputs->at("logits").at(2 * r + 1), 2 * batch["image"].at(3 * r + 2));
  }
  EXPECT_EQ(session->setParameter("w0", batch["image"]).message(),
            "'w0': the tensor has another type or shape");
  EXPECT_EQ(session->setParameter("w9", weight).message(), "the program has no parameter 'w9'");
  batch.erase("label");
  EXPECT_EQ(session->runForward(batch).status().message(), "the batch has no input 'label'");
}

TEST(Train, LogsLinesAndRanks) {
  std::string folder = testing::TempDir() + "/pcc_train_test";
  std::FILE *out = std::tmpfile();
  std::unique_ptr<Session> session = load({.ranks = 2, .batch = 64, .widths = smallWidths});
  Dataset data = learnable(256, 20, 4);
  ASSERT_TRUE(
      bool(train(*session, data, {.epochs = 2, .logEvery = 3, .logDir = folder, .out = out})));
  std::rewind(out);
  char line[100];
  std::vector<std::string> heads;
  while (std::fgets(line, sizeof line, out))
    heads.push_back(std::string(line).substr(0, std::string(line).find(',')));
  EXPECT_EQ(heads,
            (std::vector<std::string>{"epoch: 1 step: 3", "epoch: 2 step: 2", "epoch: 2 step: 4"}));
  std::fclose(out);
  for (const char *rank : {"rank_0", "rank_1"}) {
    std::ifstream log(folder + "/" + rank + "/train.log");
    std::string first;
    std::getline(log, first);
    EXPECT_TRUE(first.starts_with("epoch: 1 step: 3, loss is ")) << first;
  }
  std::filesystem::remove_all(folder);
}

// In the third batch, one row of the last rank is NaN.
TEST(Train, StopsAtALossThatIsNotFinite) {
  Dataset data = learnable(256, 20, 4);
  std::vector<float> images(256 * 20, 0.5f);
  images[191 * 20] = NAN;
  auto *bytes = reinterpret_cast<const std::byte *>(images.data());
  data.fields[0].storage = Storage::F32;
  data.fields[0].values = std::vector<std::byte>(bytes, bytes + images.size() * sizeof(float));
  for (int ranks : {1, 2, 4}) {
    MlpOptions options{.ranks = ranks, .batch = 64, .widths = {20, 4}};
    std::unique_ptr<Session> session = load(options);
    Status status = train(*session, data, {.epochs = 2}).status();
    EXPECT_EQ(status.kind(), abi::StatusKind::Failed);
    EXPECT_EQ(status.exitCode(), 5);
    EXPECT_EQ(status.describe(),
              fmt::format("rank {}: epoch: 1 step: 3: expected a finite loss, got nan; no further "
                          "checkpoint is written; '--on-nonfinite=continue' goes on",
                          ranks - 1));
    session = load(options);
    auto report = train(*session, data, {.epochs = 2, .onNonfinite = NonfiniteAction::Continue});
    ASSERT_TRUE(bool(report)) << report.status().message();
    EXPECT_EQ(report->steps_size(), 8);
    EXPECT_TRUE(std::isnan(report->steps(7).loss()));
  }
}

TEST(Train, EpochsBeyondAllNumbersEndAtTheSteps) {
  std::unique_ptr<Session> session = load({.ranks = 1, .batch = 64, .widths = smallWidths});
  auto report = train(*session, learnable(256, 20, 4),
                      {.steps = 3, .epochs = std::numeric_limits<int64_t>::max()});
  ASSERT_TRUE(bool(report)) << report.status().message();
  EXPECT_EQ(report->steps_size(), 3);
}

TEST(Train, EndsAtTheLowerLimit) {
  std::unique_ptr<Session> session = load({.ranks = 1, .batch = 64, .widths = smallWidths});
  auto stepsOf = [&](int64_t steps, int64_t epochs) {
    auto report = train(*session, learnable(256, 20, 4), {.steps = steps, .epochs = epochs});
    return report ? report->steps_size() : -1;
  };
  EXPECT_EQ(stepsOf(6, 1), 4); // an epoch has 4 steps
  EXPECT_EQ(stepsOf(6, 2), 6);
}

// The callback runs on every rank between epochs, not after the last one. Its error ends the run of
// all ranks.
TEST(Train, CallsBackBetweenEpochs) {
  std::unique_ptr<Session> session = load({.ranks = 2, .batch = 64, .widths = smallWidths});
  Dataset data = learnable(128, 20, 4);
  std::vector<std::vector<int64_t>> calls(2); // by rank
  auto note = [&](RankExecutor &rank, int64_t epochs) {
    calls[size_t(rank.rank())].push_back(epochs);
    return Status();
  };
  ASSERT_TRUE(bool(train(*session, data, {.epochs = 3, .epochDone = note})));
  EXPECT_EQ(calls, (std::vector<std::vector<int64_t>>{{1, 2}, {1, 2}}));
  auto fail = [](RankExecutor &, int64_t) { return Status::badInput("the disk is full"); };
  EXPECT_EQ(train(*session, data, {.epochs = 3, .epochDone = fail}).status().message(),
            "the disk is full");
}

TEST(Train, NeedsAWholeBatch) {
  std::unique_ptr<Session> session = load({.ranks = 2, .batch = 64, .widths = smallWidths});
  EXPECT_EQ(train(*session, learnable(63, 20, 4), {}).status().message(),
            "learnable: expected at least one batch of 64 rows, got 63 rows");
}

// If a collective still writes a result at the end of its section, reading the result waits for the
// collective.
TEST(Session, ResultsOfCollectivesInFlightAreWhole) {
  ProgramBuilder builder(2);
  uint32_t value = builder.parameter("w", {1}, 0);
  abi::Section &section = builder.section("main");
  builder.program.mutable_parameters(0)->mutable_initializer()->set_constant(3);
  abi::Instruction &pause = builder.launch(section, "slumber", {}, {0});
  for (int64_t milliseconds : {0, 200})
    pause.mutable_launch()->mutable_scalars(0)->mutable_expression()->add_table(milliseconds);
  builder.allReduce(section, value).set_stream(abi::COMMUNICATION);
  abi::Result &result = *builder.program.add_results();
  result.set_name("w");
  result.set_role(abi::GRADIENT);
  *result.mutable_block() = builder.whole(abi::F32, {1});
  result.set_buffer(value);
  builder.program.add_actions();
  auto session = Session::load(builder.executable, {.timeout = 5});
  ASSERT_TRUE(bool(session)) << session.status().message();
  Expected<StepResults> step = (*session)->runStep({});
  ASSERT_TRUE(bool(step)) << step.status().describe();
  EXPECT_EQ(step->gradients.at("w").at(0), 6);
}

/// Adds a SEND or RECV of `buffer`; peers are given by rank.
void addTransfer(abi::Section &section, abi::CollectiveKind kind, uint32_t buffer,
                 const std::vector<int64_t> &peers) {
  abi::Collective &collective = *section.add_instructions()->mutable_collective();
  collective.set_kind(kind);
  collective.set_type(abi::F32);
  collective.add_shape(1);
  bool sends = kind == abi::SEND;
  (sends ? collective.mutable_source() : collective.mutable_destination())->set_buffer(buffer);
  collective.mutable_peer()->mutable_table()->Add(peers.begin(), peers.end());
}

// A ring of adjacent sends and receives is started together, although an instruction without any
// participating rank is between them.
TEST(Execute, RingsDoNotHang) {
  ProgramBuilder builder(3);
  uint32_t own = builder.buffer("own", abi::PERSISTENT, abi::F32, {1});
  uint32_t other = builder.buffer("other", abi::PERSISTENT, abi::F32, {1});
  constexpr int64_t nobody = -(int64_t(1) << 32);
  abi::Section &section = builder.section("main");
  addTransfer(section, abi::SEND, own, {nobody, nobody, nobody});
  addTransfer(section, abi::SEND, own, {1, 2, 0});
  addTransfer(section, abi::SEND, own, {nobody, nobody, nobody});
  addTransfer(section, abi::RECV, other, {2, 0, 1});
  builder.program.add_actions();
  auto session = Session::load(builder.executable, {.timeout = 5});
  ASSERT_TRUE(bool(session)) << session.status().message();
  auto value = [](RankExecutor &rank, uint32_t buffer) {
    return reinterpret_cast<float *>(rank.address(buffer));
  };
  Status status = (*session)->onEveryRank([&](RankExecutor &rank) {
    *value(rank, own) = float(rank.rank());
    return rank.runStep(0, {});
  });
  ASSERT_TRUE(status.ok()) << status.describe();
  status = (*session)->onEveryRank([&](RankExecutor &rank) {
    EXPECT_EQ(*value(rank, other), float((rank.rank() + 2) % 3));
    return Status();
  });
  EXPECT_TRUE(status.ok());
}

// Scalars of a kernel: a rank expression plus a number of the action. The step number is also
// stored in its buffer.
TEST(Execute, ScalarsFollowRankAndSlot) {
  ProgramBuilder builder(2);
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
  auto session = Session::load(builder.executable);
  ASSERT_TRUE(bool(session)) << session.status().message();
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(bool((*session)->runStep({})));
  ASSERT_TRUE((*session)
                  ->onEveryRank([&](RankExecutor &rank) {
                    int64_t got[3], number;
                    std::memcpy(got, rank.address(seen), sizeof got);
                    std::memcpy(&number, rank.address(step), sizeof number);
                    EXPECT_EQ(got[0], 100 + 7 * rank.rank());
                    EXPECT_EQ(got[1], 2);
                    EXPECT_EQ(got[2], 0);
                    EXPECT_EQ(number, 5) << "runs of the section: two in a step";
                    return Status();
                  })
                  .ok());
}

} // namespace
} // namespace pcc::test
