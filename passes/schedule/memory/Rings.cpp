// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives the interval of each value per number from the positions of actions. Finds the smallest
// depth by trying 1, 2, … with a sweep over the intervals. Values of equal intervals share a frame.
#include "passes/schedule/memory/Rings.h"

#include "passes/analysis/kernels/Kernels.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::schedule {

int64_t minDepth(ArrayRef<UseInterval> intervals) {
  SmallVector<UseInterval> sorted(intervals);
  llvm::sort(sorted, [](const UseInterval &a, const UseInterval &b) { return a.first < b.first; });
  auto fits = [&](int64_t depth) {
    std::vector<int64_t> busyUntil(depth, -1);
    for (const UseInterval &interval : sorted) {
      int64_t &until = busyUntil[interval.number % depth];
      if (until >= interval.first)
        return false;
      until = interval.last;
    }
    return true;
  };
  int64_t depth = 1;
  while (!fits(depth)) // ends at the latest when each number has its own entry
    ++depth;
  return depth;
}

Rings::Rings(pipe::StepOp step, MutableArrayRef<analysis::Section> sections)
    : sections(sections), positions(sections.size()) {
  for (auto action : step.getBody().front().getOps<pipe::ActionOp>())
    for (auto [index, section] : llvm::enumerate(sections))
      if (section.function.getName() == action.getSection()) {
        positions[index][action.getNumber()] = int64_t(actions.size());
        actions.push_back({unsigned(index), action.getNumber()});
        break;
      }
  findArguments();
  for (unsigned section = 0; section < sections.size(); ++section)
    addValues(section);
}

std::optional<unsigned> Rings::frameOf(Value value) const {
  auto found = frameNumbers.find(value);
  return found == frameNumbers.end() ? std::nullopt : std::optional(found->second);
}

void Rings::findArguments() {
  for (auto [index, section] : llvm::enumerate(sections)) {
    llvm::DenseMap<Value, Argument> ofValue;
    for (auto send : section.function.getOps<pipe::SendOp>())
      ofValue[analysis::viewRoot(send.getInput())].sends.push_back(send);
    for (auto [result, value] : llvm::enumerate(section.getReturned()))
      if (RoleAttr role = section.getResultRole(result))
        ofValue[analysis::viewRoot(value)].passedOn.push_back(role);
    for (BlockArgument value : section.function.getArguments())
      if (RoleAttr role = section.getArgumentRole(value.getArgNumber())) {
        Argument argument = ofValue.lookup(value);
        argument.section = unsigned(index);
        arguments[role].push_back(std::move(argument));
      }
  }
}

void Rings::addReaders(RoleAttr saved, Readers &readers) const {
  llvm::SetVector<RoleAttr> roles; // sections may pass the activation on in a circle
  roles.insert(saved);
  for (size_t next = 0; next < roles.size(); ++next) {
    auto found = arguments.find(roles[next]);
    if (found == arguments.end())
      continue;
    for (const Argument &argument : found->second) {
      readers.sections.push_back(argument.section);
      llvm::append_range(readers.sends, argument.sends);
      roles.insert(argument.passedOn.begin(), argument.passedOn.end());
    }
  }
}

/// Returns the last action during which the message of this number may be in flight; -1 if it is
/// not in a ring.
static int64_t inFlightUntil(pipe::SendOp send, int64_t number) {
  auto until = send->getAttrOfType<DenseI64ArrayAttr>(inFlightAttrName);
  return until && number < until.size() ? until[number] : -1;
}

std::vector<UseInterval> Rings::intervalsOf(unsigned section, const Readers &readers) const {
  std::vector<UseInterval> intervals;
  for (auto [number, first] : positions[section]) {
    UseInterval interval{number, first, first};
    for (unsigned reader : readers.sections)
      if (auto action = positions[reader].find(number); action != positions[reader].end())
        interval.last = std::max(interval.last, action->second);
    for (pipe::SendOp send : readers.sends)
      interval.last = std::max(interval.last, inFlightUntil(send, number));
    intervals.push_back(interval);
  }
  return intervals;
}

/// Whether section `a` precedes section `b` for each number.
bool Rings::keepOrder(unsigned a, unsigned b) const {
  return llvm::all_of(positions[a], [&](const auto &action) {
    auto other = positions[b].find(action.first);
    return other == positions[b].end() || action.second < other->second;
  });
}

void Rings::findInside(FrameRing &frame) const {
  auto isWithin = [&](unsigned section) {
    return positions[section].size() == frame.intervals.size() &&
           llvm::all_of(frame.intervals, [&](const UseInterval &interval) {
             auto action = positions[section].find(interval.number);
             return action != positions[section].end() && interval.first <= action->second &&
                    action->second <= interval.last;
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

unsigned Rings::frameFor(unsigned section, std::vector<UseInterval> intervals) {
  for (auto [number, frame] : llvm::enumerate(frames))
    if (frame.maker == section && frame.intervals == intervals)
      return number;
  FrameRing &frame = frames.emplace_back();
  frame.maker = section;
  frame.depth = minDepth(intervals);
  frame.intervals = std::move(intervals);
  findInside(frame);
  return frames.size() - 1;
}

/// Assigns rings to the values of a section. Sent and received values get a ring even at depth 1.
void Rings::addValues(unsigned index) {
  analysis::Section &section = sections[index];
  llvm::MapVector<Value, Readers> readersOf;
  for (auto [result, value] : llvm::enumerate(section.getReturned()))
    if (RoleAttr role = section.getResultRole(result);
        role && role.getKind() == RoleKind::Saved && section.runs > 1)
      addReaders(role, readersOf[analysis::viewRoot(value)]);
  for (auto send : section.function.getOps<pipe::SendOp>())
    readersOf[analysis::viewRoot(send.getInput())].sends.push_back(send);
  for (pipe::RecvOp recv : section.function.getOps<pipe::RecvOp>()) {
    int64_t inUse = minDepth(intervalsOf(index, readersOf[recv.getResult()]));
    depth[recv.getResult()] = std::min(inUse + 1, section.runs);
  }
  for (auto &[value, readers] : readersOf) {
    std::vector<UseInterval> intervals = intervalsOf(index, readers);
    if (!readers.sends.empty())
      depth[value] = std::max(depth[value], minDepth(intervals));
    else if (!depth.contains(value))
      frameNumbers[value] = frameFor(index, std::move(intervals));
  }
}

} // namespace pcc::schedule
