// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device offers to the executor: memory, native code, and the local records of a program
// made ready to run. All that can be done once is done when a record is prepared (addresses,
// scalars, library primitives), so that running it costs about a microsecond beside its work.
//
// The memory of a rank need not be the host's: only the device looks behind an address in it. What
// is run is perhaps only enqueued; it is done in its order, and for sure behind synchronise() or
// copyOut().

#ifndef PCC_RUNTIME_DEVICE_DEVICE_H
#define PCC_RUNTIME_DEVICE_DEVICE_H

#include "runtime/abi/RingCopy.h"
#include "runtime/base/TimeMark.h"

#include <array>
#include <functional>
#include <memory>
#include <span>

namespace pcc::runtime {

/// The numbers that change from slot to slot.
struct SlotValues {
  int64_t microbatch = 0;
  int64_t copy = 0;
  /// 1 in the first slot of the section in this step.
  int64_t first = 1;
  int64_t step = 0;
  /// By which rings of buffers turn.
  uint64_t ringIndex = 0;
};

/// Which numbers of a slot something depends on.
struct SlotUse {
  bool microbatch = false, copy = false, first = false, step = false;
};

/// A record that is ready to run, on the thread of its rank.
class PreparedRecord {
public:
  virtual ~PreparedRecord() = default;
  /// In slots that agree in these numbers it does the same. Who does not say is taken to use all.
  virtual SlotUse uses() const { return {true, true, true, true}; }
  /// Does it, or enqueues it behind all that was run before.
  virtual Status run(const SlotValues &slot) = 0;
  /// Does what makes later runs in such slots cost the host less, and may have the whole device
  /// wait. Called when nothing of the rank is under way.
  virtual void makeReady(const SlotValues &slot) { (void)slot; }
};

/// The memory of one rank: the base address of each space, and the index for which rings of buffers
/// are looked at.
struct RankMemory {
  std::array<std::byte *, abi::Space_ARRAYSIZE> base = {};
  uint64_t ringIndex = 0;

  /// The address of an operand of a valid program.
  std::byte *address(const abi::Program &program, const abi::Operand &operand) const {
    const abi::Buffer &buffer = program.memory().buffers(int(operand.buffer()));
    return base[buffer.space()] + abi::ringOffset(buffer, ringIndex) + operand.offset();
  }
};

/// Memory that a device gave. It goes back with this object, which may outlive the device.
class Allocation {
public:
  explicit Allocation(std::byte *base) : base(base) {}
  virtual ~Allocation() = default;
  Allocation(const Allocation &) = delete;
  Allocation &operator=(const Allocation &) = delete;

  std::byte *const base;
};

/// The way from the host to one place of a device's memory that is filled again and again, while
/// the device still works on what came before.
class Inlet {
public:
  virtual ~Inlet() = default;
  /// Where the host writes what comes next, all of it; it reads nothing there.
  virtual std::byte *image() = 0;
  /// Returns when the device has taken what was written there last, so that it may change.
  virtual Status wait() = 0;
  /// Brings what was written behind all that was run.
  virtual Status send() = 0;
};

/// What stands at one place of a device's memory when the device comes to it, for the host to see
/// later.
class Snapshot {
public:
  virtual ~Snapshot() = default;
  /// Behind all that was run. One at a time.
  virtual Status take() = 0;
  /// What was taken; waits for it. Errors: also those of what was run before.
  virtual Expected<std::span<const std::byte>> look() = 0;
};

/// What a record is prepared for. Prepared records keep no reference to it.
struct PrepareContext {
  const abi::Executable &executable;
  const abi::Program &program;
  const RankMemory &memory;
  int64_t rank;
};

/// A record, and how a device runs it.
struct RecordToRun {
  const abi::Record *record;
  PreparedRecord *prepared;
};

/// One rank's device. Used by one thread at a time.
class Device {
public:
  virtual ~Device() = default;

  /// Called once on the rank's thread before anything runs.
  virtual void enterThread() = 0;

  /// Whether its memory is the host's, which then may read and write there itself.
  virtual bool hasHostMemory() const = 0;

  /// Memory of `bytes` bytes, aligned to a cache line, zero.
  virtual Expected<std::unique_ptr<Allocation>> allocate(uint64_t bytes) = 0;

  /// Bytes of its memory that what was prepared works in, beside what was allocated.
  virtual uint64_t workspaceBytes() const { return 0; }

  /// The content of the space CONSTANT, one copy for all ranks that can share it.
  virtual std::byte *constants() = 0;

  /// Copies from the host behind all that was run; `source` may change when it returns.
  virtual Status copyIn(std::byte *destination, std::span<const std::byte> source) = 0;

  /// Copies to the host what all that was run leaves there. Errors: also those of what was run.
  virtual Status copyOut(std::span<std::byte> destination, const std::byte *source) = 0;

  /// For a place in the memory that the device allocated, which must outlive them.
  virtual Expected<std::unique_ptr<Inlet>> makeInlet(std::byte *destination, uint64_t bytes) = 0;
  virtual Expected<std::unique_ptr<Snapshot>> makeSnapshot(const std::byte *source,
                                                           uint64_t bytes) = 0;

  /// Returns when all that was run is done. Errors: those of what was run.
  virtual Status synchronise() = 0;

  /// From now on mark() marks. Called again, as between steps, it keeps times exact; it waits for
  /// nothing that was run.
  virtual Status startMarking() { return {}; }
  /// The place behind all that was run. Null where that is done when run() returns, so that the
  /// host's clock tells when it was. An error shows at the next call that does something.
  virtual Mark mark() { return nullptr; }

  /// Makes a launch, matmul, convolution, attention, copy, fill or accumulate record ready, which
  /// must outlive what is made. Errors: what the device cannot do.
  virtual Expected<std::unique_ptr<PreparedRecord>> prepare(const abi::Record &record,
                                                            const PrepareContext &context) = 0;

  /// Makes of records that are always run one after the other, and none of which depends on the
  /// step, one that costs the host less to run; null where nothing is gained. They must outlive it.
  virtual std::unique_ptr<PreparedRecord> join(std::vector<RecordToRun> records) {
    (void)records;
    return nullptr;
  }

  /// Does `body(begin, end)` on pieces of 0 … count-1, on as many threads as the rank has.
  virtual void parallel(int64_t count, const std::function<void(int64_t, int64_t)> &body) = 0;
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DEVICE_DEVICE_H
