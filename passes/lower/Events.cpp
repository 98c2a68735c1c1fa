// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events between lanes. A collective waits for the last record of the compute lane before it in the
// list, a record of the compute lane for every collective that has touched one of its buffers since
// it last waited; on one lane, order is enough. A collective that is still in flight at the end of
// a section of several slots moves to the compute lane: the next slot begins with records that ran
// before it in the list, and cannot wait for an event that the first slot signals later.
#include "passes/lower/Program.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace pcc::task;

namespace pcc::lower {

/// The part of a space that a buffer operand is.
static std::tuple<Space, int64_t, int64_t> rangeOf(Value value) {
  int64_t offset = 0, bytes = bytesOf(cast<ShapedType>(value.getType()));
  while (auto view = value.getDefiningOp<ViewOp>()) {
    offset += view.getOffset();
    value = view.getSource();
  }
  auto buffer = value.getDefiningOp<BufferOp>();
  offset += buffer.getOffset();
  return {buffer.getSpace(), offset, offset + bytes};
}

static bool touchSameBytes(Operation *a, Operation *b) {
  for (Value x : a->getOperands())
    for (Value y : b->getOperands()) {
      auto [spaceX, fromX, toX] = rangeOf(x);
      auto [spaceY, fromY, toY] = rangeOf(y);
      if (spaceX == spaceY && fromX < toY && fromY < toX)
        return true;
    }
  return false;
}

namespace {
class EventAssigner {
public:
  void visit(Operation *record) {
    if (cast<RecordOpInterface>(record).getLane() == Lane::Compute) {
      SmallVector<Operation *> open;
      for (Operation *collective : inFlight) {
        if (touchSameBytes(record, collective))
          wait(record, collective);
        else
          open.push_back(collective);
      }
      inFlight = open;
      lastCompute = record;
      return;
    }
    if (lastCompute)
      wait(record, lastCompute);
    inFlight.push_back(record);
  }
  /// Ends a section that runs again: nothing of it may run beside the next slot.
  void finishInFlight() {
    for (Operation *collective : inFlight)
      collective->setAttr("lane", LaneAttr::get(collective->getContext(), Lane::Compute));
    inFlight.clear();
  }
  /// Forgets what came before: nothing of it runs beside what follows.
  void restart() {
    inFlight.clear();
    lastCompute = nullptr;
  }
  void finish(OpBuilder &b) {
    for (auto &[record, events] : waits)
      record->setAttr("waits", b.getDenseI32ArrayAttr(events));
    for (auto [record, event] : signals)
      record->setAttr("signals", b.getDenseI32ArrayAttr(event));
  }

private:
  void wait(Operation *record, Operation *forRecord) {
    auto [it, isNew] = signals.try_emplace(forRecord, int32_t(signals.size()));
    waits[record].push_back(it->second);
  }

  SmallVector<Operation *> inFlight; ///< collectives that no record has waited for
  Operation *lastCompute = nullptr;
  llvm::MapVector<Operation *, SmallVector<int32_t>> waits;
  llvm::MapVector<Operation *, int32_t> signals;
};
} // namespace

void assignEvents(ProgramOp program) {
  EventAssigner assigner;
  llvm::StringMap<int64_t> slotsOf;
  for (auto slot : program.getBody().front().getOps<SlotOp>())
    ++slotsOf[slot.getSection()];
  for (auto section : program.getBody().front().getOps<SectionOp>()) {
    int64_t slots = slotsOf.lookup(section.getSymName());
    if (slots == 0)
      assigner.restart();
    for (Operation &record : section.getBody().front())
      assigner.visit(&record);
    if (slots > 1)
      assigner.finishInFlight();
  }
  OpBuilder b(program.getContext());
  assigner.finish(b);
}

} // namespace pcc::lower
