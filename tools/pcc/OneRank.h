// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--global-rank`: the program of all ranks as one of them runs it.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace pcc::cli {

/// Gives whatever depends on the rank in `module`, after any stage of the road, its value on
/// `rank`, which lies in the module's mesh, or in that of all its pipeline stages, of which the
/// rank's own one stays: `#task.rank<0 + dp * 4>` becomes `#task.rank<12>` on rank 3, `dist.rank` a
/// constant.
void specialise(mlir::ModuleOp module, int64_t rank);

} // namespace pcc::cli
