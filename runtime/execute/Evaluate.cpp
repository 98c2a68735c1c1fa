// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rank runs `forward` on its rows of a batch and stores its blocks of the outputs. Ranks of
// other processes send theirs to rank 0. Between two barriers, rank 0 assembles the blocks and
// updates the metrics.

#include "runtime/abi/ProgramInterface.h"
#include "runtime/abi/ProgramRanks.h"
#include "runtime/data/BatchReader.h"
#include "runtime/data/CheckValues.h"
#include "runtime/execute/Train.h"
#include "runtime/execute/monitor/Metrics.h"
#include "runtime/execute/rank/InputFeed.h"

#include <algorithm>
#include <utility>

namespace pcc::runtime {
namespace {

/// State shared by the ranks of an evaluation, and owned by all of them.
struct Evaluation {
  Evaluation(const Session &session, const Dataset &data, std::vector<int> fieldOf,
             const std::vector<const abi::Metric *> &metrics)
      : program(session.program()), executable(session.executable()),
        placement(session.world().placement), data(data), fieldOf(std::move(fieldOf)),
        batchRows(session.program().inputs(0).block().global_shape(0)), metrics(metrics) {
    for (const abi::Metric *metric : metrics) {
      blocks[metric->output()].resize(session.ranks());
      totals.emplace_back(*metric);
    }
  }

  Status runRank(RankExecutor &rank);
  Status readOutputs(RankExecutor &rank);
  Status gatherOutputs(RankExecutor &rank);
  Status count(RankExecutor &rank, int64_t firstRow, const ParallelFor &parallelFor);

  /// The union of all programs.
  const abi::Program &program;
  const abi::Executable &executable;
  const Placement placement;
  const Dataset &data;
  const std::vector<int> fieldOf;
  const int64_t batchRows;
  const std::vector<const abi::Metric *> metrics;
  /// By output of the program, then by rank: the rank's block of the output.
  std::map<uint32_t, std::vector<Tensor>> blocks;
  /// By metric.
  std::vector<MetricTotal> totals;
};

Status Evaluation::runRank(RankExecutor &rank) {
  int section = sectionOfName(rank.program(), "forward");
  BatchReader reader(data, fieldOf, rank.executable(), rank.rank());
  Expected<InputFeed> feed = InputFeed::make(rank, /*copies=*/1);
  if (!feed)
    return feed.status();
  auto addressOf = [&](const abi::Input &input) { return feed->at(input.buffer()); };
  auto parallelFor = [&](int64_t count, const auto &body) { rank.device().parallel(count, body); };
  for (int64_t first = 0; first < data.rows; first += batchRows) {
    if (Status status = feed->wait(); !status.ok())
      return status;
    {
      LocalWork work = rank.atWork("reads its rows");
      reader.read({nullptr, first}, addressOf, parallelFor);
    }
    if (Status status = feed->send(); !status.ok())
      return status;
    if (section >= 0)
      if (Status status = rank.runSection(uint32_t(section)); !status.ok())
        return status;
    if (Status status = readOutputs(rank); !status.ok())
      return status;
    if (Status status = gatherOutputs(rank); !status.ok())
      return status;
    if (Status status = rank.barrier("at the evaluation's barrier after a batch"); !status.ok())
      return status;
    if (rank.rank() == 0) {
      LocalWork work = rank.atWork("computes metrics");
      if (Status status = count(rank, first, parallelFor); !status.ok())
        return status;
    }
    if (Status status = rank.barrier("at the evaluation's barrier before a batch"); !status.ok())
      return status;
  }
  return {};
}

/// Stores the rank's output blocks for rank 0.
Status Evaluation::readOutputs(RankExecutor &rank) {
  for (auto &[index, ofRanks] : blocks)
    if (int own = abi::findResult(rank.program(), program.results(int(index))); own >= 0) {
      const abi::Result &output = rank.program().results(own);
      Expected<Tensor> block = rank.read(output.block(), output.buffer());
      if (!block)
        return block.status();
      ofRanks[rank.rank()] = std::move(*block);
    }
  return {};
}

/// Sends a block to rank 0, and leaves it empty.
Status sendBlock(RankExecutor &rank, Tensor &block) {
  std::vector<TaggedBytes> messages(1);
  messages[0].owned = std::move(block.data);
  messages[0].bytes = messages[0].owned;
  return rank.sendToFirstRank(std::move(messages));
}

/// Receives the block of another rank on rank 0.
Status receiveBlock(RankExecutor &rank, int64_t other, const abi::Block &shape, Tensor &block) {
  block = Tensor::zeros(shape.type(), {shape.local_shape().begin(), shape.local_shape().end()});
  Expected<std::vector<std::byte>> bytes = rank.receiveFrom(other, block.data.size());
  if (bytes)
    block.data = std::move(*bytes);
  return bytes.status();
}

/// Sends the blocks of ranks in other processes to rank 0.
Status Evaluation::gatherOutputs(RankExecutor &rank) {
  int64_t firstRemoteRank = placement.firstOf(1);
  for (auto &[index, ofRanks] : blocks)
    for (int64_t other = firstRemoteRank; other < placement.ranks; ++other) {
      const abi::Program &ofOther = executable.programs(abi::programOfRank(executable, other));
      int found = abi::findResult(ofOther, program.results(int(index)));
      bool isSender = rank.rank() == other;
      if (found < 0 || (rank.rank() != 0 && !isSender))
        continue;
      Tensor &block = ofRanks[size_t(other)];
      Status status = isSender ? sendBlock(rank, block)
                               : receiveBlock(rank, other, ofOther.results(found).block(), block);
      if (!status.ok())
        return status;
    }
  return {};
}

/// Adds a batch to the metrics once all ranks have stored their blocks.
Status Evaluation::count(RankExecutor &rank, int64_t firstRow, const ParallelFor &parallelFor) {
  int64_t rows = std::min(batchRows, data.rows - firstRow);
  for (auto &[index, ofRanks] : blocks) {
    std::vector<Tensor> next(ofRanks.size());
    Tensor scores = assemble(program.results(int(index)), rank.executable().mesh(),
                             std::exchange(ofRanks, std::move(next)));
    for (size_t m = 0; m < metrics.size(); ++m) {
      if (metrics[m]->output() != index)
        continue;
      const abi::Input &input = program.inputs(int(metrics[m]->label()));
      LabeledRows labeled{data, data.fields[fieldOf[metrics[m]->label()]], firstRow, rows, {}};
      if (input.range().has_ignored())
        labeled.ignored = input.range().ignored();
      if (Status status = totals[m].add(scores, labeled, parallelFor); !status.ok())
        return status;
    }
  }
  return {};
}

} // namespace

Expected<std::map<std::string, double>> evaluate(Session &session, const Dataset &data,
                                                 const std::string &metrics) {
  const abi::Program &program = session.program();
  if (sectionOfName(program, "forward") < 0)
    return Status::badInput("the program has no section 'forward' to evaluate");
  Expected<std::vector<const abi::Metric *>> chosen = chooseMetrics(program, metrics);
  if (!chosen)
    return chosen.status();
  if (data.rows == 0)
    return Status::badInput(fmt::format("{}: expected rows to evaluate on, got none", data.name));
  Expected<std::vector<int>> fieldOf = [&] {
    LocalWork work = session.atWork("checks the data");
    return bindCheckedFields(data, program, DataPurpose::Evaluation);
  }();
  if (!fieldOf)
    return fieldOf.status();
  auto evaluation = std::make_shared<Evaluation>(session, data, std::move(*fieldOf), *chosen);
  Status status =
      session.onEveryRank([evaluation](RankExecutor &rank) { return evaluation->runRank(rank); });
  if (!status.ok())
    return status;
  std::map<std::string, double> values;
  if (session.world().process() != 0)
    return values;
  for (size_t m = 0; m < chosen->size(); ++m) {
    Expected<double> value = evaluation->totals[m].value();
    if (!value)
      return value.status();
    values[(*chosen)[m]->name()] = *value;
  }
  return values;
}

} // namespace pcc::runtime
