// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives the size of each operand from shapes, element types and group sizes. Launches state the
// access of an operand. Without a statement, an operand in PERSISTENT or TEMPORARY memory counts as
// written, and perhaps read.

#include "runtime/abi/validate/OperandRanges.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/BufferRings.h"

#include <map>

namespace pcc::abi {
namespace {

/// Returns how an instruction with this accumulation reads its destination.
Reads readsOf(Accumulation accumulation) {
  switch (accumulation) {
  case ADD:
    return Reads::Yes;
  case ADD_AFTER_FIRST:
    return Reads::AfterFirst;
  default:
    return Reads::No;
  }
}

class Ranges {
public:
  Ranges(const Executable &executable, const Program &program)
      : executable(executable), program(program) {}

  void add(const Launch &launch);
  void add(const Matmul &matmul);
  void add(const Convolution &convolution);
  void add(const Attention &attention);
  void add(const Collective &collective);
  void add(const Accumulate &accumulate);
  void add(const Operand &operand, uint64_t bytes, Reads reads, bool writes) {
    if (bytes > 0)
      ranges.push_back({&operand, bytes, reads, writes});
  }
  void read(const Operand &operand, uint64_t bytes) { add(operand, bytes, Reads::Yes, false); }
  void write(const Operand &operand, uint64_t bytes) { add(operand, bytes, Reads::No, true); }

  std::vector<OperandRange> ranges;

private:
  uint64_t targetBytes(const Collective &collective, uint64_t bytes) const;

  const Executable &executable;
  const Program &program;
};

void Ranges::add(const Launch &launch) {
  for (const Operand &operand : launch.operands()) {
    const Buffer &buffer = program.memory().buffers(int(operand.buffer()));
    uint64_t bytes = operand.bytes() ? operand.bytes() : buffer.bytes() - operand.offset();
    bool mayBeWritten = buffer.space() == PERSISTENT || buffer.space() == TEMPORARY;
    switch (operand.access()) {
    case READ:
      read(operand, bytes);
      break;
    case WRITE:
      write(operand, bytes);
      break;
    case READ_WRITE:
      add(operand, bytes, Reads::Yes, true);
      break;
    default:
      add(operand, bytes, mayBeWritten ? Reads::Perhaps : Reads::Yes, mayBeWritten);
    }
  }
}

void Ranges::add(const Matmul &matmul) {
  uint64_t element = elementBytes(matmul.type()), result = elementBytes(matmul.result_type());
  uint64_t batch = matmul.batch(), m = matmul.m(), n = matmul.n(), k = matmul.k();
  read(matmul.a(), batch * m * k * element);
  read(matmul.b(), (matmul.shared_b() ? 1 : batch) * k * n * element);
  if (matmul.has_bias())
    read(matmul.bias(), n * result);
  if (matmul.has_pre_activation())
    matmul.activation() == GELU ? write(matmul.pre_activation(), batch * m * n * result)
                                : read(matmul.pre_activation(), batch * m * n * result);
  if (matmul.has_sum_of_a())
    write(matmul.sum_of_a(), m * result);
  if (matmul.has_sum_of_b())
    write(matmul.sum_of_b(), n * result);
  add(matmul.c(), batch * m * n * result, readsOf(matmul.accumulation()), true);
}

void Ranges::add(const Convolution &c) {
  uint64_t element = elementBytes(c.type());
  auto addOperand = [&](const Operand &operand, const auto &shape, Convolution::Kind writer) {
    uint64_t bytes = *elementCount(shape) * element;
    c.kind() == writer ? write(operand, bytes) : read(operand, bytes);
  };
  addOperand(c.input(), c.input_shape(), Convolution::INPUT_GRADIENT);
  addOperand(c.weight(), c.weight_shape(), Convolution::WEIGHT_GRADIENT);
  addOperand(c.result(), c.result_shape(), Convolution::FORWARD);
  if (c.has_bias())
    read(c.bias(), c.weight_shape(0) * element);
}

void Ranges::add(const Attention &a) {
  uint64_t element = elementBytes(a.type());
  uint64_t positions = a.batch() * a.heads() * a.positions();
  uint64_t rows = positions * element;
  uint64_t keyRows = a.batch() * a.groups() * a.key_positions() * element;
  read(a.query(), rows * a.width());
  read(a.key(), keyRows * a.width());
  read(a.value(), keyRows * a.depth());
  if (a.has_mask())
    read(a.mask(), *elementCount(a.mask_shape()) * element);
  if (a.has_offset())
    read(a.offset(), sizeof(int64_t));
  Reads isGradient = a.has_gradients() ? Reads::Yes : Reads::No;
  add(a.result(), rows * a.depth(), isGradient, !a.has_gradients());
  add(a.log_sum(), positions * elementBytes(F32), isGradient, !a.has_gradients());
  if (!a.has_gradients())
    return;
  read(a.gradients().result(), rows * a.depth());
  write(a.gradients().query(), rows * a.width());
  write(a.gradients().key(), keyRows * a.width());
  write(a.gradients().value(), keyRows * a.depth());
}

uint64_t Ranges::targetBytes(const Collective &collective, uint64_t bytes) const {
  if (collective.kind() == BLOCK_EXCHANGE)
    return *elementCount(collective.target_shape()) * elementBytes(collective.type());
  if (collective.kind() != ALL_GATHER && collective.kind() != REDUCE_SCATTER)
    return bytes;
  uint64_t members = executable.groups(int(collective.group())).lists(0).ranks_size();
  return collective.kind() == ALL_GATHER ? bytes * members : bytes / members;
}

/// Whether a block exchange leaves some elements of a destination unchanged.
bool keepsElements(const Collective &exchange) {
  if (exchange.reduction() != REDUCE_OP_UNSPECIFIED)
    return false;
  std::map<uint32_t, int64_t> moved;
  for (const BlockMove &move : exchange.moves())
    moved[move.target()] += *elementCount(move.size());
  int64_t all = *elementCount(exchange.target_shape());
  for (const auto &[target, elements] : moved)
    if (elements < all)
      return true;
  return moved.empty();
}

void Ranges::add(const Collective &collective) {
  if (collective.kind() == BARRIER)
    return;
  uint64_t bytes = *elementCount(collective.shape()) * elementBytes(collective.type());
  if (collective.kind() != RECV)
    read(collective.source(), bytes);
  bool keeps = collective.kind() == BLOCK_EXCHANGE && keepsElements(collective);
  if (collective.kind() != SEND)
    add(collective.destination(), targetBytes(collective, bytes), keeps ? Reads::Yes : Reads::No,
        true);
}

void Ranges::add(const Accumulate &accumulate) {
  read(accumulate.source(), accumulate.count() * elementBytes(accumulate.source_type()));
  add(accumulate.destination(),
      accumulate.count() * elementBytes(accumulatorType(accumulate.source_type())),
      readsOf(accumulate.accumulation()), true);
}

} // namespace

std::vector<OperandRange> operandRanges(const Executable &executable, const Program &program,
                                        const Instruction &instruction) {
  Ranges ranges(executable, program);
  switch (instruction.kind_case()) {
  case Instruction::kLaunch:
    ranges.add(instruction.launch());
    break;
  case Instruction::kMatmul:
    ranges.add(instruction.matmul());
    break;
  case Instruction::kConvolution:
    ranges.add(instruction.convolution());
    break;
  case Instruction::kAttention:
    ranges.add(instruction.attention());
    break;
  case Instruction::kCollective:
    ranges.add(instruction.collective());
    break;
  case Instruction::kAccumulate:
    ranges.add(instruction.accumulate());
    break;
  case Instruction::kCopy:
    ranges.read(instruction.copy().source(), instruction.copy().bytes());
    ranges.write(instruction.copy().destination(), instruction.copy().bytes());
    break;
  case Instruction::kFill:
    ranges.write(instruction.fill().destination(), instruction.fill().bytes());
    break;
  case Instruction::KIND_NOT_SET:
    break;
  }
  return std::move(ranges.ranges);
}

bool mayConflict(const Executable &executable, const Program &program, const Instruction &a,
                 const Instruction &b) {
  auto bufferOf = [&](const OperandRange &range) -> const Buffer & {
    return program.memory().buffers(int(range.operand->buffer()));
  };
  std::vector<OperandRange> others = operandRanges(executable, program, b);
  for (const OperandRange &x : operandRanges(executable, program, a))
    for (const OperandRange &y : others)
      if ((x.writes || y.writes) && mayOverlap(bufferOf(x), x.operand->offset(), x.bytes,
                                               bufferOf(y), y.operand->offset(), y.bytes))
        return true;
  return false;
}

} // namespace pcc::abi
