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
    : sections(sections), positions(sections.size()) {
  for (auto slot : step.getBody().front().getOps<pipe::SlotOp>())
    for (auto [index, section] : llvm::enumerate(sections))
      if (section.function.getName() == slot.getSection()) {
        positions[index][slot.getNumber()] = int64_t(slots.size());
        slots.push_back({unsigned(index), slot.getNumber()});
        break;
      }
  for (unsigned section = 0; section < sections.size(); ++section)
    addValues(section);
}

std::optional<unsigned> Rings::frameOf(Value value) const {
  auto found = frameNumbers.find(value);
  return found == frameNumbers.end() ? std::nullopt : std::optional(found->second);
}

void Rings::addReaders(RoleAttr role, Readers &readers) {
  for (auto [index, section] : llvm::enumerate(sections))
    for (BlockArgument argument : section.function.getArguments()) {
      if (section.getArgumentRole(argument.getArgNumber()) != role)
        continue;
      readers.sections.push_back(index);
      readers.sent |= llvm::any_of(section.function.getOps<pipe::SendOp>(), [&](pipe::SendOp send) {
        return facts::viewRoot(send.getInput()) == argument;
      });
      for (auto [result, value] : llvm::enumerate(section.getReturned()))
        if (RoleAttr passedOn = section.getResultRole(result);
            facts::viewRoot(value) == argument && passedOn && passedOn != role)
          addReaders(passedOn, readers);
    }
}

std::vector<Life> Rings::livesOf(unsigned section, ArrayRef<unsigned> readers) const {
  std::vector<Life> lives;
  for (auto [number, first] : positions[section]) {
    Life life{number, first, first};
    for (unsigned reader : readers)
      if (auto slot = positions[reader].find(number); slot != positions[reader].end())
        life.last = std::max(life.last, slot->second);
    lives.push_back(life);
  }
  return lives;
}

/// Whether `a`, which comes first in the list of sections, comes before `b` for each number.
bool Rings::keepOrder(unsigned a, unsigned b) const {
  return llvm::all_of(positions[a], [&](const auto &slot) {
    auto other = positions[b].find(slot.first);
    return other == positions[b].end() || slot.second < other->second;
  });
}

void Rings::findInside(FrameRing &frame) const {
  auto isWithin = [&](unsigned section) {
    return positions[section].size() == frame.lives.size() &&
           llvm::all_of(frame.lives, [&](const Life &life) {
             auto slot = positions[section].find(life.number);
             return slot != positions[section].end() && life.first <= slot->second &&
                    slot->second <= life.last;
           });
  };
  SmallVector<unsigned> within;
  for (unsigned section = 0; section < sections.size(); ++section)
    if (isWithin(section))
      within.push_back(section);
  for (unsigned section : within)
    if (llvm::all_of(within, [&](unsigned other) {
          return other == section || keepOrder(std::min(section, other), std::max(section, other));
        }))
      frame.inside.insert(section);
}

unsigned Rings::frameFor(unsigned section, std::vector<Life> lives) {
  for (auto [number, frame] : llvm::enumerate(frames))
    if (frame.maker == section && frame.lives == lives)
      return number;
  FrameRing &frame = frames.emplace_back();
  frame.maker = section;
  frame.copies = leastCopies(lives);
  frame.lives = std::move(lives);
  findInside(frame);
  return frames.size() - 1;
}

/// What messages touch has a place of its own even where there is one copy.
void Rings::addValues(unsigned index) {
  facts::Section &section = sections[index];
  int64_t most = section.runs;
  llvm::MapVector<Value, Readers> readersOf;
  for (auto [result, value] : llvm::enumerate(section.getReturned()))
    if (RoleAttr role = section.getResultRole(result);
        role && role.getKind() == RoleKind::Saved && section.runs > 1)
      addReaders(role, readersOf[facts::viewRoot(value)]);
  for (pipe::RecvOp recv : section.function.getOps<pipe::RecvOp>()) {
    int64_t inUse = leastCopies(livesOf(index, readersOf[recv.getResult()].sections));
    copies[recv.getResult()] = std::min(inUse + 1, most);
  }
  for (auto send : section.function.getOps<pipe::SendOp>()) {
    Value value = facts::viewRoot(send.getInput());
    auto sent = send->getAttrOfType<IntegerAttr>(copiesAttrName);
    int64_t inUse = leastCopies(livesOf(index, readersOf[value].sections));
    copies[value] = std::max({copies[value], inUse, sent ? std::min(sent.getInt(), most) : 1});
  }
  for (auto &[value, readers] : readersOf) {
    std::vector<Life> lives = livesOf(index, readers.sections);
    if (readers.sent)
      copies[value] = std::max(copies[value], leastCopies(lives));
    else if (!copies.contains(value))
      frameNumbers[value] = frameFor(index, std::move(lives));
  }
}

} // namespace pcc::schedule
