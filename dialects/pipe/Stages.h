// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs of a module. Before the cut into stages a module is one program; after it each stage
// is a module inside the module.
//
//   module {
//     module @stage0 attributes {pipe.stage = 0 : i64} { … }
//     module @stage1 attributes {pipe.stage = 1 : i64} { … }
//   }
//
// The mesh of the ranks of all stages has one axis more than the mesh of a stage, the slowest one:
// 3 stages with <dp=2, tp=2> form <pp=3, dp=2, tp=2>.
#pragma once

#include "dialects/pipe/Pipe.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::pipe {

/// Name of the axis of the stages.
inline constexpr llvm::StringLiteral stageAxisName = "pp";

/// Returns the stage whose program `module` is; nothing if it is no stage's.
std::optional<int64_t> getStage(mlir::ModuleOp module);

/// Returns the stages of `module` in their order, or `module` itself if it has none. Diagnoses
/// stages that are not numbered 0, 1, …
mlir::FailureOr<llvm::SmallVector<mlir::ModuleOp>> listPrograms(mlir::ModuleOp module);

} // namespace pcc::pipe
