// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/memory/Overwrites.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::PlaceAttr;

namespace pcc::schedule {

/// Whether the kernel may write `output` to the place of those of its inputs. Generated code
/// assumes operands not to alias if one of them is written.
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
  for (Value value : values.all())
    if (liesThere(value) && values.find(value)->last > now)
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

/// Whether the section may use the bytes of the frame of its own number.
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
/// (analysis/HoistedReductions.h).
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
  return llvm::any_of(values.all(), [&](Value value) {
    auto function = value.getParentRegion()->getParentOfType<func::FuncOp>();
    bool runsBeside = function.getName() == kernel.hoisted->section;
    if (values.find(value) != buffer || function == section.function ||
        !(runsBeside || behind.contains(function.getName())))
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
Value Overwrites::takeDying(Value output, bool staysInside) {
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

} // namespace pcc::schedule
