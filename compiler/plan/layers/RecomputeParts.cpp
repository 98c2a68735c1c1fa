// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges layers into segments until a segment's inner results have minInnerRatio times the bytes of
// results that leave it. Each segment gives up to two parts: its contractions, and its other ops.
// Results that leave the segment belong to no part, because they are saved.
#include "compiler/plan/layers/RecomputeParts.h"

#include "compiler/plan/layers/LayerChain.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/cost/OpCostModel.h"
#include "passes/analysis/names/OpNames.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace pcc::plan {
namespace {

/// Minimum ratio of a segment's inner bytes to the bytes that cross its end; smaller segments grow.
constexpr int64_t minInnerRatio = 4;

using Ops = SmallVector<Operation *>;

int64_t countBytes(Operation *op) {
  int64_t bytes = 0;
  for (Type type : op->getResultTypes())
    bytes += analysis::getNumBytes(type);
  return bytes;
}

/// Returns the ops whose results are read outside of `ops`.
llvm::DenseSet<Operation *> findCrossing(ArrayRef<Operation *> ops) {
  llvm::DenseSet<Operation *> own(ops.begin(), ops.end()), found;
  for (Operation *op : ops)
    if (llvm::any_of(op->getUsers(), [&](Operation *user) { return !own.contains(user); }))
      found.insert(op);
  return found;
}

bool isLargeEnough(ArrayRef<Operation *> ops) {
  int64_t inside = 0, crossing = 0;
  llvm::DenseSet<Operation *> crossingOps = findCrossing(ops);
  for (Operation *op : ops)
    (crossingOps.contains(op) ? crossing : inside) += countBytes(op);
  return inside >= minInnerRatio * crossing;
}

std::vector<Ops> findSegments(func::FuncOp forward) {
  std::vector<Ops> segments;
  bool isOpen = false;
  for (const ChainLayer &layer : findLayers(forward, /*wanted=*/1)) {
    if (!isOpen)
      segments.emplace_back();
    llvm::append_range(segments.back(), layer.ops);
    isOpen = !isLargeEnough(segments.back());
  }
  return segments;
}

/// Makes a part of the cheap ops of a segment, or of its contractions, whose results do not cross
/// the segment's end.
RecomputePart makePart(ArrayRef<Operation *> segment, bool isCheap,
                       const abi::DeviceFigures &device, const analysis::KernelShares &shares) {
  llvm::DenseSet<Operation *> crossingOps = findCrossing(segment);
  RecomputePart part;
  for (Operation *op : segment) {
    analysis::OpClass opClass = analysis::classOf(op);
    bool isMatmul = opClass == analysis::OpClass::Contraction;
    if (crossingOps.contains(op) || isMatmul == isCheap || opClass == analysis::OpClass::Leaf)
      continue;
    part.ops.push_back(op);
    part.seconds +=
        analysis::OpCostModel(op, device, shares.of(op)).seconds(analysis::OpShapes::of(op));
    part.bytes += countBytes(op);
  }
  if (!part.ops.empty())
    part.name = analysis::getName(part.ops.front()).str();
  return part;
}

} // namespace

std::vector<RecomputePart> listRecomputeParts(func::FuncOp forward,
                                              const abi::DeviceFigures &device) {
  analysis::KernelShares shares(forward);
  std::vector<Ops> segments = findSegments(forward);
  std::vector<RecomputePart> parts;
  for (bool isCheap : {true, false}) {
    size_t first = parts.size();
    for (ArrayRef<Operation *> segment : segments)
      if (RecomputePart part = makePart(segment, isCheap, device, shares); !part.ops.empty())
        parts.push_back(std::move(part));
    std::stable_sort(parts.begin() + int64_t(first), parts.end(),
                     [](const RecomputePart &a, const RecomputePart &b) {
                       return a.seconds * double(b.bytes) < b.seconds * double(a.bytes);
                     });
  }
  return parts;
}

} // namespace pcc::plan
