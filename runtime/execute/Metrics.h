// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures of an evaluation, from rows of scores and their labels.

#ifndef PCC_RUNTIME_EXECUTE_METRICS_H
#define PCC_RUNTIME_EXECUTE_METRICS_H

#include "runtime/data/BatchReader.h"
#include "runtime/execute/Tensor.h"

namespace pcc::runtime {

/// The metrics that `names` lists between commas; where it is empty, those that are not on request.
/// Errors: the program has no metric (BadInput), or none of that name (BadUsage).
Expected<std::vector<const abi::Metric *>> chooseMetrics(const abi::Program &program,
                                                         const std::string &names);

/// Rows of a dataset that a batch of scores is for.
struct LabelledRows {
  const Dataset &data;
  const Field &labels;
  int64_t first, count;
  /// The label of samples that do not count in the loss.
  std::optional<int64_t> ignored = {};
};

/// What a metric has seen so far.
class MetricTotal {
public:
  explicit MetricTotal(const abi::Metric &metric) : metric(metric) {}

  /// Counts the first rows of `scores`, whose last dimension are the classes: one row of scores for
  /// each label that is neither negative nor ignored. The sum does not depend on how `parallelFor`
  /// divides them. Error: a label that is no class.
  Status add(const Tensor &scores, const LabelledRows &rows, const ParallelFor &parallelFor);

  /// The metric of everything that was added. Error: no label counted.
  Expected<double> value() const;

private:
  const abi::Metric &metric;
  double sum = 0;
  int64_t counted = 0;
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_METRICS_H
