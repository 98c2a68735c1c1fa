// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeded values for arguments, batches and parameters. They depend on the seed and the key alone,
// so that modules of different stages and numbers of ranks get the same ones.
#pragma once

#include "compiler/interpret/Training.h"

namespace pcc::interpret {

/// Random global values for every argument of a function, of which each stage has one of `parts`.
/// Floats are uniform in [-1, 1), parameters as `randomParameters` gives them, the step is 1.
/// Integers are uniform in the range in which the function uses them as indices or class numbers
/// (gather, scatter_add, one_hot, softmax_cross_entropy), else in [1, 8), so that no divisor is
/// zero. Fails as `randomParameters`.
mlir::FailureOr<NamedTensors> randomArguments(llvm::ArrayRef<mlir::func::FuncOp> parts,
                                              uint64_t seed);

/// Random global batches for `steps` steps of the module's training step.
std::vector<NamedTensors> randomBatches(mlir::ModuleOp module, int64_t steps, uint64_t seed);

/// The parameters' first values, of those in all stages, as the runtime computes them from their
/// initialisers. Fails on a parameter of initialiser `file` without values.
mlir::FailureOr<NamedTensors> initialParameters(mlir::ModuleOp module, uint64_t seed);

/// As `initialParameters`, but to constant ones something uniform in [0, 0.1) is added, so that no
/// term of a computation vanishes.
mlir::FailureOr<NamedTensors> randomParameters(mlir::ModuleOp module, uint64_t seed);

} // namespace pcc::interpret
