// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk in program order evaluates each op whose operands are known, except large values and
// random numbers. Then each known value that a remaining op reads becomes a constant: dimensions
// along which it repeats are dropped and broadcast again. Ops that become dead are left for
// canonicalization.
#include "compiler/FoldConstants.h"

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Compute.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/graph/Constants.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pcc;
using interpret::Rank;
using values::Tensor;

namespace {

/// Maximum elements of a value that is evaluated: a mask of 2,048 x 2,048 positions. Larger values
/// are computed at run time, so that the compiled program stays small.
constexpr int64_t maxElements = int64_t(1) << 22;

/// Evaluates the ops of one function, in program order.
class Folder {
public:
  Folder(func::FuncOp function, Rank &rank) : function(function), rank(rank) {}

  void run();

private:
  bool isCandidate(Operation &op) const;
  void evaluate(Operation &op);
  void replace(Value value, const Tensor &tensor);

  func::FuncOp function;
  Rank &rank;
  llvm::MapVector<Value, Tensor> known;
};

} // namespace

static bool isSmall(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() <= maxElements &&
         values::elementTypeOf(type.getElementType());
}

/// Returns whether `op` draws random numbers. Such ops are not evaluated, because drawing costs
/// less than reading a constant. Their indices are not replaced either: when the batch is split,
/// the indices of each part start at 0.
static bool draws(Operation *op) { return isa<graph::RngUniformOp, graph::DropoutOp>(op); }

/// Returns whether the results of `op` may be evaluated from known operands.
bool Folder::isCandidate(Operation &op) const {
  return isa_and_present<graph::GraphDialect>(op.getDialect()) && op.getNumRegions() == 0 &&
         !draws(&op) && op.getNumResults() > 0 && isMemoryEffectFree(&op) &&
         llvm::all_of(op.getResults(), isSmall) &&
         llvm::all_of(op.getOperands(), [&](Value operand) { return known.contains(operand); });
}

/// Adds the results of `op` to the known values. An op that the interpreter cannot evaluate, such
/// as a division by zero, stays in the program.
void Folder::evaluate(Operation &op) {
  const interpret::OpFunction *compute =
      interpret::Registry::get().lookup(op.getName().getStringRef());
  if (!compute)
    return;
  SmallVector<Tensor, 4> operands;
  for (Value operand : op.getOperands())
    operands.push_back(known.find(operand)->second);
  SmallVector<Tensor, 2> results;
  interpret::OpCall call{&op, operands, results, rank};
  if (failed((*compute)(call)))
    return;
  for (auto [value, tensor] : llvm::zip_equal(op.getResults(), results))
    known.insert({value, tensor.rounded(values::Precision::Element)});
}

/// Returns `tensor` with size 1 in each dimension along which its elements repeat.
static Tensor dropRepeats(Tensor tensor) {
  for (int64_t dim = 0; dim < tensor.getRank(); ++dim) {
    if (tensor.getDim(dim) == 1)
      continue;
    Tensor first = values::computeSlice(tensor, dim, /*start=*/0, /*stride=*/1, /*count=*/1);
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, tensor.getRank()));
    if (values::computeBroadcast(first, tensor.getShape(), all).identical(tensor))
      tensor = first;
  }
  return tensor;
}

/// Replaces `value` by a constant and, if its elements repeat, a broadcast.
void Folder::replace(Value value, const Tensor &tensor) {
  auto type = cast<RankedTensorType>(value.getType());
  Tensor smallest = dropRepeats(tensor);
  bool isSplat = smallest.size() == 1, repeats = smallest.size() < tensor.size();
  if (!repeats && value.getDefiningOp<graph::ConstantOp>())
    return;
  OpBuilder builder(value.getDefiningOp());
  RankedTensorType stored = isSplat ? type : type.clone(smallest.getShape());
  Value result = graph::ConstantOp::create(builder, value.getLoc(), stored,
                                           values::attrOf(stored, smallest, "folded"));
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
  for (Operation &op : function.getOps())
    if (isCandidate(op))
      evaluate(op);
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
