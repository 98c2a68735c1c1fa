// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that the dialect's verifiers share.
#pragma once

#include "dialects/dist/Dist.h"

namespace pcc::dist {

/// Diagnoses a group that does not put each rank of the op's mesh into exactly one list.
mlir::LogicalResult checkGroup(mlir::Operation *op, GroupAttr group);

/// Returns the size of every group. Also diagnoses groups of different sizes: results would have
/// different types on different ranks, and tables could not count positions.
mlir::FailureOr<int64_t> getEqualGroupSize(mlir::Operation *op, GroupAttr group);

/// Diagnoses a sharding that a tensor of the type `global` cannot have on `mesh`. `emitError`
/// begins the message with the holder of the sharding.
mlir::LogicalResult checkSharding(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                  const Sharding &sharding, mlir::RankedTensorType global,
                                  const Mesh &mesh);

/// Diagnoses an ill-formed `dist.file_nodes` (passes/analysis/names/FileNodes.h).
mlir::LogicalResult verifyFileNodes(mlir::Operation *op, mlir::Attribute value);

} // namespace pcc::dist
