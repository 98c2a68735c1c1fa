// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// InsertTransfers: makes the edges between virtual stages explicit. Assumes `pipe.virtual_stage` on
// the ops of a model that is not yet differentiated: the transfers of gradients follow from these
// transfers. Leaves values that go between virtual stages through transfers only. Each parameter is
// read by one virtual stage and annotated with its number. Ops have no annotations.
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/pipeline/Passes.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;
using pcc::graph::RoleKind;

namespace pcc::pipeline {

#define GEN_PASS_DEF_INSERTTRANSFERS
#include "passes/pipeline/Passes.h.inc"

namespace {

std::optional<int64_t> getVirtualStage(Operation *op) {
  auto virtualStage = op->getAttrOfType<IntegerAttr>(pipe::virtualStageAttrName);
  return virtualStage ? std::optional(virtualStage.getInt()) : std::nullopt;
}

/// Returns the parameter for which an argument stands; empty for any other value.
StringRef getParameter(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return "";
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  graph::RoleAttr role = graph::getArgRole(function, argument.getArgNumber());
  return role && role.getKind() == RoleKind::Parameter ? graph::getName(role) : "";
}

/// By the name of a parameter: the virtual stages that read it, each with an op that does.
using Readers = llvm::MapVector<StringRef, std::map<int64_t, Operation *>>;

/// Adds the transfers of one function.
class TransferInserter {
public:
  explicit TransferInserter(func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  void insert() {
    for (Operation &op :
         llvm::make_early_inc_range(function.getBody().front().without_terminator()))
      if (std::optional<int64_t> virtualStage = getVirtualStage(&op))
        for (OpOperand &operand : op.getOpOperands())
          cross(operand, *virtualStage);
  }

private:
  void cross(OpOperand &operand, int64_t target) {
    Operation *producer = operand.get().getDefiningOp();
    std::optional<int64_t> source = producer ? getVirtualStage(producer) : std::nullopt;
    if (!source || *source == target)
      return;
    Value &received = made[{operand.get(), target}];
    if (!received) {
      // Follows earlier transfers of the value, so that values read first are sent first.
      Operation *&last = lastOf.try_emplace(producer, producer).first->second;
      builder.setInsertionPointAfter(last);
      std::string name = (analysis::getName(producer) + ".to_chunk" + Twine(target)).str();
      received = pipe::TransferOp::create(
          builder, NameLoc::get(builder.getStringAttr(name), producer->getLoc()), operand.get(),
          *source, target);
      last = received.getDefiningOp();
    }
    operand.set(received);
  }

  func::FuncOp function;
  OpBuilder builder;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> made;
  llvm::DenseMap<Operation *, Operation *> lastOf; ///< last of an op and its transfers
};

/// Gives each virtual stage a copy of its own of a parameter that several of them read.
class CopiedParameters {
public:
  explicit CopiedParameters(ModuleOp module) : module(module), builder(module.getContext()) {}

  LogicalResult run() {
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      function.walk([&](Operation *op) { addReader(op); });
    for (const auto &[name, virtualStages] : readers)
      if (failed(checkNotUpdated(name, virtualStages)) || failed(declare(name, virtualStages)))
        return failure();
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration())
        takeCopies(function);
    return success();
  }

private:
  void addReader(Operation *op) {
    if (std::optional<int64_t> virtualStage = getVirtualStage(op))
      for (Value operand : op->getOperands())
        if (StringRef name = getParameter(operand); !name.empty())
          readers[name].try_emplace(*virtualStage, op);
  }

  /// Checks that a parameter of several virtual stages is not updated by a function, as running
  /// statistics are. The new value would have to go between the virtual stages with every
  /// microbatch.
  LogicalResult checkNotUpdated(StringRef name,
                                const std::map<int64_t, Operation *> &virtualStages) {
    for (func::FuncOp function : module.getOps<func::FuncOp>()) {
      if (virtualStages.size() < 2 || !graph::findResult(function, RoleKind::Parameter, name))
        continue;
      auto [first, a] = *virtualStages.begin();
      auto [last, b] = *virtualStages.rbegin();
      return b->emitError() << "\"" << name << "\" is updated by \"" << function.getSymName()
                            << "\" and read in chunk " << first << " by \"" << analysis::getName(a)
                            << "\" and in chunk " << last << " by \"" << analysis::getName(b)
                            << "\"; expected one chunk";
    }
    return success();
  }

  static std::string nameOfCopy(StringRef name, int64_t virtualStage) {
    return (name + ".chunk" + Twine(virtualStage)).str();
  }

  LogicalResult declare(StringRef name, const std::map<int64_t, Operation *> &virtualStages) {
    auto owner = module.lookupSymbol<graph::ParameterOp>(name);
    if (!owner)
      return success(); // differentiation diagnoses it
    owner->setAttr(pipe::virtualStageAttrName,
                   builder.getI64IntegerAttr(virtualStages.begin()->first));
    Operation *behind = owner;
    for (auto [virtualStage, reader] : llvm::drop_begin(virtualStages)) {
      std::string copyName = nameOfCopy(name, virtualStage);
      if (Operation *taken = module.lookupSymbol(copyName))
        return taken->emitError() << "\"" << copyName << "\" is the name of a copy of \"" << name
                                  << "\": rename this symbol";
      builder.setInsertionPointAfter(behind);
      auto copy = cast<graph::ParameterOp>(builder.clone(*owner));
      copy.setSymName(copyName);
      copy->setAttr(pipe::copyOfAttrName, builder.getStringAttr(name));
      copy->setAttr(pipe::virtualStageAttrName, builder.getI64IntegerAttr(virtualStage));
      behind = copy;
    }
    return success();
  }

  /// Lets the ops of `function` read the copy of their virtual stage.
  void takeCopies(func::FuncOp function) {
    unsigned numArguments = function.getNumArguments();
    for (unsigned index = 0; index < numArguments; ++index) {
      auto known = readers.find(getParameter(function.getArgument(index)));
      if (known == readers.end())
        continue;
      for (auto [virtualStage, reader] : llvm::drop_begin(known->second))
        takeCopy(function, index, known->first, virtualStage);
    }
  }

  void takeCopy(func::FuncOp function, unsigned index, StringRef name, int64_t virtualStage) {
    BlockArgument owner = function.getArgument(index);
    auto isOfVirtualStage = [&](OpOperand &use) {
      return getVirtualStage(use.getOwner()) == virtualStage;
    };
    if (llvm::none_of(owner.getUses(), isOfVirtualStage))
      return;
    NamedAttrList attributes(function.getArgAttrDict(index));
    attributes.set(graph::roleAttrName, graph::makeRole(function.getContext(), RoleKind::Parameter,
                                                        nameOfCopy(name, virtualStage)));
    unsigned position = function.getNumArguments();
    LogicalResult added = function.insertArgument(
        position, owner.getType(), attributes.getDictionary(function.getContext()), owner.getLoc());
    assert(succeeded(added) && "a position behind the arguments is legal");
    (void)added;
    function.getArgument(index).replaceUsesWithIf(function.getArgument(position), isOfVirtualStage);
  }

  ModuleOp module;
  OpBuilder builder;
  Readers readers;
};

struct InsertTransfers : impl::InsertTransfersBase<InsertTransfers> {
  using InsertTransfersBase::InsertTransfersBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration())
        TransferInserter(function).insert();
    if (failed(CopiedParameters(module).run()))
      return signalPassFailure();
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      function.walk([](Operation *op) { op->removeAttr(pipe::virtualStageAttrName); });
  }
};

} // namespace
} // namespace pcc::pipeline
