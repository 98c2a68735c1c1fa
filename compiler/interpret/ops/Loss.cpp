// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses.

#include "compiler/interpret/Registry.h"
#include "compiler/interpret/Scalars.h"
#include "compiler/interpret/TensorAttr.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// log of the sum of the exponentials of one row, without overflow.
double logSumExp(llvm::ArrayRef<Element> row) {
  double greatest = -HUGE_VAL, sum = 0.0;
  for (Element x : row)
    greatest = maximum(greatest, x.f);
  for (Element x : row)
    sum += std::exp(x.f - greatest);
  return greatest + std::log(sum);
}

/// -Σ probability · log softmax.
double crossEntropy(llvm::ArrayRef<Element> row, llvm::ArrayRef<Element> probabilities) {
  double normaliser = logSumExp(row), loss = 0.0;
  for (auto [x, probability] : llvm::zip_equal(row, probabilities))
    loss += probability.f * (normaliser - x.f);
  return loss;
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
      // As one_hot, which its decomposition uses: a label outside the classes has no term.
      if (label >= 0 && label < classes)
        sum += logSumExp(row) - row[label].f;
    }
    ++counted;
  }
  Tensor loss = zerosOf(cast<RankedTensorType>(op.getLoss().getType()));
  bool isMean = op.getReduction() == graph::LossReduction::Mean;
  loss.mutableElements()[0].f = isMean ? sum / static_cast<double>(counted) : sum;
  call.results.push_back(loss);
  return success();
}

} // namespace

void registerLoss(Registry &registry) {
  registry.add<graph::SoftmaxCrossEntropyOp>(softmaxCrossEntropy);
}

} // namespace pcc::interpret
