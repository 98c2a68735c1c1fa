// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the metrics of a program over a dataset. Rows of the incomplete last batch count, those
// that fill it up do not. So the metrics do not depend on the number of ranks, nor on the batch.

#pragma once

#include "runtime/data/batches/BatchLoader.h"
#include "runtime/execute/Session.h"
#include "runtime/execute/monitor/Metrics.h"

namespace pcc::runtime {

/// An evaluation that may run several times, also during a training. All ranks share it.
class Evaluator {
public:
  /// `session` must outlive the evaluator. Errors: data that do not fit the inputs, no
  /// rows, labels that are no classes; a program without a section `forward`.
  static Expected<std::shared_ptr<Evaluator>> make(Session &session, const Dataset &data,
                                                   std::vector<abi::Metric> metrics);

  /// Runs `forward` on all rows. Every rank calls it at the same time, while no rank executes a
  /// step.
  Status runRank(RankExecutor &rank);

  /// Returns the metrics of the latest run by name. The first process has them after all of its
  /// ranks have returned from runRank(), and rank 0 itself after its own return.
  Expected<std::map<std::string, double>> values() const;

private:
  Evaluator(const Session &session, const Dataset &data, std::vector<BoundField> bound,
            std::vector<abi::Metric> metrics);
  Expected<std::unique_ptr<BatchLoader>> startLoader(RankExecutor &rank) const;
  Status readOutputs(RankExecutor &rank);
  Status gatherOutputs(RankExecutor &rank);
  Status count(RankExecutor &rank, int64_t firstRow, const ParallelFor &parallelFor);

  /// The union of all programs.
  const abi::Program &program;
  const abi::Executable &executable;
  const Placement placement;
  const Dataset data;
  const std::vector<BoundField> bound;
  const int64_t batchRows;
  const std::vector<abi::Metric> metrics;
  /// By output of the program, then by rank: the rank's block of the output.
  std::map<uint32_t, std::vector<Tensor>> blocks;
  /// By metric. Only rank 0 uses them.
  std::vector<MetricTotal> totals;
};

/// Evaluates the metrics named by `metrics` (chooseMetrics) over all rows, on all ranks at once.
/// The first process has them; for the others the result is empty. Errors: those of chooseMetrics()
/// and of Evaluator::make().
Expected<std::map<std::string, double>> evaluate(Session &session, const Dataset &data,
                                                 const std::string &metrics = "");

} // namespace pcc::runtime
