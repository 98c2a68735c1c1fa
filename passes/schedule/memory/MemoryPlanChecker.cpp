// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives each value in each action a version number, and writes the number to the bytes of its
// place. A read must find its version in all of its bytes. Sums, parameters and in-place reductions
// replace the version at their place.
#include "passes/schedule/memory/MemoryPlanChecker.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::PlaceAttr;

namespace pcc::schedule {

uint32_t MemoryPlanChecker::make(Value value, int64_t number, uint32_t reducedFrom) {
  versions.push_back({value, number, reducedFrom});
  return uint32_t(versions.size() - 1);
}

/// Resets memory to its state before a step or a section outside it: only persistent values.
void MemoryPlanChecker::begin() {
  bytes = {};
  versions.assign(1, {});
  sums.assign(placed.sums.size(), {});
  returned.clear();
  persistent.clear();
  begun.clear();
  for (const auto &[role, value] : placed.persistent) {
    persistent[role] = make(value.value, /*number=*/0);
    bytes.write(getSpan(value.place, value.bytes, 0), persistent[role]);
  }
}

void MemoryPlanChecker::describe(Diagnostic &diagnostic, uint32_t version) const {
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

LogicalResult MemoryPlanChecker::expectDuring(const Action *action, Operation *reader,
                                              const ByteSpan &span, uint32_t version) {
  std::optional<MemoryContents::Held> other = bytes.findOther(span, version);
  if (!other)
    return success();
  InFlightDiagnostic error = reader->emitError();
  if (action)
    error << "in the action of number " << action->number << " of \""
          << placed.sections[action->section].section->function.getName() << "\"";
  else if (auto function = dyn_cast<func::FuncOp>(reader))
    error << "at the end of \"" << function.getName() << "\"";
  else
    error << "at the end of the step";
  error << " expected ";
  describe(*error.getUnderlyingDiagnostic(), version);
  error << " at " << stringifySpace(span.space) << " + " << other->span.begin << ", got ";
  describe(*error.getUnderlyingDiagnostic(), other->value);
  if (Value value = versions[other->value].value)
    error.attachNote(value.getLoc()) << "that is made here";
  return error;
}

LogicalResult MemoryPlanChecker::expectValue(Operation *reader, const Action &action,
                                             unsigned value, const Versions &own) {
  const PlacedValue &from = valueAt(action, value);
  return expect(reader, action, getSpan(from.place, from.bytes, action.number), own[value]);
}

/// Returns the version of an argument's source; 0: not computed yet.
uint32_t MemoryPlanChecker::findArgument(const Action &action, unsigned argument) {
  analysis::Section &section = *placed.sections[action.section].section;
  RoleAttr role = section.getArgumentRole(argument);
  if (!role)
    return 0;
  const PlacedValue &own = valueAt(action, argument);
  if (role.getKind() == RoleKind::Input) {
    uint32_t version = make(own.value, action.number);
    bytes.write(getSpan(own.place, own.bytes, action.number), version);
    return version;
  }
  if (role.getKind() == RoleKind::Parameter || role.getKind() == RoleKind::Step)
    return persistent.lookup(role);
  if (auto sum = placed.sumOfRole.find(role); sum != placed.sumOfRole.end())
    return sums[sum->second].isComplete ? sums[sum->second].version : 0;
  return returned.lookup({role, action.number});
}

void MemoryPlanChecker::publish(const Action &action, unsigned value, uint32_t version) {
  for (RoleAttr role : valueAt(action, value).returnedAs)
    returned[{role, action.number}] = version;
}

LogicalResult MemoryPlanChecker::bindArguments(const Action &action, Versions &own) {
  analysis::Section &section = *placed.sections[action.section].section;
  for (unsigned argument = 0; argument < section.function.getNumArguments(); ++argument) {
    if (own[argument] == 0)
      own[argument] = findArgument(action, argument);
    if (own[argument] == 0)
      return section.function.emitError()
             << "argument " << argument << " of \"" << section.function.getName()
             << "\" is not made before the action of number " << action.number;
    publish(action, argument, own[argument]);
  }
  return success();
}

/// Adds a term to a sum. The first term replaces the contents left by the previous step. A term
/// that its instruction accumulates directly is not stored elsewhere.
LogicalResult MemoryPlanChecker::add(const Action &action, const PlacedSum &sum,
                                     const Versions &own, Operation *op) {
  Sum &state = sums[sum.sum];
  ByteSpan span = getSpan(placed.sums[sum.sum].place, placed.sums[sum.sum].bytes, 0);
  if (state.version != 0 && failed(expect(op, action, span, state.version)))
    return failure();
  if (sum.value && own[*sum.value] != 0 && failed(expectValue(op, action, *sum.value, own)))
    return failure();
  Value added = sum.value ? valueAt(action, *sum.value).value : Value();
  state.version = make(added, action.number);
  bytes.write(span, state.version);
  state.isComplete = sum.ends && action.isLast;
  return success();
}

LogicalResult MemoryPlanChecker::write(const Action &action, const PlacedKernel &kernel,
                                       Versions &own) {
  SmallVector<ByteSpan> spans;
  for (unsigned output : kernel.outputs) {
    if (kernel.ownSum && kernel.ownSum->value == output)
      continue; // the sum's version describes these bytes
    const PlacedValue &to = valueAt(action, output);
    ByteSpan span = getSpan(to.place, to.bytes, action.number);
    for (const ByteSpan &other : spans)
      if (span.overlaps(other))
        return kernel.op->emitError() << "writes two results to " << to.place;
    uint32_t reducedFrom = 0;
    for (unsigned input : kernel.inputs) {
      const PlacedValue &from = valueAt(action, input);
      if (to.place == from.place && kernel.hoisted && kernel.reducesInPlace)
        reducedFrom = own[input];
      else if (to.place != from.place &&
               span.overlaps(getSpan(from.place, from.bytes, action.number)))
        return kernel.op->emitError()
               << "writes " << to.place << " while it still reads " << from.place;
    }
    spans.push_back(span);
    own[output] = make(to.value, action.number, reducedFrom);
    bytes.write(span, own[output]);
    publish(action, output, own[output]);
  }
  return success();
}

/// Replays a matmul whose instruction accumulates into the sum; its inputs must not overlap the
/// sum.
LogicalResult MemoryPlanChecker::addInPlace(const Action &action, const PlacedKernel &kernel,
                                            const Versions &own) {
  const PlacedSections::Sum &sum = placed.sums[kernel.ownSum->sum];
  ByteSpan span = getSpan(sum.place, sum.bytes, 0);
  for (unsigned input : kernel.inputs) {
    const PlacedValue &from = valueAt(action, input);
    if (span.overlaps(getSpan(from.place, from.bytes, action.number)))
      return kernel.op->emitError()
             << "writes " << sum.place << " while it still reads " << from.place;
  }
  return add(action, *kernel.ownSum, own, kernel.op);
}

LogicalResult MemoryPlanChecker::runKernel(const Action &action, const PlacedKernel &kernel,
                                           Versions &own) {
  for (unsigned input : kernel.inputs) {
    const PlacedValue &from = valueAt(action, input);
    if (own[input] == 0 && isa<BlockArgument>(from.value))
      own[input] = findArgument(action, input);
    if (own[input] == 0)
      return kernel.op->emitError() << "reads what is not made yet";
    if (failed(expectValue(kernel.op, action, input, own)))
      return failure();
  }
  if (kernel.ownSum && failed(addInPlace(action, kernel, own)))
    return failure();
  if (failed(write(action, kernel, own)))
    return failure();
  for (const PlacedSum &sum : kernel.sums)
    if (failed(add(action, sum, own, kernel.op)))
      return failure();
  return success();
}

/// Replays a hoisted kernel. Other kernels of its section may have run before; no kernel overwrites
/// the section's arguments.
LogicalResult MemoryPlanChecker::runHoisted(const PlacedHoisted &hoisted) {
  Versions &own = begun[hoisted.section];
  own.resize(placed.sections[hoisted.section].values.size());
  Action action{hoisted.section, /*number=*/0, /*isLast=*/true};
  return runKernel(action, placed.sections[hoisted.section].kernels[hoisted.kernel], own);
}

/// Copies new values to the places of their parameters; all values are read before any is written.
LogicalResult MemoryPlanChecker::setParameters(const Action &action, const Versions &own) {
  const PlacedSection &section = placed.sections[action.section];
  Operation *end = section.section->function.getBody().front().getTerminator();
  SmallVector<std::pair<ByteSpan, uint32_t>> copies;
  for (auto [result, value] : section.results) {
    RoleAttr role = section.section->getResultRole(result);
    auto target = placed.persistent.find(role);
    if (!role || target == placed.persistent.end())
      continue;
    uint32_t version = value ? own[*value] : make(Value(), action.number);
    if (value && failed(expectValue(end, action, *value, own)))
      return failure();
    copies.push_back({getSpan(target->second.place, target->second.bytes, 0), version});
    persistent[role] = version;
  }
  for (auto [span, version] : copies)
    bytes.write(span, version);
  return success();
}

/// Replays the kernels of the section and, in its last action, the hoisted kernels between them.
LogicalResult MemoryPlanChecker::runAction(const Action &action) {
  const PlacedSection &section = placed.sections[action.section];
  Versions own = std::move(begun[action.section]);
  own.resize(section.values.size());
  if (failed(bindArguments(action, own)))
    return failure();
  ArrayRef<PlacedHoisted> hoisted;
  if (auto found = placed.hoisted.find(section.section->function.getName());
      action.isLast && found != placed.hoisted.end())
    hoisted = found->second;
  auto runHoistedAfter = [&](int64_t kernel) -> LogicalResult {
    for (; !hoisted.empty(); hoisted = hoisted.drop_front()) {
      const PlacedHoisted &next = hoisted.front();
      if (placed.sections[next.section].kernels[next.kernel].hoisted->behind > kernel)
        break;
      if (failed(runHoisted(next)))
        return failure();
    }
    return success();
  };
  for (const PlacedSum &sum : section.argumentSums)
    if (failed(add(action, sum, own, section.section->function)))
      return failure();
  if (failed(runHoistedAfter(-1)))
    return failure();
  for (auto [number, kernel] : llvm::enumerate(section.kernels)) {
    if (!kernel.hoisted && failed(runKernel(action, kernel, own)))
      return failure();
    if (failed(runHoistedAfter(int64_t(number))))
      return failure();
  }
  return endAction(action, own);
}

LogicalResult MemoryPlanChecker::runStep() {
  llvm::StringMap<unsigned> numberOf;
  for (auto [number, section] : llvm::enumerate(placed.sections))
    numberOf[section.section->function.getName()] = number;
  SmallVector<pipe::ActionOp> ops(step.getBody().front().getOps<pipe::ActionOp>());
  SmallVector<Action> actions;
  std::vector<bool> comesLater(placed.sections.size());
  for (pipe::ActionOp op : llvm::reverse(ops)) {
    unsigned section = numberOf.lookup(op.getSection());
    actions.push_back({section, op.getNumber(), !comesLater[section]});
    comesLater[section] = true;
  }
  for (const Action &action : llvm::reverse(actions))
    if (failed(runAction(action)))
      return failure();
  return checkParameters(step);
}

/// Checks that the next run finds the persistent values of this run in their places.
LogicalResult MemoryPlanChecker::checkParameters(Operation *end) {
  for (const auto &[role, value] : placed.persistent)
    if (failed(expectDuring(/*action=*/nullptr, end, getSpan(value.place, value.bytes, 0),
                            persistent[role])))
      return failure();
  return success();
}

LogicalResult MemoryPlanChecker::run() {
  begin();
  if (step && failed(runStep()))
    return failure();
  for (auto [number, section] : llvm::enumerate(placed.sections)) {
    if (section.section->runs > 0)
      continue;
    begin();
    if (failed(runAction({unsigned(number), /*number=*/0, /*isLast=*/true})) ||
        failed(checkParameters(section.section->function)))
      return failure();
  }
  return success();
}

} // namespace pcc::schedule
