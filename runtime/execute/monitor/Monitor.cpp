// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks report from their own threads. A step is complete when its last rank has reported; its line
// is then printed under the lock. The report has the median and the minimum time between complete
// steps.

#include "runtime/execute/monitor/Monitor.h"

#include "runtime/abi/RankExpression.h"
#include "runtime/base/Files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace pcc::runtime {

Monitor::Monitor(const abi::Executable &executable, MonitorOptions options)
    : losses(executable), options(std::move(options)), ranks(abi::rankCount(executable.mesh())),
      reports(this->options.reports ? this->options.reports : ranks),
      lastStepEnd(nowNanoseconds()) {}

Monitor::~Monitor() {
  for (std::FILE *log : logs)
    std::fclose(log);
  if (options.progressBar)
    std::fputs("\r\033[K", stderr);
}

Status Monitor::open() {
  int64_t own = options.ownRanks ? options.ownRanks : ranks;
  for (int64_t rank = 0; rank < own && !options.logDir.empty(); ++rank) {
    std::string folder = fmt::format("{}/rank_{}", options.logDir, options.firstRank + rank);
    if (Status status = makeFolder(folder); !status.ok())
      return status;
    std::string path = folder + "/train.log";
    std::FILE *log = std::fopen(path.c_str(), options.start > 0 ? "a" : "w");
    if (!log)
      return Status::badInput(fmt::format("{}: cannot write: {}", path, std::strerror(errno)));
    logs.push_back(log);
  }
  return {};
}

std::string Monitor::line(int64_t step, double loss) const {
  int64_t batch = step + options.shift;
  return fmt::format("epoch: {} step: {}, loss is {:.6g}\n", batch / options.stepsPerEpoch + 1,
                     batch % options.stepsPerEpoch + 1, loss);
}

void Monitor::add(int64_t rank, int64_t step, double value, bool isTimed) {
  logOwn(rank, step, value);
  std::lock_guard lock(mutex);
  Pending &entry = pending[step];
  entry.values.resize(ranks);
  entry.values[rank] = value;
  entry.isTimed &= isTimed;
  if (++entry.ranks < reports)
    return;
  complete(step, entry);
  pending.erase(step);
}

bool Monitor::isDue(int64_t step) const {
  return step + 1 == options.steps || (options.logEvery > 0 && (step + 1) % options.logEvery == 0);
}

void Monitor::logOwn(int64_t rank, int64_t step, double value) {
  size_t index = size_t(rank - options.firstRank); // out of range for ranks of other processes
  if (index >= logs.size() || !isDue(step) || !losses.isAt(rank))
    return;
  std::string text = line(step, losses.own(value));
  std::fwrite(text.data(), 1, text.size(), logs[index]);
  std::fflush(logs[index]);
}

void Monitor::complete(int64_t step, const Pending &entry) {
  double loss = losses.total(entry.values);
  int64_t now = nowNanoseconds();
  stepLosses.push_back(loss);
  if (entry.isTimed)
    stepSeconds.push_back(double(now - lastStepEnd) / 1e9);
  lastStepEnd = now;
  if (isDue(step) && options.out && losses.hasLoss()) {
    if (options.progressBar)
      std::fputs("\r\033[K", stderr);
    std::string text = line(step, loss);
    std::fwrite(text.data(), 1, text.size(), options.out);
    std::fflush(options.out);
  }
  if (options.progressBar)
    drawBar(step, loss);
}

void Monitor::drawBar(int64_t step, double loss) {
  constexpr int64_t interval = 100'000'000, width = 40;
  if (lastStepEnd - lastDraw < interval && step + 1 < options.steps)
    return;
  lastDraw = lastStepEnd;
  int64_t filled = width * (step + 1) / options.steps;
  std::string bar = fmt::format("\r[{:<{}}] {}/{} loss {:.5g}\033[K", std::string(filled, '='),
                                width, step + 1, options.steps, loss);
  std::fputs(bar.c_str(), stderr);
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
