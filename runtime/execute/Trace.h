// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank did last: a ring of bounded size, written by the rank's thread, and read by others
// when the rank is not running.
//
// A device that only takes a record into a queue runs it later. There an entry has marks, and its
// times are asked for afterwards, so that the rank waits for nothing:
//
//   host      a b c |step ends                 the entries are added, times unknown
//   device      [a ][b    ] [c ]               …
//   host                        |step ends     a, b and c have their times

#ifndef PCC_RUNTIME_EXECUTE_TRACE_H
#define PCC_RUNTIME_EXECUTE_TRACE_H

#include "runtime/abi/program.pb.h"
#include "runtime/device/Device.h"

#include <string>
#include <vector>

namespace pcc::runtime {

/// One record's run. Times are those of nowNanoseconds().
struct TraceEntry {
  const abi::Record *record = nullptr;
  int64_t step = 0;
  int64_t begin = 0;
  int64_t end = 0;
};

struct TraceOptions {
  /// So many entries are kept; 0: none.
  size_t capacity = 0;
  /// Each record has an entry, also where the device would run several as one (Device::join).
  bool hasEach = false;
};

/// A moment of the host, or a place in what a device was given.
struct Moment {
  int64_t time = 0;
  Mark mark = {};
};

class Trace {
public:
  explicit Trace(TraceOptions options) : options(options), ring(options.capacity) {}

  /// If not, nothing is looked at and nothing kept.
  bool isOn() const { return options.capacity > 0; }
  bool hasEach() const { return isOn() && options.hasEach; }

  /// Where the device is now.
  Moment now(Device &device) const;
  void add(const abi::Record &record, int64_t step, Moment begin, Moment end);
  /// With places, the times are theirs: from the first begin to the last end.
  void add(const TraceEntry &entry, std::vector<MarkedSpan> places = {});

  /// Gives entries their times, as far as the device has come.
  Status settle();

  /// The entries that are still there, oldest first. The device must have done all.
  Expected<std::vector<TraceEntry>> entries();

private:
  struct Slot {
    TraceEntry entry;
    std::vector<MarkedSpan> places;
  };
  size_t first() const { return next < ring.size() ? 0 : next - ring.size(); }
  static Expected<bool> settle(Slot &slot);

  const TraceOptions options;
  std::vector<Slot> ring;
  /// Numbers of entries: of the first without its times, and of the next one to come.
  size_t open = 0, next = 0;
};

/// Writes the traces of ranks, from `first` on, as abi::ChromeTrace says.
Status writeChromeTrace(const std::string &path, const std::vector<std::vector<TraceEntry>> &ranks,
                        int64_t first = 0);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_TRACE_H
