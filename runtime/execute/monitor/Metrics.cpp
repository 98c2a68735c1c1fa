// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A metric is a function of the mean of a per-row value; a table lists both functions by kind.
// Threads compute the values of rows, and one thread sums them in row order.

#include "runtime/execute/monitor/Metrics.h"

#include "runtime/data/NameList.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace pcc::runtime {
namespace {

using Row = std::span<const float>;

double isRight(Row row, int64_t label) {
  return std::max_element(row.begin(), row.end()) - row.begin() == label;
}

/// -log softmax(row)[label]
double crossEntropy(Row row, int64_t label) {
  double greatest = *std::max_element(row.begin(), row.end()), sum = 0;
  for (float score : row)
    sum += std::exp(score - greatest);
  return std::log(sum) + (greatest - row[label]); // no cancellation if both are large
}

double identity(double mean) { return mean; }
double exponential(double mean) { return std::exp(mean); }

/// Computes a metric as a function of the mean of a per-row value.
struct KindRow {
  abi::Metric::Kind kind;
  double (*ofRow)(Row row, int64_t label);
  double (*ofMean)(double mean);
};

constexpr KindRow kinds[] = {{abi::Metric::ACCURACY, isRight, identity},
                             {abi::Metric::PERPLEXITY, crossEntropy, exponential}};

/// Returns the table row of a kind. validate() has checked that it exists.
const KindRow &rowOf(abi::Metric::Kind kind) {
  return *std::find_if(std::begin(kinds), std::end(kinds),
                       [&](const KindRow &row) { return row.kind == kind; });
}

/// Returns row number `index` of a tensor. `buffer` holds the row if it must be converted.
Row scoresOf(const Tensor &tensor, int64_t index, std::vector<float> &buffer) {
  int64_t classes = tensor.shape.back();
  if (tensor.type == abi::F32)
    return {reinterpret_cast<const float *>(tensor.data.data()) + index * classes, size_t(classes)};
  buffer.resize(classes);
  for (int64_t c = 0; c < classes; ++c)
    buffer[c] = float(tensor.at(index * classes + c));
  return buffer;
}

/// Returns the labels of some rows, in order; -1 for a label that does not count.
Expected<std::vector<int64_t>> readLabels(const LabeledRows &rows, int64_t classes) {
  std::vector<int64_t> labels;
  for (int64_t row = rows.first; row < rows.first + rows.count; ++row)
    for (int64_t i = 0; i < rows.labels.rowElements(); ++i) {
      int64_t label = rows.labels.integerAt(row, i);
      labels.push_back(label < 0 || label == rows.ignored ? -1 : label);
      if (labels.back() >= classes)
        return Status::badInput(fmt::format("{}: row {}: expected a label below {}, got {}",
                                            rows.data.name, row, classes, labels.back()));
    }
  return labels;
}

} // namespace

Expected<std::vector<const abi::Metric *>> chooseMetrics(const abi::Program &program,
                                                         const std::string &names) {
  if (program.metrics_size() == 0)
    return Status::badInput(
        "the program has no metric to evaluate; '--metrics' names one, '--optimizer' trains");
  std::vector<const abi::Metric *> chosen;
  std::string known;
  for (const abi::Metric &metric : program.metrics()) {
    known += (known.empty() ? "" : ", ") + metric.name();
    if (names.empty() && !metric.on_request())
      chosen.push_back(&metric);
  }
  if (names.empty())
    return chosen;
  for (const std::string &name : splitNames(names)) {
    auto found = std::find_if(program.metrics().begin(), program.metrics().end(),
                              [&](const abi::Metric &metric) { return metric.name() == name; });
    if (found == program.metrics().end())
      return Status::badUsage(fmt::format("--metrics: expected some of {}, got '{}'", known, name));
    chosen.push_back(&*found);
  }
  return chosen;
}

Status MetricTotal::add(const Tensor &scores, const LabeledRows &rows,
                        const ParallelFor &parallelFor) {
  Expected<std::vector<int64_t>> labels = readLabels(rows, scores.shape.back());
  if (!labels)
    return labels.status();
  auto ofRow = rowOf(metric.kind()).ofRow;
  std::vector<double> figures(labels->size());
  parallelFor(int64_t(figures.size()), [&](int64_t begin, int64_t end) {
    std::vector<float> buffer;
    for (int64_t i = begin; i < end; ++i)
      if ((*labels)[i] >= 0)
        figures[i] = ofRow(scoresOf(scores, i, buffer), (*labels)[i]);
  });
  for (size_t i = 0; i < figures.size(); ++i) {
    sum += figures[i];
    counted += (*labels)[i] >= 0;
  }
  return {};
}

Expected<double> MetricTotal::value() const {
  if (counted == 0)
    return Status::badInput(
        fmt::format("'{}': expected a label that is not negative, got none", metric.name()));
  return rowOf(metric.kind()).ofMean(sum / double(counted));
}

} // namespace pcc::runtime
