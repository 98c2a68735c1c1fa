// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events between records. A collective waits for the last record of the compute lane before it in
// the list and for the collectives in flight whose results it reads or whose buffers it writes; a
// record of the compute lane for every collective that has touched one of its buffers since it last
// waited. Who waits for a collective knows what that one has waited for. A section of several slots
// ends with nothing in flight: the next slot begins with records that ran before it in the list,
// and cannot wait for an event that the first slot signals later.
#include "passes/lower/Program.h"

#include "llvm/ADT/SmallPtrSet.h"
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

static bool touchSameBytes(ValueRange a, ValueRange b) {
  for (Value x : a)
    for (Value y : b) {
      auto [spaceX, fromX, toX] = rangeOf(x);
      auto [spaceY, fromY, toY] = rangeOf(y);
      if (spaceX == spaceY && fromX < toY && fromY < toX)
        return true;
    }
  return false;
}

/// What a collective writes: its last buffer.
static ValueRange writtenBy(Operation *collective) {
  if (isa<SendOp>(collective))
    return {};
  return collective->getOperands().take_back(1);
}

/// True if one of two records may begin only when the other, a collective, is done.
static bool mustWait(Operation *record, Operation *collective) {
  bool isCompute = cast<RecordOpInterface>(record).getLane() == Lane::Compute;
  if (isCompute)
    return touchSameBytes(record->getOperands(), collective->getOperands());
  return touchSameBytes(writtenBy(record), collective->getOperands()) ||
         touchSameBytes(record->getOperands(), writtenBy(collective));
}

namespace {
class EventAssigner {
public:
  void visit(Operation *record) {
    llvm::SmallPtrSet<Operation *, 8> done = waitForCollectives(record);
    if (cast<RecordOpInterface>(record).getLane() == Lane::Compute) {
      llvm::erase_if(inFlight, [&](Operation *collective) { return done.contains(collective); });
      lastCompute = record;
      return;
    }
    if (lastCompute)
      wait(record, lastCompute);
    inFlight.push_back(record);
    doneBefore[record] = std::move(done);
  }
  /// Ends a section that runs again: nothing of it may run beside the next slot. The last record of
  /// the compute lane waits for the collectives before it, so that a send does not keep its rank
  /// from the receive that others wait for; what comes behind it is done at once.
  void finishInFlight() {
    for (Operation *collective : inFlight) {
      bool isBefore = lastCompute && lastCompute->getBlock() == collective->getBlock() &&
                      collective->isBeforeInBlock(lastCompute);
      if (isBefore)
        wait(lastCompute, collective);
      else
        collective->setAttr("lane", LaneAttr::get(collective->getContext(), Lane::Compute));
    }
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
  /// Returns those in flight that are done when `record` begins. The latest come first, for they
  /// know of others.
  llvm::SmallPtrSet<Operation *, 8> waitForCollectives(Operation *record) {
    llvm::SmallPtrSet<Operation *, 8> done;
    for (Operation *collective : llvm::reverse(inFlight)) {
      if (done.contains(collective) || !mustWait(record, collective))
        continue;
      wait(record, collective);
      done.insert(collective);
      done.insert_range(doneBefore[collective]);
    }
    return done;
  }

  void wait(Operation *record, Operation *forRecord) {
    auto [it, isNew] = signals.try_emplace(forRecord, int32_t(signals.size()));
    waits[record].push_back(it->second);
  }

  SmallVector<Operation *> inFlight; ///< collectives that the compute lane has not waited for
  /// Of a collective: those in flight that are done when it begins.
  llvm::DenseMap<Operation *, llvm::SmallPtrSet<Operation *, 8>> doneBefore;
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
