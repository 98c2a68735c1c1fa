// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the ops that compiler/values computes. The importer folds with the same code.

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Compute.h"
#include "compiler/values/TensorAttr.h"

using namespace mlir;

namespace pcc::interpret {

static LogicalResult computeByName(OpCall &call) {
  auto result = computeElementwise(call.op->getName().getStringRef(), call.operands);
  if (!result) // the op supports its types
    return call.fail("integer division by zero");
  call.results.push_back(std::move(*result));
  return success();
}

void registerComputed(Registry &registry) {
  for (llvm::StringRef op : elementwiseOps())
    registry.add(op, computeByName);
  registry.add<graph::CompareOp>([](graph::CompareOp op, llvm::ArrayRef<Tensor> in) {
    return computeCompare(op.getDirection(), in[0], in[1]);
  });
  registry.add<graph::SelectOp>([](graph::SelectOp, llvm::ArrayRef<Tensor> in) {
    return computeSelect(in[0], in[1], in[2]);
  });
  registry.add<graph::CastOp>([](graph::CastOp op, llvm::ArrayRef<Tensor> in) {
    return computeCast(in[0], *elementTypeOf(op.getType().getElementType()));
  });
  registry.add<graph::ReduceOp>([](graph::ReduceOp op, llvm::ArrayRef<Tensor> in) {
    return computeReduce(op.getKind(), in[0], op.getDims());
  });
  registry.add<graph::TransposeOp>([](graph::TransposeOp op, llvm::ArrayRef<Tensor> in) {
    return computeTranspose(in[0], op.getPermutation());
  });
  registry.add<graph::BroadcastOp>([](graph::BroadcastOp op, llvm::ArrayRef<Tensor> in) {
    return computeBroadcast(in[0], op.getType().getShape(), op.getDims());
  });
  registry.add<graph::SliceOp>([](graph::SliceOp op, llvm::ArrayRef<Tensor> in) {
    return computeSlice(in[0], op.getAxis(), op.getStart(), op.getStride(),
                        op.getType().getDimSize(op.getAxis()));
  });
  registry.add<graph::ConcatOp>(
      [](graph::ConcatOp op, llvm::ArrayRef<Tensor> in) { return concatenate(in, op.getAxis()); });
  registry.add<graph::GatherOp>([](graph::GatherOp op, llvm::ArrayRef<Tensor> in) {
    return computeGather(in[0], in[1], op.getAxis());
  });
}

} // namespace pcc::interpret
