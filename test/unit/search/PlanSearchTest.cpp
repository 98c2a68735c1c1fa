// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of a model in which three layers read one parameter, so that pipeline stages have copies of
// it. Every shape compiles. A plan, read again from its text, gives a program of the same step time
// and memory, and the ranks compute what one device computes.
#include "compiler/search/PlanSearch.h"
#include "compiler/Register.h"
#include "compiler/search/SimulatedProgram.h"
#include "compiler/verify/VerifyModel.h"
#include "mlir/Parser/Parser.h"
#include "runtime/machine/Cluster.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <thread>

using namespace mlir;

namespace pcc::search {
namespace {

constexpr const char *tiedModel = R"(
graph.parameter @words : tensor<12x12xf32> init(#graph.init<normal, 0.0, 0.3>)
graph.parameter @a : tensor<12x12xf32> init(#graph.init<normal, 0.0, 0.3>)
graph.parameter @b : tensor<12x12xf32> init(#graph.init<normal, 0.0, 0.3>)
func.func @forward(%x: tensor<3x4xi64> {graph.role = #graph.role<input "x">},
                   %words: tensor<12x12xf32> {graph.role = #graph.role<parameter "words">},
                   %a: tensor<12x12xf32> {graph.role = #graph.role<parameter "a">},
                   %b: tensor<12x12xf32> {graph.role = #graph.role<parameter "b">})
    -> (tensor<3x4x12xf32> {graph.role = #graph.role<output "logits">}) {
  %0 = graph.gather %words, %x axis = 0 : tensor<12x12xf32>, tensor<3x4xi64> loc("embed")
  %1 = graph.einsum "bsi,io->bso" %0, %a : tensor<3x4x12xf32>, tensor<12x12xf32> loc("first")
  %2 = graph.tanh %1 : tensor<3x4x12xf32> loc("tanh1")
  %3 = graph.einsum "bsi,io->bso" %2, %words : tensor<3x4x12xf32>, tensor<12x12xf32> loc("middle")
  %4 = graph.tanh %3 : tensor<3x4x12xf32> loc("tanh2")
  %5 = graph.einsum "bsi,io->bso" %4, %b : tensor<3x4x12xf32>, tensor<12x12xf32> loc("second")
  %6 = graph.tanh %5 : tensor<3x4x12xf32> loc("tanh3")
  %7 = graph.einsum "bsi,oi->bso" %6, %words : tensor<3x4x12xf32>, tensor<12x12xf32> loc("head")
  return %7 : tensor<3x4x12xf32>
}
)";

/// The number of devices.
class TiedPlans : public ::testing::TestWithParam<int> {
protected:
  TiedPlans() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    model = parseSourceString<ModuleOp>(tiedModel, &context);
    options.cluster = *machine::parseCluster(std::to_string(GetParam()) + "xcpu", GetParam());
    options.training.loss = "softmax_cross_entropy";
    options.training.optimizer = "adam,lr=0.01";
    abi::ParallelConfig &config = options.parallel;
    config.set_device_num(GetParam());
    config.set_gradients_mean(true);
    config.set_micro_batches(1);
    config.set_micro_reduction(abi::MICRO_MEAN);
    config.set_loss_repeated_mean(true);
  }

  /// Returns the options of a plan that was written and read again.
  CompileOptions replay(const abi::Plan &plan) const {
    std::string text;
    abi::Plan read;
    google::protobuf::TextFormat::PrintToString(plan, &text);
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &read));
    CompileOptions replayed = options;
    applyPlan(read, replayed);
    llvm::cantFail(completeTraining(replayed));
    return replayed;
  }

  void expectReplayed(const PlanCandidate &candidate) {
    SimulatedProgram simulated = simulateProgram(*model, replay(candidate.plan));
    EXPECT_EQ(simulated.error, "");
    EXPECT_DOUBLE_EQ(simulated.step.seconds, candidate.seconds);
    EXPECT_EQ(getPeakBytes(simulated.step), candidate.peakBytes);
  }

  void expectRight(const PlanCandidate &candidate) {
    verify::VerifiedModel verified;
    OwningOpRef<ModuleOp> own = model->clone();
    ASSERT_TRUE(succeeded(verify::compileVerified(*own, replay(candidate.plan), {}, verified)));
    auto report = verify::verifyModel(std::move(verified));
    ASSERT_TRUE(report) << report.status().message();
    std::string text;
    llvm::raw_string_ostream os(text);
    report->print(os, /*all=*/false);
    EXPECT_TRUE(report->passed()) << text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> model;
  CompileOptions options;
};

TEST_P(TiedPlans, CompileReplayAndComputeTheSame) {
  ASSERT_TRUE(model);
  constexpr double seconds = 60; // of about 8; a batch of 3 leaves few shapes
  PlanSearch search(*model, options, {.seconds = seconds, .progress = nullptr});
  ASSERT_TRUE(succeeded(search.run()));
  ASSERT_NE(search.getBest(), nullptr);
  const PlanCandidate *searched = nullptr, *withVirtualStages = nullptr;
  for (const PlanCandidate &candidate : search.getCandidates()) {
    SCOPED_TRACE(candidate.shape.describe(GetParam()));
    EXPECT_EQ(candidate.error, "");
    if (candidate.shape.stages == 1 || !candidate.error.empty())
      continue;
    expectReplayed(candidate);
    if (candidate.shape.virtualStages > 1)
      withVirtualStages = &candidate;
    else if (candidate.shape.isSearched)
      searched = &candidate;
  }
  EXPECT_TRUE(GetParam() < 4 || (searched && withVirtualStages));
  for (const PlanCandidate *candidate : {searched, withVirtualStages})
    if (candidate) {
      SCOPED_TRACE(candidate->shape.describe(GetParam()));
      expectRight(*candidate);
    }
}

/// Returns what identifies the candidates of a search, in its order.
std::vector<std::tuple<std::string, double, int64_t>> describe(const PlanSearch &search) {
  std::vector<std::tuple<std::string, double, int64_t>> lines;
  for (const PlanCandidate &candidate : search.getCandidates())
    lines.emplace_back(candidate.shape.describe(search.getDevices()), candidate.seconds,
                       candidate.peakBytes);
  return lines;
}

class ThreadsOfTiedPlans : public TiedPlans {};

class StoppedPlans : public TiedPlans {};

/// Says after some phases that the time is over.
class StoppingPace : public CompilationPace {
public:
  void advance(double seconds, bool) override { work += seconds; }
  bool isOver(bool) override { return ++phases >= last; }

  double work = 0;
  int phases = 0, last = 1000;
};

// Compilations end after the phase in which the time is over, and are told from those that fail.
TEST_P(StoppedPlans, EndAfterAPhase) {
  options.isForCluster = true;
  llvm::cantFail(completeTraining(options));
  OwningOpRef<ModuleOp> graph = model->clone();
  ASSERT_TRUE(succeeded(runPhases(*graph, getSingleRankOptions(options), CompilePhase::Graph)));
  PlanCompiler compiler(*model, *graph, options, /*searchSeconds=*/1);
  plan::PlanShape shape;
  shape.tensorParallel = 2;
  StoppingPace pace;
  PlanCandidate whole = compiler.compile(shape, pace);
  EXPECT_EQ(whole.error, "");
  EXPECT_FALSE(whole.isStopped);
  EXPECT_GT(pace.phases, 5);
  EXPECT_GT(pace.work, 0);
  double work = pace.work;
  pace = StoppingPace();
  compiler.compile(shape, pace);
  EXPECT_EQ(pace.work, work);
  StoppingPace early;
  early.last = 3;
  EXPECT_TRUE(compiler.compile(shape, early).isStopped);
  EXPECT_EQ(early.phases, early.last);
  EXPECT_LT(early.work, work);
  // A search whose schedule differs from that of the plan is not tried again.
  shape = {.stages = 2, .microbatches = 3, .isSearched = true, .schedule = "zb-h1"};
  early.phases = 0;
  EXPECT_TRUE(compiler.compile(shape, early).isStopped);
  EXPECT_EQ(early.phases, early.last);
  // Three samples cannot be split over two ranks.
  PlanCandidate failed = compiler.compile({}, pace);
  EXPECT_NE(failed.error, "");
  EXPECT_FALSE(failed.isStopped);
}

class LimitedPlans : public TiedPlans {};

// The limit ends a search by its work, so two runs try the same shapes, with one thread and with
// several. A wait in the reports of progress changes the order in which threads end.
TEST_P(LimitedPlans, AreTheSameInEachRun) {
  int reports = 0;
  for (int threads : {1, 3}) {
    PlanSearchOptions limits{.slowdown = 1000, .threads = threads, .progress = nullptr};
    PlanSearch whole(*model, options, limits);
    ASSERT_TRUE(succeeded(whole.run()));
    limits.seconds = whole.getWork() / 3;
    PlanSearch first(*model, options, limits);
    ASSERT_TRUE(succeeded(first.run()));
    limits.progress = [&](const PlanSearch &) {
      std::this_thread::sleep_for(std::chrono::milliseconds(++reports % 5));
    };
    PlanSearch second(*model, options, limits);
    ASSERT_TRUE(succeeded(second.run()));
    EXPECT_FALSE(first.wasCutOff() || second.wasCutOff());
    EXPECT_LT(describe(first).size(), describe(whole).size());
    EXPECT_EQ(describe(first), describe(second)) << threads << " threads";
    EXPECT_EQ(first.getWork(), second.getWork());
  }
}

// Without a limit that cuts a search off, the best plan is the same. A frontier has no pruned
// shapes, so all its candidates are the same.
TEST_P(ThreadsOfTiedPlans, MakeNoDifference) {
  ASSERT_TRUE(model);
  constexpr double seconds = 300;
  for (bool wantsFrontier : {false, true}) {
    PlanSearch alone(*model, options,
                     {.seconds = seconds, .wantsFrontier = wantsFrontier, .progress = nullptr});
    PlanSearch together(
        *model, options,
        {.seconds = seconds, .threads = 3, .wantsFrontier = wantsFrontier, .progress = nullptr});
    ASSERT_TRUE(succeeded(alone.run()) && succeeded(together.run()));
    ASSERT_FALSE(describe(alone).empty());
    EXPECT_EQ(describe(alone).front(), describe(together).front());
    if (wantsFrontier) {
      EXPECT_EQ(describe(alone), describe(together));
    }
  }
}

class PlansOfOtherMachines : public TiedPlans {
protected:
  abi::Cluster withMemory(int64_t bytes) const {
    return *machine::changeCluster(*options.cluster,
                                   "memory=" + std::to_string(bytes / 1e6) + "MB");
  }
  static PlanSearchOptions getLimits(double seconds) {
    return {.seconds = seconds, .keepsPrograms = true, .progress = nullptr};
  }
};

// A search that goes on from one with more or less memory finds what a new one finds.
TEST_P(PlansOfOtherMachines, AreThoseOfANewSearch) {
  constexpr double seconds = 300;
  PlanSearch ample(*model, options, getLimits(seconds));
  ASSERT_TRUE(succeeded(ample.run()));
  ASSERT_NE(ample.getBest(), nullptr);
  CompileOptions scarceOptions = options;
  scarceOptions.cluster = withMemory(ample.getBest()->peakBytes - 1000);
  PlanSearch scarce(*model, scarceOptions, getLimits(seconds));
  ASSERT_TRUE(succeeded(scarce.run()));
  ASSERT_NE(scarce.getBest(), nullptr);
  EXPECT_LT(scarce.getBest()->peakBytes, ample.getBest()->peakBytes);
  PlanSearch less(ample, *scarceOptions.cluster, getLimits(seconds));
  PlanSearch more(scarce, *options.cluster, getLimits(seconds));
  ASSERT_TRUE(succeeded(less.run()) && succeeded(more.run()));
  EXPECT_EQ(describe(less).front(), describe(scarce).front());
  EXPECT_EQ(describe(more).front(), describe(ample).front());
}

// Without time to compile, the programs of the first search are simulated on the other machine.
TEST_P(PlansOfOtherMachines, RunTheSamePrograms) {
  PlanSearch search(*model, options, getLimits(/*seconds=*/300));
  ASSERT_TRUE(succeeded(search.run()));
  abi::Cluster slow = *machine::changeCluster(*options.cluster, "level0=1MB/s,1ms");
  PlanSearch other(search, slow, getLimits(/*seconds=*/0));
  ASSERT_TRUE(succeeded(other.run()));
  ASSERT_EQ(other.getCandidates().size(), search.getCandidates().size());
  for (const PlanCandidate &candidate : other.getCandidates()) {
    abi::Expected<simulate::Simulation> step = simulate::simulate(*candidate.program, slow);
    ASSERT_TRUE(bool(step));
    EXPECT_DOUBLE_EQ(candidate.seconds, step->seconds);
  }
  EXPECT_GT(other.getBest()->seconds, search.getBest()->seconds);
}

INSTANTIATE_TEST_SUITE_P(Devices, TiedPlans, ::testing::Values(2, 3, 4, 6));
INSTANTIATE_TEST_SUITE_P(Devices, ThreadsOfTiedPlans, ::testing::Values(2));
INSTANTIATE_TEST_SUITE_P(Devices, StoppedPlans, ::testing::Values(2));
INSTANTIATE_TEST_SUITE_P(Devices, LimitedPlans, ::testing::Values(4));
INSTANTIATE_TEST_SUITE_P(Devices, PlansOfOtherMachines, ::testing::Values(3));

} // namespace
} // namespace pcc::search
