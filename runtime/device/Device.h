// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device offers to the executor: memory, native code, and the local records of a program
// made ready to run. All that can be done once is done when a record is prepared (addresses,
// scalars, library primitives), so that running it costs about a microsecond beside its work.

#ifndef PCC_RUNTIME_DEVICE_DEVICE_H
#define PCC_RUNTIME_DEVICE_DEVICE_H

#include "runtime/abi/RingCopy.h"
#include "runtime/base/Base.h"

#include <array>
#include <functional>
#include <memory>

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

/// A record that is ready to run, on the thread of its rank.
class PreparedRecord {
public:
  virtual ~PreparedRecord() = default;
  virtual Status run(const SlotValues &slot) = 0;
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

/// What a record is prepared for. Prepared records keep no reference to it.
struct PrepareContext {
  const abi::Executable &executable;
  const abi::Program &program;
  const RankMemory &memory;
  int64_t rank;
};

/// One rank's device. Used by one thread, but for construction.
class Device {
public:
  virtual ~Device() = default;

  /// Called once on the rank's thread before anything runs.
  virtual void enterThread() = 0;

  /// Memory of `bytes` bytes, aligned to a cache line, zero.
  virtual Expected<AlignedBytes> allocate(uint64_t bytes) = 0;

  /// Makes a launch, matmul, convolution, copy, fill or accumulate record ready. Errors: a product
  /// or convolution of types that the device has not.
  virtual Expected<std::unique_ptr<PreparedRecord>> prepare(const abi::Record &record,
                                                            const PrepareContext &context) = 0;

  /// Does `body(begin, end)` on pieces of 0 … count-1, on as many threads as the rank has.
  virtual void parallel(int64_t count, const std::function<void(int64_t, int64_t)> &body) = 0;
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DEVICE_DEVICE_H
