// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeded values for arguments, batches and parameters. Values depend only on the seed and the key,
// so modules of different phases and numbers of ranks get the same values.
#pragma once

#include "compiler/interpret/training/Training.h"

namespace pcc::interpret {

/// Returns random global values for every argument of a function; each stage has one of `parts`.
/// Floats are uniform in [-1, 1), parameters come from `randomParameters`, and the step is 1.
/// Integers are uniform in the range in which the function uses them as indices or class numbers
/// (gather, scatter_add, one_hot, softmax_cross_entropy). All other integers are in [1, 8), so that
/// no divisor is zero. Fails like `randomParameters`.
mlir::FailureOr<NamedTensors> randomArguments(llvm::ArrayRef<mlir::func::FuncOp> parts,
                                              uint64_t seed);

/// Returns random global batches for `steps` steps of the module's training step.
std::vector<NamedTensors> randomBatches(mlir::ModuleOp module, int64_t steps, uint64_t seed);

/// Returns the initial values of the parameters of all stages, as the runtime computes them from
/// their initializers. Fails on a parameter of initializer `file` without values.
mlir::FailureOr<NamedTensors> initialParameters(mlir::ModuleOp module, uint64_t seed);

/// Same as `initialParameters`, but adds a uniform number in [0, 0.1) to constant parameters, so
/// that no term of a computation vanishes.
mlir::FailureOr<NamedTensors> randomParameters(mlir::ModuleOp module, uint64_t seed);

/// Returns the arguments of function `forward`: `inputs` by name, and the initial values of
/// parameters. Parameters without values and inputs of other types are errors.
mlir::FailureOr<NamedTensors> forwardArguments(mlir::ModuleOp module,
                                               const std::map<std::string, Tensor> &inputs);

} // namespace pcc::interpret
