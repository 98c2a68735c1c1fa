// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect's attributes, and its verifiers. Labels (P1…) are those of docs/spec/pipe.md.
#include "dialects/pipe/Pipe.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

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

// P10
LogicalResult PipeDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != copyAttrName)
    return success();
  auto copy = dyn_cast<IntegerAttr>(attribute.getValue());
  if (copy && copy.getType().isInteger(64) && copy.getInt() >= 0)
    return success();
  return op->emitOpError() << "expected \"pipe.copy\" of argument " << index
                           << " to be the number of a copy, got " << attribute.getValue();
}

// P7
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

/// Verifies P4: the actions of a section with indices are one for each microbatch, or one for each
/// copy of each microbatch, in the same way in all sections. No two actions are equal, and indices
/// are in range, so it is enough to count them.
static LogicalResult verifyRuns(StepOp step) {
  llvm::MapVector<StringRef, int64_t> indexed;
  llvm::DenseSet<StringRef> alone;
  bool isForAll = step.areCopiesTogether();
  for (auto action : step.getBody().front().getOps<ActionOp>()) {
    if (!action.getMicrobatch()) {
      alone.insert(action.getSection());
      continue;
    }
    ++indexed[action.getSection()];
    if (action.getCopy().has_value() == isForAll)
      return action.emitOpError() << "expected all actions of microbatches to be for "
                                  << (isForAll ? "all copies" : "one copy")
                                  << " as the first one is";
  }
  auto expected =
      llvm::checkedMul<int64_t>(step.getMicroBatches(), isForAll ? 1 : step.getCopies());
  for (auto [section, count] : indexed)
    if (count != expected || alone.contains(section))
      return step.emitOpError() << "expected section \"" << section
                                << "\" to run once, or once for each of " << step.getMicroBatches()
                                << " microbatches" << (isForAll ? "" : " of ")
                                << (isForAll ? "" : std::to_string(step.getCopies()) + " copies")
                                << ", got " << count << " such actions"
                                << (alone.contains(section) ? " and one for all" : "");
  return success();
}

bool StepOp::areCopiesTogether() {
  auto actions = getBody().front().getOps<ActionOp>();
  auto first =
      llvm::find_if(actions, [](ActionOp action) { return action.getMicrobatch().has_value(); });
  return first != actions.end() && !(*first).getCopy();
}

LogicalResult StepOp::verifyRegions() {
  if (int64_t(getMicroBatches()) < 1 || int64_t(getCopies()) < 1) // P1
    return emitOpError() << "expected at least one microbatch and one copy, got "
                         << int64_t(getMicroBatches()) << " and " << int64_t(getCopies());
  llvm::DenseSet<std::tuple<StringRef, int64_t, int64_t>> seen;
  for (Operation &op : getBody().front()) {
    auto action = dyn_cast<ActionOp>(op);
    if (!action) // P2
      return op.emitOpError() << "expected only actions in a step";
    int64_t microbatch = action.getMicrobatch().value_or(-1), copy = action.getCopy().value_or(-1);
    if (!seen.insert({action.getSection(), microbatch, copy}).second) // P3
      return action.emitOpError() << "runs section \"" << action.getSection() << "\" a second time";
  }
  return verifyRuns(*this);
}

LogicalResult ActionOp::verify() {
  auto step = cast<StepOp>((*this)->getParentOp());
  if (getCopy() && !getMicrobatch()) // P5
    return emitOpError() << "expected a microbatch beside the copy";
  auto verifyIndex = [&](StringRef name, std::optional<uint64_t> index,
                         int64_t count) -> LogicalResult {
    int64_t value = index.value_or(0);
    if (index && (value < 0 || value >= count)) // P5
      return emitOpError() << "expected \"" << name << "\" from 0 to " << count - 1 << ", got "
                           << value;
    return success();
  };
  if (failed(verifyIndex("microbatch", getMicrobatch(), step.getMicroBatches())))
    return failure();
  return verifyIndex("copy", getCopy(), step.getCopies());
}

int64_t ActionOp::getNumber() {
  auto step = cast<StepOp>((*this)->getParentOp());
  int64_t microbatch = getMicrobatch().value_or(0);
  return getCopy() ? microbatch * int64_t(step.getCopies()) + int64_t(*getCopy()) : microbatch;
}

LogicalResult ActionOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto section = symbolTable.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getSectionAttr());
  if (!section || section.isExternal()) // P6
    return emitOpError() << "expected a function with a body called \"" << getSection() << "\"";
  return success();
}

pcc::FactorRule TransferOp::getFactorRule() {
  return FactorRule::pointwise(getInput().getType().getShape(), /*numOperands=*/1);
}

// P8
LogicalResult TransferOp::verify() {
  int64_t source = getSource(), target = getTarget();
  if (source >= 0 && target >= 0 && source != target)
    return success();
  return emitOpError() << "expected two different chunks from 0 on, got " << source << " and "
                       << target;
}

/// P9
static LogicalResult verifyMessage(Operation *op, int64_t stage, int64_t tag) {
  if (stage >= 0 && tag >= 0)
    return success();
  return op->emitOpError() << "expected a stage and a tag from 0 on, got " << stage << " and "
                           << tag;
}

LogicalResult SendOp::verify() { return verifyMessage(*this, getStage(), getTag()); }
LogicalResult RecvOp::verify() { return verifyMessage(*this, getStage(), getTag()); }
