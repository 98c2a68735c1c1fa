// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that move elements without reading their values.

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Compute.h"
#include "compiler/values/Indexing.h"
#include "compiler/values/TensorAttr.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Returns the start nearest to `start` that leaves room for `count` of `size` elements.
int64_t legalStart(int64_t start, int64_t count, int64_t size) {
  return std::clamp<int64_t>(start, 0, size - count);
}

Tensor dynamicSlice(graph::DynamicSliceOp op, llvm::ArrayRef<Tensor> in) {
  Tensor result = zerosOf(op.getType());
  int64_t axis = op.getAxis();
  int64_t start = legalStart(in[1][0].i, result.getDim(axis), in[0].getDim(axis));
  return moveAlongAxis(result, in[0], axis, [=](int64_t i) { return start + i; });
}

Tensor dynamicUpdateSlice(graph::DynamicUpdateSliceOp op, llvm::ArrayRef<Tensor> in) {
  int64_t axis = op.getAxis();
  int64_t start = legalStart(in[2][0].i, in[1].getDim(axis), in[0].getDim(axis));
  return moveAlongAxis(in[0], in[1], axis, [=](int64_t i) { return i - start; });
}

Tensor pad(graph::PadOp op, llvm::ArrayRef<Tensor> in) {
  Tensor result = zerosOf(op.getType());
  double value = op.getValue().convertToDouble();
  llvm::fill(result.mutableElements(),
             result.isFloat() ? Element{.f = value} : Element{.i = truncate(value)});
  int64_t low = op.getLow();
  return moveAlongAxis(result, in[0], op.getAxis(), [=](int64_t i) { return i - low; });
}

LogicalResult split(graph::SplitOp op, OpCall &call) {
  const Tensor &input = call.operands[0];
  int64_t axis = op.getAxis();
  llvm::SmallVector<int64_t, 4> offset(input.getRank(), 0);
  for (Value result : op.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    call.results.push_back(extractBox(input, offset, type.getShape()));
    offset[axis] += type.getDimSize(axis);
  }
  return success();
}

} // namespace

void registerShape(Registry &registry) {
  registry.add<graph::ReshapeOp>([](graph::ReshapeOp op, llvm::ArrayRef<Tensor> in) {
    return in[0].reshaped(op.getType().getShape());
  });
  registry.add<graph::DynamicSliceOp>(dynamicSlice);
  registry.add<graph::DynamicUpdateSliceOp>(dynamicUpdateSlice);
  registry.add<graph::PadOp>(pad);
  registry.add<graph::SplitOp>(split);
}

} // namespace pcc::interpret
