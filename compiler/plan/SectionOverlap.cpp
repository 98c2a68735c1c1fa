// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a section's collectives runs beside its products. Part of SectionPricer.
#include "compiler/plan/SectionPricer.h"
#include "passes/facts/Kernels.h"

using namespace mlir;

namespace pcc::plan {

/// The seconds in which collectives may still run beside `product`, which may stand behind them.
double *SectionPricer::findRoom(Operation *product) {
  if (facts::classOf(product) != facts::OpClass::Contraction)
    return nullptr;
  auto [found, isNew] = room.try_emplace(product, 0);
  if (isNew)
    found->second = secondsOf(product);
  return &found->second;
}

/// How much of a collective that reduces an input's gradient runs beside the product that gives the
/// weight's: both read the gradient of what the layer returns.
double SectionPricer::hideInputGradient(Operation *op, double seconds) {
  if (!pricing.options.hidesInputGradients || !isBackward(op))
    return 0;
  double hidden = 0;
  facts::forEachSource(op, [&](Value source, ArrayRef<Operation *>) {
    Operation *product = source.getDefiningOp();
    if (!product || facts::classOf(product) != facts::OpClass::Contraction)
      return;
    facts::forEachSource(product, [&](Value operand, ArrayRef<Operation *>) {
      facts::forEachReader(operand, [&](Operation *reader) {
        double *beside = reader != product && isBackward(reader) ? findRoom(reader) : nullptr;
        if (!beside)
          return;
        double part = std::min(seconds - hidden, *beside);
        *beside -= part;
        hidden += part;
      });
    });
  });
  return hidden * pricing.getHiddenShareOfActivations();
}

/// How much of a collective of `members` runs beside the product whose result it takes or that
/// takes its result: all pieces but the first, as long as the product lasts.
double SectionPricer::hide(Operation *op, double seconds, int64_t members) {
  if (!pricing.options.hidesActivations || members < 2)
    return 0;
  double *best = nullptr;
  auto consider = [&](Operation *product) {
    auto found = room.find(product);
    if (found != room.end() && (!best || found->second > *best))
      best = &found->second;
  };
  facts::forEachSource(op, [&](Value source, ArrayRef<Operation *>) {
    if (Operation *producer = source.getDefiningOp())
      consider(producer);
  });
  for (Value value : op->getResults())
    facts::forEachReader(value, [&](Operation *reader) { findRoom(reader); });
  for (Value value : op->getResults())
    facts::forEachReader(value, consider);
  if (!best)
    return 0;
  double hidden = std::min(seconds * double(members - 1) / double(members), *best);
  *best -= hidden;
  return hidden * pricing.getHiddenShareOfActivations();
}

/// The second gather of what a product reads. The product of the input's gradient, beside which it
/// runs, is as large.
void SectionPricer::gatherAgain(Operation *op, double seconds) {
  double product = 0;
  for (Value value : op->getResults())
    facts::forEachReader(value, [&](Operation *reader) {
      if (facts::classOf(reader) == facts::OpClass::Contraction && !isBackward(reader))
        product = std::max(product, secondsOf(reader));
    });
  if (product == 0)
    return;
  result.recomputed.communication += seconds;
  result.hidden += std::min(seconds, product) * pricing.getHiddenShareOfActivations();
}

} // namespace pcc::plan
