// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All instructions before have been looked at, so an operand that is not finite comes from
// elsewhere: a parameter, an input, or another rank. Operands that the instruction overwrites are
// not known any more.

#include "runtime/execute/observe/FiniteCheck.h"

#include "runtime/abi/ElementTypes.h"

#include <algorithm>

namespace pcc::runtime {
namespace {

std::string formatKind(NumberKind kind) {
  return kind == NumberKind::NaN        ? "NaN"
         : kind == NumberKind::Infinity ? "infinity"
                                        : "minus infinity";
}

/// Returns "[3, 5]" for an index into a row-major array.
std::string formatPlace(int64_t index, const abi::Buffer &buffer) {
  std::string text;
  for (int axis = buffer.shape_size(); axis-- > 0;
       index /= std::max<int64_t>(1, buffer.shape(axis)))
    text = fmt::format("{}{}{}", index % std::max<int64_t>(1, buffer.shape(axis)),
                       text.empty() ? "" : ", ", text);
  return "[" + text + "]";
}

} // namespace

Status FiniteCheck::check(const abi::Instruction &instruction, const ActionValues &action) {
  int64_t begin = nowNanoseconds();
  if (action.step != step)
    firstMinusInfinity.clear();
  step = action.step;
  Expected<Finding> written = findWorstOf(instruction, /*isWritten=*/true, action.ringIndex);
  if (!written)
    return written.status();
  Status status;
  if (written->number.kind >= NumberKind::Infinity)
    status = report(instruction, action, *written);
  else if (written->number.kind == NumberKind::NegativeInfinity && firstMinusInfinity.empty())
    firstMinusInfinity = fmt::format("'{}' ({})", instruction.op(), instruction.location());
  nanoseconds.fetch_add(nowNanoseconds() - begin, std::memory_order_relaxed);
  return status;
}

/// Finds the worst number of the operands that are written, or of those that are only read.
Expected<FiniteCheck::Finding> FiniteCheck::findWorstOf(const abi::Instruction &instruction,
                                                        bool isWritten, uint64_t ringIndex) {
  auto [known, isNew] = ranges.try_emplace(&instruction);
  if (isNew)
    known->second = abi::operandRanges(context.executable, context.program, instruction);
  Finding worst;
  for (const abi::OperandRange &range : known->second) {
    if (range.writes != isWritten)
      continue;
    Expected<FoundNumber> found = findWorstIn(range, ringIndex);
    if (!found)
      return found.status();
    if (found->kind > worst.number.kind)
      worst = {*found, range.operand};
  }
  return worst;
}

/// The index of the result counts from the start of the buffer.
Expected<FoundNumber> FiniteCheck::findWorstIn(const abi::OperandRange &range, uint64_t ringIndex) {
  const abi::Buffer &buffer = context.program.memory().buffers(int(range.operand->buffer()));
  RankMemory memory = context.memory;
  memory.ringIndex = ringIndex;
  const std::byte *address = memory.address(context.program, *range.operand);
  std::span<const std::byte> bytes(address, range.bytes);
  if (!device.hasHostMemory()) {
    copy.resize(range.bytes);
    if (Status status = device.copyOut(copy, address); !status.ok())
      return status;
    bytes = copy;
  }
  if (areFinite(buffer.type(), bytes))
    return FoundNumber();
  FoundNumber found = findWorst(buffer.type(), bytes);
  found.index += int64_t(range.operand->offset() / abi::elementBytes(buffer.type()));
  return found;
}

/// Returns "NaN in the parameter 'w'[3, 5]".
std::string FiniteCheck::describe(const Finding &finding) const {
  uint32_t index = finding.operand->buffer();
  const abi::Buffer &buffer = context.program.memory().buffers(int(index));
  bool isParameter =
      std::ranges::any_of(context.program.parameters(), [&](const abi::Parameter &parameter) {
        return parameter.buffer() == index;
      });
  const char *space = isParameter                       ? "the parameter "
                      : buffer.space() == abi::INPUT    ? "the input "
                      : buffer.space() == abi::CONSTANT ? "the constant "
                                                        : "";
  return fmt::format("{} in {}'{}'{}", formatKind(finding.number.kind), space, buffer.name(),
                     formatPlace(finding.number.index, buffer));
}

Status FiniteCheck::report(const abi::Instruction &instruction, const ActionValues &action,
                           const Finding &finding) {
  std::string text = "--check-finite: wrote " + describe(finding);
  Expected<Finding> read = findWorstOf(instruction, /*isWritten=*/false, action.ringIndex);
  if (!read)
    return read.status();
  if (read->number.kind >= NumberKind::Infinity)
    text += ", and read " + describe(*read);
  else if (!firstMinusInfinity.empty())
    text += "; the first minus infinity of the step came from " + firstMinusInfinity;
  Status status = Status::failed(text);
  if (!options.warn)
    return status;
  if (!hasWarned)
    options.warn(std::move(status)
                     .at({.rank = context.rank,
                          .step = action.step + 1,
                          .op = instruction.op(),
                          .location = instruction.location()})
                     .describe());
  hasWarned = true;
  return {};
}

} // namespace pcc::runtime
