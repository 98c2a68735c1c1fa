// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AdaptLossToParts: makes a loss whose mean over the parts of a batch is the loss of the batch, as
// a mean over all samples is. A sum over the samples is multiplied by the number of parts.
//
// A quotient of two such means cannot be computed in parts, because the divisor of the batch is
// known only after the last of them. An example is the mean over the labels that are not ignored.
// Each part divides by a constant n instead, its number of positions, and also returns its share of
// them that counts. Terms that all parts share are multiplied by the share:
//
//   loss = f · dividend / divisor + c      becomes      f · dividend / n + c · share
//   counted_share                                       divisor / n
//
// Both are accumulated over the parts, and so are the gradients. @update divides the loss and the
// gradients by the share (GradientScale.cpp, BuildUpdate.cpp). The share leaves the section as the
// gradient of the state that holds it, because it is accumulated and reduced like one.
#include "dialects/graph/decompose/LossDecomposition.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/analysis/batch/BatchDependence.h"
#include "passes/analysis/batch/Sources.h"
#include "passes/autodiff/Names.h"
#include "passes/autodiff/Passes.h"
#include "passes/autodiff/Signature.h"
#include "passes/autodiff/TrainingState.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pcc::autodiff {

#define GEN_PASS_DEF_ADAPTLOSSTOPARTS
#include "passes/autodiff/Passes.h.inc"

namespace {

/// Returns the label that does not count in a loss which is the mean over the others.
std::optional<int64_t> findUncounted(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<graph::SoftmaxCrossEntropyOp, graph::NllOp>([](auto loss) -> std::optional<int64_t> {
        bool isMean = loss.getReduction() == graph::LossReduction::Mean;
        return isMean ? loss.getIgnoreIndex() : std::nullopt;
      })
      .Default(std::nullopt);
}

/// Returns whether a value is equal for all parts: it follows from no input that holds samples.
bool isShared(Value value) {
  return llvm::none_of(analysis::findSources(value), [](BlockArgument argument) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    graph::RoleAttr role = graph::getArgRole(function, argument.getArgNumber());
    bool hasRank = cast<RankedTensorType>(argument.getType()).getRank() > 0;
    return hasRank && role && role.getKind() == graph::RoleKind::Input;
  });
}

/// Returns the virtual stage in which a value is, or nothing if every stage may compute it.
std::optional<int64_t> findStage(Value value) {
  if (auto transfer = value.getDefiningOp<pipe::TransferOp>())
    return transfer.getTarget();
  Operation *op = value.getDefiningOp();
  auto stage = op ? op->getAttrOfType<IntegerAttr>(pipe::virtualStageAttrName) : IntegerAttr();
  return stage ? std::optional(stage.getInt()) : std::nullopt;
}

/// Builds ops on one virtual stage. Constants have no stage.
class StageBuilder {
public:
  StageBuilder(Operation *before, std::optional<int64_t> stage) : builder(before), stage(stage) {}

  /// Returns `value`, sent to this stage if it is on another one.
  Value fetch(Value value) {
    std::optional<int64_t> source = findStage(value);
    if (!source || !stage || *source == *stage)
      return value;
    return builder.make<pipe::TransferOp>(value, *source, *stage);
  }

  template <typename Op, typename... Args> Value make(Args &&...args) {
    return place(builder.make<Op>(std::forward<Args>(args)...));
  }
  Value castTo(Value value, Type element) {
    return getElementTypeOrSelf(value) == element ? value : place(builder.castTo(value, element));
  }
  Value times(Value value, double factor) {
    return make<graph::MulOp>(value, builder.splat(value, factor));
  }
  /// Changes the shape of a value of one element, and its element type.
  Value convert(Value value, Type type) {
    auto tensor = cast<RankedTensorType>(type);
    if (cast<RankedTensorType>(value.getType()).getShape() != tensor.getShape())
      value = make<graph::ReshapeOp>(tensor.clone(getElementTypeOrSelf(value)), value);
    return castTo(value, tensor.getElementType());
  }
  Value place(Value value) {
    Operation *op = value.getDefiningOp();
    if (op && stage && !op->hasTrait<OpTrait::ConstantLike>())
      op->setAttr(pipe::virtualStageAttrName, builder.getI64IntegerAttr(*stage));
    return value;
  }

  graph::DecompositionBuilder builder;
  std::optional<int64_t> stage;
};

/// Changes the loss of one function.
class LossAdapter {
public:
  LossAdapter(func::FuncOp function, unsigned index, int64_t parts)
      : function(function), index(index), parts(parts),
        loss(getReturn(function).getOperand(index)) {
    BackwardSliceOptions options;
    options.inclusive = true;
    if (loss.getDefiningOp())
      (void)getBackwardSlice(loss, &slice, options);
  }

  /// Returns the ops on which the loss depends and that divide by another number in each part.
  SmallVector<Operation *> findDivisions() const {
    SmallVector<Operation *> divisions;
    for (Operation *op : slice)
      if (findUncounted(op) || op->hasAttr(analysis::dividesSumsAttrName))
        divisions.push_back(op);
    return divisions;
  }

  /// Returns the ops on which the loss depends and that add up samples, not to a mean.
  SmallVector<Operation *> findSums() const {
    return llvm::filter_to_vector(slice, [&](Operation *op) { return isSum(op); });
  }

  bool canDefer(Operation *division) const { return isAffine(loss, division); }
  LogicalResult multiplySums();
  /// Returns the share that counts in a part.
  FailureOr<Value> defer(Operation *division);

private:
  /// The mean over the parts of `dividend` by that of `divisor` is the quotient of the batch.
  struct Quotient {
    Value dividend, divisor; ///< scalars of at least f32
  };

  bool isSum(Operation *op) const;
  bool isAffine(Value value, Operation *division) const;
  Value rewrite(Value value, Operation *division);
  Quotient takeApart(Operation *division, StageBuilder &builder);
  Quotient splitLoss(Operation *division, StageBuilder &builder);
  double countPositions(Operation *division);
  bool updatesParameter(Operation *sum);

  func::FuncOp function;
  unsigned index; ///< of the loss among the results
  int64_t parts;
  Value loss;
  SetVector<Operation *> slice; ///< ops on which the loss depends
  Value share;                  ///< scalar of at least f32
  Value dividend;               ///< divided by the positions, of the division's type
};

/// Returns whether `op` adds up samples, not to a mean. The analysis of the batch knows all such
/// ops but a loss that was attached after it.
bool LossAdapter::isSum(Operation *op) const {
  auto reduction = op->getAttrOfType<graph::LossReductionAttr>("reduction");
  bool isAttached = op == loss.getDefiningOp() && reduction &&
                    reduction.getValue() == graph::LossReduction::Sum &&
                    !isShared(op->getResult(0));
  return isAttached || op->hasAttr(analysis::addsSamplesAttrName);
}

/// Returns whether `value` is that of the division, multiplied by values and added to others that
/// all parts share.
bool LossAdapter::isAffine(Value value, Operation *division) const {
  Operation *op = value.getDefiningOp();
  if (!op || op == division)
    return op == division;
  if (!isa<graph::AddOp, graph::SubOp, graph::MulOp, graph::DivOp, graph::NegOp, graph::CastOp,
           graph::ReshapeOp, pipe::TransferOp>(op))
    return false;
  if (analysis::roundsToIntegers(op) || (isa<graph::DivOp>(op) && !isShared(op->getOperand(1))))
    return false;
  auto others = llvm::make_filter_range(op->getOperands(), [&](Value x) { return !isShared(x); });
  return llvm::hasSingleElement(others) && isAffine(*others.begin(), division);
}

/// Returns the value without the division: times the share, if the share were that of the batch.
Value LossAdapter::rewrite(Value value, Operation *division) {
  Operation *op = value.getDefiningOp();
  if (op == division)
    return dividend;
  StageBuilder at(op, findStage(value));
  at.builder.setLoc(op->getLoc());
  IRMapping map;
  for (Value operand : op->getOperands())
    if (!isShared(operand))
      map.map(operand, rewrite(operand, division));
    else if (isa<graph::AddOp, graph::SubOp>(op))
      map.map(operand,
              at.make<graph::MulOp>(operand, at.convert(at.fetch(share), operand.getType())));
  return at.builder.clone(*op, map)->getResult(0);
}

/// Returns the number of labels of a loss op, or of terms of a divisor that is a sum; 1 for a mean;
/// else the number of samples. Sums must not have been multiplied yet.
double LossAdapter::countPositions(Operation *division) {
  Value divisor = division->getOperand(1);
  if (findUncounted(division))
    return double(cast<RankedTensorType>(divisor.getType()).getNumElements());
  while (auto op = divisor.getDefiningOp()) {
    if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
      double read = cast<RankedTensorType>(reduce.getInput().getType()).getNumElements();
      double made = cast<RankedTensorType>(divisor.getType()).getNumElements();
      return isSum(op) ? parts * read / made : 1;
    }
    if (!isa<graph::CastOp, graph::ReshapeOp, pipe::TransferOp>(op))
      break;
    divisor = op->getOperand(0);
  }
  for (unsigned input : graph::findArgs(function, graph::RoleKind::Input))
    if (auto type = cast<RankedTensorType>(function.getArgument(input).getType());
        type.getRank() > 0)
      return double(parts) * double(type.getDimSize(0));
  return 1;
}

LossAdapter::Quotient LossAdapter::takeApart(Operation *division, StageBuilder &at) {
  auto widen = [&](Value value) {
    Type element = getElementTypeOrSelf(accumulatedType(value.getType()));
    return at.convert(value, RankedTensorType::get({}, element));
  };
  return {widen(division->getOperand(0)), widen(division->getOperand(1))};
}

/// Takes a loss op with an ignored label apart into the sum and the number of the other labels.
LossAdapter::Quotient LossAdapter::splitLoss(Operation *division, StageBuilder &at) {
  Value scores = division->getOperand(0), labels = division->getOperand(1);
  int64_t ignored = *findUncounted(division);
  Type wide = getElementTypeOrSelf(accumulatedType(scores.getType()));
  IRMapping map;
  map.map(scores, at.castTo(scores, wide));
  Operation *sum = at.builder.clone(*division, map);
  sum->setAttr("reduction",
               graph::LossReductionAttr::get(function.getContext(), graph::LossReduction::Sum));
  sum->getResult(0).setType(RankedTensorType::get({}, wide));
  at.builder.setLoc(derivedLocation(division, "share"));
  Value counted = at.place(graph::buildCountedMask(labels, ignored, at.builder));
  Value count =
      at.place(graph::reduceAll(graph::ReduceOpKind::Sum, at.castTo(counted, wide), at.builder));
  return {sum->getResult(0), count};
}

FailureOr<Value> LossAdapter::defer(Operation *division) {
  double positions = countPositions(division);
  if (failed(multiplySums()))
    return failure();
  StageBuilder at(division, findStage(division->getResult(0)));
  at.builder.setLoc(division->getLoc());
  Quotient quotient = findUncounted(division) ? splitLoss(division, at) : takeApart(division, at);
  Value scaled = at.times(quotient.dividend, 1 / positions);
  dividend = at.convert(scaled, division->getResult(0).getType());
  at.builder.setLoc(derivedLocation(division, "share"));
  share = at.times(quotient.divisor, 1 / positions);
  Value own = rewrite(loss, division);
  getReturn(function).setOperand(index, own);
  for (Operation *op : llvm::reverse(slice))
    if (isOpTriviallyDead(op))
      op->erase();
  StageBuilder end(getReturn(function), findLossStage(function));
  return end.fetch(share);
}

/// Returns whether an updated parameter depends on the loss's own uses of a sum.
bool LossAdapter::updatesParameter(Operation *sum) {
  SetVector<Value> reached;
  reached.insert(sum->getResult(0));
  for (size_t at = 0; at < reached.size(); ++at)
    for (OpOperand &use : reached[at].getUses()) {
      Operation *user = use.getOwner();
      if (at > 0 || slice.contains(user))
        reached.insert_range(user->getResults());
      graph::RoleAttr role = user == getReturn(function)
                                 ? graph::getResultRole(function, use.getOperandNumber())
                                 : graph::RoleAttr();
      if (at > 0 && role && role.getKind() == graph::RoleKind::Parameter)
        return true;
    }
  return false;
}

LogicalResult LossAdapter::multiplySums() {
  func::ReturnOp end = getReturn(function);
  for (Operation *op : findSums()) {
    if (updatesParameter(op))
      return op->emitOpError() << "cannot work on one of " << parts
                               << " parts, microbatches times copies: the loss and an updated "
                                  "parameter depend on one sum over the samples";
    StageBuilder at(op->getNextNode(), findStage(op->getResult(0)));
    at.builder.setLoc(derivedLocation(op, "parts"));
    Value sum = op->getResult(0), product = at.times(sum, double(parts));
    sum.replaceUsesWithIf(product, [&](OpOperand &use) {
      bool isLoss = use.getOwner() == end && use.getOperandNumber() == index;
      return isLoss || slice.contains(use.getOwner());
    });
  }
  loss = end.getOperand(index);
  return success();
}

struct AdaptLossToParts : impl::AdaptLossToPartsBase<AdaptLossToParts> {
  using AdaptLossToPartsBase::AdaptLossToPartsBase;

  void runOnOperation() override {
    if (microBatches < 1 || copies < 1) {
      getOperation().emitError() << "expected at least one microbatch and one copy, got "
                                 << microBatches.getValue() << " and " << copies.getValue();
      return signalPassFailure();
    }
    FailureOr<func::FuncOp> source = parts() == 1 ? func::FuncOp() : findSource();
    if (failed(source) || (*source && failed(adapt(*source))))
      return signalPassFailure();
    if (*source)
      warnOfBatchNorms(*source);
  }

private:
  int64_t parts() const { return microBatches * copies; }

  /// Returns the function with the loss, copied from @forward if that has a loss of its own; null
  /// if there is no loss.
  FailureOr<func::FuncOp> findSource() {
    ModuleOp module = getOperation();
    bool isAttached = module.lookupSymbol(forwardLossName) != nullptr;
    StringRef name = isAttached ? forwardLossName : forwardName;
    auto known = module.lookupSymbol<func::FuncOp>(name);
    if (!known || graph::findResults(known, graph::RoleKind::Loss).size() != 1)
      return func::FuncOp(); // differentiation says what is missing
    func::FuncOp function = findFunction(module, name, "");
    if (!function)
      return failure();
    if (isAttached)
      return function;
    OpBuilder builder(function);
    builder.setInsertionPointAfter(function);
    auto copy = cast<func::FuncOp>(builder.clone(*function));
    copy.setName(forwardLossName);
    return copy;
  }

  LogicalResult adapt(func::FuncOp function) {
    unsigned index = graph::findResults(function, graph::RoleKind::Loss).front();
    auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[index]);
    if (!type || type.getRank() != 0)
      return success(); // differentiation says what is wrong
    LossAdapter adapter(function, index, parts());
    SmallVector<Operation *> divisions = adapter.findDivisions();
    if (divisions.size() == 1 && adapter.canDefer(divisions.front()))
      return defer(function, adapter, divisions.front());
    for (Operation *op : divisions)
      if (failed(report(op)))
        return failure();
    if (microReduction == pipe::MicroReduction::Mean)
      return adapter.multiplySums();
    for (Operation *op : adapter.findSums())
      warnOfSum(op);
    return success();
  }

  LogicalResult defer(func::FuncOp function, LossAdapter &adapter, Operation *division) {
    if (failed(declareTrainingState(function, TrainingState::CountedShare, /*first=*/0,
                                    findLossStage(function))))
      return failure();
    FailureOr<Value> share = adapter.defer(division);
    if (failed(share))
      return failure();
    func::ReturnOp end = getReturn(function);
    end->insertOperands(end.getNumOperands(), *share);
    return function.insertResult(function.getNumResults(), share->getType(),
                                 roleAttributes(function.getContext(), graph::RoleKind::Gradient,
                                                getStateName(TrainingState::CountedShare)));
  }

  std::string describeParts() const {
    return std::to_string(parts()) + " parts of the batch, microbatches times copies";
  }

  /// Reports a division that each part does by its own number.
  LogicalResult report(Operation *op) {
    std::optional<int64_t> label = findUncounted(op);
    if (!label)
      return op->emitOpError() << "cannot work on one of " << parts()
                               << " parts, microbatches times copies: the loss is more than one "
                                  "quotient of sums over the batch";
    op->emitWarning() << "labels that equal " << *label << " do not count in the loss: each of "
                      << describeParts()
                      << ", takes the mean over its own labels, so the gradients "
                      << "are those of the batch only if equally many labels count in all parts";
    return success();
  }

  /// Warns of batch norms, which know the samples of one part only.
  void warnOfBatchNorms(func::FuncOp function) {
    auto norms = llvm::to_vector(function.getOps<graph::BatchNormOp>());
    if (!norms.empty())
      norms.front()->emitWarning()
          << "batch norms (" << norms.size() << ", this one is the first) take the statistics of "
          << "each of " << describeParts()
          << ", and not those of the whole batch, so losses differ "
          << "from those of a step in one part; '--freeze-batch-norm' trains with the running "
          << "statistics";
  }

  /// Warns of a sum whose gradients are divided by the number of microbatches.
  void warnOfSum(Operation *op) {
    if (microBatches > 1)
      op->emitWarning() << "the loss adds up samples: the gradients of " << describeParts()
                        << ", are added and divided by " << microBatches.getValue()
                        << "; '--micro-reduction=mean' gives those of the batch";
  }
};

} // namespace
} // namespace pcc::autodiff
