// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BatchDependence: how each value of a model depends on the samples of the batch. It decides
// whether a step may run on parts of the batch, one microbatch or copy after the other.
//
//   value                                  kind     place
//   weight, mask that all samples share    Fixed
//   activations [8, 16, 64]                Rows     dimension 0, 8 samples
//   sequence first [16, 8, 64], flat       Rows     dimension 0 of [128, 64]: 16 x 8 samples
//   mean loss over all samples             Sum
//   sum of losses / number of labels       Quotient
//
// Fixed values are equal for every part of the batch. A value of Rows holds the samples along one
// dimension, and a part of it depends on the same part of the batch only. A Sum is a sum or mean
// over the samples, up to factors and terms that all parts share. A Quotient divides one Sum by
// another one, which follows from the inputs alone, also up to such factors and terms. Only a loss
// or an output of rank 0 may be one: the parts' quotients do not give that of the batch
// (passes/autodiff/AdaptLossToParts.cpp). Any other value mixes samples, and the analysis refuses
// the model. The exceptions are:
//
//   batch norm                      takes the statistics of the part, as in every framework
//   iota that numbers random draws  numbers the elements of the part
//   gather with known indices       each part must pick its own samples only
//   op with `graph.own_blocks`      its indices stay in their own blocks of the batch
#pragma once

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace pcc::analysis {

/// Attribute of a gather or scatter of axis 0: the number of equal blocks along dimension 0 of all
/// its tensors. Block i of the indices reads or changes elements of block i only.
inline constexpr llvm::StringLiteral ownBlocksAttrName = "graph.own_blocks";

/// Unit attributes of an op that adds up the samples of a part of the batch, and of one that
/// divides such a sum by another one.
inline constexpr llvm::StringLiteral addsSamplesAttrName = "graph.adds_samples";
inline constexpr llvm::StringLiteral dividesSumsAttrName = "graph.divides_sums";

/// Returns whether `op` is a cast or a division that rounds to integers, which is not linear.
bool roundsToIntegers(mlir::Operation *op);

/// Place of the samples in a tensor. Dimension `dim` has `outer` × `extent` × (any number of)
/// elements; `extent` counts the samples, or consecutive groups of samples.
struct BatchPlace {
  unsigned dim = 0;
  int64_t outer = 1;
  int64_t extent = 1;

  bool operator==(const BatchPlace &) const = default;
};

class BatchDependence {
public:
  enum class Kind { Fixed, Rows, Sum, Quotient };

  /// Analyzes `function` for `count` parts of the batch, which is dimension 0 of every input. Fails
  /// with an error at the op that mixes samples, at the constant that differs between the parts, or
  /// at the argument that cannot be divided. Every constant but scalars must have one use only.
  static mlir::FailureOr<BatchDependence> analyze(mlir::func::FuncOp function, int64_t count);

  Kind getKind(mlir::Value value) const;

  /// Returns all values of kind Rows with their places, in the order in which they were found.
  const llvm::MapVector<mlir::Value, BatchPlace> &getRows() const { return rows; }

  /// Returns the ops that add up the samples, not to a mean. Such a sum of a part is smaller than
  /// that of the batch.
  const llvm::SetVector<mlir::Operation *> &getAdders() const { return adders; }

  /// Returns the ops that divide one sum over the samples by another one.
  const llvm::SetVector<mlir::Operation *> &getDivisions() const { return divisions; }

  /// Returns the elements of a constant of kind Rows for one of `count` parts of the batch; null if
  /// the parts differ. Indices with which each part reads its own samples count from the first of
  /// them.
  mlir::ElementsAttr cutConstant(graph::ConstantOp constant, int64_t count) const;

private:
  friend class BatchPropagation;

  llvm::MapVector<mlir::Value, BatchPlace> rows;
  llvm::DenseSet<mlir::Value> sums;
  llvm::SetVector<mlir::Value> quotients;
  llvm::SetVector<mlir::Operation *> adders, divisions;
  llvm::DenseSet<mlir::Value> ownIndices; ///< constants with which each part reads its own samples
};

} // namespace pcc::analysis
