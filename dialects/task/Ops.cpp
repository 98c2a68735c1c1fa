// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the task dialect. Labels (T1…) are those of docs/spec/task.md.
#include "dialects/task/Task.h"

#include "dialects/task/InstructionAttrs.h"

#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace pcc::task;

#define GET_OP_CLASSES
#include "dialects/task/TaskOps.cpp.inc"

int64_t pcc::task::bytesOf(ShapedType type) {
  return type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

int64_t BufferOp::getBytes() { return bytesOf(cast<ShapedType>(getType())); }

int64_t BufferOp::getRingBytes() { return int64_t(getDepth() - 1) * getStride() + getBytes(); }

// T15: rings.
static LogicalResult verifyRing(function_ref<InFlightDiagnostic()> emitError, int64_t depth,
                                int64_t stride) {
  if (depth >= 1 && stride >= 0 && stride % bufferAlignment == 0 && (depth > 1) == (stride > 0))
    return success();
  return emitError() << "expected one copy, or several of which each lies a multiple of "
                     << bufferAlignment << " bytes behind the one before, got " << depth
                     << " with a stride of " << stride;
}

LogicalResult PlaceAttr::verify(function_ref<InFlightDiagnostic()> emitError, Space, int64_t offset,
                                int64_t depth, int64_t stride) {
  constexpr int64_t most = int64_t(1) << 56; // so that no sum of offset, depth and bytes wraps
  int64_t behind;
  if (offset < 0 || offset > most || llvm::MulOverflow(depth, stride, behind) || behind > most)
    return emitError() << "expected bytes of one space, got an offset of " << offset << " and "
                       << depth << " copies " << stride << " bytes apart";
  return verifyRing(emitError, depth, stride);
}

// T1: offsets are multiples of 64 bytes. T2: exactly the constant buffers have a value, of their
// size.
LogicalResult BufferOp::verify() {
  if (failed(verifyRing([&] { return emitOpError(); }, getDepth(), getStride())))
    return failure();
  if (getDepth() > 1 && int64_t(getStride()) < getBytes())
    return emitOpError() << "expected copies that do not overlap, got a stride of "
                         << int64_t(getStride()) << " for " << getBytes() << " bytes";
  int64_t offset = getOffset();
  if (offset < 0 || offset % bufferAlignment != 0)
    return emitOpError() << "expected an offset that is a multiple of " << bufferAlignment
                         << " bytes, got " << offset;
  if (getValue().has_value() != (getSpace() == Space::Constant))
    return emitOpError() << "expected a value in constant buffers and only there, got "
                         << (getValue() ? "one" : "none") << " in space \""
                         << stringifySpace(getSpace()) << "\"";
  if (getValue() && bytesOf(getValue()->getShapedType()) != getBytes())
    return emitOpError() << "expected a value of " << getBytes() << " bytes, got "
                         << bytesOf(getValue()->getShapedType());
  return success();
}

// T3: a view lies inside its source.
LogicalResult ViewOp::verify() {
  int64_t begin = getOffset(), bytes = bytesOf(cast<ShapedType>(getType()));
  int64_t available = bytesOf(cast<ShapedType>(getSource().getType()));
  if (begin < 0 || begin > available - bytes)
    return emitOpError() << "expected a part of the " << available << " bytes of the source, got "
                         << bytes << " bytes from " << begin << " on";
  return success();
}

/// Returns the bytes of a space of the program.
static int64_t spaceBytes(ProgramOp program, Space space) {
  switch (space) {
  case Space::Persistent:
    return program.getPersistentBytes();
  case Space::Temporary:
    return program.getTemporaryBytes();
  case Space::Constant:
    return program.getConstantBytes();
  case Space::Input:
    return program.getInputBytes();
  }
  llvm_unreachable("every space is listed");
}

/// Verifies T5: each event is signaled by at most one instruction.
static LogicalResult verifyEvents(ProgramOp program) {
  std::map<int32_t, Operation *> signaler; // any number may be an event, so no DenseMap
  auto result = program.walk([&](InstructionOpInterface instruction) -> WalkResult {
    for (int32_t event : instruction.getSignals()) {
      auto [it, isNew] = signaler.try_emplace(event, instruction);
      if (isNew)
        continue;
      InFlightDiagnostic error = instruction->emitOpError()
                                 << "expected one instruction to signal event " << event
                                 << ", got two";
      error.attachNote(it->second->getLoc()) << "the other one";
      return error;
    }
    return success();
  });
  return failure(result.wasInterrupted());
}

/// Verifies T18: a fused collective has the same kind, stream, groups, reduction and element type
/// as the instruction before it.
static LogicalResult verifyFused(ProgramOp program) {
  auto areAlike = [](Operation *a, Operation *b) {
    auto elementOf = [](Operation *op) {
      return cast<ShapedType>(op->getOperand(0).getType()).getElementType();
    };
    auto isCollective = [](Operation *op) {
      return op->hasAttr("groups") && op->getNumOperands() > 0;
    };
    return isCollective(a) && a->getName() == b->getName() && elementOf(a) == elementOf(b) &&
           llvm::all_of(ArrayRef<StringRef>{"stream", "groups", "reduction"},
                        [&](StringRef name) { return a->getAttr(name) == b->getAttr(name); });
  };
  auto result = program.walk([&](InstructionOpInterface instruction) -> WalkResult {
    Operation *before = instruction->getPrevNode();
    if (!instruction->hasAttr(fusedAttrName) || (before && areAlike(before, instruction)))
      return success();
    return instruction->emitOpError() << "expected a collective of the same kind, stream, groups, "
                                         "reduction and type before what is fused";
  });
  return failure(result.wasInterrupted());
}

// T4: buffers lie inside their space. T6: actions name sections of the program. T17: a section that
// stands for the last run of another names a section of the program.
LogicalResult ProgramOp::verifyRegions() {
  for (Operation &op : getBody().front()) {
    if (auto buffer = dyn_cast<BufferOp>(op)) {
      int64_t size = spaceBytes(*this, buffer.getSpace());
      int64_t offset = buffer.getOffset(), bytes = buffer.getRingBytes();
      if (offset > size - bytes)
        return buffer.emitOpError() << "expected a range inside the " << size
                                    << " bytes of space \"" << stringifySpace(buffer.getSpace())
                                    << "\", got " << bytes << " bytes from " << offset << " on";
    }
    auto isSection = [&](FlatSymbolRefAttr name) {
      return isa_and_nonnull<SectionOp>(mlir::SymbolTable::lookupSymbolIn(*this, name));
    };
    if (auto action = dyn_cast<ActionOp>(op); action && !isSection(action.getSectionAttr()))
      return action.emitOpError() << "expected a section of the program, got "
                                  << action.getSectionAttr();
    if (auto section = dyn_cast<SectionOp>(op))
      if (FlatSymbolRefAttr other = section.getLastOfAttr();
          other && (!isSection(other) || other.getAttr() == section.getSymNameAttr()))
        return section.emitOpError()
               << "expected \"last_of\" to be another section of the program, got " << other;
  }
  return success(succeeded(verifyEvents(*this)) && succeeded(verifyFused(*this)));
}

// T8: both sides have the same number of bytes.
LogicalResult CopyOp::verify() {
  int64_t source = bytesOf(cast<ShapedType>(getSource().getType()));
  int64_t destination = bytesOf(cast<ShapedType>(getDestination().getType()));
  if (source != destination)
    return emitOpError() << "expected buffers of equal size, got " << source << " and "
                         << destination << " bytes";
  return success();
}

// T9: an accumulator is f64 for sources of f64, else f32, and has the source's number of elements.
LogicalResult AccumulateOp::verify() {
  auto source = cast<ShapedType>(getSource().getType());
  auto destination = cast<ShapedType>(getDestination().getType());
  Type sum =
      source.getElementType().isF64() ? source.getElementType() : Float32Type::get(getContext());
  if (destination.getElementType() != sum)
    return emitOpError() << "expected an accumulator of " << sum << ", got "
                         << destination.getElementType();
  if (source.getNumElements() != destination.getNumElements())
    return emitOpError() << "expected an accumulator of " << source.getNumElements()
                         << " elements, got " << destination.getNumElements();
  return success();
}
