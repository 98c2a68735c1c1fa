// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves the gradients of `layerwise_parallel` parameters unreduced. Each rank has its own copy of
// such a parameter. Its gradient is the gradient of the rank's own loss: n times the rank's part of
// the gradient of the mean over the n ranks that share it. The update takes this part as if it were
// the whole gradient.
//
//                                     other parameters     layerwise_parallel
//   gradient of @forward_backward     partial over dp      partial over dp, factor n
//   update                            needs the sum        needs its part: dist.own
//
// Ranks along the partial axes then hold different values of the parameter. A plan takes a value
// that is not split as equal on all of these ranks. So the pass fails if the plan computes a result
// of a section from such a parameter alike on all of them.
//
// Changes only annotations. Assumes that the pass of a mode has annotated the program.
#include "dialects/graph/Roles.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/strategy/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Sharding;
using pcc::graph::RoleKind;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYKEEPLAYERWISE
#include "passes/strategy/Passes.h.inc"

namespace {

/// Whether a rank's block in `to` lies in its block in `from`, so that no rank reads another one's.
bool isLocalSlice(const Sharding &from, const Sharding &to) {
  if (from.getPartialAxes() != to.getPartialAxes())
    return false;
  for (auto [held, wanted] : llvm::zip_equal(from.getDims(), to.getDims()))
    if (!ArrayRef<std::string>(wanted).take_front(held.size()).equals(held))
      return false;
  return true;
}

/// Finds a result of a section that is computed from a parameter of a rank's own, and that the plan
/// takes as equal on ranks with different values of it.
class OwnValues {
public:
  OwnValues(func::FuncOp function, StringRef parameter, const AxisList &axes)
      : function(function), parameter(parameter) {
    if (auto argument = graph::findArg(function, RoleKind::Parameter, parameter))
      differing[function.getArgument(*argument)] = axes;
  }

  LogicalResult check() {
    for (Operation &op : function.getBody().front().without_terminator())
      if (failed(visit(&op)))
        return failure();
    Operation *terminator = function.getBody().front().getTerminator();
    for (OpOperand &operand : terminator->getOpOperands())
      if (auto found = differing.find(operand.get()); found != differing.end())
        return refuse(operand.get().getDefiningOp(), found->second)
               << "is computed alike on all of them";
    return success();
  }

private:
  LogicalResult visit(Operation *op) {
    AxisList axes;
    for (OpOperand &operand : op->getOpOperands()) {
      auto found = differing.find(operand.get());
      if (found == differing.end())
        continue;
      if (!isLocalSlice(analysis::getSharding(operand.get()),
                        analysis::getOperandSharding(op, operand.getOperandNumber())))
        return refuse(op, found->second) << "reads blocks of other ranks";
      for (const std::string &axis : found->second)
        if (!llvm::is_contained(axes, axis))
          axes.push_back(axis);
    }
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType())) {
        Sharding read = analysis::getOperandSharding(op, operand.getOperandNumber());
        llvm::erase_if(axes, [&](const std::string &axis) { return read.uses(axis); });
      }
    if (!axes.empty())
      for (Value result : op->getResults())
        differing[result] = axes;
    return success();
  }

  InFlightDiagnostic refuse(Operation *op, const AxisList &axes) {
    InFlightDiagnostic error = op ? op->emitError() : function.emitError();
    error << "'" << parameter << "' is layerwise_parallel, so ranks along "
          << llvm::join(axes, ", ") << " hold different values of it: expected '"
          << (op ? analysis::getName(op) : function.getSymName())
          << "' to be split along these axes where it depends on '" << parameter << "', but it ";
    return error;
  }

  func::FuncOp function;
  StringRef parameter;
  llvm::DenseMap<Value, AxisList> differing; ///< the axes along which ranks differ
};

struct KeepLayerwise : impl::StrategyKeepLayerwiseBase<KeepLayerwise> {
  void runOnOperation() override {
    for (auto parameter : getOperation().getOps<graph::ParameterOp>())
      if (parameter.getLayerwiseParallel() && failed(keep(parameter.getSymName())))
        return signalPassFailure();
  }

  LogicalResult keep(StringRef name) {
    AxisList axes;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      annotate(function, name, axes);
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      bool isUpdate = !graph::findArgs(function, RoleKind::Gradient).empty();
      if (!axes.empty() && !function.isDeclaration() && !isUpdate &&
          failed(OwnValues(function, name, axes).check()))
        return failure();
    }
    return success();
  }

  /// Annotates the gradient of parameter `name`. Sets `axes` to the axes over which it is partial.
  void annotate(func::FuncOp function, StringRef name, AxisList &axes) {
    Builder builder(&getContext());
    if (auto result = graph::findResult(function, RoleKind::Gradient, name))
      if (axes = analysis::getResultSharding(function, *result).getPartialAxes(); !axes.empty()) {
        double factor =
            static_cast<double>(dist::getMesh(getOperation()).getSize(ArrayRef<std::string>(axes)));
        function.setResultAttr(*result, dist::gradientFactorAttrName,
                               builder.getF64FloatAttr(factor));
        remark::passed(function.getLoc(),
                       remark::RemarkOpts::name("keep-layerwise").category("strategy"))
            << remark::metric("parameter", name) << remark::metric("factor", factor);
      }
    auto argument = graph::findArg(function, RoleKind::Gradient, name);
    if (argument && analysis::getSharding(function.getArgument(*argument)).isPartial())
      function.setArgAttr(*argument, dist::ownAttrName, builder.getUnitAttr());
  }
};

} // namespace
} // namespace pcc::strategy
