// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses.

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Scalars.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Returns the log of the sum of the exponentials of one row, without overflow.
double logSumExp(llvm::ArrayRef<Element> row) {
  double greatest = -HUGE_VAL, sum = 0.0;
  for (Element x : row)
    greatest = maximum(greatest, x.f);
  for (Element x : row)
    sum += std::exp(x.f - greatest);
  return greatest + std::log(sum);
}

/// Returns -Σ probability · log softmax. A class of probability zero adds no term.
double crossEntropy(llvm::ArrayRef<Element> row, llvm::ArrayRef<Element> probabilities) {
  double normalizer = logSumExp(row), loss = 0.0;
  for (auto [x, probability] : llvm::zip_equal(row, probabilities))
    loss += probability.f == 0 ? 0.0 : probability.f * (normalizer - x.f);
  return loss;
}

/// Returns a loss of `type` from a sum over samples: the sum itself, or the mean over `counted`
/// samples.
void giveLoss(OpCall &call, RankedTensorType type, graph::LossReduction reduction, double sum,
              int64_t counted) {
  Tensor loss = zerosOf(type);
  bool isMean = reduction == graph::LossReduction::Mean;
  loss.mutableElements()[0].f = isMean ? sum / static_cast<double>(counted) : sum;
  call.results.push_back(loss);
}

LogicalResult softmaxCrossEntropy(graph::SoftmaxCrossEntropyOp op, OpCall &call) {
  const Tensor &logits = call.operands[0], &labels = call.operands[1];
  int64_t classes = logits.getShape().back(), samples = logits.size() / classes;
  double sum = 0.0;
  int64_t counted = 0;
  for (int64_t sample = 0; sample < samples; ++sample) {
    llvm::ArrayRef<Element> row = logits.elements().slice(sample * classes, classes);
    if (labels.isFloat()) {
      sum += crossEntropy(row, labels.elements().slice(sample * classes, classes));
    } else {
      int64_t label = labels[sample].i;
      if (op.getIgnoreIndex() && label == static_cast<int64_t>(*op.getIgnoreIndex()))
        continue;
      // Like one_hot, which the decomposition uses: a label outside the classes adds no term.
      if (label >= 0 && label < classes)
        sum += logSumExp(row) - row[label].f;
    }
    ++counted;
  }
  giveLoss(call, op.getLoss().getType(), op.getReduction(), sum, counted);
  return success();
}

LogicalResult nll(graph::NllOp op, OpCall &call) {
  const Tensor &input = call.operands[0], &labels = call.operands[1];
  int64_t classes = input.getShape().back(), counted = 0;
  double sum = 0.0;
  for (int64_t sample = 0; sample < labels.size(); ++sample) {
    int64_t label = labels[sample].i;
    if (op.getIgnoreIndex() && label == static_cast<int64_t>(*op.getIgnoreIndex()))
      continue;
    if (label >= 0 && label < classes)
      sum -= input[sample * classes + label].f;
    ++counted;
  }
  giveLoss(call, op.getLoss().getType(), op.getReduction(), sum, counted);
  return success();
}

/// Computes a loss that is the sum or mean of `term(prediction, target)`.
template <typename Op, typename Term> LogicalResult elementLoss(Op op, OpCall &call, Term term) {
  const Tensor &prediction = call.operands[0], &target = call.operands[1];
  double sum = 0.0;
  for (auto [x, t] : llvm::zip_equal(prediction.elements(), target.elements()))
    sum += term(x.f, t.f);
  giveLoss(call, op.getLoss().getType(), op.getReduction(), sum, prediction.size());
  return success();
}

LogicalResult mse(graph::MseOp op, OpCall &call) {
  return elementLoss(op, call, [](double x, double t) { return (x - t) * (x - t); });
}

LogicalResult sigmoidCrossEntropy(graph::SigmoidCrossEntropyOp op, OpCall &call) {
  return elementLoss(op, call, [](double x, double t) {
    return std::max(x, 0.0) - x * t + std::log1p(std::exp(-std::abs(x)));
  });
}

} // namespace

void registerLoss(Registry &registry) {
  registry.add<graph::SoftmaxCrossEntropyOp>(softmaxCrossEntropy);
  registry.add<graph::NllOp>(nll);
  registry.add<graph::MseOp>(mse);
  registry.add<graph::SigmoidCrossEntropyOp>(sigmoidCrossEntropy);
}

} // namespace pcc::interpret
