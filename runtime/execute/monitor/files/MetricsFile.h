// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files to which a run writes its records: lines of JSON, and events for TensorBoard. A line
// has one object:
//
//   {"step":40,"epoch":2,"loss":0.31,"seconds":0.004,"time":1796000000.5}
//   {"step":40,"epoch":2,"eval_loss":0.35,"eval_accuracy":0.91,"time":1796000000.7}

#pragma once

#include "runtime/execute/monitor/files/AppendedFile.h"
#include "runtime/execute/monitor/files/MetricRecord.h"

#include <optional>
#include <string_view>

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

//===-- EventFile.cpp -------------------------------------------------------------------------===//

// Writes records as an event file, which TensorBoard shows as plots. The numbers of a training step
// are in the group `train` of the plots, the others in the group of their record.
//
// An event file is a list of records in the framing of TFRecord:
//
//   8 bytes   length of the event, little endian
//   4 bytes   masked CRC-32C of these 8 bytes
//   length    the event: a TensorBoardEvent (runtime/abi/tensorboard.proto)
//   4 bytes   masked CRC-32C of the event

/// Returns the CRC-32C (Castagnoli) of the bytes.
uint32_t crc32cOf(std::string_view bytes);

/// Returns the event's bytes in the framing of TFRecord.
std::string tfRecordOf(std::string_view event);

class EventFile : public MetricSink {
public:
  EventFile(std::string folder, AppendedFile::Warn warn)
      : folder(std::move(folder)), warn(std::move(warn)) {}

  /// Makes the folder, and a new file in it. Tells TensorBoard to drop events after step `start` of
  /// the folder's other files.
  Status open(int64_t start) override;
  void write(const MetricRecord &record) override;

private:
  const std::string folder;
  const AppendedFile::Warn warn;
  std::optional<AppendedFile> file;
};

} // namespace pcc::runtime
