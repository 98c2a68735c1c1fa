// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the overlap of a section's collectives with its matmuls. Part of SectionCostModel.
#include "compiler/plan/cost/SectionCostModel.h"
#include "passes/analysis/kernels/Kernels.h"

using namespace mlir;

namespace pcc::plan {

/// Returns the seconds of a matmul that no collective overlaps yet, for the caller to reduce. The
/// pointer is valid until the next call. Returns null if the op is no matmul.
double *SectionCostModel::findRoom(Operation *matmul) {
  if (analysis::classOf(matmul) != analysis::OpClass::Contraction)
    return nullptr;
  auto [found, isNew] = room.try_emplace(matmul, 0);
  if (isNew)
    found->second = secondsOf(matmul);
  return &found->second;
}

/// Returns the seconds of an input gradient's reduction that overlap with the matmul of the weight
/// gradient. Both read the gradient of the layer's result.
double SectionCostModel::hideInputGradient(Operation *op, double seconds) {
  if (!context.options.system.hidesInputGradients || !isBackward(op))
    return 0;
  double hidden = 0;
  analysis::forEachSource(op, [&](Value source, ArrayRef<Operation *>) {
    Operation *matmul = source.getDefiningOp();
    if (!matmul || analysis::classOf(matmul) != analysis::OpClass::Contraction)
      return;
    analysis::forEachSource(matmul, [&](Value operand, ArrayRef<Operation *>) {
      analysis::forEachReader(operand, [&](Operation *reader) {
        double *beside = reader != matmul && isBackward(reader) ? findRoom(reader) : nullptr;
        if (!beside)
          return;
        double part = std::min(seconds - hidden, *beside);
        *beside -= part;
        hidden += part;
      });
    });
  });
  return hidden * context.getHiddenShareOfActivations();
}

/// Returns the seconds of a collective of `members` ranks that overlap with the matmul that
/// produces its operand or reads its result. All chunks but the first overlap, as long as the
/// matmul lasts.
double SectionCostModel::hide(Operation *op, double seconds, int64_t members) {
  if (!context.options.hidesActivations || members < 2)
    return 0;
  // Inserts all readers first: pointers into `room` do not survive an insertion.
  for (Value value : op->getResults())
    analysis::forEachReader(value, [&](Operation *reader) { findRoom(reader); });
  double *best = nullptr;
  auto consider = [&](Operation *matmul) {
    auto found = room.find(matmul);
    if (found != room.end() && (!best || found->second > *best))
      best = &found->second;
  };
  analysis::forEachSource(op, [&](Value source, ArrayRef<Operation *>) {
    if (Operation *producer = source.getDefiningOp())
      consider(producer);
  });
  for (Value value : op->getResults())
    analysis::forEachReader(value, consider);
  if (!best)
    return 0;
  double hidden = std::min(seconds * double(members - 1) / double(members), *best);
  *best -= hidden;
  return hidden * context.getHiddenShareOfActivations();
}

/// Adds the second gather of a matmul's operand. This gather overlaps with the matmul of the input
/// gradient, which is as large as the forward matmul.
void SectionCostModel::gatherAgain(Operation *op, double seconds) {
  double matmul = 0;
  for (Value value : op->getResults())
    analysis::forEachReader(value, [&](Operation *reader) {
      if (analysis::classOf(reader) == analysis::OpClass::Contraction && !isBackward(reader))
        matmul = std::max(matmul, secondsOf(reader));
    });
  if (matmul == 0)
    return;
  result.recomputed.communication += seconds;
  result.hidden += std::min(seconds, matmul) * context.getHiddenShareOfActivations();
}

} // namespace pcc::plan
