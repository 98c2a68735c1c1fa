// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The losses that --loss knows, one row each.
//
//   --loss=softmax_cross_entropy                            the only output, the input "labels"
//   --loss=softmax_cross_entropy:logits,labels              an output and an input of the model
//   --loss=softmax_cross_entropy:logits,labels,reduction=sum,ignore_index=-100
//   --loss=nll                                              of logarithms of probabilities
//   --loss=mse:prediction,target                            labels of the prediction's type
//   --loss=sigmoid_cross_entropy                            the same, of independent labels
//   --loss=output:NAME                                      an output of the model, without labels
#pragma once

#include "dialects/graph/Graph.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/Error.h"

namespace pcc::autodiff {

struct LossKind;

/// A parsed --loss.
struct LossSpec {
  const LossKind *kind = nullptr;
  std::string prediction; ///< name of the output that the loss judges; "" for the only one
  std::string labels;     ///< name of the input with the truth; "" for "labels"
  graph::LossReduction reduction = graph::LossReduction::Mean;
  std::optional<int64_t> ignoreIndex; ///< samples with this label do not count
};

/// One row of the table.
struct LossKind {
  llvm::StringRef name;
  llvm::ArrayRef<llvm::StringRef> options;
  /// Returns an error message for the prediction's type, "" if the type fits.
  std::string (*checkPrediction)(mlir::RankedTensorType prediction);
  /// Returns the type of the labels input for a model that has none. Null, like the functions
  /// below, for a loss that the model computes itself.
  mlir::RankedTensorType (*labelsType)(mlir::RankedTensorType prediction);
  /// Returns why an input of the model cannot hold the labels, "" if it can.
  std::string (*checkLabels)(mlir::RankedTensorType prediction, mlir::RankedTensorType labels,
                             const LossSpec &spec);
  /// Builds the loss, a scalar.
  mlir::Value (*build)(mlir::ImplicitLocOpBuilder &builder, mlir::Value prediction,
                       mlir::Value labels, const LossSpec &spec);
};

/// Parses --loss. Errors list the known names.
llvm::Expected<LossSpec> parseLoss(llvm::StringRef text);

} // namespace pcc::autodiff
