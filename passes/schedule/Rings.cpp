// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/Rings.h"

#include "passes/facts/Kernels.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::schedule {

int64_t leastCopies(ArrayRef<Life> lives) {
  SmallVector<Life> sorted(lives);
  llvm::sort(sorted, [](const Life &a, const Life &b) { return a.first < b.first; });
  auto fits = [&](int64_t copies) {
    std::vector<int64_t> busyUntil(copies, -1);
    for (const Life &life : sorted) {
      int64_t &until = busyUntil[life.number % copies];
      if (until >= life.first)
        return false;
      until = life.last;
    }
    return true;
  };
  int64_t copies = 1;
  while (!fits(copies)) // ends where each has its own
    ++copies;
  return copies;
}

Rings::Rings(pipe::StepOp step, MutableArrayRef<facts::Section> sections)
    : sections(sections), slots(sections.size()) {
  int64_t position = 0;
  for (auto slot : step.getBody().front().getOps<pipe::SlotOp>()) {
    for (auto [index, section] : llvm::enumerate(sections))
      if (section.function.getName() == slot.getSection())
        slots[index][slot.getNumber()] = position;
    ++position;
  }
  for (unsigned section = 0; section < sections.size(); ++section)
    addValues(section);
}

void Rings::addReaders(RoleAttr role, SmallVectorImpl<unsigned> &readers) {
  for (auto [index, section] : llvm::enumerate(sections))
    for (BlockArgument argument : section.function.getArguments()) {
      if (section.getArgumentRole(argument.getArgNumber()) != role)
        continue;
      readers.push_back(index);
      for (auto [result, value] : llvm::enumerate(section.getReturned()))
        if (RoleAttr passedOn = section.getResultRole(result);
            facts::viewRoot(value) == argument && passedOn && passedOn != role)
          addReaders(passedOn, readers);
    }
}

int64_t Rings::copiesFor(unsigned section, ArrayRef<unsigned> readers) {
  std::vector<unsigned> sorted(readers);
  llvm::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  int64_t &result = known[{section, sorted}];
  if (result > 0)
    return result;
  SmallVector<Life> lives;
  for (auto [number, first] : slots[section]) {
    Life life{number, first, first};
    for (unsigned reader : sorted)
      if (auto slot = slots[reader].find(number); slot != slots[reader].end())
        life.last = std::max(life.last, slot->second);
    lives.push_back(life);
  }
  return result = leastCopies(lives);
}

/// What messages touch has a place of its own even where there is one copy.
void Rings::addValues(unsigned index) {
  facts::Section &section = sections[index];
  int64_t most = section.runs;
  llvm::MapVector<Value, SmallVector<unsigned>> readersOf;
  for (auto [result, value] : llvm::enumerate(section.getReturned()))
    if (RoleAttr role = section.getResultRole(result);
        role && role.getKind() == RoleKind::Saved && section.runs > 1)
      addReaders(role, readersOf[facts::viewRoot(value)]);
  auto received = section.function.getOps<pipe::RecvOp>();
  for (pipe::RecvOp recv : received)
    readersOf[recv.getResult()];
  for (auto &[value, readers] : readersOf)
    copies[value] = copiesFor(index, readers);
  for (pipe::RecvOp recv : received)
    copies[recv.getResult()] = std::min(copies[recv.getResult()] + 1, most);
  for (auto send : section.function.getOps<pipe::SendOp>()) {
    auto sent = send->getAttrOfType<IntegerAttr>(copiesAttrName);
    int64_t &known = copies[facts::viewRoot(send.getInput())];
    known = std::max(known, sent ? std::min(sent.getInt(), most) : 1);
  }
}

} // namespace pcc::schedule
