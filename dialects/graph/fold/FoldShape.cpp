// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folding of shape ops: identities, chains of the same op, constants, slices of concatenations.
#include "dialects/graph/Constants.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace pcc::graph;

/// Gives a constant another shape with as many elements, if that needs no copy of them; else null.
static Attribute reshapeConstant(Attribute value, RankedTensorType to) {
  if (auto dense = dyn_cast_if_present<DenseElementsAttr>(value))
    return dense.reshape(to);
  if (auto resource = dyn_cast_if_present<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(to, resource.getRawHandle());
  return {};
}

/// Gives a splat another shape; null for other values.
static Attribute resizeSplat(Attribute value, RankedTensorType to) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(value);
  return splat ? splat.resizeSplat(to) : Attribute();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getResult().getType())
    return getInput();
  if (auto inner = getInput().getDefiningOp<ReshapeOp>()) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return reshapeConstant(adaptor.getInput(), getResult().getType());
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getPermutation(), llvm::seq<int64_t>(0, getPermutation().size())))
    return getInput();
  if (auto inner = getInput().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> composed;
    for (int64_t dim : getPermutation())
      composed.push_back(inner.getPermutation()[dim]);
    setPermutation(composed);
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return resizeSplat(adaptor.getInput(), getResult().getType());
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getResult().getType())
    return getInput();
  if (auto inner = getInput().getDefiningOp<BroadcastOp>()) {
    SmallVector<int64_t> composed;
    for (int64_t dim : inner.getDims())
      composed.push_back(getDims()[dim]);
    setDims(composed);
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return resizeSplat(adaptor.getInput(), getResult().getType());
}

/// A slice of a concatenation that lies in one operand becomes a slice of this operand.
OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (getInput().getType() == getResult().getType() && getStride() == 1)
    return getInput();
  auto concat = getInput().getDefiningOp<ConcatOp>();
  if (!concat || concat.getAxis() != getAxis())
    return {};
  int64_t start = getStart();
  int64_t last = start + (getType().getDimSize(getAxis()) - 1) * getStride();
  int64_t begin = 0; // of the operand in the concatenation
  for (Value operand : concat.getInputs()) {
    int64_t end = begin + cast<RankedTensorType>(operand.getType()).getDimSize(getAxis());
    if (std::min(start, last) >= begin && std::max(start, last) < end) {
      getInputMutable().assign(operand);
      setStart(start - begin);
      return operand.getType() == getType() && getStride() == 1 ? OpFoldResult(operand)
                                                                : OpFoldResult(getResult());
    }
    begin = end;
  }
  return {};
}
