// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides by the kind of the factor. Only whole and window factors ask the op.
#include "passes/analysis/sharding/LocalForm.h"

#include "passes/analysis/sharding/LocalForm.cpp.inc"

namespace pcc::analysis {

bool isSplittable(mlir::Operation *op, const FactorRule &rule, unsigned factor) {
  switch (rule.getFactor(factor).kind) {
  case FactorKind::Parallel:
  case FactorKind::Reduce:
    return true;
  case FactorKind::Whole:
  case FactorKind::Window: {
    auto local = mlir::dyn_cast<LocalFormOpInterface>(op);
    return local && local.canSplitWhole(factor);
  }
  }
  return false;
}

} // namespace pcc::analysis
