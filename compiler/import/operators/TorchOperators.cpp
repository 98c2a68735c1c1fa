// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the names and arguments of torch's operators.
#include "compiler/import/operators/TorchOperators.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace pcc::import {

/// Returns the operator of torch from which the node was made; empty if the file does not say it.
static llvm::StringRef operationOf(const Node &node) {
  std::optional<FxNode> fx = node.traced();
  return fx ? fx->operation : "";
}

/// The exporter makes a tensor of each number.
bool isClampToNumbers(const Node &node) {
  if (node.inputCount() != 2)
    return false;
  std::optional<FxNode> fx = node.traced();
  return fx && fx->operation == "aten.clamp.Tensor" && fx->arguments.size() > 1 &&
         llvm::all_of(llvm::drop_begin(fx->arguments),
                      [](llvm::StringRef limit) { return limit.starts_with("scalar_tensor"); });
}

bool isTorchBatchNorm(const Node &node) { return operationOf(node).contains("batch_norm"); }

bool choosesOneExtremum(const Node &node) {
  llvm::StringRef operation = operationOf(node);
  return operation == "aten.max.dim" || operation == "aten.min.dim";
}

bool hidesKeys(const Node &node) {
  const Tensor &hidden = node.input(2);
  std::optional<double> number = hidden.known ? hidden.known->asNumber() : std::nullopt;
  auto type = number ? dyn_cast<FloatType>(hidden.elementType()) : FloatType();
  if (!type)
    return false;
  llvm::APFloat least = llvm::APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true);
  return *number == least.convertToDouble() &&
         operationOf(node).starts_with("aten.scaled_dot_product_attention");
}

/// The arguments are (input, dim, index, source, reduction).
bool isMeanOfScatter(const Node &node) {
  std::optional<FxNode> fx = node.traced();
  return fx && fx->operation.starts_with("aten.scatter_reduce") && fx->argument(4) == "mean";
}

/// The arguments are (scores, labels, weight, reduction, ignore_index, label_smoothing = 0).
double findLabelSmoothing(const Node &node) {
  std::optional<FxNode> fx = node.traced();
  double smoothing = 0;
  bool isGiven = fx && fx->operation.starts_with("aten.cross_entropy_loss.") &&
                 llvm::to_float(fx->argument(5), smoothing);
  return isGiven && smoothing > 0 && smoothing <= 1 ? smoothing : 0;
}

/// The arguments are (weight, indices, padding_idx = -1, scale_grad_by_freq = False), and for a bag
/// (weight, indices, offsets, scale_grad_by_freq = False).
LogicalResult setEmbeddingGradient(const Node &node, graph::GatherOp gather) {
  std::optional<FxNode> fx = node.traced();
  if (!fx)
    return success();
  bool isScaled = fx->argument(3) == "True";
  bool isBag = fx->operation.starts_with("aten.embedding_bag.") ||
               fx->operation.starts_with("aten._embedding_bag");
  if (isBag && isScaled)
    return node.emit.error()
           << "expected an EmbeddingBag with 'scale_grad_by_freq=False', got True";
  if (!fx->operation.starts_with("aten.embedding."))
    return success();
  int64_t padding, rows = gather.getInput().getType().getDimSize(gather.getAxis());
  if (llvm::to_integer(fx->argument(2), padding, 10) && padding >= 0 && padding < rows)
    gather.setPaddingIndex(padding);
  gather.setMeanGradient(isScaled);
  return success();
}

} // namespace pcc::import
