// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/pipeline/VirtualStageFinder.h"

#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "passes/analysis/OpNames.h"
#include <set>

using namespace mlir;
using pcc::graph::RoleKind;

namespace pcc::pipeline {

LogicalResult VirtualStageFinder::run() {
  if (failed(readAnnotations()) || failed(placeAnnotated()))
    return failure();
  findFirstUsers();
  if (failed(placeOthers()))
    return failure();
  copyOpsOfParameters();
  annotate();
  return success();
}

//===-- Given stages -------------------------------------------------------------------------===//

/// Removes the attribute `name` of `op` and stores its number, which must be below `limit`.
static LogicalResult takeNumber(Operation *op, StringRef name, int64_t limit,
                                llvm::DenseMap<Operation *, int64_t> &numbers) {
  Attribute mark = op->removeAttr(name);
  if (!mark)
    return success();
  auto number = dyn_cast<IntegerAttr>(mark);
  if (!number || number.getInt() < 0 || number.getInt() >= limit)
    return op->emitError() << "expected '" << name << "' of \"" << analysis::getName(op)
                           << "\" to be a number from 0 to " << limit - 1 << ", got " << mark;
  numbers[op] = number.getInt();
  return success();
}

LogicalResult VirtualStageFinder::readAnnotation(Operation *op) {
  if (failed(takeNumber(op, pipe::stageAttrName, shape.devices, stages)) ||
      failed(takeNumber(op, pipe::virtualStageAttrName, shape.stages(), given)))
    return failure();
  auto chunk = given.find(op), stage = stages.find(op);
  if (chunk == given.end() || stage == stages.end() ||
      shape.deviceOf(chunk->second) == stage->second)
    return success();
  return op->emitError() << "\"" << analysis::getName(op) << "\" is given stage " << stage->second
                         << " and chunk " << chunk->second << ", which is on stage "
                         << shape.deviceOf(chunk->second);
}

LogicalResult VirtualStageFinder::readAnnotations() {
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!op.hasTrait<OpTrait::ConstantLike>()) {
      if (failed(readAnnotation(&op)))
        return failure();
      continue;
    }
    op.removeAttr(pipe::stageAttrName);
    op.removeAttr(pipe::virtualStageAttrName);
  }
  origins.emplace(function,
                  [&](Operation *op) { return stages.contains(op) || given.contains(op); });
  return success();
}

//===-- Ops with a stage ---------------------------------------------------------------------===//

Operation *VirtualStageFinder::findLatest(Operation *op) const {
  Operation *latest = nullptr;
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp(); producer && chunks.contains(producer))
      if (!latest || chunks.lookup(producer) > chunks.lookup(latest))
        latest = producer;
  return latest;
}

/// Returns the first virtual stage of the op's stage from `least` on; `latest` is the operand's op
/// that lies in `least`.
FailureOr<int64_t> VirtualStageFinder::placeOnStage(Operation *op, int64_t least,
                                                    Operation *latest) {
  int64_t stage = stages.lookup(op);
  for (int64_t chunk = least; chunk < shape.stages(); ++chunk)
    if (shape.deviceOf(chunk) == stage)
      return chunk;
  InFlightDiagnostic error = op->emitError()
                             << "\"" << analysis::getName(op) << "\" on stage " << stage
                             << " reads \"" << analysis::getName(latest) << "\" ";
  if (shape.chunks == 1)
    error << "on stage " << least << ": stages do not decrease along the data";
  else
    error << "in chunk " << least << " of " << shape.stages() << ", behind which stage " << stage
          << " has none; expected more virtual stages";
  error.attachNote(latest->getLoc()) << "it is made here";
  return error;
}

LogicalResult VirtualStageFinder::placeAnnotated() {
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!origins->isPlaced(&op))
      continue;
    Operation *latest = findLatest(&op);
    int64_t least = latest ? chunks.lookup(latest) : 0;
    if (auto known = given.find(&op); known != given.end()) {
      if (known->second < least)
        return op.emitError() << "\"" << analysis::getName(&op) << "\" in chunk " << known->second
                              << " reads \"" << analysis::getName(latest) << "\" in chunk " << least
                              << ": chunks do not decrease along the data";
      chunks[&op] = known->second;
    } else if (stages.contains(&op)) {
      FailureOr<int64_t> chunk = placeOnStage(&op, least, latest);
      if (failed(chunk))
        return failure();
      chunks[&op] = *chunk;
    } else if (latest) {
      chunks[&op] = least;
    }
  }
  return success();
}

//===-- Ops before the first op with a stage -------------------------------------------------===//

void VirtualStageFinder::findFirstUsers() {
  for (Operation &op : llvm::reverse(function.getBody().front().without_terminator()))
    for (Operation *user : op.getUsers()) {
      auto known = chunks.find(user), passed = firstUse.find(user);
      if (known == chunks.end() && passed == firstUse.end())
        continue;
      int64_t chunk = known != chunks.end() ? known->second : passed->second;
      auto [first, isNew] = firstUse.try_emplace(&op, chunk);
      first->second = std::min(first->second, chunk);
    }
}

StringRef VirtualStageFinder::findTrainable(Operation *op) const {
  for (Value operand : op->getOperands()) {
    if (Operation *producer = operand.getDefiningOp()) {
      bool isOfParameters = origins->of(operand) == Origins::Parameters;
      StringRef name = isOfParameters ? findTrainable(producer) : "";
      if (!name.empty())
        return name;
      continue;
    }
    unsigned index = cast<BlockArgument>(operand).getArgNumber();
    graph::RoleAttr role = graph::getArgRole(func::FuncOp(function), index);
    if (!role || role.getKind() != RoleKind::Parameter)
      continue;
    auto module = op->getParentOfType<ModuleOp>();
    auto declaration = module.lookupSymbol<graph::ParameterOp>(graph::getName(role));
    if (declaration && declaration.getTrainable())
      return graph::getName(role);
  }
  return "";
}

LogicalResult VirtualStageFinder::checkUnreached(Operation *op) const {
  StringRef name = findTrainable(op);
  if (name.empty())
    return success();
  return op->emitError() << "\"" << analysis::getName(op) << "\" reads parameter \"" << name
                         << "\" and has no stage, nor has what it reads or what reads it; expected "
                            "a stage for the op of each trainable parameter";
}

LogicalResult VirtualStageFinder::placeOthers() {
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!origins->isPlaced(&op) || chunks.contains(&op))
      continue;
    if (Operation *latest = findLatest(&op)) {
      chunks[&op] = chunks.lookup(latest);
    } else if (auto first = firstUse.find(&op); first != firstUse.end()) {
      chunks[&op] = first->second;
    } else {
      if (failed(checkUnreached(&op)))
        return failure();
      chunks[&op] = 0;
    }
  }
  return success();
}

//===-- Ops of parameters alone --------------------------------------------------------------===//

/// Makes one op for each virtual stage that reads it. The op of the first one stays where it was.
void VirtualStageFinder::copyOpsOfParameters() {
  Block &body = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body.without_terminator()))) {
    if (origins->of(&op) != Origins::Parameters)
      continue;
    std::set<int64_t> readers;
    for (Operation *user : op.getUsers())
      if (auto known = chunks.find(user); known != chunks.end())
        readers.insert(known->second);
    chunks[&op] = readers.empty() ? 0 : *readers.begin();
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfter(&op);
    for (int64_t chunk : llvm::drop_begin(readers, readers.empty() ? 0 : 1)) {
      Operation *copy = builder.clone(op);
      chunks[copy] = chunk;
      op.replaceUsesWithIf(copy->getResults(), [&](OpOperand &use) {
        auto known = chunks.find(use.getOwner());
        return known != chunks.end() && known->second == chunk;
      });
    }
  }
}

void VirtualStageFinder::annotate() {
  Builder builder(function.getContext());
  for (auto [op, chunk] : chunks)
    op->setAttr(pipe::virtualStageAttrName, builder.getI64IntegerAttr(chunk));
}

} // namespace pcc::pipeline
