// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the options with the parsers that the passes use, and orders the passes of phase grad.
#include "passes/autodiff/TrainingOptions.h"

#include "passes/autodiff/Losses.h"
#include "passes/autodiff/Optimizers.h"
#include "passes/autodiff/OptionList.h"
#include "passes/autodiff/Passes.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace pcc::autodiff {

llvm::Error checkTrainingOptions(const TrainingOptions &options) {
  if (!options.loss.empty())
    if (auto loss = parseLoss(options.loss); !loss)
      return loss.takeError();
  if (auto optimizer = parseOptimizer(options.optimizer); !optimizer)
    return optimizer.takeError();
  if (std::string error; !options.frozen.empty() && !llvm::Regex(options.frozen).isValid(error))
    return makeError("'--freeze': expected a regular expression, got '", options.frozen,
                     "': ", error);
  if (options.microBatches < 1)
    return makeError("expected at least one microbatch, got ", options.microBatches);
  if (options.copies < 1)
    return makeError("expected at least one copy, got ", options.copies);
  return llvm::Error::success();
}

void addLossPasses(OpPassManager &passes, const TrainingOptions &options) {
  if (!options.loss.empty())
    passes.addPass(createAttachLoss({options.loss, /*labelsOnly=*/false}));
  passes.addPass(createSeparateModes({options.freezeBatchNorm}));
}

void addGradientPasses(OpPassManager &passes, const TrainingOptions &options) {
  if (!options.frozen.empty())
    passes.addPass(createFreezeParameters({options.frozen}));
  passes.addPass(createDifferentiate({options.wideGradients}));
  passes.addPass(createBuildUpdate({options.optimizer}));
  passes.addPass(createBuildStep({options.microBatches, options.copies, options.microReduction}));
}

} // namespace pcc::autodiff
