// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a user's strategy for an op and turns it into the splits of the op's factors.
//
//   op      ([i,k],[k,j]) -> ([i,j]) {reduce k: sum}
//   given   ((2,4),(4,1))     i in 2, k in 4, j in 1: the device matrix (2,4,1)
//           ((2,4),(2,1))     refused: k in 4 and in 2
//           [dp, tp], [tp, _] i over dp, k over tp
//
// A cut given for a broadcast operand may describe the tensor before the broadcast (GivenTensor.h).
//
// The checks run in this order, and the first failure is reported: number of tuples; their lengths;
// counts of at least one; counts that divide their dimensions. Then come the op's own rules: equal
// counts along shared factors, and no split of a factor that must stay whole. Last, the product of
// the factors' counts must divide the number of ranks.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/strategy/constraints/GivenStrategy.h"
#include "passes/strategy/constraints/MeshRefinement.h"
#include "llvm/ADT/MapVector.h"

namespace pcc::strategy {

// Checks of tensors' cuts that need no op (CheckTensors.cpp).

/// Begins a diagnostic that names the op or option to which the tensors belong.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Cuts by count or, if `axes` is not empty, by axis name. The entries belong to the factors of an
/// op in the order of its rule, or to the dimensions of one tensor.
struct Cuts {
  DeviceMatrix counts;
  std::vector<dist::AxisList> axes;

  bool areNamed() const { return !axes.empty(); }
};

/// Tensors of one side of an op or of a model. Messages call each tensor by its entry in `names`
/// or, if `names` is empty, "input 1".
struct TensorGroup {
  llvm::StringRef noun;
  llvm::SmallVector<llvm::ArrayRef<int64_t>> shapes;
  llvm::SmallVector<std::string> names;

  std::string name(unsigned tensor) const {
    return names.empty() ? (noun + " " + llvm::Twine(tensor)).str() : names[tensor];
  }
  std::string name(unsigned tensor, unsigned dim) const {
    return name(tensor) + ", dimension " + std::to_string(dim);
  }
};

/// Checks the number of tensors, lengths, axes and counts, in this order. Emits a diagnostic on
/// failure.
mlir::FailureOr<std::vector<Cuts>> checkTensors(const GivenCuts &given, const TensorGroup &group,
                                                const dist::Mesh &mesh, EmitError emitError);

/// Checks tensors that are cut independently: as checkTensors, then that the number of parts of
/// each tensor divides the number of ranks.
mlir::FailureOr<std::vector<Cuts>> checkIndependentTensors(const GivenCuts &given,
                                                           const TensorGroup &group,
                                                           const dist::Mesh &mesh, int64_t numRanks,
                                                           EmitError emitError);

/// Checks that the product of `counts` divides the number of ranks. Emits a diagnostic on failure.
mlir::LogicalResult checkNumParts(llvm::ArrayRef<int64_t> counts, int64_t numRanks,
                                  EmitError emitError);

/// Legal strategy of one op.
struct CheckedStrategy {
  /// Cuts of the op's factors.
  Cuts factors;
  /// Cuts in which the users read the results; empty unless `out` is given beside `in`.
  std::vector<Cuts> results;
  /// Shardings of all operands, if the op takes some of them as partial sums.
  std::vector<dist::Sharding> carried;
};

/// Checks the strategy `given` for `op`, which has a factor rule. `mesh` is the program's mesh and
/// resolves axis names; `numRanks` is the number of ranks. Emits a diagnostic on failure.
mlir::FailureOr<CheckedStrategy> checkStrategy(mlir::Operation *op, const GivenStrategy &given,
                                               const dist::Mesh &mesh, int64_t numRanks);

// Parses the option dataset_strategy, which states how the inputs of a model are fed: one cut per
// input, in the model's order. Labels are inputs and follow the inputs of the model itself.
//
//   @forward(%x: tensor<8x4xf32>), @forward_backward(%x, %labels: tensor<8xi64>)
//   ((2,1),(2))        x in 2 blocks of rows, labels in 2
//   [dp, tp], [dp]     x in blocks of rows and columns
//
// The cuts are checked in the order above. Then the number of parts of each input must divide the
// number of ranks. Every message names the input.

/// Cuts in which inputs are fed, by name of the input.
using FedInputs = llvm::MapVector<llvm::StringRef, Cuts>;

/// Parses `text`, which is empty or has a cut for every input of `module`. Emits a diagnostic on
/// failure.
mlir::FailureOr<FedInputs> readDatasetStrategy(mlir::ModuleOp module, llvm::StringRef text,
                                               const dist::Mesh &mesh, int64_t numRanks);

} // namespace pcc::strategy
