// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the cuts that are given for some tensors can be theirs at all: the part of the checks of
// CheckStrategy.h that needs no op.
#pragma once

#include "passes/strategy/GivenStrategy.h"
#include "passes/strategy/MeshRefinement.h"

namespace pcc::strategy {

/// Begins a diagnostic that names the whole to which the tensors belong.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Cuts by count or, where `axes` is not empty, by name: of the factors of an op in the order of
/// its rule, or of the dimensions of one tensor.
struct Cuts {
  DeviceMatrix counts;
  std::vector<dist::AxisList> axes;

  bool areNamed() const { return !axes.empty(); }
};

/// The tensors of one side of an op or of a model. Messages call each by its own name or, where
/// there are none, "input 1".
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

/// Checks number, lengths, axes and counts, in this order. Diagnoses and fails.
mlir::FailureOr<std::vector<Cuts>> checkTensors(const GivenCuts &given, const TensorGroup &group,
                                                const dist::Mesh &mesh, EmitError emitError);

/// The same for tensors each of which is cut by itself: then that its parts divide the ranks.
mlir::FailureOr<std::vector<Cuts>> checkLoneTensors(const GivenCuts &given,
                                                    const TensorGroup &group,
                                                    const dist::Mesh &mesh, int64_t numRanks,
                                                    EmitError emitError);

/// Checks that the product of `counts` divides the number of ranks. Diagnoses and fails.
mlir::LogicalResult checkProduct(llvm::ArrayRef<int64_t> counts, int64_t numRanks,
                                 EmitError emitError);

} // namespace pcc::strategy
