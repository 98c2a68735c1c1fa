// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--global-rank`: specializes the program of all ranks to one of them.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace pcc::cli {

/// Replaces everything in `module` that depends on the rank by its value on `rank`, after any
/// phase. The rank lies in the module's mesh, or in the mesh of all its pipeline stages, of which
/// only the rank's own one is kept. On rank 3 `#task.rank<0 + dp * 4>` becomes `#task.rank<12>`,
/// and `dist.rank` becomes a constant.
void specializeToRank(mlir::ModuleOp module, int64_t rank);

} // namespace pcc::cli
