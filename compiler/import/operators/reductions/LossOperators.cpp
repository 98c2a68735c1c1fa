// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses. In ONNX the classes are dimension 1, may have weights, and a loss may be per sample.
// torch's cross entropy also smooths labels and takes probabilities as labels. Its exporter writes
// the same operator; only its metadata name the smoothing.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/TorchOperators.h"
#include "dialects/graph/ModuleFacts.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// A loss node, with the classes in the last dimension of its inputs.
struct Loss {
  Tensor scores, labels, weights; ///< null weights: all one
  std::string reduction;          ///< none, mean, sum
  std::optional<int64_t> ignored;
  double smoothing = 0; ///< share of a label that is spread over all classes

  bool isComposite() const { return reduction != "none" && !weights && smoothing == 0; }
  bool isDense() const { return isa<FloatType>(labels.elementType()); } ///< probabilities
};

/// Returns `x` with dimension 1 moved to the end.
Tensor classesLast(Emitter &emit, const Tensor &x) {
  if (x.rank() <= 2)
    return x;
  llvm::SmallVector<int64_t> permutation = {0};
  llvm::append_range(permutation, llvm::seq<int64_t>(2, x.rank()));
  permutation.push_back(1);
  return emit.transpose(x, permutation);
}

std::optional<Loss> readLoss(Node &node) {
  Loss loss;
  if (node.input(0).rank() < 2) {
    node.emit.error() << "expected scores of rank 2 or more, got " << node.input(0).type;
    return std::nullopt;
  }
  loss.scores = classesLast(node.emit, node.input(0));
  loss.labels = node.input(1);
  loss.weights = node.input(2);
  loss.reduction = node.text("reduction", "mean");
  if (node.hasAttribute("ignore_index"))
    loss.ignored = node.integer("ignore_index", 0);
  if (loss.reduction == "none" || loss.reduction == "mean" || loss.reduction == "sum")
    return loss;
  node.emit.error() << "expected 'reduction' to be none, mean or sum, got '" << loss.reduction
                    << "'";
  return std::nullopt;
}

/// Emits the loss as the composite `Op`.
template <typename Op> Tensor emitComposite(Node &node, const Loss &loss) {
  Builder &builder = node.emit.attributes();
  auto reduction =
      loss.reduction == "mean" ? graph::LossReduction::Mean : graph::LossReduction::Sum;
  llvm::SmallVector<NamedAttribute> attributes = {builder.getNamedAttr(
      "reduction", graph::LossReductionAttr::get(builder.getContext(), reduction))};
  if (loss.ignored)
    attributes.push_back(
        builder.getNamedAttr("ignore_index", builder.getI64IntegerAttr(*loss.ignored)));
  auto scalar = RankedTensorType::get({}, loss.scores.elementType());
  return node.emit.apply<Op>(scalar, {loss.scores, loss.labels}, attributes).front();
}

/// Masks of the scores. Null: all.
struct Masks {
  Tensor chosen;  ///< the class of each sample that counts
  Tensor counted; ///< all classes of these samples
};

Masks chooseClasses(Emitter &emit, const Loss &loss) {
  Shape column(loss.labels.shape());
  column.push_back(1);
  int64_t classes = loss.scores.shape().back();
  if (loss.labels.value)
    graph::restrictInput(loss.labels.value, {0, classes - 1, loss.ignored});
  Tensor labels = emit.reshape(loss.labels, column);
  Tensor isClass =
      emit.compare(graph::Direction::EQ, labels, emit.iota(loss.labels.elementType(), classes));
  if (!loss.ignored)
    return {isClass, {}};
  Tensor counts = emit.compare(graph::Direction::NE, labels,
                               emit.scalarLike(labels, static_cast<double>(*loss.ignored)));
  return {emit.binary<graph::AndOp>(isClass, counts), counts};
}

/// Emits weighted, smoothed or per-sample losses from core ops: -weight · log probability of the
/// sample's class. Their mean divides by the sum of the weights. Smoothing by e adds e times the
/// mean over all classes to 1 - e times that, as torch does.
Tensor emitDecomposition(Node &node, const Loss &loss, const Tensor &logProbabilities) {
  Emitter &emit = node.emit;
  if (loss.labels.shape() != loss.scores.shape().drop_back()) {
    emit.error() << "expected a label for each sample, got " << loss.labels.type << " for "
                 << loss.scores.type;
    return {};
  }
  Tensor zero = emit.scalarLike(loss.scores, 0.0);
  Tensor weights = loss.weights ? loss.weights : emit.scalarLike(loss.scores, 1.0);
  auto [chosen, counted] = chooseClasses(emit, loss);
  Tensor weighted = emit.binary<graph::MulOp>(logProbabilities, weights);
  Tensor terms = emit.select(chosen, weighted, zero);
  int64_t axis = loss.scores.rank() - 1;
  if (loss.smoothing != 0) {
    Tensor spread = counted ? emit.select(counted, weighted, zero) : weighted;
    double share = loss.smoothing / static_cast<double>(loss.scores.shape()[axis]);
    terms =
        emit.binary<graph::AddOp>(emit.times(terms, 1 - loss.smoothing), emit.times(spread, share));
  }
  auto sumOf = [&](const Tensor &values, llvm::ArrayRef<int64_t> dims) {
    return emit.reduce(graph::ReduceOpKind::Sum, values, dims);
  };
  if (loss.reduction == "none")
    return emit.unary<graph::NegOp>(sumOf(terms, axis));
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, loss.scores.rank()));
  Tensor sum = emit.unary<graph::NegOp>(sumOf(terms, all));
  if (loss.reduction == "sum")
    return sum;
  return emit.binary<graph::DivOp>(sum, sumOf(emit.select(chosen, weights, zero), all));
}

/// Emits the loss of labels that are probabilities of the classes, of which none is ignored.
Tensor emitDense(Node &node, Loss loss) {
  Emitter &emit = node.emit;
  if (loss.weights) {
    emit.error() << "expected labels that are class numbers beside weights, got "
                 << loss.labels.type;
    return {};
  }
  int64_t axis = loss.scores.rank() - 1;
  loss.ignored.reset();
  loss.labels = classesLast(emit, loss.labels);
  if (loss.labels.shape() != loss.scores.shape()) {
    emit.error() << "expected a probability for each score, got " << loss.labels.type << " for "
                 << loss.scores.type;
    return {};
  }
  if (loss.smoothing != 0) {
    double share = loss.smoothing / static_cast<double>(loss.scores.shape()[axis]);
    loss.labels = emit.plus(emit.times(loss.labels, 1 - loss.smoothing), share);
  }
  if (loss.reduction != "none")
    return emitComposite<graph::SoftmaxCrossEntropyOp>(node, loss);
  Tensor terms = emit.binary<graph::MulOp>(loss.labels, emit.logSoftmax(loss.scores, axis));
  return emit.unary<graph::NegOp>(emit.reduce(graph::ReduceOpKind::Sum, terms, axis));
}

LogicalResult importNll(Node &node) {
  auto loss = readLoss(node);
  if (!loss)
    return failure();
  return node.setResult(loss->isComposite() ? emitComposite<graph::NllOp>(node, *loss)
                                            : emitDecomposition(node, *loss, loss->scores));
}

/// Imports the loss and, if it is read, the log probabilities.
LogicalResult importSoftmaxCrossEntropy(Node &node) {
  auto loss = readLoss(node);
  if (!loss)
    return failure();
  loss->smoothing = findLabelSmoothing(node);
  Tensor result;
  if (loss->isDense()) {
    result = emitDense(node, *loss);
  } else if (loss->isComposite()) {
    result = emitComposite<graph::SoftmaxCrossEntropyOp>(node, *loss);
  } else {
    Tensor logs = node.emit.logSoftmax(loss->scores, loss->scores.rank() - 1);
    result = emitDecomposition(node, *loss, logs);
  }
  if (node.outputCount() < 2)
    return node.setResult(result);
  return node.setResults({result, node.emit.logSoftmax(node.input(0), 1)});
}

} // namespace

llvm::ArrayRef<Operator> lossOperators() {
  static const Operator rows[] = {
      {"NegativeLogLikelihoodLoss", 12, 2, 3, FirstInput, importNll},
      {"NegativeLogLikelihoodLoss", 13, 2, 3, FirstInput, importNll},
      {"SoftmaxCrossEntropyLoss", 12, 2, 3, FirstInput, importSoftmaxCrossEntropy},
      {"SoftmaxCrossEntropyLoss", 13, 2, 3, FirstInput, importSoftmaxCrossEntropy},
  };
  return rows;
}

} // namespace pcc::import
