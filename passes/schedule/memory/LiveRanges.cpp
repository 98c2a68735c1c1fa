// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/memory/LiveRanges.h"

#include "passes/schedule/memory/Overwrites.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::PlaceAttr;

namespace pcc::schedule {

LiveRanges::LiveRanges(ModuleOp module, MutableArrayRef<analysis::Section> sections,
                       const FixedPlaces &fixed, const Rings *rings)
    : module(module), sections(sections), fixed(fixed), rings(rings) {
  int64_t start = 0;
  for (analysis::Section &section : sections) {
    int64_t numKernels = analysis::collectKernels(section.function).size();
    startOf[section.function.getName()] = start;
    times.push_back({start, start + numKernels});
    start += numKernels + 1;
  }
}

LogicalResult LiveRanges::run() {
  for (unsigned index = 0; index < sections.size(); ++index)
    if (failed(addSection(index)))
      return failure();
  return success();
}

/// Gives the argument the buffer of its source.
LogicalResult LiveRanges::bindArgument(analysis::Section &section, unsigned index) {
  BlockArgument argument = section.function.getArgument(index);
  RoleAttr role = section.getArgumentRole(index);
  int64_t bytes = task::bytesOf(cast<ShapedType>(argument.getType()));
  if (PlaceAttr place = role ? fixed.find(section.getArgumentKey(index)) : PlaceAttr()) {
    bool holdsSum = role.getKind() == RoleKind::Gradient || role.getKind() == RoleKind::Loss;
    values.add(argument, {bytes, now.start, now.start, place, holdsSum});
    return success();
  }
  if (Value value = role ? valueOfRole.lookup(role) : Value()) {
    values.share(argument, value);
    return success();
  }
  return section.function.emitError()
         << "argument " << index << " of \"" << section.function.getName()
         << "\" has no source: expected a role of input, parameter or step, or that of a result of "
            "an earlier section of the step";
}

/// Returns a new buffer: in a message ring, in a frame, or unrestricted.
Buffer LiveRanges::bufferOf(Value output, int64_t first, int64_t last) const {
  int64_t bytes = task::bytesOf(cast<ShapedType>(output.getType()));
  int64_t depth = rings ? rings->depthOf(output) : 0;
  std::optional<unsigned> frame = rings ? rings->frameOf(output) : std::nullopt;
  return {bytes, first, last, nullptr, /*overwritable=*/depth == 0, depth, frame};
}

void LiveRanges::addKernel(unsigned index, const analysis::Kernel &kernel) {
  int64_t time = now.start + kernel.number;
  Overwrites overwrites(sections[index], index, kernel, time, values, fixed, rings);
  for (Value output : kernel.outputs) {
    int64_t read = now.start + lastReader(output, now.end - now.start);
    Buffer own = bufferOf(output, time, std::max(time, read)); // some values have no reader
    if (PlaceAttr place = overwrites.findFixed(output)) {
      values.add(output, {own.bytes, own.first, own.last, place, /*overwritable=*/false});
      continue;
    }
    bool isAnywhere = own.depth == 0 && !own.frame;
    Value dying = isAnywhere ? overwrites.takeDying(output, own.last < now.end) : Value();
    if (!dying) {
      values.add(output, own);
      continue;
    }
    values.share(output, dying);
    values.readAt(output, own.last);
  }
}

/// Extends the buffers of a collective until a kernel has waited for it, because it runs on its own
/// stream. The members of a fused collective are waited for separately. A message of a section
/// outside the step may arrive as soon as the section begins.
void LiveRanges::extendOverCommunication(const analysis::Kernel &kernel) {
  if (kernel.form.getKind() != task::FormKind::Collective)
    return;
  for (Operation *op : kernel.ops) {
    if (auto recv = dyn_cast<pipe::RecvOp>(op); recv && values.find(recv.getResult()))
      values.find(recv.getResult())->first = now.start;
    int64_t waited = now.end;
    for (Value output : op->getResults())
      analysis::forEachReader(output, [&](Operation *reader) {
        if (std::optional<int64_t> number = analysis::getKernelNumber(reader))
          waited = std::min(waited, now.start + *number);
      });
    analysis::forEachSource(op, [&](Value source, ArrayRef<Operation *>) {
      if (values.find(source))
        values.readAt(source, waited);
    });
  }
}

/// Extends the outputs of a hoisted kernel from the action in which it runs through all sections
/// that run later.
void LiveRanges::extendToPlace(const analysis::Kernel &kernel) {
  if (!kernel.hoisted)
    return;
  int64_t first =
      startOf.lookup(kernel.hoisted->section) + std::max<int64_t>(kernel.hoisted->behind, 0);
  Block &step = analysis::getStep(module).getBody().front();
  SmallVector<pipe::ActionOp> actions(step.getOps<pipe::ActionOp>());
  for (pipe::ActionOp action : llvm::reverse(actions)) {
    if (action.getSection() == kernel.hoisted->section)
      break;
    if (auto other = startOf.find(action.getSection()); other != startOf.end())
      first = std::min(first, other->second);
  }
  for (Value output : kernel.outputs)
    if (Buffer *buffer = values.find(output))
      buffer->first = std::min(buffer->first, first);
}

/// Extends a value returned under a role to the later sections that read it.
void LiveRanges::extendToReaders(RoleAttr role) {
  for (auto [other, span] : llvm::zip_equal(sections, times))
    if (span.start > now.start)
      for (BlockArgument argument : other.function.getArguments())
        if (other.getArgumentRole(argument.getArgNumber()) == role)
          values.readAt(valueOfRole[role],
                        span.start +
                            std::max<int64_t>(lastReader(argument, span.end - span.start), 0));
}

/// Adds one section. Arguments live from the section's start, values of kernels until their last
/// reader, and results until the end of the section, where losses, outputs and gradients are read.
/// Values that a later section takes over live on there.
LogicalResult LiveRanges::addSection(unsigned index) {
  analysis::Section &section = sections[index];
  now = times[index];
  for (BlockArgument argument : section.function.getArguments()) {
    if (failed(bindArgument(section, argument.getArgNumber())))
      return failure();
    int64_t last = lastReader(argument, now.end - now.start);
    values.readAt(argument, now.start + std::max<int64_t>(last, 0));
  }
  for (const analysis::Kernel &kernel : analysis::collectKernels(section.function)) {
    addKernel(index, kernel);
    extendOverCommunication(kernel);
    extendToPlace(kernel);
  }
  for (auto [result, value] : llvm::enumerate(section.getReturned()))
    if (RoleAttr role = section.getResultRole(result))
      if (!section.isAccumulated(result) && values.find(value)) {
        valueOfRole[role] = analysis::viewRoot(value);
        extendToReaders(role);
      }
  return success();
}

} // namespace pcc::schedule
