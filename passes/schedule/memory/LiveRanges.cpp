// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the sections in order and gives each value a buffer with the times of its first write and
// last read. A kernel's result takes the buffer of an operand that the kernel reads last and may
// overwrite (Values.h). Collectives and hoisted kernels extend ranges.
#include "passes/schedule/memory/LiveRanges.h"
#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "passes/schedule/memory/FixedPlaces.h"
#include "passes/schedule/memory/Rings.h"
#include "passes/schedule/memory/Values.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::PlaceAttr;

namespace pcc::schedule {

// Decides which memory a kernel may overwrite with its results:
//
//   new "w" = w - g             the parameter itself, if nothing reads it later
//   gradient "w" = matmul x, y  the sum over actions, if its instruction accumulates
//   y = exp x                   x, if nothing reads x later

namespace {

/// Overwrites of one kernel, whose inputs have buffers.
class Overwrites {
public:
  /// The kernel runs at the time `now` in section number `index` of its timeline. `rings` is null
  /// outside the step. All arguments must outlive this object.
  Overwrites(analysis::Section &section, unsigned index, const analysis::Kernel &kernel,
             int64_t now, Values &values, const FixedPlaces &fixed, const Rings *rings)
      : section(section), index(index), kernel(kernel), now(now), values(values), fixed(fixed),
        rings(rings) {}

  /// Returns the place of the parameter whose new value `output` is, if the kernel may write it
  /// there. Else returns the place of the sum to which its instruction adds `output`, or null if
  /// there is none.
  task::PlaceAttr findFixed(mlir::Value output);

  /// Returns an input that the kernel reads for the last time and may overwrite with `output`; null
  /// if there is none. Each input is returned once. `staysInside`: whether `output` is not
  /// returned.
  mlir::Value takeLastRead(mlir::Value output, bool staysInside);

private:
  bool mayReplace(task::PlaceAttr place, mlir::Value output);
  task::PlaceAttr parameterUpdatedBy(mlir::Value output);
  task::PlaceAttr sumThatTakes(mlir::Value output);
  bool mayOverwriteAll(Buffer *buffer, mlir::Value output);
  bool isReadAfterHoisted(Buffer *buffer) const;
  bool isInside(unsigned frame) const;

  analysis::Section &section;
  unsigned index;
  const analysis::Kernel &kernel;
  int64_t now;
  Values &values;
  const FixedPlaces &fixed;
  const Rings *rings;
  llvm::DenseSet<Buffer *> taken;
};

} // namespace

/// Whether the kernel may write `output` to a place that holds the inputs for which `liesThere` is
/// true. At most one input may lie there: generated code assumes that a written operand has no
/// alias.
static bool mayOverwriteThose(const analysis::Kernel &kernel, Value output,
                              function_ref<bool(Value input)> liesThere) {
  SmallVector<Value> there;
  for (Value input : kernel.inputs)
    if (liesThere(input))
      there.push_back(analysis::viewRoot(input));
  return there.empty() || (there.size() == 1 && mayOverwrite(kernel, there.front(), output));
}

/// Whether the kernel may write `output` to `place`. No later kernel may read the place, and the
/// kernel itself must read it element by element. Values other than the parameter may share the
/// place: if the loss is sum(a * b), the gradient of a is b itself.
bool Overwrites::mayReplace(PlaceAttr place, Value output) {
  auto liesThere = [&](Value value) {
    Buffer *buffer = values.find(value);
    return buffer && buffer->place == place;
  };
  if (llvm::any_of(values.findAt(place), [&](Buffer *buffer) { return buffer->last > now; }))
    return false;
  return mayOverwriteThose(kernel, output, liesThere);
}

PlaceAttr Overwrites::parameterUpdatedBy(Value output) {
  PlaceAttr place;
  for (OpOperand &use : output.getUses()) {
    if (!use.getOwner()->hasTrait<OpTrait::IsTerminator>())
      continue;
    RoleAttr role = section.getResultRole(use.getOperandNumber());
    if (place || !role || role.getKind() != RoleKind::Parameter)
      return nullptr;
    place = fixed.find(role);
    if (place && !mayReplace(place, output))
      return nullptr;
  }
  return place;
}

PlaceAttr Overwrites::sumThatTakes(Value output) {
  if (!analysis::addsByItself(kernel) || output != kernel.outputs.front())
    return nullptr;
  OpOperand &use = *output.use_begin();
  bool isReturned = use.getOwner()->hasTrait<OpTrait::IsTerminator>();
  if (!isReturned || !section.isAccumulated(use.getOperandNumber()))
    return nullptr;
  return section.function.getResultAttrOfType<PlaceAttr>(use.getOperandNumber(),
                                                         analysis::placeAttrName);
}

PlaceAttr Overwrites::findFixed(Value output) {
  PlaceAttr place = parameterUpdatedBy(output);
  return place ? place : sumThatTakes(output);
}

/// Whether the section may use gaps of a frame, in the entry of its own number.
bool Overwrites::isInside(unsigned frame) const {
  return rings->getFrames()[frame].inside.contains(index);
}

/// Whether the kernel may overwrite a buffer. One buffer may be several inputs: two biases that are
/// added in the same way have one gradient.
bool Overwrites::mayOverwriteAll(Buffer *buffer, Value output) {
  return mayOverwriteThose(kernel, output,
                           [&](Value input) { return values.find(input) == buffer; });
}

/// Returns the sections that run in an action after the last action of `section`.
static llvm::StringSet<> sectionsBehind(StringRef section, pipe::StepOp step) {
  llvm::StringSet<> behind;
  for (auto action : step.getBody().front().getOps<pipe::ActionOp>())
    if (action.getSection() == section)
      behind.clear();
    else
      behind.insert(action.getSection());
  return behind;
}

/// Returns whether the caller of the program reads `value` when `function` is done, as the function
/// returns it. Gradients are shown after all collectives that reduce them in place
/// (analysis/kernels/HoistedReductions.h).
static bool isShownAsReturned(func::FuncOp function, Value value) {
  Operation *end = function.getBody().front().getTerminator();
  return llvm::any_of(end->getOpOperands(), [&](OpOperand &returned) {
    RoleAttr role = graph::getResultRole(function, returned.getOperandNumber());
    bool isReduced =
        role && (role.getKind() == RoleKind::Gradient || role.getKind() == RoleKind::Saved);
    return analysis::viewRoot(returned.get()) == value && !isReduced;
  });
}

/// Returns whether something reads the buffer after the hoisted kernel, which runs between the
/// kernels of another section. The times only describe readers in the kernel's own section.
bool Overwrites::isReadAfterHoisted(Buffer *buffer) const {
  auto module = section.function->getParentOfType<ModuleOp>();
  llvm::StringSet<> behind = sectionsBehind(kernel.hoisted->section, analysis::getStep(module));
  return llvm::any_of(buffer->values, [&](Value value) {
    auto function = value.getParentRegion()->getParentOfType<func::FuncOp>();
    bool runsBeside = function.getName() == kernel.hoisted->section;
    if (function == section.function || !(runsBeside || behind.contains(function.getName())))
      return false;
    bool isRead = isShownAsReturned(function, value);
    analysis::forEachReader(value, [&](Operation *reader) {
      if (std::optional<int64_t> number = analysis::getKernelNumber(reader))
        isRead |= !runsBeside || *number > kernel.hoisted->behind;
    });
    return isRead;
  });
}

/// Prefers a buffer in a frame, because the bytes of a frame are allocated anyway. A returned value
/// cannot use a frame, because it is read when another number may use the frame. A hoisted kernel
/// may overwrite a gradient only to reduce it.
Value Overwrites::takeLastRead(Value output, bool staysInside) {
  if (kernel.hoisted && !isa<dist::AllReduceOp>(output.getDefiningOp()))
    return nullptr;
  Value found;
  for (Value candidate : kernel.inputs) {
    Value root = analysis::viewRoot(candidate);
    Buffer *buffer = values.find(root);
    if (!buffer || !buffer->overwritable || buffer->last != now || taken.contains(buffer) ||
        !mayOverwriteAll(buffer, output) || (kernel.hoisted && isReadAfterHoisted(buffer)))
      continue;
    bool isInFrame = buffer->frame && staysInside && isInside(*buffer->frame);
    if (isInFrame || (!buffer->frame && !found))
      found = root;
    if (isInFrame)
      break;
  }
  if (found)
    taken.insert(values.find(found));
  return found;
}

/// Returns whether the value is read when the section ends: whether it is a result that is not
/// added to a sum.
static bool isReadAtEnd(analysis::Section &section, Value value) {
  for (auto [result, returned] : llvm::enumerate(section.getReturned()))
    if (analysis::viewRoot(returned) == value && !section.isAccumulated(result))
      return true;
  return false;
}

/// Returns the number of the section's last kernel that reads `value` through memory; -1 if there
/// is none, and the number of kernels if the value is read after all of them. An addition to a sum
/// counts as part of the kernel behind which it runs (analysis::findAddition).
static int64_t findLastReader(analysis::Section &section, Value value, int64_t numKernels) {
  int64_t last = -1;
  analysis::forEachReader(value, [&](Operation *reader) {
    if (std::optional<int64_t> number = analysis::getKernelNumber(reader))
      last = std::max(last, *number);
    else if (reader->hasTrait<OpTrait::IsTerminator>())
      last =
          std::max(last, isReadAtEnd(section, value) ? numKernels : analysis::findAddition(value));
  });
  return last;
}

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
  for (auto [index, section] : llvm::enumerate(sections))
    for (BlockArgument argument : section.function.getArguments())
      if (RoleAttr role = section.getArgumentRole(argument.getArgNumber()))
        readersOfRole[role].push_back({unsigned(index), argument});
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
    int64_t read = now.start + findLastReader(sections[index], output, now.end - now.start);
    Buffer own = bufferOf(output, time, std::max(time, read)); // some values have no reader
    if (PlaceAttr place = overwrites.findFixed(output)) {
      values.add(output, {own.bytes, own.first, own.last, place, /*overwritable=*/false});
      continue;
    }
    bool isAnywhere = own.depth == 0 && !own.frame;
    Value dying = isAnywhere ? overwrites.takeLastRead(output, own.last < now.end) : Value();
    if (!dying) {
      values.add(output, own);
      continue;
    }
    values.share(output, dying);
    values.readAt(output, own.last);
  }
}

/// Extends the buffers of a collective until a kernel has waited for it, because it runs on its own
/// stream. If no kernel of the section waits, it is done by the kernel that `task.done` names; a
/// kernel that overwrites its operands waits for it. The members of a fused collective are waited
/// for separately. A message of a section outside the step may arrive as soon as the section
/// begins.
void LiveRanges::extendOverCommunication(const analysis::Kernel &kernel) {
  if (kernel.form.getKind() != task::FormKind::Collective)
    return;
  for (Operation *op : kernel.ops) {
    if (auto recv = dyn_cast<pipe::RecvOp>(op); recv && values.find(recv.getResult()))
      values.find(recv.getResult())->first = now.start;
    auto done = op->getAttrOfType<IntegerAttr>(task::doneAttrName);
    int64_t waited = done ? now.start + done.getInt() - 1 : now.end;
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
void LiveRanges::extendToHoisted(const analysis::Kernel &kernel) {
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
  for (auto [index, argument] : readersOfRole.lookup(role)) {
    const SectionTimes &span = times[index];
    if (span.start > now.start)
      values.readAt(valueOfRole[role],
                    span.start +
                        std::max<int64_t>(
                            findLastReader(sections[index], argument, span.end - span.start), 0));
  }
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
    int64_t last = findLastReader(section, argument, now.end - now.start);
    values.readAt(argument, now.start + std::max<int64_t>(last, 0));
  }
  for (const analysis::Kernel &kernel : analysis::collectKernels(section.function)) {
    addKernel(index, kernel);
    extendOverCommunication(kernel);
    extendToHoisted(kernel);
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
