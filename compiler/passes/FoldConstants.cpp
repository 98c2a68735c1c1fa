// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk in program order evaluates each op whose operands are known, except large values and
// random numbers. Then each known value that a remaining op reads becomes a constant: dimensions
// along which it repeats are dropped and broadcast again
// (compiler/interpret/function/CompactTensors.h). Ops that become dead are left for
// canonicalization.
#include "compiler/passes/FoldConstants.h"

#include "compiler/interpret/function/CompactTensors.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/graph/Constants.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pcc;
using interpret::Rank;
using values::Tensor;

namespace {

/// Maximum elements of a value, without repeated ones, that is evaluated: a mask of 2,048 x 2,048
/// positions. Larger values are computed at run time, so that the compiled program stays small.
constexpr int64_t maxElements = int64_t(1) << 22;

/// Evaluates the ops of one function, in program order.
class Folder {
public:
  Folder(func::FuncOp function, Rank &rank) : function(function), rank(rank) {}

  void run();

private:
  bool isCandidate(Operation &op) const;
  void evaluate(Operation &op);
  bool evaluateEqualRows(graph::GatherOp gather);
  void replace(Value value, const Tensor &compact);

  func::FuncOp function;
  Rank &rank;
  llvm::MapVector<Value, Tensor> known; ///< without repeated elements (CompactTensors.h)
};

} // namespace

static bool isSupported(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && values::elementTypeOf(tensor.getElementType());
}

/// Returns whether `op` draws random numbers. Such ops are not evaluated, because drawing costs
/// less than reading a constant. Their operand `index`, which numbers the elements for the random
/// hash, is not replaced either: when the batch is split, it starts at 0 in each part.
static bool draws(Operation *op) { return isa<graph::RngUniformOp, graph::DropoutOp>(op); }

/// Returns whether the results of `op` may be evaluated from known operands.
bool Folder::isCandidate(Operation &op) const {
  return isa_and_present<graph::GraphDialect>(op.getDialect()) && op.getNumRegions() == 0 &&
         !draws(&op) && op.getNumResults() > 0 && isMemoryEffectFree(&op) &&
         llvm::all_of(op.getResultTypes(), isSupported) &&
         llvm::all_of(op.getOperands(), [&](Value operand) { return known.contains(operand); });
}

/// Adds the results of `op` to the known values. An op that the interpreter cannot evaluate, such
/// as a division by zero, stays in the program.
void Folder::evaluate(Operation &op) {
  SmallVector<Tensor, 4> operands;
  for (Value operand : op.getOperands())
    operands.push_back(known.find(operand)->second);
  if (auto results = interpret::evaluateCompact(op, operands, maxElements, rank))
    for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results))
      known.insert({value, tensor});
}

/// Returns `tensor` without its first dimension, which has size 1.
static Tensor dropFirst(const Tensor &tensor) {
  return tensor.reshaped(ArrayRef<int64_t>(tensor.getShape()).drop_front());
}

/// Evaluates the lookup of positions in a table with equal rows, one for each sample:
///
///   flat = reshape table            rows x columns to rows * columns
///   gather flat, sample * columns + position
///
/// The sample makes no difference, so its product with all positions is not evaluated. Exported
/// attention masks look up the table of padding this way.
bool Folder::evaluateEqualRows(graph::GatherOp gather) {
  auto flat = gather.getInput().getDefiningOp<graph::ReshapeOp>();
  auto sum = gather.getIndices().getDefiningOp<graph::AddOp>();
  auto table = flat ? known.find(flat.getInput()) : known.end();
  if (table == known.end() || !sum || gather.getAxis() != 0)
    return false;
  ArrayRef<int64_t> shape = flat.getInput().getType().getShape();
  bool isFlattened = shape.size() >= 2 && table->second.getDim(0) == 1 &&
                     flat.getType().getShape().drop_front() == shape.drop_front(2);
  if (!isFlattened)
    return false;
  int64_t rows = shape[0], columns = shape[1];
  if (!graph::holdsIndices(sum.getType().getElementType(), rows * columns))
    return false;
  auto isStart = [&](values::Element start) {
    return start.i >= 0 && start.i < rows * columns && start.i % columns == 0;
  };
  auto isColumn = [&](values::Element column) { return column.i >= 0 && column.i < columns; };
  for (bool isSwapped : {false, true}) {
    auto starts = known.find(isSwapped ? sum.getRhs() : sum.getLhs());
    auto positions = known.find(isSwapped ? sum.getLhs() : sum.getRhs());
    if (starts == known.end() || positions == known.end() ||
        !llvm::all_of(starts->second.elements(), isStart) ||
        !llvm::all_of(positions->second.elements(), isColumn))
      continue;
    std::optional<Tensor> found = interpret::gatherCompact(
        dropFirst(table->second), positions->second, columns, /*axis=*/0, maxElements);
    if (found)
      known.insert({gather.getResult(), interpret::dropRepeats(*found)});
    return found.has_value();
  }
  return false;
}

/// Replaces `value` by a constant and, if its elements repeat, a broadcast.
void Folder::replace(Value value, const Tensor &compact) {
  auto type = cast<RankedTensorType>(value.getType());
  bool isSplat = compact.size() == 1, repeats = compact.size() < type.getNumElements();
  if (!repeats && value.getDefiningOp<graph::ConstantOp>())
    return;
  OpBuilder builder(value.getDefiningOp());
  RankedTensorType stored = isSplat ? type : type.clone(compact.getShape());
  Value result = graph::ConstantOp::create(builder, value.getLoc(), stored,
                                           values::attrOf(stored, compact, "folded"));
  if (stored != type)
    result = graph::BroadcastOp::create(builder, value.getLoc(), type, result,
                                        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  value.replaceUsesWithIf(result, [](OpOperand &use) { return !draws(use.getOwner()); });
}

/// Returns whether `op` is compact already: a splat, an iota, or a broadcast of a constant or iota.
static bool isCompact(Operation *op) {
  if (auto constant = dyn_cast<graph::ConstantOp>(op))
    return graph::getSplat(constant.getValue()).has_value();
  auto broadcast = dyn_cast<graph::BroadcastOp>(op);
  return isa<graph::IotaOp>(op) || (broadcast && isa_and_present<graph::ConstantOp, graph::IotaOp>(
                                                     broadcast.getInput().getDefiningOp()));
}

void Folder::run() {
  for (Operation &op : function.getOps()) {
    auto gather = dyn_cast<graph::GatherOp>(op);
    if ((!gather || !evaluateEqualRows(gather)) && isCandidate(op))
      evaluate(op);
  }
  auto isRead = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      bool isKnown = user->getNumResults() > 0 && known.contains(user->getResult(0));
      return !isKnown && !draws(user);
    });
  };
  for (auto &[value, tensor] : known)
    if (isRead(value) && !isCompact(value.getDefiningOp()))
      replace(value, tensor);
}

namespace {
struct FoldConstants : PassWrapper<FoldConstants, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldConstants)

  StringRef getName() const override { return "FoldConstants"; }
  StringRef getArgument() const override { return "fold-constants"; }
  StringRef getDescription() const override {
    return "evaluate ops whose operands are known, and store repeated constants once";
  }

  void runOnOperation() override {
    interpret::World world;
    interpret::RendezvousTable rendezvous(world.getNumRanks());
    Rank rank(0, world, values::Precision::Element, rendezvous);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration())
        Folder(function, rank).run();
  }
};
} // namespace

std::unique_ptr<Pass> pcc::createFoldConstantsPass() { return std::make_unique<FoldConstants>(); }

void pcc::registerFoldConstantsPass() { PassRegistration<FoldConstants>(); }
