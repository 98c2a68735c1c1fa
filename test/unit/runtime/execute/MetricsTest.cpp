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
  data.fields.push_back({"label", Storage::I64, {2}, {bytes, bytes + labels.size() * 8}});
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

TEST(Metrics, AreChosenByName) {
  abi::Program program;
  EXPECT_EQ(chooseMetrics(program, "").status().message(),
            "the program has no metric to evaluate; '--metrics' names one, '--optimizer' trains");
  program.add_metrics()->set_name("accuracy");
  abi::Metric &second = *program.add_metrics();
  second.set_name("perplexity");
  second.set_on_request(true);
  EXPECT_EQ(chooseMetrics(program, "")->size(), 1u);
  EXPECT_EQ(chooseMetrics(program, "perplexity")->front(), &second);
  EXPECT_EQ(chooseMetrics(program, "accuracy,perplexity")->size(), 2u);
  Status status = chooseMetrics(program, "accuracy,f1").status();
  EXPECT_EQ(status.message(), "--metrics: expected some of accuracy, perplexity, got 'f1'");
  EXPECT_EQ(status.exitCode(), 2);
}

} // namespace
} // namespace pcc::test
