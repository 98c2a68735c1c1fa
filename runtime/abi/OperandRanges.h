// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes a record touches, and how. Whoever must know what a record reads or writes (the
// executor, the static check, the simulator) asks here.
//
//   copy of 64 bytes          source: 64 bytes, read; destination: 64 bytes, written
//   matmul that adds          a, b: read; c: read and written
//   all_gather among 4        source: read; destination: four times as much, written

#ifndef PCC_RUNTIME_ABI_OPERANDRANGES_H
#define PCC_RUNTIME_ABI_OPERANDRANGES_H

#include "runtime/abi/program.pb.h"

#include <cstdint>
#include <vector>

namespace pcc::abi {

enum class Reads {
  No,
  Yes,
  AfterFirst, ///< in all slots of the section but the first of a step
  Perhaps,    ///< it is not said
};

/// `bytes` bytes from the operand's place on; never none.
struct OperandRange {
  const Operand *operand;
  uint64_t bytes;
  Reads reads;
  bool writes;
};

/// The operands of a record of a valid program. What a collective touches on one of the program's
/// ranks counts for all of them.
std::vector<OperandRange> operandRanges(const Executable &executable, const Program &program,
                                        const Record &record);

/// Whether some bytes are touched by both records and written by one, if both run in the same slot,
/// whichever that is.
bool mayConflict(const Executable &executable, const Program &program, const Record &a,
                 const Record &b);

} // namespace pcc::abi

#endif // PCC_RUNTIME_ABI_OPERANDRANGES_H
