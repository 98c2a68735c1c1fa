// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the metrics of an evaluation from an output and its labels: rows of scores with one
// class each, or elements with a label each.

#pragma once

#include "runtime/data/batches/BatchReader.h"
#include "runtime/execute/rank/Tensor.h"

namespace pcc::runtime {

/// Returns the metrics in the comma-separated list `names`; if it is empty, all metrics that need
/// no request (Metric.on_request). Where a program has the accuracy of scores, their other metrics
/// may be requested as well. Errors: the program has no metric (BadInput), or none of that name
/// (BadUsage).
Expected<std::vector<abi::Metric>> chooseMetrics(const abi::Program &program,
                                                 const std::string &names);

/// The rows of a dataset that belong to a batch of scores.
struct LabeledRows {
  const Dataset &data;
  const Field &labels;
  int64_t first, count;
  /// Label of samples that do not count in the loss.
  std::optional<int64_t> ignored = {};
};

/// The running total of a metric.
class MetricTotal {
public:
  MetricTotal(const abi::Metric &metric) : metric(metric) {} // NOLINT: a total of this metric

  /// Counts the first rows of `output`. The last dimension of scores is the classes, and there is
  /// one row of scores for each label. Negative and ignored labels do not count. The sum does not
  /// depend on how `parallelFor` divides the rows. Error: a label that is no class.
  Status add(const Tensor &output, const LabeledRows &rows, const ParallelFor &parallelFor);

  /// Returns the metric of everything added. Error: no label counted.
  Expected<double> value() const;

private:
  void addElements(const Tensor &output, const LabeledRows &rows, const ParallelFor &parallelFor);
  Status addScores(const Tensor &scores, const LabeledRows &rows, const ParallelFor &parallelFor);

  /// Rows of a class by their labels and predictions. `hits`: rows whose prediction is right.
  struct ClassCounts {
    int64_t labels = 0, predictions = 0, hits = 0;
  };
  double meanF1() const;

  abi::Metric metric;
  double sum = 0;
  int64_t counted = 0;
  std::vector<ClassCounts> classes; ///< for F1
};

} // namespace pcc::runtime
