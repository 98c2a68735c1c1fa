// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/Overwrites.h"

#include "dialects/dist/Dist.h"

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

/// Best is one in a frame, whose bytes are there anyway; but what is returned is read when the
/// frame may be another number's. Elsewhere gradients can be read behind an early kernel; of those
/// that are reduced Boundary.cpp knows.
Value Overwrites::takeDying(Value output, bool staysInside) {
  if (kernel.early && !isa<dist::AllReduceOp>(output.getDefiningOp()))
    return nullptr;
  Value found;
  for (Value candidate : kernel.inputs) {
    Value root = facts::viewRoot(candidate);
    Buffer *buffer = values.find(root);
    if (!buffer || !buffer->overwritable || buffer->last != now || taken.contains(buffer) ||
        !mayOverwriteAll(buffer, output))
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
