// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/abi/ElementTypes.h"
#include "runtime/data/BatchReader.h"
#include "runtime/execute/Train.h"

#include <algorithm>

namespace pcc::runtime {
namespace {

/// What the ranks of an evaluation share. Owned by all of them.
struct Evaluation {
  Status runRank(RankExecutor &rank);
  void count(const abi::Executable &executable, int64_t firstRow);

  const Dataset &data;
  const std::vector<int> fieldOf;
  const uint32_t section;
  const int64_t batchRows;
  /// By metric, then by rank: the rank's block of the metric's output.
  std::vector<std::vector<Tensor>> blocks;
  /// By metric: rows that are right, and rows that were counted.
  std::vector<int64_t> right, counted;
};

Status Evaluation::runRank(RankExecutor &rank) {
  const abi::Program &program = rank.program();
  BatchReader reader(data, fieldOf, rank.executable(), rank.rank());
  auto addressOf = [&](const abi::Input &input) { return rank.address(input.buffer()); };
  auto parallelFor = [&](int64_t count, const auto &body) { rank.device().parallel(count, body); };
  for (int64_t first = 0; first < data.rows; first += batchRows) {
    reader.read({nullptr, first}, addressOf, parallelFor);
    if (Status status = rank.runSection(section); !status.ok())
      return status;
    for (int m = 0; m < program.metrics_size(); ++m) {
      const abi::Result &output = program.results(int(program.metrics(m).output()));
      blocks[m][rank.rank()] = rank.read(output.block(), output.buffer());
    }
    if (Status status = rank.world().barrier(); !status.ok())
      return status;
    if (rank.rank() == 0)
      count(rank.executable(), first);
    if (Status status = rank.world().barrier(); !status.ok())
      return status;
  }
  return {};
}

void Evaluation::count(const abi::Executable &executable, int64_t firstRow) {
  const abi::Program &program = executable.programs(0);
  for (int m = 0; m < program.metrics_size(); ++m) {
    const abi::Metric &metric = program.metrics(m);
    Tensor output = assemble(program.results(int(metric.output())), executable.mesh(), blocks[m]);
    const Field &labels = data.fields[fieldOf[metric.label()]];
    int64_t classes = output.shape.back(), perRow = labels.rowElements();
    int64_t rows = std::min(batchRows, data.rows - firstRow);
    for (int64_t i = 0; i < rows * perRow; ++i) {
      int64_t best = 0;
      for (int64_t c = 1; c < classes; ++c)
        if (output.at(i * classes + c) > output.at(i * classes + best))
          best = c;
      right[m] += best == labels.integerAt(firstRow + i / perRow, i % perRow);
      ++counted[m];
    }
  }
}

} // namespace

Expected<std::map<std::string, double>> evaluate(Session &session, const Dataset &data) {
  const abi::Program &program = session.program();
  int section = sectionOfName(program, "forward");
  if (section < 0)
    return Status::badInput("the program has no section 'forward' to evaluate");
  if (program.metrics_size() == 0)
    return Status::badInput("the program has no metric to evaluate");
  if (data.rows == 0)
    return Status::badInput(fmt::format("{}: expected rows to evaluate on, got none", data.name));
  Expected<std::vector<int>> fieldOf = bindFields(data, program);
  if (!fieldOf)
    return fieldOf.status();
  size_t metrics = program.metrics_size();
  auto evaluation = std::make_shared<Evaluation>(Evaluation{
      data, std::move(*fieldOf), uint32_t(section), program.inputs(0).block().global_shape(0),
      std::vector<std::vector<Tensor>>(metrics, std::vector<Tensor>(session.ranks())),
      std::vector<int64_t>(metrics, 0), std::vector<int64_t>(metrics, 0)});
  Status status =
      session.onEveryRank([evaluation](RankExecutor &rank) { return evaluation->runRank(rank); });
  if (!status.ok())
    return status;
  std::map<std::string, double> values;
  for (size_t m = 0; m < metrics; ++m)
    values[program.metrics(int(m)).name()] =
        double(evaluation->right[m]) / double(std::max<int64_t>(1, evaluation->counted[m]));
  return values;
}

} // namespace pcc::runtime
