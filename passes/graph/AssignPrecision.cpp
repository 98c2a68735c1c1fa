// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AssignPrecision: lets a model of f32 compute in mixed precision. Parameters, inputs and results
// keep their types; casts stand between ops of different types (Precision.h). A value is cast once
// for all its users. Assumes that composites are recognized and that the model is not
// differentiated yet: gradients follow from the types of the ops. Leaves values of f64 and integers
// as they are.
//
// Values that depend on parameters and constants alone do not decide the type of an op: a bias
// takes the type of the matmul that it is added to. Their broadcasts, reshapes and transposes are
// made again in that type, so that the small value is cast.
#include "dialects/graph/Graph.h"
#include "dialects/graph/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "passes/analysis/names/ConstraintSubject.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/graph/Passes.h"
#include "passes/graph/Precision.h"

using namespace mlir;

namespace pcc::graph {

#define GEN_PASS_DEF_GRAPHASSIGNPRECISION
#include "passes/graph/Passes.h.inc"

namespace {

/// An entry of --precision-constraint.
struct PrecisionConstraint {
  analysis::NamePattern pattern; ///< found anywhere in a name of an op
  Precision precision;
  bool matches = false; ///< whether it matches an op
};

Type elementTypeOf(Value value) { return getElementTypeOrSelf(value.getType()); }

/// Assigns the types of one function.
class Assigner {
public:
  Assigner(func::FuncOp function, Type half, MutableArrayRef<PrecisionConstraint> constraints)
      : function(function), half(half), single(Float32Type::get(function.getContext())),
        constraints(constraints) {}

  LogicalResult run() {
    Block &block = function.getBody().front();
    for (unsigned index : findArgs(function, RoleKind::Parameter))
      weak.insert(block.getArgument(index));
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      if (failed(assign(&op)))
        return failure();
    Operation *end = block.getTerminator();
    for (auto [operand, type] : llvm::zip(end->getOpOperands(), function.getResultTypes()))
      operand.set(castTo(operand.get(), getElementTypeOrSelf(type)));
    return success();
  }

private:
  /// Returns whether the elements are f32 or of the half type.
  bool isMixed(Value value) {
    return elementTypeOf(value) == half || elementTypeOf(value) == single;
  }

  /// Returns the operands whose types follow the precision of `op`. A batch norm keeps its scale
  /// and its statistics in f32.
  MutableArrayRef<OpOperand> getFollowing(Operation *op) {
    return isa<BatchNormOp, BatchNormInferenceOp>(op) ? op->getOpOperands().take_front()
                                                      : op->getOpOperands();
  }

  /// Returns the precision of the first constraint that matches the op; its own if none does.
  Precision getRequested(Operation *op) {
    std::optional<Precision> requested;
    for (PrecisionConstraint &constraint : constraints)
      if (llvm::any_of(analysis::getNames(op),
                       [&](StringRef name) { return constraint.pattern.matches(name); })) {
        constraint.matches = true;
        if (!requested)
          requested = constraint.precision;
      }
    return requested.value_or(getPrecision(op));
  }

  /// Returns the type in which `op` computes. `precision` is the one requested for it.
  Type getType(Operation *op, Precision precision) {
    if (precision != Precision::Follows)
      return precision == Precision::Half ? half : Type(single);
    bool hasHalf = false, hasSingle = false;
    for (OpOperand &operand : getFollowing(op)) {
      hasHalf |= elementTypeOf(operand.get()) == half;
      hasSingle |= elementTypeOf(operand.get()) == single && !weak.contains(operand.get());
    }
    return hasHalf && !hasSingle ? half : Type(single);
  }

  LogicalResult assign(Operation *op) {
    bool isWeak = llvm::all_of(op->getOperands(), [&](Value v) { return weak.contains(v); });
    if (isWeak)
      weak.insert(op->result_begin(), op->result_end());
    if (isa<CastOp>(op) || llvm::none_of(op->getOperands(), [&](Value v) { return isMixed(v); }))
      return success();
    Precision requested = getRequested(op);
    // A matmul of parameters alone gets its own precision, and so do its users. Ops that only
    // reshape parameters keep their type; a user casts their result.
    bool hasHalf = llvm::any_of(getFollowing(op),
                                [&](OpOperand &o) { return elementTypeOf(o.get()) == half; });
    if (isWeak && requested == Precision::Follows && !hasHalf)
      return success();
    Type type = getType(op, requested);
    for (OpOperand &operand : getFollowing(op))
      if (isMixed(operand.get()))
        operand.set(castTo(operand.get(), type));
    return retype(op, type);
  }

  /// Gives the results of `op` the types that follow from its operands.
  LogicalResult retype(Operation *op, Type type) {
    if (auto inferring = dyn_cast<InferTypeOpInterface>(op)) {
      SmallVector<Type> types;
      if (failed(inferring.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                            op->getAttrDictionary(), op->getPropertiesStorage(),
                                            op->getRegions(), types)))
        return failure();
      for (auto [result, inferred] : llvm::zip_equal(op->getResults(), types))
        result.setType(inferred);
      return success();
    }
    auto results = isa<BatchNormOp>(op) ? op->getResults().take_front() : op->getResults();
    for (OpResult result : results)
      if (isMixed(result))
        result.setType(cast<RankedTensorType>(result.getType()).clone(type));
    return success();
  }

  /// Returns `value` with elements of `type`; the value itself if it has them.
  Value castTo(Value value, Type type) {
    if (!isMixed(value) || elementTypeOf(value) == type)
      return value;
    if (Value known = casts.lookup({value, type}))
      return known;
    Value made = makeCast(value, type); // may cast other values
    casts[{value, type}] = made;
    return made;
  }

  Value makeCast(Value value, Type type) {
    Operation *op = value.getDefiningOp();
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfterValue(value);
    auto result = cast<RankedTensorType>(value.getType()).clone(type);
    if (weak.contains(value) && isa_and_present<BroadcastOp, ReshapeOp, TransposeOp>(op)) {
      IRMapping map;
      map.map(op->getOperand(0), castTo(op->getOperand(0), type));
      Operation *copy = builder.clone(*op, map);
      copy->getResult(0).setType(result);
      weak.insert(copy->getResult(0));
      return copy->getResult(0);
    }
    Value made = CastOp::create(builder, nameCast(value), result, value);
    if (weak.contains(value))
      weak.insert(made);
    return made;
  }

  /// Returns NAME.cast for the value called NAME.
  Location nameCast(Value value) {
    std::string name = "cast";
    if (Operation *op = value.getDefiningOp())
      name = (analysis::getName(op) + ".cast").str();
    else if (RoleAttr role = getArgRole(function, cast<BlockArgument>(value).getArgNumber()))
      name = (getName(role) + ".cast").str();
    return NameLoc::get(StringAttr::get(function.getContext(), name), value.getLoc());
  }

  func::FuncOp function;
  Type half;
  FloatType single;
  MutableArrayRef<PrecisionConstraint> constraints;
  llvm::DenseSet<Value> weak; ///< values of parameters and constants alone
  llvm::DenseMap<std::pair<Value, Type>, Value> casts;
};

/// Counts ops by the type in which they compute, for the remark.
void remarkTypes(func::FuncOp function, Type half) {
  int64_t halves = 0, singles = 0, castCount = 0;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (op.getNumResults() == 0 || !isa<FloatType>(elementTypeOf(op.getResult(0))))
      continue;
    castCount += isa<CastOp>(op);
    if (!isa<CastOp>(op))
      ++(elementTypeOf(op.getResult(0)) == half ? halves : singles);
  }
  remark::passed(function.getLoc(), remark::RemarkOpts::name("assign-precision").category("graph"))
      << remark::metric("function", function.getSymName()) << remark::metric("half_ops", halves)
      << remark::metric("single_ops", singles) << remark::metric("casts", castCount);
}

struct AssignPrecision : impl::GraphAssignPrecisionBase<AssignPrecision> {
  using GraphAssignPrecisionBase::GraphAssignPrecisionBase;

  LogicalResult parse(Type &half, SmallVectorImpl<PrecisionConstraint> &parsed) {
    ModuleOp module = getOperation();
    if (type != "bf16" && type != "f16" && type != "f32")
      return module.emitError() << "expected precision 'bf16', 'f16' or 'f32', got '" << type
                                << "'";
    half = type == "f16" ? Type(Float16Type::get(&getContext())) : BFloat16Type::get(&getContext());
    for (const std::string &text : constraints) {
      auto [name, precision] = StringRef(text).rsplit('=');
      analysis::NamePattern pattern(analysis::NamePattern::Kind::Part, name);
      StringRef error = pattern.getError();
      bool isKnown = precision == "f32" || precision == "half" || precision == type;
      if (name.empty() || !isKnown || !error.empty())
        return module.emitError() << "precision constraint '" << text
                                  << "': expected NAME=f32 or NAME=half, NAME a regular expression"
                                  << (error.empty() ? "" : ": ") << error;
      parsed.push_back(
          {std::move(pattern), precision == "f32" ? Precision::Single : Precision::Half});
    }
    return success();
  }

  void runOnOperation() override {
    Type half;
    SmallVector<PrecisionConstraint> parsed;
    if (failed(parse(half, parsed)))
      return signalPassFailure();
    if (type == "f32")
      return;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration() || !function.getBody().hasOneBlock())
        continue;
      if (failed(Assigner(function, half, parsed).run()))
        return signalPassFailure();
      remarkTypes(function, half);
    }
    for (const PrecisionConstraint &constraint : parsed)
      if (!constraint.matches) {
        getOperation().emitError()
            << "precision constraint '" << constraint.pattern.getText()
            << "' matches no op that reads f32 or " << type << ", except casts";
        return signalPassFailure();
      }
  }
};

} // namespace
} // namespace pcc::graph
