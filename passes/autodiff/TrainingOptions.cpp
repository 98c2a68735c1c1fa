// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the options with the parsers that the passes use, and orders the passes of loss and
// gradients.
#include "passes/autodiff/TrainingOptions.h"

#include "passes/autodiff/Passes.h"
#include "passes/autodiff/options/Losses.h"
#include "passes/autodiff/options/Optimizers.h"
#include "passes/autodiff/options/OptionList.h"
#include "llvm/Support/Regex.h"
#include <cmath>

using namespace mlir;

namespace pcc::autodiff {

/// Initial loss scale, that of torch.amp.GradScaler.
static constexpr double initialLossScale = 65536;

/// Parses the text of --loss-scale: a number, "dynamic", or "dynamic:" and the initial number.
/// Returns false if it is none of these.
static bool parseLossScale(StringRef text, GradientOptions &parsed) {
  if (text.empty())
    return true;
  if (text.consume_front("dynamic")) {
    parsed.isDynamic = true;
    parsed.lossScale = initialLossScale;
    if (text.empty())
      return true;
    if (!text.consume_front(":"))
      return false;
  }
  return !text.getAsDouble(parsed.lossScale) && parsed.lossScale > 0 &&
         std::isfinite(parsed.lossScale);
}

llvm::Expected<GradientOptions> parseGradientOptions(const TrainingOptions &options) {
  GradientOptions parsed;
  parsed.clipNorm = options.clipNorm;
  parsed.skipsNonfinite = options.skipNonfinite;
  if (parsed.clipNorm && !(*parsed.clipNorm > 0 && std::isfinite(*parsed.clipNorm)))
    return makeError("'--clip-norm': expected a number above 0, got ", *parsed.clipNorm);
  if (!parseLossScale(options.lossScale, parsed))
    return makeError("'--loss-scale': expected a number above 0, 'dynamic' or 'dynamic:FIRST', "
                     "got '",
                     options.lossScale, "'");
  return parsed;
}

llvm::Error checkTrainingOptions(const TrainingOptions &options) {
  if (!options.loss.empty())
    if (auto loss = parseLoss(options.loss); !loss)
      return loss.takeError();
  if (auto optimizer = parseOptimizer(options.optimizer); !optimizer)
    return optimizer.takeError();
  if (auto gradients = parseGradientOptions(options); !gradients)
    return gradients.takeError();
  if (std::string error; !options.frozen.empty() && !llvm::Regex(options.frozen).isValid(error))
    return makeError("'--freeze': expected a regular expression, got '", options.frozen,
                     "': ", error);
  if (options.microBatches < 1)
    return makeError("'--micro-batches': expected at least one microbatch, got ",
                     options.microBatches);
  if (options.copies < 1)
    return makeError("'--interleave-num': expected at least one copy, got ", options.copies);
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
  GradientOptions gradients = llvm::cantFail(parseGradientOptions(options));
  passes.addPass(
      createAdaptLossToParts({options.microBatches, options.copies, options.microReduction}));
  passes.addPass(
      createDifferentiate({options.wideGradients, gradients.lossScale, gradients.isDynamic}));
  passes.addPass(
      createBuildUpdate({options.optimizer, gradients.clipNorm.value_or(0), gradients.lossScale,
                         gradients.isDynamic, gradients.skipsNonfinite}));
  passes.addPass(createBuildStep({options.microBatches, options.copies, options.microReduction}));
}

} // namespace pcc::autodiff
