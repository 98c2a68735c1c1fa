// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that operands lie within their buffers, and that they do not overlap.

#include "runtime/abi/program/BufferRings.h"
#include "runtime/abi/validate/Checker.h"

namespace pcc::abi {

void OperandChecks::room(const char *name, const Operand &operand, uint64_t bytes,
                         uint64_t alignment, bool written) const {
  Checker::Scope scope(checker, name);
  if (!checkBufferIndex(checker, program, operand.buffer()))
    return;
  const Buffer &buffer = program.memory().buffers(operand.buffer());
  checker.expect(operand.offset() <= buffer.bytes() && bytes <= buffer.bytes() - operand.offset(),
                 "expected {} bytes from {} on within the {} bytes of '{}'", bytes,
                 operand.offset(), buffer.bytes(), buffer.name());
  checker.expect(operand.offset() % alignment == 0, "expected an offset that {} divides, got {}",
                 alignment, operand.offset());
  checker.expect(!written || buffer.space() == PERSISTENT || buffer.space() == TEMPORARY,
                 "expected a buffer that may be written, got '{}' in the space {}", buffer.name(),
                 Space_Name(buffer.space()));
}

void OperandChecks::overlap(const Operand &a, uint64_t aBytes, const Operand &b, uint64_t bBytes,
                            bool mayBeSame) const {
  if (!checker.ok() || aBytes == 0 || bBytes == 0)
    return;
  const Buffer &aBuffer = program.memory().buffers(a.buffer());
  const Buffer &bBuffer = program.memory().buffers(b.buffer());
  bool overlap = mayOverlap(aBuffer, a.offset(), aBytes, bBuffer, b.offset(), bBytes);
  bool isSame = aBuffer.offset() + a.offset() == bBuffer.offset() + b.offset() &&
                aBytes == bBytes && haveEqualRings(aBuffer, bBuffer);
  checker.expect(!overlap || (mayBeSame && isSame), "'{}' and '{}' overlap", aBuffer.name(),
                 bBuffer.name());
}

} // namespace pcc::abi
