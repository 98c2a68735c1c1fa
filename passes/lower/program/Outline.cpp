// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clones a kernel's ops into a function, with the recomputed ops that they read. Ranks, and sizes
// of unequal groups, become scalar arguments. Functions are compared by their text.
#include "passes/lower/program/Program.h"

#include "dialects/dist/Dist.h"
#include "dialects/dist/Group.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/IRMapping.h"
#include "passes/lower/host/EmitKernels.h"

using namespace mlir;

namespace pcc::lower {

namespace {
/// Clones ops into a function, together with the cheap ops that they read.
struct Cloner {
  OpBuilder builder;
  func::FuncOp function;
  IRMapping mapping;
  SmallVector<Operation *> scalars;

  Value lookUp(Value value);
  Value addScalar(Operation *op);
  void clone(Operation *op);
};
} // namespace

/// Returns the size of a group as a constant; null if the size differs between ranks.
static Value groupSize(OpBuilder &builder, dist::GroupSizeOp op) {
  std::optional<int64_t> size = dist::getCommonGroupSize(op.getGroupAttr(), dist::getMesh(op));
  if (!size)
    return {};
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return graph::ConstantOp::create(builder, op.getLoc(), type,
                                   DenseIntElementsAttr::get(type, ArrayRef<int64_t>(*size)));
}

Value Cloner::addScalar(Operation *op) {
  unsigned index = function.getNumArguments();
  (void)function.insertArgument(
      index, op->getResult(0).getType(),
      builder.getDictionaryAttr(builder.getNamedAttr(scalarAttrName, builder.getUnitAttr())),
      op->getLoc());
  scalars.push_back(op);
  return function.getArgument(index);
}

Value Cloner::lookUp(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!isa<dist::RankOp, dist::GroupSizeOp>(op)) {
    clone(op);
    return mapping.lookup(value);
  }
  auto size = dyn_cast<dist::GroupSizeOp>(op);
  Value known = size ? groupSize(builder, size) : Value();
  mapping.map(value, known ? known : addScalar(op));
  return mapping.lookup(value);
}

void Cloner::clone(Operation *op) {
  for (Value operand : op->getOperands())
    lookUp(operand);
  Operation *copy = builder.clone(*op, mapping);
  for (StringRef name : {analysis::kernelAttrName, analysis::placeAttrName})
    copy->removeAttr(name);
}

func::FuncOp Outliner::deduplicate(func::FuncOp function, Operation *last) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  function->print(stream, OpPrintingFlags().useLocalScope());
  auto [it, isNew] = functions.try_emplace(text, function);
  if (!isNew) {
    function.erase();
    return it->second;
  }
  // The number makes the name unique; the op is for readers.
  function.setName(
      ("kernel" + Twine(functions.size() - 1) + "_" + last->getName().stripDialect()).str());
  return function;
}

OutlinedKernel Outliner::outline(const analysis::Kernel &kernel, ArrayRef<int64_t> tiedTo) {
  ++numOutlined;
  MLIRContext *context = module.getContext();
  SmallVector<Type> inputs, outputs;
  for (Value input : kernel.inputs)
    inputs.push_back(input.getType());
  for (Value output : kernel.outputs)
    outputs.push_back(output.getType());
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto function = func::FuncOp::create(builder, kernel.ops.back()->getLoc(), "kernel",
                                       FunctionType::get(context, inputs, outputs));
  Block *block = function.addEntryBlock();
  Cloner cloner{OpBuilder::atBlockEnd(block), function, {}, {}};
  for (auto [input, argument] : llvm::zip_equal(kernel.inputs, block->getArguments()))
    cloner.mapping.map(input, argument);
  for (Operation *op : kernel.ops)
    if (!cloner.mapping.contains(op->getResult(0)))
      cloner.clone(op);
  SmallVector<Value> results;
  for (Value output : kernel.outputs)
    results.push_back(cloner.mapping.lookup(output));
  func::ReturnOp::create(cloner.builder, function.getLoc(), results);

  function->setAttr(formAttrName, kernel.form);
  function.setPrivate();
  for (auto [n, argument] : llvm::enumerate(tiedTo))
    if (argument >= 0)
      function.setResultAttr(n, tiedAttrName, builder.getI64IntegerAttr(argument));
  return {deduplicate(function, kernel.ops.back()), cloner.scalars};
}

} // namespace pcc::lower
