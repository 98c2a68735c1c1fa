// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The latest trace entries of a rank, in a bounded ring buffer. The rank's thread writes them;
// others read them while the rank is not running.
//
// A device with a queue runs an instruction later than the host enqueues it. On such a device an
// entry has marks, and its times are read afterwards, so that the rank never waits:
//
//   host      a b c |step ends                 the entries are added, times unknown
//   device      [a ][b    ] [c ]               …
//   host                        |step ends     a, b and c have their times

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/device/Device.h"

#include <string>
#include <vector>

namespace pcc::runtime {

/// One run of an instruction. Times are those of nowNanoseconds().
struct TraceEntry {
  const abi::Instruction *instruction = nullptr;
  int64_t step = 0;
  int64_t begin = 0;
  int64_t end = 0;
};

/// Number of entries of each rank that `--trace` shows, the latest ones.
inline constexpr size_t shownEntries = 4096;

struct TraceOptions {
  /// Number of entries kept; 0: none.
  size_t capacity = 0;
  /// Make an entry for each instruction, even if the device could run several as one
  /// (Device::join).
  bool hasEach = false;
};

/// A time of the host's clock, or a mark in the device's queue.
struct TracePoint {
  int64_t time = 0;
  TimestampHandle mark = {};
};

class Trace {
public:
  explicit Trace(TraceOptions options) : options(options), ring(options.capacity) {}

  /// If false, no times are taken and no entries are kept.
  bool isOn() const { return options.capacity > 0; }
  bool hasEach() const { return isOn() && options.hasEach; }

  /// Returns the current time, or a mark at the device's current position.
  TracePoint now(Device &device) const;
  void add(const abi::Instruction &instruction, int64_t step, TracePoint begin, TracePoint end);
  /// If `timestampSpans` are given, they define the times: from the first begin to the last end.
  void add(const TraceEntry &entry, std::vector<TimestampSpan> timestampSpans = {});

  /// Resolves the times of entries up to the first one that the device has not finished.
  Status settle();

  /// Returns the kept entries, oldest first. The device must have finished all of them.
  Expected<std::vector<TraceEntry>> entries();

private:
  struct RingEntry {
    TraceEntry entry;
    std::vector<TimestampSpan> timestampSpans;
  };
  size_t first() const { return next < ring.size() ? 0 : next - ring.size(); }
  static Expected<bool> settle(RingEntry &ringEntry);

  const TraceOptions options;
  std::vector<RingEntry> ring;
  /// Entry numbers: the first one without times, and the next one to add.
  size_t open = 0, next = 0;
};

/// Writes the traces of ranks `first`, `first`+1, … in the format of abi::ChromeTrace.
Status writeChromeTrace(const std::string &path, const std::vector<std::vector<TraceEntry>> &ranks,
                        int64_t first = 0);

} // namespace pcc::runtime
