// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/MemoryReplay.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::PlaceAttr;

namespace pcc::schedule {

uint32_t MemoryReplay::make(Value value, int64_t number, uint32_t reducedFrom) {
  versions.push_back({value, number, reducedFrom});
  return uint32_t(versions.size() - 1);
}

/// Resets memory to its state before a step or a section outside it: only persistent values.
void MemoryReplay::begin() {
  bytes = {};
  versions.assign(1, {});
  sums.assign(placed.sums.size(), {});
  left.clear();
  kept.clear();
  begun.clear();
  for (const auto &[role, value] : placed.kept) {
    kept[role] = make(value.value, /*number=*/0);
    bytes.write(getSpan(value.place, value.bytes, 0), kept[role]);
  }
}

void MemoryReplay::describe(Diagnostic &diagnostic, uint32_t version) const {
  if (version == 0) {
    diagnostic << "nothing of this run";
    return;
  }
  const Version &held = versions[version];
  if (auto result = dyn_cast_or_null<OpResult>(held.value))
    diagnostic << "result " << result.getResultNumber() << " of '" << result.getOwner()->getName()
               << "'";
  else if (auto argument = dyn_cast_or_null<BlockArgument>(held.value))
    diagnostic << "argument " << argument.getArgNumber();
  else
    diagnostic << "a constant";
  diagnostic << " of number " << held.number;
}

LogicalResult MemoryReplay::expect(Operation *reader, const Slot &slot, const ByteSpan &span,
                                   uint32_t version) {
  std::optional<HeldBytes::Held> other = bytes.findOther(span, version);
  if (!other)
    return success();
  InFlightDiagnostic error = reader->emitError();
  error << "in the slot of number " << slot.number << " of \""
        << placed.sections[slot.section].section->function.getName() << "\" expected ";
  describe(*error.getUnderlyingDiagnostic(), version);
  error << " at " << stringifySpace(span.space) << " + " << other->span.begin << ", got ";
  describe(*error.getUnderlyingDiagnostic(), other->value);
  if (Value value = versions[other->value].value)
    error.attachNote(value.getLoc()) << "that is made here";
  return error;
}

LogicalResult MemoryReplay::expectValue(Operation *reader, const Slot &slot, unsigned value,
                                        const Versions &own) {
  const PlacedValue &from = valueAt(slot, value);
  return expect(reader, slot, getSpan(from.place, from.bytes, slot.number), own[value]);
}

/// Returns the version of an argument's source; 0: not computed yet.
uint32_t MemoryReplay::findArgument(const Slot &slot, unsigned argument) {
  facts::Section &section = *placed.sections[slot.section].section;
  RoleAttr role = section.getArgumentRole(argument);
  if (!role)
    return 0;
  const PlacedValue &own = valueAt(slot, argument);
  if (role.getKind() == RoleKind::Input) {
    uint32_t version = make(own.value, slot.number);
    bytes.write(getSpan(own.place, own.bytes, slot.number), version);
    return version;
  }
  if (role.getKind() == RoleKind::Parameter || role.getKind() == RoleKind::Step)
    return kept.lookup(role);
  if (auto sum = placed.sumOfRole.find(role); sum != placed.sumOfRole.end())
    return sums[sum->second].isComplete ? sums[sum->second].version : 0;
  return left.lookup({role, slot.number});
}

void MemoryReplay::publish(const Slot &slot, unsigned value, uint32_t version) {
  for (RoleAttr role : valueAt(slot, value).leftAs)
    left[{role, slot.number}] = version;
}

LogicalResult MemoryReplay::bindArguments(const Slot &slot, Versions &own) {
  facts::Section &section = *placed.sections[slot.section].section;
  for (unsigned argument = 0; argument < section.function.getNumArguments(); ++argument) {
    if (own[argument] == 0)
      own[argument] = findArgument(slot, argument);
    if (own[argument] == 0)
      return section.function.emitError()
             << "argument " << argument << " of \"" << section.function.getName()
             << "\" is not made before the slot of number " << slot.number;
    publish(slot, argument, own[argument]);
  }
  return success();
}

/// Adds a term to a sum. The first term replaces the contents left by the previous step. A term
/// that its instruction accumulates directly is not stored elsewhere.
LogicalResult MemoryReplay::add(const Slot &slot, const PlacedSum &sum, const Versions &own,
                                Operation *op) {
  Sum &state = sums[sum.sum];
  ByteSpan span = getSpan(placed.sums[sum.sum].place, placed.sums[sum.sum].bytes, 0);
  if (state.version != 0 && failed(expect(op, slot, span, state.version)))
    return failure();
  if (sum.value && own[*sum.value] != 0 && failed(expectValue(op, slot, *sum.value, own)))
    return failure();
  Value added = sum.value ? valueAt(slot, *sum.value).value : Value();
  state.version = make(added, slot.number);
  bytes.write(span, state.version);
  state.isComplete = sum.ends && slot.isLast;
  return success();
}

LogicalResult MemoryReplay::write(const Slot &slot, const PlacedKernel &kernel, Versions &own) {
  SmallVector<ByteSpan> spans;
  for (unsigned output : kernel.outputs) {
    if (kernel.ownSum && kernel.ownSum->value == output)
      continue; // the sum's version describes these bytes
    const PlacedValue &to = valueAt(slot, output);
    ByteSpan span = getSpan(to.place, to.bytes, slot.number);
    for (const ByteSpan &other : spans)
      if (span.overlaps(other))
        return kernel.op->emitError() << "writes two results to " << to.place;
    uint32_t reducedFrom = 0;
    for (unsigned input : kernel.inputs) {
      const PlacedValue &from = valueAt(slot, input);
      if (to.place == from.place && kernel.early && kernel.reducesInPlace)
        reducedFrom = own[input];
      else if (to.place != from.place &&
               span.overlaps(getSpan(from.place, from.bytes, slot.number)))
        return kernel.op->emitError()
               << "writes " << to.place << " while it still reads " << from.place;
    }
    spans.push_back(span);
    own[output] = make(to.value, slot.number, reducedFrom);
    bytes.write(span, own[output]);
    publish(slot, output, own[output]);
  }
  return success();
}

/// Replays a matmul whose instruction accumulates into the sum; its inputs must not overlap the
/// sum.
LogicalResult MemoryReplay::addItself(const Slot &slot, const PlacedKernel &kernel,
                                      const Versions &own) {
  const PlacedSections::Sum &sum = placed.sums[kernel.ownSum->sum];
  ByteSpan span = getSpan(sum.place, sum.bytes, 0);
  for (unsigned input : kernel.inputs) {
    const PlacedValue &from = valueAt(slot, input);
    if (span.overlaps(getSpan(from.place, from.bytes, slot.number)))
      return kernel.op->emitError()
             << "writes " << sum.place << " while it still reads " << from.place;
  }
  return add(slot, *kernel.ownSum, own, kernel.op);
}

LogicalResult MemoryReplay::runKernel(const Slot &slot, const PlacedKernel &kernel, Versions &own) {
  for (unsigned input : kernel.inputs) {
    const PlacedValue &from = valueAt(slot, input);
    if (own[input] == 0 && isa<BlockArgument>(from.value))
      own[input] = findArgument(slot, input);
    if (own[input] == 0)
      return kernel.op->emitError() << "reads what is not made yet";
    if (failed(expectValue(kernel.op, slot, input, own)))
      return failure();
  }
  if (kernel.ownSum && failed(addItself(slot, kernel, own)))
    return failure();
  if (failed(write(slot, kernel, own)))
    return failure();
  for (const PlacedSum &sum : kernel.sums)
    if (failed(add(slot, sum, own, kernel.op)))
      return failure();
  return success();
}

/// Replays a hoisted kernel. Other kernels of its section may have run before; no kernel overwrites
/// the section's arguments.
LogicalResult MemoryReplay::runEarly(const PlacedEarly &early) {
  Versions &own = begun[early.section];
  own.resize(placed.sections[early.section].values.size());
  Slot slot{early.section, /*number=*/0, /*isLast=*/true};
  return runKernel(slot, placed.sections[early.section].kernels[early.kernel], own);
}

/// Copies new values to the places of their parameters; all values are read before any is written.
LogicalResult MemoryReplay::setParameters(const Slot &slot, const Versions &own) {
  const PlacedSection &section = placed.sections[slot.section];
  Operation *end = section.section->function.getBody().front().getTerminator();
  SmallVector<std::pair<ByteSpan, uint32_t>> copies;
  for (auto [result, value] : section.results) {
    RoleAttr role = section.section->getResultRole(result);
    auto target = placed.kept.find(role);
    if (!role || target == placed.kept.end())
      continue;
    uint32_t version = value ? own[*value] : make(Value(), slot.number);
    if (value && failed(expectValue(end, slot, *value, own)))
      return failure();
    copies.push_back({getSpan(target->second.place, target->second.bytes, 0), version});
    kept[role] = version;
  }
  for (auto [span, version] : copies)
    bytes.write(span, version);
  return success();
}

/// Replays the kernels of the section and, in its last action, the hoisted kernels between them.
LogicalResult MemoryReplay::runSlot(const Slot &slot) {
  const PlacedSection &section = placed.sections[slot.section];
  Versions own = std::move(begun[slot.section]);
  own.resize(section.values.size());
  if (failed(bindArguments(slot, own)))
    return failure();
  ArrayRef<PlacedEarly> early;
  if (auto found = placed.early.find(section.section->function.getName());
      slot.isLast && found != placed.early.end())
    early = found->second;
  auto runEarlyBehind = [&](int64_t kernel) -> LogicalResult {
    for (; !early.empty(); early = early.drop_front()) {
      const PlacedEarly &next = early.front();
      if (placed.sections[next.section].kernels[next.kernel].early->behind > kernel)
        break;
      if (failed(runEarly(next)))
        return failure();
    }
    return success();
  };
  for (const PlacedSum &sum : section.argumentSums)
    if (failed(add(slot, sum, own, section.section->function)))
      return failure();
  if (failed(runEarlyBehind(-1)))
    return failure();
  for (auto [number, kernel] : llvm::enumerate(section.kernels)) {
    if (!kernel.early && failed(runKernel(slot, kernel, own)))
      return failure();
    if (failed(runEarlyBehind(int64_t(number))))
      return failure();
  }
  return endSlot(slot, own);
}

LogicalResult MemoryReplay::runStep() {
  llvm::StringMap<unsigned> numberOf;
  for (auto [number, section] : llvm::enumerate(placed.sections))
    numberOf[section.section->function.getName()] = number;
  SmallVector<pipe::ActionOp> ops(step.getBody().front().getOps<pipe::ActionOp>());
  SmallVector<Slot> slots;
  std::vector<bool> comesLater(placed.sections.size());
  for (pipe::ActionOp op : llvm::reverse(ops)) {
    unsigned section = numberOf.lookup(op.getSection());
    slots.push_back({section, op.getNumber(), !comesLater[section]});
    comesLater[section] = true;
  }
  for (const Slot &slot : llvm::reverse(slots))
    if (failed(runSlot(slot)))
      return failure();
  return checkParameters(step);
}

/// Checks that the next run finds the persistent values of this run in their places.
LogicalResult MemoryReplay::checkParameters(Operation *end) {
  for (const auto &[role, value] : placed.kept)
    if (failed(expect(end, {}, getSpan(value.place, value.bytes, 0), kept[role])))
      return failure();
  return success();
}

LogicalResult MemoryReplay::run() {
  begin();
  if (step && failed(runStep()))
    return failure();
  for (auto [number, section] : llvm::enumerate(placed.sections)) {
    if (section.section->runs > 0)
      continue;
    begin();
    if (failed(runSlot({unsigned(number), /*number=*/0, /*isLast=*/true})) ||
        failed(checkParameters(section.section->function)))
      return failure();
  }
  return success();
}

} // namespace pcc::schedule
