// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/Overwrites.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::PlaceAttr;

namespace pcc::schedule {

/// True if the kernel may write `output` where those of its inputs lie: code takes operands to lie
/// apart where one of them is written.
static bool mayOverwriteThose(const facts::Kernel &kernel, Value output,
                              function_ref<bool(Value input)> liesThere) {
  SmallVector<Value> there;
  for (Value input : kernel.inputs)
    if (liesThere(input))
      there.push_back(facts::viewRoot(input));
  return there.empty() || (there.size() == 1 && mayOverwrite(kernel, there.front(), output));
}

/// True if the kernel may write `output` to `place`: nothing reads what lies there after the
/// kernel, and the kernel itself reads it element by element. Other values than the parameter's own
/// may lie there: where the loss is sum(a * b), the gradient of a is b itself.
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
  if (!facts::addsByItself(kernel) || output != kernel.outputs.front())
    return nullptr;
  OpOperand &use = *output.use_begin();
  bool isReturned = use.getOwner()->hasTrait<OpTrait::IsTerminator>();
  if (!isReturned || !section.isAccumulated(use.getOperandNumber()))
    return nullptr;
  return section.function.getResultAttrOfType<PlaceAttr>(use.getOperandNumber(),
                                                         facts::placeAttrName);
}

PlaceAttr Overwrites::findFixed(Value output) {
  PlaceAttr place = parameterUpdatedBy(output);
  return place ? place : sumThatTakes(output);
}

/// True if the section may use the bytes of the frame that its number has.
bool Overwrites::isInside(unsigned frame) const {
  return rings->getFrames()[frame].inside.contains(index);
}

/// One buffer may be several inputs: two biases that are added alike have one gradient.
bool Overwrites::mayOverwriteAll(Buffer *buffer, Value output) {
  return mayOverwriteThose(kernel, output,
                           [&](Value input) { return values.find(input) == buffer; });
}

/// Returns the sections that run in a slot behind the last one of `section`.
static llvm::StringSet<> sectionsBehind(StringRef section, pipe::StepOp step) {
  llvm::StringSet<> behind;
  for (auto slot : step.getBody().front().getOps<pipe::SlotOp>())
    if (slot.getSection() == section)
      behind.clear();
    else
      behind.insert(slot.getSection());
  return behind;
}

/// Returns whether the outside reads `value` when `function` is done, as the function returns it.
/// Gradients are shown after all collectives that reduce them in place (facts/EarlyReductions.h).
static bool isShownAsReturned(func::FuncOp function, Value value) {
  Operation *end = function.getBody().front().getTerminator();
  return llvm::any_of(end->getOpOperands(), [&](OpOperand &returned) {
    RoleAttr role = graph::getResultRole(function, returned.getOperandNumber());
    bool isReduced =
        role && (role.getKind() == RoleKind::Gradient || role.getKind() == RoleKind::Saved);
    return facts::viewRoot(returned.get()) == value && !isReduced;
  });
}

/// Returns whether something reads the buffer after the early kernel, which runs between the
/// kernels of another section. Times tell of readers in the own section only.
bool Overwrites::isReadBehindEarly(Buffer *buffer) const {
  auto module = section.function->getParentOfType<ModuleOp>();
  llvm::StringSet<> behind = sectionsBehind(kernel.early->section, facts::getStep(module));
  return llvm::any_of(values.all(), [&](Value value) {
    auto function = value.getParentRegion()->getParentOfType<func::FuncOp>();
    bool runsBeside = function.getName() == kernel.early->section;
    if (values.find(value) != buffer || function == section.function ||
        !(runsBeside || behind.contains(function.getName())))
      return false;
    bool isRead = isShownAsReturned(function, value);
    facts::forEachReader(value, [&](Operation *reader) {
      if (std::optional<int64_t> number = facts::getKernelNumber(reader))
        isRead |= !runsBeside || *number > kernel.early->behind;
    });
    return isRead;
  });
}

/// Best is a buffer in a frame, whose bytes are there anyway. But a returned value is read when the
/// frame may be another number's. An early kernel may overwrite a gradient only to reduce it.
Value Overwrites::takeDying(Value output, bool staysInside) {
  if (kernel.early && !isa<dist::AllReduceOp>(output.getDefiningOp()))
    return nullptr;
  Value found;
  for (Value candidate : kernel.inputs) {
    Value root = facts::viewRoot(candidate);
    Buffer *buffer = values.find(root);
    if (!buffer || !buffer->overwritable || buffer->last != now || taken.contains(buffer) ||
        !mayOverwriteAll(buffer, output) || (kernel.early && isReadBehindEarly(buffer)))
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
