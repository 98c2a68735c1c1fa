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
  while (!fits(copies)) // ends at the latest when each number has its own entry
    ++copies;
  return copies;
}

Rings::Rings(pipe::StepOp step, MutableArrayRef<facts::Section> sections)
    : sections(sections), positions(sections.size()) {
  for (auto slot : step.getBody().front().getOps<pipe::ActionOp>())
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
      llvm::copy_if(
          section.function.getOps<pipe::SendOp>(), std::back_inserter(readers.sends),
          [&](pipe::SendOp send) { return facts::viewRoot(send.getInput()) == argument; });
      for (auto [result, value] : llvm::enumerate(section.getReturned()))
        if (RoleAttr passedOn = section.getResultRole(result);
            facts::viewRoot(value) == argument && passedOn && passedOn != role)
          addReaders(passedOn, readers);
    }
}

/// Returns the last action during which the message of this number may be in flight; -1 if it is
/// not in a ring.
static int64_t inFlightUntil(pipe::SendOp send, int64_t number) {
  auto until = send->getAttrOfType<DenseI64ArrayAttr>(inFlightAttrName);
  return until && number < until.size() ? until[number] : -1;
}

std::vector<Life> Rings::livesOf(unsigned section, const Readers &readers) const {
  std::vector<Life> lives;
  for (auto [number, first] : positions[section]) {
    Life life{number, first, first};
    for (unsigned reader : readers.sections)
      if (auto slot = positions[reader].find(number); slot != positions[reader].end())
        life.last = std::max(life.last, slot->second);
    for (pipe::SendOp send : readers.sends)
      life.last = std::max(life.last, inFlightUntil(send, number));
    lives.push_back(life);
  }
  return lives;
}

/// Whether section `a` precedes section `b` for each number.
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

/// Assigns rings to the values of a section. Sent and received values get a ring even at depth 1.
void Rings::addValues(unsigned index) {
  facts::Section &section = sections[index];
  llvm::MapVector<Value, Readers> readersOf;
  for (auto [result, value] : llvm::enumerate(section.getReturned()))
    if (RoleAttr role = section.getResultRole(result);
        role && role.getKind() == RoleKind::Saved && section.runs > 1)
      addReaders(role, readersOf[facts::viewRoot(value)]);
  for (auto send : section.function.getOps<pipe::SendOp>())
    readersOf[facts::viewRoot(send.getInput())].sends.push_back(send);
  for (pipe::RecvOp recv : section.function.getOps<pipe::RecvOp>()) {
    int64_t inUse = leastCopies(livesOf(index, readersOf[recv.getResult()]));
    copies[recv.getResult()] = std::min(inUse + 1, section.runs);
  }
  for (auto &[value, readers] : readersOf) {
    std::vector<Life> lives = livesOf(index, readers);
    if (!readers.sends.empty())
      copies[value] = std::max(copies[value], leastCopies(lives));
    else if (!copies.contains(value))
      frameNumbers[value] = frameFor(index, std::move(lives));
  }
}

} // namespace pcc::schedule
