// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SplitBatch: turns the model of a batch into the model of one of its microbatches. Assumes that
// dimension 0 of every input is the batch. Leaves every op as it is, on smaller shapes. Refuses
// models without a batch to follow: control flow, and inputs of unknown size.
#include "dialects/dist/Sharding.h"
#include "dialects/graph/Constants.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/graph/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::graph {

using namespace pcc;

// Finds the dimensions of values that carry the batch.

namespace {

/// The dimensions of one function's values that carry the batch as their slowest factor.
///
/// Starts at dimension 0 of the inputs and follows factors through ops until nothing is added. From
/// an operand it goes to the results and the other operands, and from a result back to the
/// operands. So it also finds a broadcast bias or a constant beside a batch, such as a mask that is
/// equal for all rows. Uses of a constant get one of their own first, so that two uses do not meet
/// in it.
class BatchExtent {
public:
  /// Finds the dimensions to divide by `count`. Fails with a diagnostic that names the value or op
  /// that cannot be divided.
  static mlir::FailureOr<BatchExtent> find(mlir::func::FuncOp function, int64_t count);

  /// (value, dimension) pairs in the order in which they were found.
  llvm::ArrayRef<std::pair<mlir::Value, unsigned>> getDims() const { return dims.getArrayRef(); }

private:
  BatchExtent(mlir::func::FuncOp function, int64_t count) : function(function), count(count) {}

  mlir::LogicalResult startAtInputs();
  mlir::LogicalResult follow(mlir::Value value, unsigned dim);
  mlir::LogicalResult followInto(mlir::OpOperand &use, unsigned dim);
  mlir::LogicalResult followOp(mlir::Operation *op, const FactorRule &rule, const DimFactors &dim);
  mlir::LogicalResult checkArgument(mlir::BlockArgument argument, unsigned dim);
  mlir::LogicalResult cannotFollow(mlir::Operation *op, llvm::StringRef why);

  mlir::func::FuncOp function;
  int64_t count;
  llvm::SetVector<std::pair<mlir::Value, unsigned>> dims;
};

} // namespace

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Returns the name of an argument for messages: its name in the model, else its number.
static std::string nameOf(func::FuncOp function, unsigned argument) {
  RoleAttr role = getArgRole(function, argument);
  if (role && role.getName())
    return "'" + role.getName().str() + "'";
  return "#" + std::to_string(argument);
}

LogicalResult BatchExtent::startAtInputs() {
  for (unsigned index : findArgs(function, RoleKind::Input)) {
    auto type = dyn_cast<RankedTensorType>(function.getArgument(index).getType());
    if (!type || type.getRank() == 0)
      continue;
    if (!hasGraphShape(type))
      return function.emitError() << "expected input " << nameOf(function, index)
                                  << " of static sizes of at least 1, got " << type;
    int64_t batch = type.getDimSize(0);
    if (batch % count != 0) {
      InFlightDiagnostic error =
          function.emitError() << "expected " << count
                               << " parts, microbatches times copies, to divide the batch of input "
                               << nameOf(function, index) << ", got " << batch << " samples";
      error.attachNote() << "counts that divide it: " << dist::listDivisors(batch);
      return error;
    }
    dims.insert({function.getArgument(index), 0});
  }
  return success();
}

LogicalResult BatchExtent::cannotFollow(Operation *op, StringRef why) {
  return op->emitOpError() << "cannot work on one of " << count << " microbatches: " << why;
}

/// Checks that an argument with the batch is an input, divided along dimension 0. A parameter with
/// the batch belongs to a model for this batch alone.
LogicalResult BatchExtent::checkArgument(BlockArgument argument, unsigned dim) {
  RoleAttr role = getArgRole(function, argument.getArgNumber());
  if (role && role.getKind() == RoleKind::Input && dim == 0)
    return success();
  return function.emitError() << "expected no argument but the inputs to carry the batch, got "
                              << "dimension " << dim << " of "
                              << nameOf(function, argument.getArgNumber());
}

/// Returns whether the results of `op` serve as element numbers for random numbers, and for nothing
/// else.
static bool onlyNumbersDraws(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<DropoutOp, RngUniformOp>(user) ||
           (user->hasTrait<Elementwise>() && onlyNumbersDraws(user));
  });
}

/// Returns whether `op` takes the microbatch for the batch although it reads all of it. A batch
/// norm takes the statistics of the microbatch. Random numbers use the numbers of its elements.
static bool isOfMicrobatch(Operation *op) {
  return isa<BatchNormOp>(op) || (isa<IotaOp>(op) && onlyNumbersDraws(op));
}

/// Adds every dimension of `op` whose slowest factor is the slowest of `dim`.
LogicalResult BatchExtent::followOp(Operation *op, const FactorRule &rule, const DimFactors &dim) {
  unsigned batch = dim.front();
  const Factor &factor = rule.getFactor(batch);
  bool isWhole = factor.kind == FactorKind::Whole || factor.kind == FactorKind::Window;
  if (isWhole && !isOfMicrobatch(op))
    return cannotFollow(op, "it needs the whole batch");
  if (factor.size % count != 0)
    return cannotFollow(op, "it takes the batch apart into pieces that the count does not divide");
  auto mark = [&](const TensorFactors &tensor, Value value) {
    for (auto [index, factors] : llvm::enumerate(tensor)) {
      if (!llvm::is_contained(factors, batch))
        continue;
      if (factors.front() != batch)
        return cannotFollow(op, "it puts the batch behind another dimension");
      dims.insert({value, unsigned(index)});
    }
    return success();
  };
  for (auto [tensor, value] : llvm::zip_equal(rule.getOperands(), op->getOperands()))
    if (failed(mark(tensor, value)))
      return failure();
  for (auto [tensor, value] : llvm::zip_equal(rule.getResults(), op->getResults()))
    if (failed(mark(tensor, value)))
      return failure();
  return success();
}

LogicalResult BatchExtent::followInto(OpOperand &use, unsigned dim) {
  Operation *op = use.getOwner();
  if (isa<func::ReturnOp>(op))
    return success();
  auto ruled = dyn_cast<FactorRuleOpInterface>(op);
  if (!ruled)
    return cannotFollow(op, "it does not say how it may be split");
  FactorRule rule = ruled.getFactorRule();
  return followOp(op, rule, rule.getOperands()[use.getOperandNumber()][dim]);
}

LogicalResult BatchExtent::follow(Value value, unsigned dim) {
  for (OpOperand &use : value.getUses())
    if (failed(followInto(use, dim)))
      return failure();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return checkArgument(argument, dim);
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    if (cutRepeated(constant.getValue(), dim, count))
      return success();
    return cannotFollow(constant, "its values differ from row to row of the batch");
  }
  auto result = cast<OpResult>(value);
  auto ruled = dyn_cast<FactorRuleOpInterface>(result.getOwner());
  if (!ruled)
    return cannotFollow(result.getOwner(), "it does not say how it may be split");
  FactorRule rule = ruled.getFactorRule();
  return followOp(result.getOwner(), rule, rule.getResults()[result.getResultNumber()][dim]);
}

/// Gives every use of a constant a constant of its own.
static void separateConstants(func::FuncOp function) {
  SmallVector<ConstantOp> constants;
  function.walk([&](ConstantOp op) {
    if (!shapeOf(op.getResult()).empty())
      constants.push_back(op);
  });
  for (ConstantOp op : constants) {
    auto uses = llvm::map_to_vector(op->getUses(), [](OpOperand &use) { return &use; });
    for (OpOperand *use : ArrayRef(uses).drop_front(uses.empty() ? 0 : 1)) {
      OpBuilder builder(op);
      use->set(builder.clone(*op)->getResult(0));
    }
  }
}

FailureOr<BatchExtent> BatchExtent::find(func::FuncOp function, int64_t count) {
  BatchExtent extent(function, count);
  if (failed(extent.startAtInputs()))
    return failure();
  if (!extent.dims.empty())
    separateConstants(function);
  // The set grows while it is read.
  for (size_t index = 0; index < extent.dims.size(); ++index) {
    auto [value, dim] = extent.dims[index];
    if (failed(extent.follow(value, dim)))
      return failure();
  }
  return extent;
}

#define GEN_PASS_DEF_GRAPHSPLITBATCH
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

/// Divides the found dimensions; the values of constants follow their types.
static void divide(const BatchExtent &extent, int64_t count) {
  for (auto [value, dim] : extent.getDims())
    if (auto constant = value.getDefiningOp<ConstantOp>())
      constant.setValueAttr(cutRepeated(constant.getValue(), dim, count));
  for (auto [value, dim] : extent.getDims()) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] /= count;
    value.setType(type.clone(shape));
  }
}

/// Updates the function's type after its arguments and returned values have changed theirs.
static void updateSignature(func::FuncOp function) {
  Operation *terminator = function.getBody().back().getTerminator();
  function.setType(FunctionType::get(function.getContext(), function.getBody().getArgumentTypes(),
                                     terminator->getOperandTypes()));
}

namespace {
struct SplitBatch : public pcc::graph::impl::GraphSplitBatchBase<SplitBatch> {
  using GraphSplitBatchBase::GraphSplitBatchBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (count < 1) {
      function.emitError() << "expected 1 or more microbatches, got " << count.getValue();
      return signalPassFailure();
    }
    if (function.isDeclaration() || count == 1)
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError() << "expected one block, got " << function.getBody().getBlocks().size();
      return signalPassFailure();
    }
    FailureOr<BatchExtent> extent = BatchExtent::find(function, count);
    if (failed(extent))
      return signalPassFailure();
    divide(*extent, count);
    updateSignature(function);
  }
};
} // namespace
