// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of a training step or of an evaluation, each with a name, and where they are written
// to. A new number needs one line in the code that makes the record; all files then have it.
//
//   step 40, epoch 2                 loss 0.31   seconds 0.004   …
//   step 40, epoch 2, group "eval"   loss 0.35   accuracy 0.91

#pragma once

#include "runtime/base/Base.h"

#include <string>
#include <utility>
#include <vector>

namespace pcc::runtime {

struct MetricRecord {
  /// Number of complete steps of the training, and number of the epoch from 1.
  int64_t step = 0, epoch = 0;
  /// Seconds since 1970.
  double time = 0;
  /// Names what the numbers belong to; empty: the training step.
  std::string group = {};
  /// In the order in which they are written. Names are identifiers: letters, digits and `_`.
  std::vector<std::pair<std::string, double>> numbers = {};

  void add(std::string name, double value) { numbers.emplace_back(std::move(name), value); }
};

/// Returns the time of day in seconds since 1970, in microseconds.
inline double secondsSince1970() {
  using namespace std::chrono;
  return double(duration_cast<microseconds>(system_clock::now().time_since_epoch()).count()) / 1e6;
}

/// A destination of records. One thread at a time calls it.
class MetricSink {
public:
  virtual ~MetricSink() = default;

  /// Called before the first record. The run continues a training after `start` steps; records of
  /// later steps that an earlier run has left are no longer valid. An error ends the run.
  virtual Status open(int64_t start) = 0;

  /// Writes a record. A failure does not end the run: the sink warns of the first one.
  virtual void write(const MetricRecord &record) = 0;
};

} // namespace pcc::runtime
