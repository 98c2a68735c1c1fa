// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps values to shared buffers. mayOverwrite decides by the kernel's form: maps and columns may
// read element by element; scatter_add, all-reduces, reduces and broadcasts may work in place.
// Other kernels may not.
#include "passes/schedule/memory/Values.h"

#include "dialects/dist/Dist.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::FormKind;

namespace pcc::schedule {

Buffer *Values::find(Value value) { return bufferOf.lookup(analysis::viewRoot(value)); }

Buffer &Values::add(Value value, Buffer buffer) {
  buffers.push_back(std::make_unique<Buffer>(buffer));
  Buffer &added = *buffers.back();
  bufferOf[value] = &added;
  added.values.push_back(value);
  if (added.place)
    buffersAt[added.place].push_back(&added);
  order.push_back(value);
  return added;
}

void Values::share(Value value, Value other) {
  Buffer *buffer = find(other);
  bufferOf[value] = buffer;
  buffer->values.push_back(value);
  order.push_back(value);
}

ArrayRef<Buffer *> Values::findAt(task::PlaceAttr place) const {
  auto found = buffersAt.find(place);
  return found == buffersAt.end() ? ArrayRef<Buffer *>() : found->second;
}

void Values::readAt(Value value, int64_t time) {
  Buffer *buffer = find(value);
  buffer->last = std::max(buffer->last, time);
}

SmallVector<Buffer *> Values::unplaced(function_ref<bool(const Buffer &)> matches) {
  SmallVector<Buffer *> found;
  for (const std::unique_ptr<Buffer> &buffer : buffers)
    if (!buffer->place && matches(*buffer))
      found.push_back(buffer.get());
  return found;
}

SmallVector<Buffer *> Values::temporaries() {
  return unplaced([](const Buffer &buffer) { return buffer.depth == 0 && !buffer.frame; });
}

SmallVector<Buffer *> Values::rings() {
  return unplaced([](const Buffer &buffer) { return buffer.depth > 0; });
}

SmallVector<Buffer *> Values::inFrame(unsigned frame) {
  return unplaced([=](const Buffer &buffer) { return buffer.frame == frame; });
}

/// Whether every recomputed op of the chain keeps the number of elements, and therefore their
/// order.
static bool keepsElements(ArrayRef<Operation *> chain) {
  return llvm::all_of(chain, [](Operation *op) {
    return cast<ShapedType>(op->getOperand(0).getType()).getNumElements() ==
           cast<ShapedType>(op->getResult(0).getType()).getNumElements();
  });
}

/// Whether the loops visit each element of `input` once and read it nowhere else.
static bool readsElementwise(const analysis::Kernel &kernel, Value input) {
  bool elementwise = true;
  for (Operation *op : kernel.ops)
    analysis::forEachSource(op, [&](Value source, ArrayRef<Operation *> chain) {
      if (analysis::viewRoot(source) != input)
        return;
      bool reads = op->hasTrait<Elementwise>() || isa<ReduceOp>(op);
      elementwise &= reads && keepsElements(chain);
    });
  return elementwise;
}

/// Whether `output` is the result of a collective on `input` that keeps its shape, and no other
/// member of the fused collective reads `input`.
static bool reducesInPlace(const analysis::Kernel &kernel, Value input, Value output) {
  auto readsInput = [&](Operation *op) {
    return llvm::any_of(op->getOperands(),
                        [&](Value operand) { return analysis::viewRoot(operand) == input; });
  };
  Operation *op = output.getDefiningOp();
  return isa<dist::AllReduceOp, dist::BroadcastOp, dist::ReduceOp>(op) && readsInput(op) &&
         llvm::count_if(kernel.ops, readsInput) == 1;
}

bool mayOverwrite(const analysis::Kernel &kernel, Value input, Value output) {
  auto inputType = cast<ShapedType>(input.getType());
  auto outputType = cast<ShapedType>(output.getType());
  if (task::bytesOf(inputType) != task::bytesOf(outputType) ||
      inputType.getNumElements() != outputType.getNumElements())
    return false;
  int64_t elements = kernel.form.getOuter() * kernel.form.getInner();
  switch (kernel.form.getKind()) {
  case FormKind::Map:
  case FormKind::Columns:
    return outputType.getNumElements() == elements && readsElementwise(kernel, input);
  case FormKind::Scatter: {
    auto scatter = dyn_cast<ScatterAddOp>(kernel.ops.front());
    return scatter && analysis::viewRoot(scatter.getInput()) == input &&
           analysis::viewRoot(scatter.getUpdates()) != input &&
           analysis::viewRoot(scatter.getIndices()) != input;
  }
  case FormKind::Collective:
    return reducesInPlace(kernel, input, output);
  case FormKind::Rows:
  case FormKind::Matmul:
  case FormKind::Convolution:
  case FormKind::Attention:
    return false;
  }
  llvm_unreachable("a form");
}

} // namespace pcc::schedule
