// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes records as lines of JSON, one object a line:
//
//   {"step":40,"epoch":2,"loss":0.31,"seconds":0.004,"time":1796000000.5}
//   {"step":40,"epoch":2,"eval_loss":0.35,"eval_accuracy":0.91,"time":1796000000.7}

#pragma once

#include "runtime/execute/monitor/files/AppendedFile.h"
#include "runtime/execute/monitor/files/MetricRecord.h"

#include <optional>

namespace pcc::runtime {

/// Returns the record as a line of JSON. Names of a group begin with the group's name. Numbers that
/// JSON does not have are the strings "NaN", "Infinity" and "-Infinity".
std::string jsonLineOf(const MetricRecord &record);

class MetricsFile : public MetricSink {
public:
  MetricsFile(std::string path, AppendedFile::Warn warn)
      : path(std::move(path)), warn(std::move(warn)) {}

  /// Keeps the lines up to step `start`. The first line of a later step, or without an end, is
  /// removed with all lines after it.
  Status open(int64_t start) override;
  void write(const MetricRecord &record) override;

private:
  const std::string path;
  const AppendedFile::Warn warn;
  std::optional<AppendedFile> file;
};

} // namespace pcc::runtime
