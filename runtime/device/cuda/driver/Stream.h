// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream of a rank's COMPUTE instructions. Its work completes in the order in which it was
// enqueued. A failure appears only at a later call, so the stream tracks which instructions may
// have caused it.

#pragma once

#include "runtime/device/cuda/driver/Event.h"
#include "runtime/device/cuda/driver/Staging.h"

#include <deque>
#include <optional>

namespace pcc::runtime::cuda {

class Stream {
  /// Instructions that were enqueued one after the other: the first, the last and their number.
  struct Run {
    const abi::Instruction *first = nullptr, *last = nullptr;
    int64_t count = 0;
  };

public:
  static Expected<std::unique_ptr<Stream>> make(std::shared_ptr<const Gpu> gpu);
  Stream(std::shared_ptr<const Gpu> gpu, StreamHandle handle)
      : gpu(std::move(gpu)), handle(handle), staging(std::in_place, this->gpu, handle) {}
  ~Stream();

  const Driver &driver() const { return gpu->driver; }
  StreamHandle get() const { return handle; }

  /// The stream's GPU; other streams may run there as well.
  const std::shared_ptr<const Gpu> gpu;

  /// waitFor: makes everything enqueued from now on wait for the event. record: records the event
  /// after everything enqueued so far.
  Status waitFor(const Event &event);
  Status record(Event &event) { return event.record(handle); }

  /// Notes that an instruction was enqueued, and returns the status of the call.
  Status enqueued(const abi::Instruction &instruction, Result result, const char *call) {
    return enqueued(instruction, driver().check(result, call));
  }
  /// Does the same for a call of another library, given its status.
  Status enqueued(const abi::Instruction &instruction, Status status) {
    return enqueued(instruction, instruction, 1, std::move(status));
  }
  /// Does the same for `instructions` instructions, given the first and the last of them.
  Status enqueued(const abi::Instruction &first, const abi::Instruction &last, int64_t instructions,
                  Status status);

  /// Instructions that are enqueued during its lifetime are forgotten when it ends, since a capture
  /// only records them.
  class Capturing {
  public:
    explicit Capturing(Stream &stream) : stream(stream), run(stream.runs.back()) {}
    ~Capturing() { stream.runs.back() = run; }
    Capturing(const Capturing &) = delete;

  private:
    Stream &stream;
    const Run run;
  };

  /// copyIn: enqueues a copy from the host; the caller may reuse `source` once it returns. copyOut:
  /// waits for a copy to the host. fill: enqueues filling with zeros.
  Status copyIn(DevicePointer destination, std::span<const std::byte> source);
  Status copyOut(std::span<std::byte> destination, DevicePointer source);
  Status fill(DevicePointer destination, uint64_t bytes);

  /// Waits for everything enqueued. Errors: those of everything enqueued since the last wait, with
  /// the instructions that may have failed.
  Status synchronize();

  /// Records `event` after everything enqueued so far, and ends the current run there. Returns the
  /// number of this position; positions are numbered from 0 in the order of the calls.
  Expected<uint64_t> mark(Event &event);
  /// Waits until the stream has reached position number `position`. Errors: those of
  /// synchronize().
  Status synchronize(const Event &event, uint64_t position);

  /// Adds to an error the instructions that may have caused it, for errors of work other than
  /// instructions.
  Status withInstructions(Status status) const;

private:
  Run unconfirmed() const;

  const StreamHandle handle;
  std::optional<Staging> staging;
  /// Instructions not yet known to be complete: one run up to each marked position, and one after
  /// the last.
  std::deque<Run> runs = {Run()};
  /// Number of positions already reached, before the first run.
  uint64_t reachedPositions = 0;
};

} // namespace pcc::runtime::cuda
