// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/monitor/Metrics.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pcc::test {
namespace {

using namespace runtime;

/// Returns data with labels in rows of two.
Dataset labelled(const std::vector<int64_t> &labels) {
  int64_t rows = int64_t(labels.size()) / 2;
  Dataset data{.name = "labelled", .rows = rows, .fields = {}};
  auto *bytes = reinterpret_cast<const std::byte *>(labels.data());
  data.fields.push_back(
      {"label", Storage::I64, {2}, std::vector<std::byte>(bytes, bytes + labels.size() * 8)});
  return data;
}

Tensor scoresOf(abi::ElementType type, std::vector<int64_t> shape,
                const std::vector<double> &values) {
  Tensor tensor = Tensor::zeros(type, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.set(int64_t(i), values[i]);
  return tensor;
}

/// Runs the whole range at once.
void inOneGo(int64_t count, const std::function<void(int64_t, int64_t)> &body) { body(0, count); }

/// Returns the metric of two rows of two positions; the second row's last label is ignored.
Expected<double> valueOf(abi::Metric::Kind kind, abi::ElementType type) {
  abi::Metric metric;
  metric.set_kind(kind);
  MetricTotal total(metric);
  Dataset data = labelled({0, 1, 2, -100});
  Tensor scores = scoresOf(type, {2, 2, 3}, {1, 0, 0, 0, 1, 0, 0, 1, 0, 9, 9, 9});
  Status status = total.add(scores, {data, data.fields[0], 0, 2}, inOneGo);
  EXPECT_TRUE(status.ok()) << status.message();
  return total.value();
}

TEST(Metrics, TheIgnoredLabelDoesNotCount) {
  abi::Metric metric;
  metric.set_kind(abi::Metric::ACCURACY);
  MetricTotal total(metric);
  Dataset data = labelled({0, 2, 255, 2});
  Tensor scores = scoresOf(abi::F32, {2, 2, 3}, {1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1});
  ASSERT_TRUE(total.add(scores, {data, data.fields[0], 0, 2, 255}, inOneGo).ok());
  EXPECT_NEAR(*total.value(), 2.0 / 3, 1e-12);
}

// Perplexity is exp((2 (log(e + 2) - 1) + log(e + 2)) / 3): three rows count.
TEST(Metrics, KnownValues) {
  for (abi::ElementType type : {abi::F32, abi::BF16}) {
    EXPECT_NEAR(*valueOf(abi::Metric::ACCURACY, type), 2.0 / 3, 1e-12);
    EXPECT_NEAR(*valueOf(abi::Metric::PERPLEXITY, type),
                std::exp(std::log(std::exp(1) + 2) - 2.0 / 3), 1e-9);
    EXPECT_NEAR(*valueOf(abi::Metric::CROSS_ENTROPY, type), std::log(std::exp(1) + 2) - 2.0 / 3,
                1e-9);
  }
}

// Scores far outside the range of exp.
TEST(Metrics, PerplexityOfGreatScores) {
  abi::Metric metric;
  metric.set_kind(abi::Metric::PERPLEXITY);
  MetricTotal total(metric);
  Dataset data = labelled({0, 1});
  Tensor scores = scoresOf(abi::F32, {1, 2, 2}, {1e30, 1e30, -1e30, -1e30});
  ASSERT_TRUE(total.add(scores, {data, data.fields[0], 0, 1}, inOneGo).ok());
  EXPECT_NEAR(*total.value(), 2, 1e-12);
}

TEST(Metrics, LabelsAreClasses) {
  abi::Metric metric;
  metric.set_name("perplexity");
  metric.set_kind(abi::Metric::PERPLEXITY);
  MetricTotal total(metric);
  Tensor scores = scoresOf(abi::F32, {1, 2, 3}, {});
  Dataset bad = labelled({0, 0, 0, 3}), ignored = labelled({-1, -1});
  EXPECT_EQ(total.add(scores, {bad, bad.fields[0], 1, 1}, inOneGo).message(),
            "labelled: row 1: expected a label below 3, got 3");
  ASSERT_TRUE(total.add(scores, {ignored, ignored.fields[0], 0, 1}, inOneGo).ok());
  EXPECT_EQ(total.value().status().message(),
            "'perplexity': expected a label that is not negative, got none");
}

// Scores of seven classes. The labels' scores have the ranks 1, 5, 6 and, after an equal one, 6. A
// score that is not a number is never among the five.
TEST(Metrics, TopFive) {
  abi::Metric metric;
  metric.set_kind(abi::Metric::TOP_5_ACCURACY);
  MetricTotal total(metric);
  Dataset data = labelled({0, 4, 5, 5, 0, -1});
  double nan = std::nan("");
  Tensor scores = scoresOf(abi::F32, {3, 2, 7},
                           {7, 6, 5, 4, 3, 2, 1, 7,   6, 5, 4, 3, 2, 1, 7, 6, 5, 4, 3, 2, 1,
                            9, 9, 9, 9, 1, 1, 0, nan, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0});
  ASSERT_TRUE(total.add(scores, {data, data.fields[0], 0, 3}, inOneGo).ok());
  EXPECT_NEAR(*total.value(), 2.0 / 5, 1e-12);
}

// Labels are 0 0 1 1 2 and an ignored one, predictions 0 1 1 1 0. F1 is 1/2, 4/5 and 0.
// Class 3 does not occur.
TEST(Metrics, MeanF1) {
  abi::Metric metric;
  metric.set_kind(abi::Metric::F1);
  MetricTotal total(metric);
  Dataset data = labelled({0, 0, 1, 1, 2, -1});
  auto add = [&](int64_t first, int64_t count, const std::vector<double> &values) {
    Tensor scores = scoresOf(abi::F32, {count, 2, 4}, values);
    ASSERT_TRUE(total.add(scores, {data, data.fields[0], first, count}, inOneGo).ok());
  };
  add(0, 2, {1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0});
  add(2, 1, {1, 0, 0, 0, 0, 0, 1, 0});
  EXPECT_NEAR(*total.value(), (0.5 + 0.8 + 0) / 3, 1e-12);
}

// Elements 1.5, -2, 0, not a number and labels 1, 0, 0, 0, in rows of two; the last row does not
// count at first. A probability of one half is that of label 1.
TEST(Metrics, OfElements) {
  Dataset data = labelled({1, 0, 0, 0});
  Tensor outputs = scoresOf(abi::F32, {2, 2}, {1.5, -2, 0, std::nan("")});
  auto ofRows = [&](abi::Metric::Kind kind, int64_t rows) {
    abi::Metric metric;
    metric.set_kind(kind);
    MetricTotal total(metric);
    EXPECT_TRUE(total.add(outputs, {data, data.fields[0], 0, rows}, inOneGo).ok());
    return *total.value();
  };
  EXPECT_NEAR(ofRows(abi::Metric::MEAN_SQUARED_ERROR, 1), (0.25 + 4) / 2, 1e-12);
  EXPECT_NEAR(ofRows(abi::Metric::MEAN_ABSOLUTE_ERROR, 1), (0.5 + 2) / 2, 1e-12);
  EXPECT_NEAR(ofRows(abi::Metric::SIGMOID_CROSS_ENTROPY, 1),
              (std::log1p(std::exp(-1.5)) + std::log1p(std::exp(-2))) / 2, 1e-12);
  EXPECT_EQ(ofRows(abi::Metric::BINARY_ACCURACY, 1), 1);
  EXPECT_EQ(ofRows(abi::Metric::BINARY_ACCURACY, 2), 0.5);
  EXPECT_TRUE(std::isnan(ofRows(abi::Metric::MEAN_SQUARED_ERROR, 2)));
}

// The loss of a score that a sigmoid rounds to 0 or 1.
TEST(Metrics, OfGreatElements) {
  abi::Metric metric;
  metric.set_kind(abi::Metric::SIGMOID_CROSS_ENTROPY);
  MetricTotal total(metric);
  Dataset data = labelled({0, 1});
  Tensor outputs = scoresOf(abi::F32, {1, 2}, {1e4, 1e4});
  ASSERT_TRUE(total.add(outputs, {data, data.fields[0], 0, 1}, inOneGo).ok());
  EXPECT_NEAR(*total.value(), 1e4 / 2, 1e-9);
}

TEST(Metrics, AreDerivedFromAccuracy) {
  abi::Program program;
  abi::Metric &accuracy = *program.add_metrics();
  accuracy.set_name("accuracy");
  accuracy.set_kind(abi::Metric::ACCURACY);
  accuracy.set_output(4);
  accuracy.set_label(3);
  EXPECT_EQ(chooseMetrics(program, "")->size(), 1U);
  auto chosen = chooseMetrics(program, "f1,loss,top5_accuracy");
  ASSERT_EQ(chosen->size(), 3U);
  EXPECT_EQ((*chosen)[0].kind(), abi::Metric::F1);
  EXPECT_EQ((*chosen)[1].kind(), abi::Metric::CROSS_ENTROPY);
  EXPECT_EQ((*chosen)[1].output(), 4U);
  EXPECT_EQ((*chosen)[1].label(), 3U);
  EXPECT_EQ(chooseMetrics(program, "f2").status().message(),
            "--metrics: expected some of accuracy, loss, top5_accuracy, f1, got 'f2'");
}

TEST(Metrics, AreChosenByName) {
  abi::Program program;
  EXPECT_EQ(chooseMetrics(program, "").status().message(),
            "the program has no metric to evaluate; '--metrics' names one, '--optimizer' trains");
  program.add_metrics()->set_name("accuracy");
  abi::Metric &second = *program.add_metrics();
  second.set_name("perplexity");
  second.set_on_request(true);
  EXPECT_EQ(chooseMetrics(program, "")->size(), 1u);
  EXPECT_EQ(chooseMetrics(program, "perplexity")->front().name(), "perplexity");
  EXPECT_EQ(chooseMetrics(program, "accuracy,perplexity")->size(), 2u);
  Status status = chooseMetrics(program, "accuracy,f1").status();
  EXPECT_EQ(status.message(), "--metrics: expected some of accuracy, perplexity, got 'f1'");
  EXPECT_EQ(status.exitCode(), 2);
}

} // namespace
} // namespace pcc::test
