// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs of a module. Until the cut in stages a module is one program; after it each stage is
// a module inside the module.
//
//   module {
//     module @stage0 attributes {pipe.stage = 0 : i64} { … }
//     module @stage1 attributes {pipe.stage = 1 : i64} { … }
//   }
//
// The ranks of all stages are those of a mesh that has one axis more than that of a stage, the
// slowest: of 3 stages with <dp=2, tp=2> those of <pp=3, dp=2, tp=2>.
#pragma once

#include "dialects/pipe/Pipe.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::pipe {

/// The axis of the stages.
inline constexpr llvm::StringLiteral stageAxisName = "pp";

/// The stage that `module` is the program of; nothing if it is no stage's.
std::optional<int64_t> getStage(mlir::ModuleOp module);

/// The stages of `module` in their order, or `module` itself if it has none. Diagnoses stages that
/// are not numbered 0, 1, …
mlir::FailureOr<llvm::SmallVector<mlir::ModuleOp>> listPrograms(mlir::ModuleOp module);

} // namespace pcc::pipe
