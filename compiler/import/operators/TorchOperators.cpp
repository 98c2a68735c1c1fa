// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the names and arguments of torch's operators.
#include "compiler/import/operators/TorchOperators.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace pcc::import {

/// The exporter makes a tensor of each number.
bool isClampToNumbers(const Node &node) {
  std::optional<FxNode> fx = node.traced();
  return node.inputCount() == 2 && fx && fx->operation == "aten.clamp.Tensor" &&
         fx->arguments.size() > 1 &&
         llvm::all_of(llvm::drop_begin(fx->arguments),
                      [](llvm::StringRef limit) { return limit.starts_with("scalar_tensor"); });
}

bool isTorchBatchNorm(const Node &node) {
  std::optional<FxNode> fx = node.traced();
  return fx && fx->operation.contains("batch_norm");
}

bool choosesOneExtremum(const Node &node) {
  std::optional<FxNode> fx = node.traced();
  return fx && (fx->operation == "aten.max.dim" || fx->operation == "aten.min.dim");
}

bool hidesKeys(const Node &node) {
  std::optional<FxNode> fx = node.traced();
  const Tensor &hidden = node.input(2);
  if (!fx || !fx->operation.starts_with("aten.scaled_dot_product_attention") || !hidden.known)
    return false;
  auto type = dyn_cast<FloatType>(hidden.elementType());
  std::optional<double> number = hidden.known->asNumber();
  if (!type || !number)
    return false;
  llvm::APFloat least = llvm::APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true);
  return *number == least.convertToDouble();
}

/// The arguments are (scores, labels, weight, reduction, ignore_index, label_smoothing = 0).
double findLabelSmoothing(const Node &node) {
  std::optional<FxNode> fx = node.traced();
  double smoothing = 0;
  if (fx && fx->operation.starts_with("aten.cross_entropy_loss.") && fx->positional.size() > 5 &&
      llvm::to_float(fx->positional[5], smoothing) && smoothing > 0 && smoothing <= 1)
    return smoothing;
  return 0;
}

/// The arguments are (weight, indices, padding_idx = -1, scale_grad_by_freq = False), and for a bag
/// (weight, indices, offsets, scale_grad_by_freq = False).
LogicalResult setEmbeddingGradient(const Node &node, graph::GatherOp gather) {
  std::optional<FxNode> fx = node.traced();
  auto argument = [&](size_t position) {
    return position < fx->positional.size() ? fx->positional[position] : "";
  };
  bool isBag = fx && (fx->operation.starts_with("aten.embedding_bag.") ||
                      fx->operation.starts_with("aten._embedding_bag"));
  if (isBag && argument(3) == "True")
    return node.emit.error()
           << "expected an EmbeddingBag with 'scale_grad_by_freq=False', got True";
  if (!fx || !fx->operation.starts_with("aten.embedding."))
    return success();
  int64_t padding, rows = gather.getInput().getType().getDimSize(gather.getAxis());
  if (llvm::to_integer(argument(2), padding, 10) && padding >= 0 && padding < rows)
    gather.setPaddingIndex(padding);
  gather.setMeanGradient(argument(3) == "True");
  return success();
}

} // namespace pcc::import
