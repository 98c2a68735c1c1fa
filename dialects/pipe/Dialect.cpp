// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/pipe/Pipe.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc::pipe;

#include "dialects/pipe/PipeDialect.cpp.inc"
#include "dialects/pipe/PipeEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/pipe/PipeAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/pipe/PipeOps.cpp.inc"

void PipeDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/pipe/PipeAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/pipe/PipeOps.cpp.inc"
      >();
}

AccumulateAttr AccumulateAttr::get(MLIRContext *context, double scale) {
  return get(context, Builder(context).getF64FloatAttr(scale));
}

Attribute AccumulateAttr::parse(AsmParser &parser, Type) {
  double scale;
  if (parser.parseLess() || parser.parseKeyword("scale") || parser.parseEqual() ||
      parser.parseFloat(scale) || parser.parseGreater())
    return {};
  return get(parser.getContext(), scale);
}

void AccumulateAttr::print(AsmPrinter &printer) const {
  printer << "<scale = ";
  printer.printFloat(APFloat(getScale()));
  printer << ">";
}

LogicalResult PipeDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                       NamedAttribute attribute) {
  if (attribute.getName() != accumulateAttrName)
    return success();
  if (!isa<AccumulateAttr>(attribute.getValue()))
    return op->emitOpError() << "expected \"pipe.accumulate\" of result " << index
                             << " to be an accumulation, got " << attribute.getValue();
  auto tensor = dyn_cast<RankedTensorType>(cast<FunctionOpInterface>(op).getResultTypes()[index]);
  if (!tensor || !isa<FloatType>(tensor.getElementType()))
    return op->emitOpError() << "expected result " << index
                             << " to be a tensor of floats, which can be accumulated";
  return success();
}

LogicalResult StepOp::verifyRegions() {
  if (getMicroBatches() < 1 || getCopies() < 1)
    return emitOpError() << "expected at least one microbatch and one copy, got "
                         << getMicroBatches() << " and " << getCopies();
  llvm::DenseSet<std::tuple<StringRef, int64_t, int64_t>> seen;
  for (Operation &op : getBody().front()) {
    auto slot = dyn_cast<SlotOp>(op);
    if (!slot)
      return op.emitOpError() << "expected only slots in a step";
    int64_t microbatch = slot.getMicrobatch().value_or(-1), copy = slot.getCopy().value_or(-1);
    if (!seen.insert({slot.getSection(), microbatch, copy}).second)
      return slot.emitOpError() << "runs section \"" << slot.getSection() << "\" a second time";
  }
  return success();
}

LogicalResult SlotOp::verify() {
  auto step = cast<StepOp>((*this)->getParentOp());
  auto verifyIndex = [&](StringRef name, std::optional<uint64_t> index,
                         int64_t count) -> LogicalResult {
    int64_t value = index.value_or(0);
    if (value < 0 || value >= count)
      return emitOpError() << "expected \"" << name << "\" from 0 to " << count - 1 << ", got "
                           << value;
    return success();
  };
  if (failed(verifyIndex("microbatch", getMicrobatch(), step.getMicroBatches())))
    return failure();
  return verifyIndex("copy", getCopy(), step.getCopies());
}

LogicalResult SlotOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  if (!symbolTable.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getSectionAttr()))
    return emitOpError() << "expected a function called \"" << getSection() << "\"";
  return success();
}
