// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CheckParameters: refuses to train a model whose parameters are not those of the exported module.
// The exporter's optimizer may have merged, removed, folded or split some
// (graph.altered_parameters). Runs before any part of a training step is made. Evaluation does not
// run this pass.
#include "dialects/graph/ModuleFacts.h"
#include "passes/autodiff/Passes.h"

using namespace mlir;

namespace pcc::autodiff {

#define GEN_PASS_DEF_CHECKPARAMETERS
#include "passes/autodiff/Passes.h.inc"

/// Reports the first few; a real model may have hundreds.
static void reportAltered(ModuleOp module, ArrayAttr altered) {
  constexpr size_t shown = 4;
  InFlightDiagnostic error = module.emitError()
                             << "expected every parameter of the module as it is in the file, got "
                             << altered.size() << " that the exporter changed: ";
  auto texts = altered.getAsRange<StringAttr>();
  llvm::interleave(
      llvm::make_range(texts.begin(), std::next(texts.begin(), std::min(shown, altered.size()))),
      [&](StringAttr text) { error << text.getValue(); }, [&] { error << "; "; });
  if (altered.size() > shown)
    error << "; and " << altered.size() - shown << " more";
  error << "; export with 'optimize=False' to train the model";
}

struct CheckParameters : impl::CheckParametersBase<CheckParameters> {
  void runOnOperation() override {
    auto altered = getOperation()->getAttrOfType<ArrayAttr>(graph::alteredParametersAttrName);
    if (!altered || altered.empty())
      return;
    if (llvm::all_of(altered, llvm::IsaPred<StringAttr>))
      reportAltered(getOperation(), altered);
    else
      getOperation().emitError() << "expected '" << graph::alteredParametersAttrName
                                 << "' to be a list of texts, got " << altered;
    signalPassFailure();
  }
};

} // namespace pcc::autodiff
