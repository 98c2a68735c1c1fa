// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a file of constraints to the module attributes `dist.constraints`
// (passes/strategy/constraints/ConstraintResolver.h) and `pipe.constraints`
// (dialects/pipe/Constraints.h), and its mesh to `dist.mesh`. The number of a bucket (`fusion`)
// becomes `dist.fusion` on the parameters whose gradients share the bucket, and
// `layerwise_parallel` sets the attribute of this name on parameters. Collectives become ops
// (InsertCollectives.h).
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "runtime/abi/constraints.pb.h"
#include <functional>

namespace pcc::import {

/// Returns the position of entry number `index` of a list of the file (`constraint`, `stages`), for
/// messages.
using ConstraintLocation = llvm::function_ref<std::string(llvm::StringRef list, int index)>;

/// Adds `constraints` to the constraints of `module`, and their mesh if the module has none. Emits
/// an error and fails for an invalid mesh, bucket or collective. It also fails if a constraint with
/// a bucket or `layerwise_parallel` matches no parameter.
mlir::LogicalResult attachConstraints(mlir::ModuleOp module, const abi::Constraints &constraints,
                                      ConstraintLocation getPlace);

} // namespace pcc::import
