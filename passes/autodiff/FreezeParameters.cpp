// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FreezeParameters: excludes parameters from training by their names. A frozen parameter keeps its
// value; no gradient of it is computed, and no optimizer state.
#include "dialects/graph/Graph.h"
#include "passes/autodiff/Passes.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace pcc::autodiff {

#define GEN_PASS_DEF_FREEZEPARAMETERS
#include "passes/autodiff/Passes.h.inc"

struct FreezeParameters : impl::FreezeParametersBase<FreezeParameters> {
  using FreezeParametersBase::FreezeParametersBase;

  void runOnOperation() override {
    llvm::Regex pattern(names);
    bool matches = false;
    for (auto parameter : getOperation().getOps<graph::ParameterOp>()) {
      if (!parameter.getTrainable() || !pattern.match(parameter.getSymName()))
        continue;
      parameter.setTrainable(false);
      matches = true;
    }
    if (matches)
      return;
    InFlightDiagnostic error = getOperation()->emitError()
                               << "expected a trainable parameter whose name matches '" << names
                               << "', got none";
    for (auto parameter : getOperation().getOps<graph::ParameterOp>())
      if (parameter.getTrainable()) {
        error << "; the first one is '" << parameter.getSymName() << "'";
        break;
      }
    signalPassFailure();
  }
};

} // namespace pcc::autodiff
