// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface between the executor and a device: memory, native code, and the prepared local
// instructions of a program. Everything that can be done once (addresses, scalars, library
// primitives) is done when an instruction is prepared. Running a prepared instruction then costs
// about a microsecond in addition to its work.
//
// The memory of a rank need not be host memory: only the device dereferences its addresses. run()
// may only enqueue an instruction. Instructions complete in the order in which they were run, and
// at the latest when synchronize() or copyOut() returns.

#pragma once

#include "runtime/abi/program/BufferRings.h"
#include "runtime/base/DeviceTimestamp.h"

#include <array>
#include <functional>
#include <memory>
#include <span>

namespace pcc::runtime {

/// The values that change from action to action. An action runs one section of the program for one
/// microbatch and copy (abi::Action).
struct ActionValues {
  int64_t microbatch = 0;
  int64_t copy = 0;
  /// 1 in the first action of the section in this step, else 0.
  int64_t first = 1;
  int64_t step = 0;
  /// Index that selects the copy of each ring buffer.
  uint64_t ringIndex = 0;
};

/// Flags for the action values that something depends on.
struct ActionValueUse {
  bool microbatch = false, copy = false, first = false, step = false;
};

/// A prepared instruction, run on the thread of its rank.
class PreparedInstruction {
public:
  virtual ~PreparedInstruction() = default;
  /// Returns the values that the instruction depends on; for equal values it does the same. The
  /// default is all of them.
  virtual ActionValueUse uses() const { return {true, true, true, true}; }
  /// Runs the instruction, or enqueues it after everything run before.
  virtual Status run(const ActionValues &action) = 0;
  /// Prepares so that later runs with such action values cost the host less. It may make the whole
  /// device wait. Called while nothing of the rank is in flight.
  virtual void makeReady(const ActionValues &action) { (void)action; }
};

/// The memory of one rank: the base address of each space, and the ring index at which ring buffers
/// are addressed.
struct RankMemory {
  std::array<std::byte *, abi::Space_ARRAYSIZE> base = {};
  uint64_t ringIndex = 0;

  /// Returns the address of an operand of a valid program.
  std::byte *address(const abi::Program &program, const abi::Operand &operand) const {
    const abi::Buffer &buffer = program.memory().buffers(int(operand.buffer()));
    return base[buffer.space()] + abi::ringOffset(buffer, ringIndex) + operand.offset();
  }
};

/// Memory allocated by a device. The destructor frees it. This object may outlive the device.
class Allocation {
public:
  explicit Allocation(std::byte *base) : base(base) {}
  virtual ~Allocation() = default;
  Allocation(const Allocation &) = delete;
  Allocation &operator=(const Allocation &) = delete;

  std::byte *const base;
};

/// Stages data from the host to one range of device memory that is filled repeatedly. The device
/// may still work on the previous data meanwhile.
class HostToDeviceStaging {
public:
  virtual ~HostToDeviceStaging() = default;
  /// Returns the memory to which the host writes the full next content; the host must not read it.
  virtual std::byte *image() = 0;
  /// Waits until the device has taken the last content of image(), so that it may change.
  virtual Status wait() = 0;
  /// Enqueues the transfer of the content after everything run so far.
  virtual Status send() = 0;
};

/// Copies one range of device memory at a point in the device's queue, for the host to read later.
class Snapshot {
public:
  virtual ~Snapshot() = default;
  /// Enqueues the copy after everything run so far. Only one copy may be pending.
  virtual Status take() = 0;
  /// Waits for the copy and returns it. Errors include those of everything run before.
  virtual Expected<std::span<const std::byte>> read() = 0;
};

/// The context in which an instruction is prepared. Prepared instructions keep no reference to it.
struct PrepareContext {
  const abi::Executable &executable;
  const abi::Program &program;
  const RankMemory &memory;
  int64_t rank;
};

/// An instruction, and its prepared form on a device.
struct InstructionToRun {
  const abi::Instruction *instruction;
  PreparedInstruction *prepared;
};

/// The device of one rank. Used by one thread at a time.
class Device {
public:
  virtual ~Device() = default;

  /// Called once on the rank's thread before anything runs.
  virtual void enterThread() = 0;

  /// Returns whether the device's memory is host memory, which the host may read and write
  /// directly.
  virtual bool hasHostMemory() const = 0;

  /// Allocates `bytes` bytes, aligned to a cache line and filled with zeros.
  virtual Expected<std::unique_ptr<Allocation>> allocate(uint64_t bytes) = 0;

  /// Returns the bytes of workspace that prepared instructions use in addition to allocate().
  virtual uint64_t workspaceBytes() const { return 0; }

  /// Returns the content of the space CONSTANT, one copy for all ranks that can share it.
  virtual std::byte *constants() = 0;

  /// Copies from the host after everything run so far; `source` may change on return.
  virtual Status copyIn(std::byte *destination, std::span<const std::byte> source) = 0;

  /// Copies to the host the result of everything run so far. Errors include those of everything run
  /// before.
  virtual Status copyOut(std::span<std::byte> destination, const std::byte *source) = 0;

  /// Create staging or a snapshot for a place in memory allocated by the device. That memory must
  /// outlive them.
  virtual Expected<std::unique_ptr<HostToDeviceStaging>>
  makeHostToDeviceStaging(std::byte *destination, uint64_t bytes) = 0;
  virtual Expected<std::unique_ptr<Snapshot>> makeSnapshot(const std::byte *source,
                                                           uint64_t bytes) = 0;

  /// Waits until everything run so far is done. Returns its errors.
  virtual Status synchronize() = 0;

  /// Enables mark(). Repeated calls, for example between steps, keep times exact. Does not wait for
  /// anything run before.
  virtual Status startTimestamps() { return {}; }
  /// Returns a mark after everything run so far. Returns null if run() returns only after
  /// completion, so that the host's clock gives the time. An error appears at the next call that
  /// does something.
  virtual TimestampHandle mark() { return nullptr; }

  /// Prepares a launch, matmul, convolution, attention, copy, fill or accumulate instruction, which
  /// must outlive the result. Errors: instructions that the device does not support.
  virtual Expected<std::unique_ptr<PreparedInstruction>>
  prepare(const abi::Instruction &instruction, const PrepareContext &context) = 0;

  /// Joins instructions that always run consecutively into one that costs the host less; null if
  /// nothing is gained. None may depend on the step. The instructions must outlive the result.
  virtual std::unique_ptr<PreparedInstruction> join(std::vector<InstructionToRun> instructions) {
    (void)instructions;
    return nullptr;
  }

  /// Calls `body(begin, end)` on parts of 0 … count-1, on as many threads as the rank has.
  virtual void parallel(int64_t count, const std::function<void(int64_t, int64_t)> &body) = 0;
};

} // namespace pcc::runtime
