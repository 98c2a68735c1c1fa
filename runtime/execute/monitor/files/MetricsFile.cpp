// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line begins with its step, by which a later run finds the lines that stay.

#include "runtime/execute/monitor/files/MetricsFile.h"

#include <charconv>
#include <cmath>

namespace pcc::runtime {
namespace {

constexpr std::string_view lineStart = "{\"step\":";

/// Formats a number so that it reads back exactly.
std::string jsonOf(double number) {
  if (std::isfinite(number))
    return fmt::format("{}", number);
  return std::isnan(number) ? "\"NaN\"" : number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
}

/// Returns the step of a line; 0 for a line that is not by jsonLineOf().
int64_t stepOf(std::string_view line) {
  int64_t step = 0;
  if (line.starts_with(lineStart))
    std::from_chars(line.data() + lineStart.size(), line.data() + line.size(), step);
  return step;
}

} // namespace

std::string jsonLineOf(const MetricRecord &record) {
  std::string line = fmt::format("{}{},\"epoch\":{}", lineStart, record.step, record.epoch);
  for (const auto &[name, value] : record.numbers)
    line += fmt::format(",\"{}{}{}\":{}", record.group, record.group.empty() ? "" : "_", name,
                        jsonOf(value));
  return line + fmt::format(",\"time\":{:.6f}}}\n", record.time);
}

Status MetricsFile::open(int64_t start) {
  Expected<int64_t> kept = sizeOfKeptLines(path, start, stepOf);
  if (!kept)
    return std::move(kept).status().within("--metrics-file");
  Expected<AppendedFile> opened = AppendedFile::open(path, *kept, warn);
  if (!opened)
    return std::move(opened).status().within("--metrics-file");
  file.emplace(std::move(*opened));
  return {};
}

void MetricsFile::write(const MetricRecord &record) { file->append(jsonLineOf(record)); }

} // namespace pcc::runtime
