// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rank runs `forward` on its rows of a batch and stores its blocks of the outputs. Ranks of
// other processes send theirs to rank 0. Between two barriers, rank 0 assembles the blocks and
// updates the metrics.

#include "runtime/execute/Evaluate.h"

#include "runtime/abi/program/ProgramInterface.h"
#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/execute/rank/InputFeed.h"

#include <algorithm>
#include <utility>

namespace pcc::runtime {

Evaluator::Evaluator(const Session &session, const Dataset &data, std::vector<BoundField> bound,
                     std::vector<abi::Metric> metrics)
    : program(session.program()), executable(session.executable()),
      placement(session.world().placement), data(data), bound(std::move(bound)),
      batchRows(session.program().inputs(0).block().global_shape(0)), metrics(std::move(metrics)) {
  for (const abi::Metric &metric : this->metrics)
    blocks[metric.output()].resize(size_t(session.ranks()));
}

/// Starts the thread that reads the rank's rows: one block for each batch.
Expected<std::unique_ptr<BatchLoader>> Evaluator::startLoader(RankExecutor &rank) const {
  auto placesOf = [rows = batchRows](int64_t block) {
    return std::vector<BatchPlace>{{.firstRow = block * rows}};
  };
  return BatchLoader::start(BatchReader(data, bound, rank.executable(), rank.rank()), placesOf,
                            {.blocks = (data.rows + batchRows - 1) / batchRows});
}

Status Evaluator::runRank(RankExecutor &rank) {
  int section = sectionOfName(rank.program(), "forward");
  Expected<InputFeed> feed = InputFeed::make(rank, /*copies=*/1);
  if (!feed)
    return feed.status();
  Expected<std::unique_ptr<BatchLoader>> loader = startLoader(rank);
  if (!loader)
    return loader.status();
  auto addressOf = [&](size_t, const abi::Input &input) { return feed->at(input.buffer()); };
  auto parallelFor = [&](int64_t count, const auto &body) { rank.device().parallel(count, body); };
  if (rank.rank() == 0)
    totals.assign(metrics.begin(), metrics.end());
  for (int64_t first = 0; first < data.rows; first += batchRows) {
    if (Status status = feed->wait(); !status.ok())
      return status;
    {
      LocalWork work = rank.atWork("reads its rows");
      if (Status status = (*loader)->take(addressOf, parallelFor); !status.ok())
        return std::move(status).at({.rank = rank.rank()});
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
Status Evaluator::readOutputs(RankExecutor &rank) {
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
static Status sendBlock(RankExecutor &rank, Tensor &block) {
  std::vector<TaggedBytes> messages(1);
  messages[0].owned = std::move(block.data);
  messages[0].bytes = messages[0].owned;
  return rank.sendToFirstRank(std::move(messages));
}

/// Receives the block of another rank on rank 0.
static Status receiveBlock(RankExecutor &rank, int64_t other, const abi::Block &shape,
                           Tensor &block) {
  block = Tensor::zeros(shape.type(), {shape.local_shape().begin(), shape.local_shape().end()});
  Expected<std::vector<std::byte>> bytes = rank.receiveFrom(other, block.data.size());
  if (bytes)
    block.data = std::move(*bytes);
  return bytes.status();
}

/// Sends the blocks of ranks in other processes to rank 0.
Status Evaluator::gatherOutputs(RankExecutor &rank) {
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
Status Evaluator::count(RankExecutor &rank, int64_t firstRow, const ParallelFor &parallelFor) {
  int64_t rows = std::min(batchRows, data.rows - firstRow);
  for (auto &[index, ofRanks] : blocks) {
    std::vector<Tensor> next(ofRanks.size());
    Tensor scores = assemble(program.results(int(index)), rank.executable().mesh(),
                             std::exchange(ofRanks, std::move(next)));
    for (size_t m = 0; m < metrics.size(); ++m) {
      if (metrics[m].output() != index)
        continue;
      const abi::Input &input = program.inputs(int(metrics[m].label()));
      LabeledRows labeled{data, data.fields[bound[metrics[m].label()].field], firstRow, rows, {}};
      if (input.range().has_ignored())
        labeled.ignored = input.range().ignored();
      if (Status status = totals[m].add(scores, labeled, parallelFor); !status.ok())
        return status;
    }
  }
  return {};
}

Expected<std::map<std::string, double>> Evaluator::values() const {
  std::map<std::string, double> values;
  for (size_t m = 0; m < totals.size(); ++m) {
    Expected<double> value = totals[m].value();
    if (!value)
      return value.status();
    values[metrics[m].name()] = *value;
  }
  return values;
}

Expected<std::shared_ptr<Evaluator>> Evaluator::make(Session &session, const Dataset &data,
                                                     std::vector<abi::Metric> metrics) {
  const abi::Program &program = session.program();
  if (sectionOfName(program, "forward") < 0)
    return Status::badInput("the program has no section 'forward' to evaluate");
  if (data.rows == 0)
    return Status::badInput(fmt::format("{}: expected rows to evaluate on, got none", data.name));
  Expected<std::vector<BoundField>> bound = [&] {
    LocalWork work = session.atWork("checks the data");
    return bindCheckedFields(data, program, DataPurpose::Evaluation);
  }();
  if (!bound)
    return bound.status();
  return std::shared_ptr<Evaluator>(
      new Evaluator(session, data, std::move(*bound), std::move(metrics)));
}

Expected<std::map<std::string, double>> evaluate(Session &session, const Dataset &data,
                                                 const std::string &metrics) {
  auto chosen = chooseMetrics(session.program(), metrics);
  if (!chosen)
    return chosen.status();
  Expected<std::shared_ptr<Evaluator>> made = Evaluator::make(session, data, std::move(*chosen));
  if (!made)
    return made.status();
  std::shared_ptr<Evaluator> evaluator = *made;
  Status status =
      session.onEveryRank([evaluator](RankExecutor &rank) { return evaluator->runRank(rank); });
  if (!status.ok())
    return status;
  return evaluator->values();
}

} // namespace pcc::runtime
