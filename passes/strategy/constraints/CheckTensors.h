// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks cuts of tensors as far as no op is needed: the tensor part of the checks of
// CheckStrategy.h.
#pragma once

#include "passes/strategy/constraints/GivenStrategy.h"
#include "passes/strategy/constraints/MeshRefinement.h"

namespace pcc::strategy {

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
mlir::FailureOr<std::vector<Cuts>> checkLoneTensors(const GivenCuts &given,
                                                    const TensorGroup &group,
                                                    const dist::Mesh &mesh, int64_t numRanks,
                                                    EmitError emitError);

/// Checks that the product of `counts` divides the number of ranks. Emits a diagnostic on failure.
mlir::LogicalResult checkMatmulFigures(llvm::ArrayRef<int64_t> counts, int64_t numRanks,
                                       EmitError emitError);

} // namespace pcc::strategy
