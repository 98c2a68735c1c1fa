// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the choices that options leave open. Candidates are compiled to instructions and simulated
// on the virtual clock, and the best of them wins.
//
//   options leave open       choice                      rule (compiler/plan/choice)
//   interleave_num = 0       copies of each microbatch   CopyChoice.cpp
//   memory_limit, no parts   parts that are recomputed   RecomputeChoice.cpp
//
// The number of copies is chosen first, from candidates without recomputed parts. So a number that
// would fit only with recomputation is not taken.
//
// The search of shardings under AUTO_PARALLEL keeps to the memory limit itself, so nothing else is
// recomputed there.
#pragma once

#include "compiler/Compile.h"

namespace pcc::search {

/// Makes the choices that `options` leave open for `model`, as imported, which is not changed.
/// Afterwards `options` are complete; choices that the caller made are unchanged. Emits a remark on
/// each choice at the location of the model. Fails, with an error, only if no choice fits into the
/// memory limit. Options or models that are invalid get one copy and no recomputation, because the
/// compilation pipeline reports their errors.
mlir::LogicalResult resolveChoices(mlir::ModuleOp model, CompileOptions &options);

/// Emits a remark if the given number of copies is slower than one copy. Compiles both programs if
/// there are several copies.
void remarkSlowerCopies(mlir::ModuleOp model, const CompileOptions &options);

} // namespace pcc::search
