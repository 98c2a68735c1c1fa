// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks report from their own threads. A step is complete when its last rank has reported; its line
// is then printed under the lock. The report has the median and the minimum time between complete
// steps.

#include "runtime/execute/monitor/Monitor.h"

#include "runtime/abi/program/RankExpression.h"
#include "runtime/base/Files.h"
#include "runtime/execute/monitor/files/AppendedFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace pcc::runtime {

Monitor::Monitor(const abi::Executable &executable, MonitorOptions options)
    : losses(executable), options(std::move(options)), ranks(abi::rankCount(executable.mesh())),
      reports(this->options.reports ? this->options.reports : ranks),
      peakSeconds(executable.peak_seconds()), lastStepEnd(nowNanoseconds()),
      progress(this->options.terminal, this->options.start, this->options.steps,
               this->options.batchRows) {}

Monitor::~Monitor() {
  for (std::FILE *log : logs)
    std::fclose(log);
}

/// Returns the number of steps up to the one with which a line of an earlier run begins; 0: it
/// begins with none.
int64_t Monitor::stepOf(std::string_view line) const {
  long long epoch = 0, step = 0;
  if (std::sscanf(std::string(line).c_str(), "epoch: %lld step: %lld", &epoch, &step) != 2)
    return 0;
  return (epoch - 1) * options.stepsPerEpoch + step - options.shiftBefore;
}

/// Opens the log of an own rank, without the lines of steps that are now run again.
Status Monitor::openLog(int64_t rank) {
  std::string folder = fmt::format("{}/rank_{}", options.logDir, rank);
  if (Status status = makeFolder(folder); !status.ok())
    return status;
  std::string path = folder + "/train.log";
  Expected<int64_t> kept =
      sizeOfKeptLines(path, options.start, [this](std::string_view line) { return stepOf(line); });
  if (!kept)
    return kept.status();
  std::FILE *log = std::fopen(path.c_str(), "a");
  if (!log || (*kept < std::ftell(log) && ftruncate(fileno(log), *kept) != 0)) {
    Status status =
        Status::badInput(fmt::format("{}: cannot write: {}", path, std::strerror(errno)));
    if (log)
      std::fclose(log);
    return status;
  }
  logs.push_back(log);
  return {};
}

Status Monitor::open() {
  int64_t own = options.ownRanks ? options.ownRanks : ranks;
  for (int64_t rank = 0; rank < own && !options.logDir.empty(); ++rank)
    if (Status status = openLog(options.firstRank + rank); !status.ok())
      return status;
  for (const std::shared_ptr<MetricSink> &sink : options.sinks)
    if (Status status = sink->open(options.start); !status.ok())
      return status;
  return {};
}

std::string Monitor::position(int64_t step) const {
  return fmt::format("epoch: {} step: {}", epochOf(step),
                     (step + options.shift) % options.stepsPerEpoch + 1);
}

std::string Monitor::line(int64_t step, double loss) const {
  return fmt::format("{}, loss is {:.6g}", position(step), loss);
}

/// Prints a line in place of the progress line, which is drawn again later.
void Monitor::printLine(const std::string &line) {
  if (!options.out)
    return;
  progress.clear();
  fmt::print(options.out, "{}\n", line);
  std::fflush(options.out);
}

void Monitor::print(const std::string &line) {
  std::lock_guard lock(mutex);
  printLine(line);
}

void Monitor::addEvaluation(int64_t step, const std::map<std::string, double> &values) {
  std::lock_guard lock(mutex);
  std::string text = position(step) + ", evaluation:";
  MetricRecord record{.step = step + 1, .epoch = epochOf(step), .time = secondsSince1970()};
  record.group = "eval";
  for (const auto &[name, value] : values) {
    text += fmt::format("{} {} {:.4f}", record.numbers.empty() ? "" : ",", name, value);
    record.add(name, value);
  }
  printLine(text);
  for (const std::shared_ptr<MetricSink> &sink : options.sinks)
    sink->write(record);
}

void Monitor::add(int64_t rank, int64_t step, const StepValues &values) {
  logOwn(rank, step, values.loss);
  std::lock_guard lock(mutex);
  Pending &entry = pending[step];
  entry.losses.resize(ranks);
  entry.losses[rank] = values.loss;
  entry.isTimed &= values.isTimed;
  entry.waits.data = std::max(entry.waits.data, values.waits.data);
  entry.waits.communication = std::max(entry.waits.communication, values.waits.communication);
  entry.memory.allocated = std::max(entry.memory.allocated, values.memory.allocated);
  entry.memory.peakLive = std::max(entry.memory.peakLive, values.memory.peakLive);
  if (!values.states.empty())
    entry.states = values.states;
  if (++entry.ranks < reports)
    return;
  complete(step, entry);
  pending.erase(step);
}

void Monitor::restartTimer() {
  std::lock_guard lock(mutex);
  lastStepEnd = nowNanoseconds();
}

bool Monitor::isDue(int64_t step) const {
  return step + 1 == options.steps || (options.logEvery > 0 && (step + 1) % options.logEvery == 0);
}

void Monitor::logOwn(int64_t rank, int64_t step, double value) {
  size_t index = size_t(rank - options.firstRank); // out of range for ranks of other processes
  if (index >= logs.size() || !isDue(step) || !losses.isAt(rank))
    return;
  std::string text = line(step, losses.own(value)) + "\n";
  std::fwrite(text.data(), 1, text.size(), logs[index]);
  std::fflush(logs[index]);
}

void Monitor::complete(int64_t step, const Pending &entry) {
  double loss = losses.total(entry.losses);
  int64_t now = nowNanoseconds();
  double seconds = double(now - lastStepEnd) / 1e9;
  stepLosses.push_back(loss);
  if (entry.isTimed)
    stepSeconds.push_back(seconds);
  lastStepEnd = now;
  if (!options.sinks.empty())
    writeRecord(step, entry, loss, seconds);
  if (isDue(step) && losses.hasLoss())
    printLine(line(step, loss));
  if (step + 1 == options.steps)
    printSkipped(entry.states);
  progress.draw(step + 1, epochOf(step), loss, losses.hasLoss());
}

/// Prints how many steps of the training were skipped, if any.
void Monitor::printSkipped(const NamedNumbers &states) {
  std::map<std::string, double> values(states.begin(), states.end());
  double skipped = values["skipped_steps"];
  if (skipped == 0)
    return;
  std::string text = fmt::format("skipped {} of {} steps, whose gradients were not finite",
                                 int64_t(skipped), options.steps);
  if (auto scale = values.find("loss_scale"); scale != values.end())
    text += fmt::format("; the loss scale is {:g}", scale->second);
  printLine(text);
}

void Monitor::writeRecord(int64_t step, const Pending &entry, double loss, double seconds) {
  MetricRecord record{.step = step + 1, .epoch = epochOf(step), .time = secondsSince1970()};
  if (losses.hasLoss())
    record.add("loss", loss);
  if (entry.isTimed) {
    record.add("seconds", seconds);
    double samplesPerSecond = double(options.batchRows) / seconds;
    record.add("samples_per_second", samplesPerSecond);
    if (options.tokensOfRow > 0)
      record.add("tokens_per_second", samplesPerSecond * double(options.tokensOfRow));
    if (peakSeconds > 0)
      record.add("mfu", peakSeconds / seconds);
  }
  for (const auto &[name, value] : entry.states)
    record.add(name, value);
  record.add("data_wait", entry.waits.data);
  if (entry.waits.communication)
    record.add("communication_wait", *entry.waits.communication);
  record.add("memory", double(entry.memory.allocated));
  record.add("memory_live", double(entry.memory.peakLive));
  for (const std::shared_ptr<MetricSink> &sink : options.sinks)
    sink->write(record);
}

abi::RunReport Monitor::report() const {
  abi::RunReport report;
  for (size_t step = 0; step < stepLosses.size(); ++step) {
    abi::StepLoss &entry = *report.add_steps();
    entry.set_step(uint32_t(options.start + int64_t(step) + 1));
    entry.set_loss(stepLosses[step]);
  }
  std::vector<double> seconds = stepSeconds;
  if (seconds.empty())
    return report;
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  report.mutable_step_seconds()->set_median(seconds[seconds.size() / 2]);
  report.mutable_step_seconds()->set_min(*std::min_element(seconds.begin(), seconds.end()));
  return report;
}

} // namespace pcc::runtime
