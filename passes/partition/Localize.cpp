// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Localize: turns global shapes into those of one rank. Assumes that every use has the sharding
// that it requires and that no reshard is left. Leaves shardings on the function's boundary only.
#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/IR/IRMapping.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/partition/Passes.h"
#include "passes/partition/ReshardRequests.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::Sharding;

namespace pcc::partition {

#define GEN_PASS_DEF_LOCALIZE
#include "passes/partition/Passes.h.inc"

namespace {

/// Returns the sharding that an op or the function's boundary requires of an operand; nothing for
/// ops of one rank between to_local and to_global.
std::optional<Sharding> findWanted(func::FuncOp function, OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (op->hasTrait<OpTrait::IsTerminator>())
    return analysis::getResultSharding(function, operand.getOperandNumber());
  if (auto local = dyn_cast<dist::ToLocalOp>(op))
    return local.getSharding().getSharding();
  if (isa<FactorRuleOpInterface>(op))
    return analysis::getOperandSharding(op, operand.getOperandNumber());
  return std::nullopt;
}

/// Checks that every operand has the sharding that its op requires, and that no reshard is left.
LogicalResult checkUses(func::FuncOp function) {
  for (Operation &op : function.getBody().front()) {
    if (isa<dist::ReshardOp>(op))
      return op.emitError()
             << "\"dist.reshard\" is left over; run --dist-reshards-to-collectives first";
    for (OpOperand &operand : op.getOpOperands()) {
      Sharding got = analysis::getSharding(operand.get());
      std::optional<Sharding> wanted = findWanted(function, operand);
      if (wanted && *wanted != got)
        return op.emitError() << "expected operand " << operand.getOperandNumber() << " as \""
                              << wanted->str() << "\", got \"" << got.str()
                              << "\"; run --dist-insert-reshards first";
    }
  }
  return success();
}

/// Rewrites one function, op by op.
class Localizer {
public:
  Localizer(func::FuncOp function, const dist::Mesh &mesh)
      : function(function), mesh(mesh), builder(function.getContext()) {}

  void run() {
    Block &body = function.getBody().front();
    for (BlockArgument argument : body.getArguments())
      argument.setType(getLocalType(argument));
    SmallVector<Operation *> globals;
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
      builder.setInsertionPoint(&op);
      localize(&op);
      globals.push_back(&op);
    }
    Operation *terminator = body.getTerminator();
    for (OpOperand &operand : terminator->getOpOperands())
      operand.set(local.lookupOrDefault(operand.get()));
    for (Operation *op : llvm::reverse(globals))
      op->erase();
    function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                       terminator->getOperandTypes()));
    function->setAttr(dist::localAttrName, builder.getUnitAttr());
  }

private:
  Type getLocalType(Value value) {
    return analysis::getLocalType(value.getType(), analysis::getSharding(value), mesh);
  }

  void localize(Operation *op) {
    if (isa<dist::ToLocalOp, dist::ToGlobalOp>(op)) {
      local.map(op->getResult(0), local.lookupOrDefault(op->getOperand(0)));
      return;
    }
    SmallVector<Type> types;
    for (Value result : op->getResults())
      types.push_back(getLocalType(result));
    SmallVector<Value> results = buildLocalForm(op, types);
    if (results.empty() || !results.front())
      results = cloneLocal(op, types);
    for (auto [global, result] : llvm::zip_equal(op->getResults(), results))
      local.map(global, result);
  }

  SmallVector<Value> buildLocalForm(Operation *op, ArrayRef<Type> types) {
    auto form = dyn_cast<analysis::LocalFormOpInterface>(op);
    if (!form || !op->hasAttr(dist::outAttrName))
      return {};
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(local.lookupOrDefault(operand));
    Operation *before = op->getPrevNode();
    SmallVector<Value> results = form.buildLocal(builder, operands, types);
    for (Operation *added = op->getPrevNode(); added != before; added = added->getPrevNode())
      if (isa<dist::CollectiveOpInterface>(added))
        added->setLoc(analysis::withRequest(added->getLoc(), makeLocalRequest(op)));
    return results;
  }

  /// Clones the op on blocks: sizes come from types.
  SmallVector<Value> cloneLocal(Operation *op, ArrayRef<Type> types) {
    Operation *clone = builder.clone(*op, local);
    clone->removeAttr(dist::inAttrName);
    clone->removeAttr(dist::outAttrName);
    for (auto [result, type] : llvm::zip_equal(clone->getResults(), types))
      result.setType(type);
    return SmallVector<Value>(clone->getResults());
  }

  func::FuncOp function;
  const dist::Mesh &mesh;
  OpBuilder builder;
  IRMapping local; ///< from global values to this rank's blocks
};

struct Localize : impl::LocalizeBase<Localize> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!module->hasAttr(dist::meshAttrName))
      return;
    dist::Mesh mesh = dist::getMesh(module);
    for (func::FuncOp function : module.getOps<func::FuncOp>()) {
      if (function.isDeclaration() || function->hasAttr(dist::localAttrName))
        continue;
      if (failed(checkUses(function)))
        return signalPassFailure();
      Localizer(function, mesh).run();
    }
  }
};

} // namespace
} // namespace pcc::partition
