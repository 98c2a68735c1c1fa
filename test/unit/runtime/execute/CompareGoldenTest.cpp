// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares programs with golden results, and tests the files of golden results.

#include "runtime/execute/CompareGolden.h"
#include "runtime/abi/files/GoldenFile.h"
#include "runtime/abi/files/WholeFile.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pcc::test {
namespace {

using namespace runtime;

abi::GoldenTensor toMessage(const std::string &name, const Tensor &tensor) {
  abi::GoldenTensor message;
  message.set_name(name);
  message.set_type(tensor.type);
  message.mutable_shape()->Assign(tensor.shape.begin(), tensor.shape.end());
  message.set_data(tensor.data.data(), tensor.data.size());
  return message;
}

Tensor vectorOf(abi::ElementType type, std::vector<double> values) {
  Tensor tensor = Tensor::zeros(type, {int64_t(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    tensor.set(int64_t(i), values[i]);
  return tensor;
}

void addResult(abi::GoldenResults &golden, abi::GoldenKind kind, const std::string &name,
               const Tensor &value, double tolerance) {
  abi::GoldenResult &result = *golden.add_results();
  result.set_kind(kind);
  result.set_step(kind == abi::GOLDEN_LOSS ? 1 : 0);
  *result.mutable_value() = toMessage(name, value);
  result.set_tolerance(tolerance);
}

TEST(CompareTensors, LooksAtEveryElement) {
  double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  struct Row {
    std::vector<double> expected, actual;
    double tolerance;
    std::string reason; ///< beginning of the reason
  } rows[] = {
      {{1, 2}, {1, 2.25}, 0.25, ""},
      {{1, 2}, {1, 2.5}, 0.25, "element [1]: expected 2, got 2.5 (error 0.5, tolerance 0.25)"},
      {{nan, infinity, -infinity}, {nan, infinity, -infinity}, 0, ""},
      {{nan}, {1}, 100, "element [0]: expected nan, got 1 (error inf"},
      {{1}, {nan}, 100, "element [0]: expected 1, got nan (error inf"},
      {{infinity}, {-infinity}, 100, "element [0]: expected inf, got -inf (error inf"},
      {{1, 2}, {1, 2, 3}, 100, "expected f32[2], got f32[3]"},
  };
  for (const Row &row : rows) {
    ComparedResult result = compareTensors("x", vectorOf(abi::F32, row.expected),
                                           vectorOf(abi::F32, row.actual), row.tolerance);
    EXPECT_EQ(result.isExpected(), row.reason.empty()) << result.reason;
    EXPECT_TRUE(result.reason.starts_with(row.reason)) << result.reason;
  }
  ComparedResult types =
      compareTensors("x", vectorOf(abi::F32, {1}), vectorOf(abi::BF16, {1}), 100);
  EXPECT_EQ(types.reason, "expected f32[1], got bf16[1]");
}

TEST(CompareTensors, TellsTheShareOfTheTolerance) {
  EXPECT_EQ((ComparedResult{"x", "", 1, 4}.usedTolerance()), 0.25);
  EXPECT_EQ((ComparedResult{"x", "", 0, 0}.usedTolerance()), 0);
  EXPECT_EQ((ComparedResult{"x", "", 1, 0}.usedTolerance()), HUGE_VAL);
}

/// A perceptron on 2 ranks, and golden results from one of its runs.
class GoldenOfMlp : public testing::Test {
protected:
  void SetUp() override {
    session = load();
    NamedTensors batch;
    for (const abi::Input &input : session->program().inputs()) {
      const auto &shape = input.block().global_shape();
      Tensor tensor = Tensor::zeros(input.block().type(), {shape.begin(), shape.end()});
      for (int64_t i = 0; i < tensor.count(); ++i)
        tensor.set(i, tensor.type == abi::F32 ? std::sin(double(i)) : double(i % 3));
      batch[input.name()] = tensor;
      *golden.add_forward_inputs() = toMessage(input.name(), tensor);
    }
    *golden.add_batches()->mutable_inputs() = golden.forward_inputs();
    for (const abi::Parameter &parameter : session->program().parameters())
      *golden.add_parameters() = toMessage(parameter.name(), *session->parameter(parameter.name()));

    NamedTensors outputs = *session->runForward(batch);
    for (const auto &[name, value] : outputs)
      addResult(golden, abi::GOLDEN_OUTPUT, name, value, 1e-5);
    StepResults step = *session->runStep(batch);
    Tensor loss = Tensor::zeros(abi::F32, {});
    loss.set(0, step.loss);
    addResult(golden, abi::GOLDEN_LOSS, "", loss, 1e-5);
    for (const auto &[name, gradient] : step.gradients)
      addResult(golden, abi::GOLDEN_GRADIENT, name, gradient, 1e-5);
    for (const abi::Parameter &parameter : session->program().parameters())
      addResult(golden, abi::GOLDEN_PARAMETER, parameter.name(),
                *session->parameter(parameter.name()), 1e-5);
  }

  static std::unique_ptr<Session> load() {
    auto session = Session::load(makeMlp({.ranks = 2, .batch = 8, .widths = {6, 5, 3}}),
                                 {.seed = 3, .threads = 1, .timeout = 60});
    EXPECT_TRUE(bool(session)) << session.status().describe();
    return std::move(*session);
  }

  /// Returns the names of results that differ.
  std::vector<std::string> differing() {
    auto results = compareWithGolden(*session, golden);
    EXPECT_TRUE(bool(results)) << results.status().describe();
    std::vector<std::string> names;
    for (const ComparedResult &result : *results)
      if (!result.isExpected())
        names.push_back(result.name);
    EXPECT_EQ(int(results->size()), golden.results_size());
    return names;
  }

  /// Writes the golden results to a file, reads them back, and returns the error message.
  std::string readBack() {
    std::string path = testing::TempDir() + "mlp.expected";
    Status written = abi::writeGoldenResults(golden, path);
    EXPECT_TRUE(written.ok()) << written.describe();
    auto read = abi::readGoldenResults(path);
    return read ? "" : read.status().message().substr(path.size());
  }

  std::unique_ptr<Session> session;
  abi::GoldenResults golden;
};

TEST_F(GoldenOfMlp, HoldsWhereTheParametersAreSet) {
  EXPECT_EQ(differing(), std::vector<std::string>());
  // The next run does not start from the parameters of the last run.
  EXPECT_EQ(differing(), std::vector<std::string>());
}

TEST_F(GoldenOfMlp, NamesEveryResultThatDiffers) {
  for (abi::GoldenResult &result : *golden.mutable_results()) {
    Tensor value = vectorOf(abi::F32, std::vector<double>(result.value().data().size() / 4, 9));
    result.mutable_value()->set_data(value.data.data(), value.data.size());
  }
  std::vector<std::string> names = differing();
  EXPECT_EQ(int(names.size()), golden.results_size());
  for (const char *name : {"step 1 loss", "gradient w0", "updated parameter b1"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST_F(GoldenOfMlp, ReadsGradientsInTheTypeOfWhatIsExpected) {
  for (abi::GoldenResult &result : *golden.mutable_results())
    if (result.kind() == abi::GOLDEN_GRADIENT && result.value().name() == "b0") {
      Tensor zeros = Tensor::zeros(abi::BF16, {5});
      *result.mutable_value() = toMessage("b0", zeros);
      result.set_tolerance(100);
    }
  EXPECT_EQ(differing(), std::vector<std::string>());
}

TEST_F(GoldenOfMlp, MissesWhatTheProgramDoesNotGive) {
  addResult(golden, abi::GOLDEN_GRADIENT, "nobody", Tensor::zeros(abi::F32, {1}), 1);
  EXPECT_EQ(differing(), std::vector<std::string>{"gradient nobody"});
  addResult(golden, abi::GOLDEN_PARAMETER, "nobody", Tensor::zeros(abi::F32, {1}), 1);
  EXPECT_EQ(compareWithGolden(*session, golden).status().message(),
            "the program has no parameter 'nobody'");
}

TEST_F(GoldenOfMlp, IsReadAsItWasWritten) { EXPECT_EQ(readBack(), ""); }

TEST_F(GoldenOfMlp, FilesWithWrongFieldsAreRefused) {
  struct Row {
    std::function<void(abi::GoldenResults &)> breakIt;
    const char *message;
  } rows[] = {
      {[](auto &e) { e.mutable_parameters(0)->mutable_data()->pop_back(); },
       ": parameters[0]: 'w0': expected 30 elements of 4 bytes, got 119 bytes"},
      {[](auto &e) { e.mutable_forward_inputs(0)->set_shape(0, -1); },
       ": forward_inputs[0]: 'image': expected a shape, got a negative or too large one"},
      {[](auto &e) { e.mutable_batches(0)->mutable_inputs(0)->set_type(abi::ElementType(99)); },
       ": batches[0].inputs[0]: 'image': expected an element type, got 99"},
      {[](auto &e) { e.mutable_results(0)->set_tolerance(std::nan("")); },
       ": results[0]: expected a tolerance from 0 on, got nan"},
      {[](auto &e) { e.mutable_results(0)->set_kind(abi::GOLDEN_KIND_UNSPECIFIED); },
       ": results[0]: expected a kind, got 0"},
      {[](auto &e) { e.mutable_results(1)->set_step(2); },
       ": results[1]: expected a step from 1 to 1, got 2"},
      {[](auto &e) { *e.mutable_results(1)->mutable_value() = e.parameters(0); },
       ": results[1]: expected a loss without dimensions"},
      {[](auto &e) {
         e.clear_batches();
         e.mutable_results()->DeleteSubrange(1, 1);
       },
       ": results[1]: expected a batch of the step that computes it"},
      {[](auto &e) { e.clear_results(); }, ": expected results, got none"},
  };
  abi::GoldenResults whole = golden;
  for (const Row &row : rows) {
    golden = whole;
    row.breakIt(golden);
    EXPECT_EQ(readBack(), row.message);
  }
}

/// Every byte counts: a file with one changed byte is refused.
TEST_F(GoldenOfMlp, DamageIsFound) {
  std::string path = testing::TempDir() + "damaged.expected";
  ASSERT_TRUE(abi::writeGoldenResults(golden, path).ok());
  std::string content = *abi::readFile(path);
  for (size_t i = 0; i < content.size(); i += 7) {
    std::string damaged = content;
    damaged[i] ^= 0x55;
    ASSERT_TRUE(abi::writeFile(path, damaged).ok());
    std::string wrong = i < 8 ? ": no file of golden results" : ": damaged: expected finger";
    EXPECT_TRUE(abi::readGoldenResults(path).status().message().starts_with(path + wrong)) << i;
  }
  ASSERT_TRUE(abi::writeFile(path, content.substr(0, 12)).ok());
  EXPECT_EQ(abi::readGoldenResults(path).status().message(),
            path + ": damaged: the file ends within its header");
}

} // namespace
} // namespace pcc::test
