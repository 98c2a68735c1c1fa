// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A metric of scores is a function of the mean of a per-row value; a table lists both functions by
// kind. F1 is computed from counts of the rows' predictions instead. A metric of elements is the
// mean of a function of an element and its label. Threads compute the values of rows, and one
// thread adds them in row order.

#include "runtime/execute/monitor/Metrics.h"

#include "runtime/abi/program/ProgramInterface.h"
#include "runtime/data/formats/NameList.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace pcc::runtime {
namespace {

using Row = std::span<const float>;

/// The class of the greatest score, the first one of equal scores.
double predictionOf(Row row, int64_t) {
  return double(std::max_element(row.begin(), row.end()) - row.begin());
}

double isRight(Row row, int64_t label) { return predictionOf(row, label) == double(label); }

/// Whether the label's score is among the five greatest, the first ones of equal scores.
double isAmongFive(Row row, int64_t label) {
  int64_t better = 0;
  for (int64_t other = 0; other < int64_t(row.size()); ++other)
    better += row[other] > row[label] || (row[other] == row[label] && other < label);
  return better < 5 && !std::isnan(row[label]);
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
                             {abi::Metric::PERPLEXITY, crossEntropy, exponential},
                             {abi::Metric::CROSS_ENTROPY, crossEntropy, identity},
                             {abi::Metric::TOP_5_ACCURACY, isAmongFive, identity},
                             {abi::Metric::F1, predictionOf, identity}};

double squaredError(double output, double label) { return (output - label) * (output - label); }
double absoluteError(double output, double label) { return std::abs(output - label); }

/// -label log s - (1 - label) log(1 - s) for the sigmoid s of the output, without overflow.
double sigmoidCrossEntropy(double output, double label) {
  return std::max(output, 0.0) - output * label + std::log1p(std::exp(-std::abs(output)));
}

double agrees(double output, double label) {
  return !std::isnan(output) && !std::isnan(label) && (output >= 0) == (label >= 0.5);
}

/// Computes a metric as the mean of a value per element.
struct ElementKindRow {
  abi::Metric::Kind kind;
  double (*ofElement)(double output, double label);
};

constexpr ElementKindRow elementKinds[] = {
    {abi::Metric::MEAN_SQUARED_ERROR, squaredError},
    {abi::Metric::MEAN_ABSOLUTE_ERROR, absoluteError},
    {abi::Metric::SIGMOID_CROSS_ENTROPY, sigmoidCrossEntropy},
    {abi::Metric::BINARY_ACCURACY, agrees}};

/// Metrics of all scores that have an accuracy.
constexpr std::pair<const char *, abi::Metric::Kind> derivedKinds[] = {
    {"loss", abi::Metric::CROSS_ENTROPY},
    {"top5_accuracy", abi::Metric::TOP_5_ACCURACY},
    {"f1", abi::Metric::F1}};

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

/// Returns the program's metrics, and those that its accuracies imply.
std::vector<abi::Metric> listMetrics(const abi::Program &program) {
  std::vector<abi::Metric> metrics(program.metrics().begin(), program.metrics().end());
  auto hasName = [&](const char *name) {
    return std::ranges::any_of(metrics, [&](const abi::Metric &own) { return own.name() == name; });
  };
  for (const abi::Metric &accuracy : program.metrics())
    for (auto [name, kind] : derivedKinds)
      if (accuracy.kind() == abi::Metric::ACCURACY && !hasName(name)) {
        abi::Metric &metric = metrics.emplace_back(accuracy);
        metric.set_name(name);
        metric.set_kind(kind);
        metric.set_on_request(true);
      }
  return metrics;
}

} // namespace

Expected<std::vector<abi::Metric>> chooseMetrics(const abi::Program &program,
                                                 const std::string &names) {
  if (program.metrics_size() == 0)
    return Status::badInput(
        "the program has no metric to evaluate; '--metrics' names one, '--optimizer' trains");
  std::vector<abi::Metric> all = listMetrics(program), chosen;
  std::string known;
  for (const abi::Metric &metric : all) {
    known += (known.empty() ? "" : ", ") + metric.name();
    if (names.empty() && !metric.on_request())
      chosen.push_back(metric);
  }
  if (names.empty())
    return chosen;
  for (const std::string &name : splitNames(names)) {
    auto found =
        std::ranges::find_if(all, [&](const abi::Metric &metric) { return metric.name() == name; });
    if (found == all.end())
      return Status::badUsage(fmt::format("--metrics: expected some of {}, got '{}'", known, name));
    chosen.push_back(*found);
  }
  return chosen;
}

Status MetricTotal::add(const Tensor &output, const LabeledRows &rows,
                        const ParallelFor &parallelFor) {
  if (!abi::comparesElements(metric.kind()))
    return addScores(output, rows, parallelFor);
  addElements(output, rows, parallelFor);
  return {};
}

void MetricTotal::addElements(const Tensor &output, const LabeledRows &rows,
                              const ParallelFor &parallelFor) {
  auto ofElement = std::ranges::find(elementKinds, metric.kind(), &ElementKindRow::kind)->ofElement;
  int64_t elements = rows.labels.rowElements();
  std::vector<double> ofRows(size_t(rows.count));
  parallelFor(rows.count, [&](int64_t begin, int64_t end) {
    std::vector<double> labels((size_t(elements)));
    for (int64_t row = begin; row < end; ++row) {
      rows.labels.read(rows.first + row, 0, elements, abi::F64,
                       reinterpret_cast<std::byte *>(labels.data()));
      for (int64_t i = 0; i < elements; ++i)
        ofRows[size_t(row)] += ofElement(output.at(row * elements + i), labels[size_t(i)]);
    }
  });
  for (double ofRow : ofRows)
    sum += ofRow;
  counted += rows.count * elements;
}

Status MetricTotal::addScores(const Tensor &scores, const LabeledRows &rows,
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
  if (metric.kind() == abi::Metric::F1)
    classes.resize(size_t(scores.shape.back()));
  for (size_t i = 0; i < figures.size(); ++i) {
    int64_t label = (*labels)[i];
    sum += figures[i];
    counted += label >= 0;
    if (label < 0 || classes.empty())
      continue;
    auto prediction = size_t(figures[i]);
    ++classes[size_t(label)].labels;
    ++classes[prediction].predictions;
    classes[prediction].hits += int64_t(prediction) == label;
  }
  return {};
}

/// Returns the mean F1 of the classes that are a label or a prediction of some row.
double MetricTotal::meanF1() const {
  double sum = 0;
  int64_t present = 0;
  for (const ClassCounts &own : classes)
    if (int64_t rows = own.labels + own.predictions; rows > 0) {
      sum += 2 * double(own.hits) / double(rows);
      ++present;
    }
  return sum / double(present);
}

Expected<double> MetricTotal::value() const {
  if (counted == 0)
    return Status::badInput(
        fmt::format("'{}': expected a label that is not negative, got none", metric.name()));
  if (metric.kind() == abi::Metric::F1)
    return meanF1();
  double mean = sum / double(counted);
  return abi::comparesElements(metric.kind()) ? mean : rowOf(metric.kind()).ofMean(mean);
}

} // namespace pcc::runtime
