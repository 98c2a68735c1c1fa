// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream of one rank: what is enqueued is done in that order. A failure of what was enqueued
// shows at a later call, so the stream knows what it may have been.

#ifndef PCC_RUNTIME_DEVICE_CUDA_DRIVER_STREAM_H
#define PCC_RUNTIME_DEVICE_CUDA_DRIVER_STREAM_H

#include "runtime/device/cuda/driver/Event.h"
#include "runtime/device/cuda/driver/Staging.h"

#include <deque>
#include <optional>

namespace pcc::runtime::cuda {

class Stream {
  /// Records that are enqueued one after the other.
  struct Run {
    const abi::Record *first = nullptr, *last = nullptr;
    int64_t count = 0;
  };

public:
  static Expected<std::unique_ptr<Stream>> make(std::shared_ptr<const Gpu> gpu);
  Stream(std::shared_ptr<const Gpu> gpu, StreamHandle handle)
      : gpu(std::move(gpu)), handle(handle), staging(std::in_place, this->gpu, handle) {}
  ~Stream();

  const Driver &driver() const { return gpu->driver; }
  StreamHandle get() const { return handle; }

  /// Where it runs; others may enqueue there as well.
  const std::shared_ptr<const Gpu> gpu;

  /// What is enqueued from now on comes behind the event; the event behind what is enqueued.
  Status waitFor(const Event &event);
  Status record(Event &event) { return event.record(handle); }

  /// A call for a record: the status, and that the record is enqueued.
  Status enqueued(const abi::Record &record, Result result, const char *call) {
    return enqueued(record, driver().check(result, call));
  }
  /// The same of a call of another library, whose status it is.
  Status enqueued(const abi::Record &record, Status status) {
    return enqueued(record, record, 1, std::move(status));
  }
  /// The same for `records` records, of which these are the first and the last.
  Status enqueued(const abi::Record &first, const abi::Record &last, int64_t records,
                  Status status);

  /// While it lives, what is enqueued is not counted: a capture takes it down.
  class Capturing {
  public:
    explicit Capturing(Stream &stream) : stream(stream), run(stream.runs.back()) {}
    ~Capturing() { stream.runs.back() = run; }
    Capturing(const Capturing &) = delete;

  private:
    Stream &stream;
    const Run run;
  };

  Status copyIn(DevicePointer destination, std::span<const std::byte> source);
  Status copyOut(std::span<std::byte> destination, DevicePointer source);
  Status fill(DevicePointer destination, uint64_t bytes);

  /// Errors: what came of all that was enqueued since the last time, and of which records.
  Status synchronise();

  /// A place behind what is enqueued, by its number; `event` is put there.
  Expected<uint64_t> mark(Event &event);
  /// Returns when the stream has come to such a place. Errors: as of all.
  Status synchronise(const Event &event, uint64_t place);

  /// An error of what is enqueued beside records, with those that it may be of.
  Status tellRecords(Status status) const;

private:
  Run unknown() const;

  const StreamHandle handle;
  std::optional<Staging> staging;
  /// Of which it is not known whether they are done: up to each place, and behind the last.
  std::deque<Run> runs = {Run()};
  /// Places before the first of these.
  uint64_t passed = 0;
};

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_DRIVER_STREAM_H
