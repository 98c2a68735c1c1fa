// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/calibrate/TimedRun.h"

#include <algorithm>

namespace pcc::cli {

using runtime::Status;
using runtime::TimestampHandle;

namespace {

/// Number of instructions in a graph at which the host spends little on each.
constexpr int instructionsPerGraph = 16;

/// Seconds in which the host makes many calls.
constexpr double longSeconds = 1e-3;

/// Trace entries that are kept to time collectives.
constexpr size_t maxTraced = 4096;

bool hasCollective(const abi::Section &section) {
  return std::ranges::any_of(section.instructions(), [](const abi::Instruction &instruction) {
    return instruction.has_collective();
  });
}

/// Repeats the instructions of the section, and returns how often. Clears their data dependencies,
/// which need unique instruction numbers.
int repeatInstructions(abi::Section &section) {
  const abi::Section once = section;
  int times =
      (instructionsPerGraph + once.instructions_size() - 1) / std::max(1, once.instructions_size());
  for (int i = 1; i < times; ++i)
    section.mutable_instructions()->MergeFrom(once.instructions());
  for (abi::Instruction &instruction : *section.mutable_instructions()) {
    instruction.clear_number();
    instruction.clear_reads();
    instruction.clear_reads_before();
  }
  return times;
}

/// Reads the times at which the device passed two marks.
Status readMarks(const TimestampHandle &first, const TimestampHandle &second, int64_t &begin,
                 int64_t &end) {
  auto firstTime = first->time(), secondTime = second->time();
  if (!firstTime || !secondTime)
    return firstTime ? secondTime.status() : firstTime.status();
  begin = firstTime->value_or(begin);
  end = secondTime->value_or(end);
  return {};
}

/// Returns the seconds of one rank's collectives, in order.
std::vector<double> collectivesOf(const std::vector<runtime::TraceEntry> &entries) {
  std::vector<double> seconds;
  for (const runtime::TraceEntry &entry : entries)
    if (entry.instruction->has_collective())
      seconds.push_back(double(entry.end - entry.begin) * 1e-9);
  return seconds;
}

} // namespace

Status TimedRun::open(const abi::Executable &executable, const std::optional<machine::Link> &link) {
  runtime::SessionOptions options{.link = link};
  if (timesCollective && isGpu)
    options.trace.capacity = maxTraced;
  auto loaded = runtime::Session::load(executable, options);
  if (!loaded)
    return loaded.status();
  session = std::move(*loaded);
  return {};
}

Status TimedRun::load(abi::Executable executable, const std::optional<machine::Link> &link) {
  isGpu = executable.has_gpu_code();
  abi::Section &section = *executable.mutable_programs(0)->mutable_sections(0);
  bool mayRepeat = isGpu && !hasCollective(section);
  Status status = open(executable, link);
  for (int warmUps = 0; mayRepeat && status.ok() && warmUps < 2; ++warmUps)
    status = run();
  if (!mayRepeat || !status.ok() || last > longSeconds)
    return status;
  times = repeatInstructions(section);
  return times > 1 ? open(executable, link) : status;
}

Status TimedRun::run() {
  std::vector<int64_t> begins(session->ranks()), ends(session->ranks());
  Status status = session->onEveryRank([&](runtime::RankExecutor &rank) -> Status {
    if (Status status = rank.device().startMarking(); !status.ok())
      return status;
    if (Status status = rank.runSection(0); !status.ok())
      return status;
    if (Status status = rank.synchronize(); !status.ok())
      return status;
    if (Status status = rank.world().barrier(); !status.ok())
      return status;
    begins[rank.rank()] = runtime::nowNanoseconds();
    TimestampHandle begin = rank.device().mark();
    for (int64_t i = 0; i < repeats; ++i)
      if (Status status = rank.runSection(0); !status.ok())
        return status;
    TimestampHandle end = rank.device().mark();
    Status done = rank.synchronize(); // a GPU may only have queued the work
    ends[rank.rank()] = runtime::nowNanoseconds();
    if (done.ok() && begin && end)
      done = readMarks(begin, end, begins[rank.rank()], ends[rank.rank()]);
    return done;
  });
  int64_t taken = *std::ranges::max_element(ends) - *std::ranges::min_element(begins);
  whole = double(taken) * 1e-9 / double(repeats);
  last = whole / double(times);
  return status.ok() && timesCollective && isGpu ? readCollectives() : status;
}

/// Sets `last` to the mean over the latest runs; of each run the rank that waited least for others
/// counts.
Status TimedRun::readCollectives() {
  auto traces = session->traces();
  if (!traces)
    return traces.status();
  std::vector<std::vector<double>> ofRanks;
  size_t runs = size_t(repeats);
  for (const std::vector<runtime::TraceEntry> &entries : *traces) {
    ofRanks.push_back(collectivesOf(entries));
    runs = std::min(runs, ofRanks.back().size());
  }
  double sum = 0;
  for (size_t i = 1; i <= runs; ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::vector<double> &own : ofRanks)
      least = std::min(least, own[own.size() - i]);
    sum += least;
  }
  if (runs > 0)
    last = sum / double(runs);
  return {};
}

} // namespace pcc::cli
