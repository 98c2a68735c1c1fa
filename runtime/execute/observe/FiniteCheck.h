// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names the instruction that writes the first NaN or infinity of a rank: it looks at what each
// instruction has written. Minus infinity counts only if a NaN follows from it, since models mask
// attention with it.

#pragma once

#include "runtime/abi/validate/OperandRanges.h"
#include "runtime/base/FiniteValues.h"
#include "runtime/device/Device.h"

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace pcc::runtime {

struct FiniteCheckOptions {
  bool isOn = false;
  /// Called with the first finding of each rank, which is then no error; null: it is an error.
  std::function<void(const std::string &)> warn = {};
};

class FiniteCheck {
public:
  /// Everything that the arguments refer to must outlive the object.
  FiniteCheck(const PrepareContext &context, Device &device, const FiniteCheckOptions &options)
      : context(context), device(device), options(options) {}

  /// Looks at what the instruction has just written. Failed with its first NaN, or infinity, where
  /// it is, and which operand had one already.
  Status check(const abi::Instruction &instruction, const ActionValues &action);

  /// Returns the time spent so far. Any thread may call it.
  double seconds() const { return double(nanoseconds.load(std::memory_order_relaxed)) / 1e9; }

private:
  /// A number that is not finite, and the operand that has it.
  struct Finding {
    FoundNumber number;
    const abi::Operand *operand = nullptr;
  };
  Expected<Finding> findWorstOf(const abi::Instruction &instruction, bool isWritten,
                                uint64_t ringIndex);
  Expected<FoundNumber> findWorstIn(const abi::OperandRange &range, uint64_t ringIndex);
  Status report(const abi::Instruction &instruction, const ActionValues &action,
                const Finding &finding);
  std::string describe(const Finding &finding) const;

  const PrepareContext context;
  Device &device;
  const FiniteCheckOptions &options;
  std::map<const abi::Instruction *, std::vector<abi::OperandRange>> ranges;
  std::vector<std::byte> copy; ///< of device memory
  int64_t step = -1;
  std::string firstMinusInfinity; ///< of the step
  bool hasWarned = false;
  std::atomic<int64_t> nanoseconds = 0;
};

} // namespace pcc::runtime
