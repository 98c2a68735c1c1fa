// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speed and remaining time follow from the time since the end of the first step, which prepares the
// others. So they include checkpoints and evaluations.

#include "runtime/execute/monitor/Monitor.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>

namespace pcc::runtime {
namespace {

bool isSet(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value;
}

bool isDumb() {
  const char *kind = std::getenv("TERM");
  return kind && std::string_view(kind) == "dumb";
}

int columnsOf(std::FILE *terminal) {
  constexpr int usual = 80;
  winsize size = {};
  return ioctl(fileno(terminal), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

/// Formats seconds as "0:08", "12:05" or "3:04:05"; from 100 hours on as days.
std::string durationOf(double seconds) {
  constexpr int64_t hour = 3600;
  int64_t whole = std::llround(std::min(seconds, 1e12));
  if (whole >= 100 * hour)
    return fmt::format("{} days", whole / (24 * hour));
  if (whole >= hour)
    return fmt::format("{}:{:02}:{:02}", whole / hour, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

/// Returns a bar of `width` characters: "[====>     ]".
std::string barOf(double share, int width) {
  int inner = width - 2, filled = std::clamp(int(share * inner), 0, inner);
  std::string bar(size_t(filled), '=');
  if (filled < inner)
    bar += '>';
  return fmt::format("[{:<{}}]", bar, inner);
}

} // namespace

std::string progressLineOf(const ProgressValues &values, int columns, bool isColored) {
  constexpr int widest = 40, narrowest = 10;
  std::string text = fmt::format("{}/{} epoch {}", values.step, values.steps, values.epoch);
  if (values.hasLoss)
    text += fmt::format(", loss {:.4g}", values.loss);
  if (values.samplesPerSecond > 0)
    text += fmt::format(", {:.{}f} samples/s", values.samplesPerSecond,
                        values.samplesPerSecond < 10 ? 2 : 0);
  if (values.secondsLeft >= 0)
    text += fmt::format(", {} left", durationOf(values.secondsLeft));
  int width = std::min(widest, columns - int(text.size()) - 1);
  if (width < narrowest)
    return text.substr(0, size_t(std::max(columns, 0)));
  std::string bar = barOf(double(values.step) / double(std::max<int64_t>(1, values.steps)), width);
  return (isColored ? "\033[32m" + bar + "\033[0m" : bar) + " " + text;
}

ProgressLine::ProgressLine(std::FILE *terminal, int64_t start, int64_t steps, int64_t batchRows)
    : terminal(isDumb() ? nullptr : terminal), isColored(!isSet("NO_COLOR")), start(start),
      steps(steps), batchRows(batchRows) {}

void ProgressLine::draw(int64_t step, int64_t epoch, double loss, bool hasLoss) {
  constexpr int64_t interval = 100'000'000;
  int64_t now = nowNanoseconds();
  if (firstStepEnd == 0)
    firstStepEnd = now;
  if (!terminal || (now - lastDraw < interval && step < steps))
    return;
  lastDraw = now;
  ProgressValues values{
      .step = step, .steps = steps, .epoch = epoch, .loss = loss, .hasLoss = hasLoss};
  if (int64_t timed = step - start - 1; timed > 0 && now > firstStepEnd) {
    double seconds = double(now - firstStepEnd) / 1e9 / double(timed);
    values.samplesPerSecond = double(batchRows) / seconds;
    values.secondsLeft = seconds * double(steps - step);
  }
  // The last column stays free: a full line would begin the next one on some terminals.
  std::string line = progressLineOf(values, columnsOf(terminal) - 1, isColored);
  fmt::print(terminal, "\r{}\033[K", line);
  std::fflush(terminal);
}

void ProgressLine::clear() {
  if (terminal && lastDraw != 0)
    std::fputs("\r\033[K", terminal);
}

} // namespace pcc::runtime
