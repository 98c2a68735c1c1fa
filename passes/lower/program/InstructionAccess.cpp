// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists accesses by kind of instruction, and compares byte ranges. Where an instruction may read
// what it writes, the access counts as both.
#include "dialects/task/InstructionAttrs.h"
#include "passes/lower/program/Program.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc::task;

namespace pcc::lower {

bool ByteRange::overlaps(int64_t own, const ByteRange &other, int64_t theirs) const {
  int64_t from = own % depth * stride, to = theirs % other.depth * other.stride;
  return space == other.space && begin + from < other.end + to && other.begin + to < end + from;
}

bool ByteRange::mayOverlap(const ByteRange &other) const {
  return space == other.space && begin < other.end + (other.depth - 1) * other.stride &&
         other.begin < end + (depth - 1) * stride;
}

/// Returns the byte range of a buffer operand.
static ByteRange rangeOf(Value value) {
  int64_t offset = 0, bytes = bytesOf(cast<ShapedType>(value.getType()));
  while (auto view = value.getDefiningOp<ViewOp>()) {
    offset += view.getOffset();
    value = view.getSource();
  }
  auto buffer = value.getDefiningOp<BufferOp>();
  offset += buffer.getOffset();
  return {buffer.getSpace(), offset, offset + bytes, int64_t(buffer.getDepth()),
          int64_t(buffer.getStride())};
}

namespace {
struct Accesses {
  SmallVector<InstructionAccess> list;
  void read(Value value) { list.push_back({rangeOf(value), true, false}); }
  void write(Value value) { list.push_back({rangeOf(value), false, true}); }
  void update(Value value) { list.push_back({rangeOf(value), true, true}); }
};
} // namespace

static void addLaunch(LaunchOp op, Accesses &accesses) {
  auto known = op->getAttrOfType<DenseI32ArrayAttr>(accessesAttrName);
  for (auto [i, buffer] : llvm::enumerate(op.getBuffers())) {
    int32_t access = known ? known[i] : int32_t(Access::ReadWrite);
    accesses.list.push_back({rangeOf(buffer), (access & int32_t(Access::Read)) != 0,
                             (access & int32_t(Access::Write)) != 0});
  }
}

static void addMatmul(MatmulOp op, Accesses &accesses) {
  for (Value value : {op.getA(), op.getB(), op.getBias()})
    if (value)
      accesses.read(value);
  if (Value preActivation = op.getPreActivation())
    op.getActivation() == Activation::Gelu ? accesses.write(preActivation)
                                           : accesses.read(preActivation);
  for (Value value : {op.getSumOfA(), op.getSumOfB()})
    if (value)
      accesses.write(value);
  accesses.update(op.getC());
}

static void addConvolution(ConvolutionOp op, Accesses &accesses) {
  auto add = [&](Value value, ConvolutionKind writer) {
    op.getKind() == writer ? accesses.write(value) : accesses.read(value);
  };
  add(op.getInput(), ConvolutionKind::InputGradient);
  add(op.getWeight(), ConvolutionKind::WeightGradient);
  add(op.getResult(), ConvolutionKind::Forward);
  if (op.getBias())
    accesses.read(op.getBias());
}

/// The first gradient is that of the result, which is read. The others belong to query, key and
/// value.
static void addAttention(AttentionOp op, Accesses &accesses) {
  bool isGradient = !op.getGradients().empty();
  for (Value value : {op.getQuery(), op.getKey(), op.getValue(), op.getMask(), op.getOffset()})
    if (value)
      accesses.read(value);
  for (Value value : {op.getResult(), op.getLogSum()})
    isGradient ? accesses.read(value) : accesses.write(value);
  for (auto [i, value] : llvm::enumerate(op.getGradients()))
    i == 0 ? accesses.read(value) : accesses.write(value);
}

/// A collective reads its first buffer and writes its last one. With two buffers, it may leave
/// parts of the second one as they are.
static void addCollective(Operation *op, Accesses &accesses) {
  if (isa<RecvOp>(op))
    return accesses.write(op->getOperand(0));
  if (op->getNumOperands() > 0)
    accesses.read(op->getOperand(0));
  if (op->getNumOperands() > 1)
    accesses.update(op->getOperand(1));
}

SmallVector<InstructionAccess> accessesOf(Operation *instruction) {
  Accesses accesses;
  llvm::TypeSwitch<Operation *>(instruction)
      .Case([&](LaunchOp op) { addLaunch(op, accesses); })
      .Case([&](MatmulOp op) { addMatmul(op, accesses); })
      .Case([&](ConvolutionOp op) { addConvolution(op, accesses); })
      .Case([&](AttentionOp op) { addAttention(op, accesses); })
      .Case([&](CopyOp op) {
        accesses.read(op.getSource());
        accesses.write(op.getDestination());
      })
      .Case([&](FillOp op) { accesses.write(op.getDestination()); })
      .Case([&](AccumulateOp op) {
        accesses.read(op.getSource());
        accesses.update(op.getDestination());
      })
      .Default([&](Operation *op) { addCollective(op, accesses); });
  return std::move(accesses.list);
}

} // namespace pcc::lower
