// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remembers for each op of the copy from which op of the function it came. Merging only erases ops,
// so the origins of the others stay.
#include "passes/analysis/cost/ExpectedKernels.h"

#include "dialects/graph/decompose/Decompose.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "passes/analysis/kernels/Kernels.h"

using namespace mlir;

namespace pcc::analysis {

llvm::SmallVector<Operation *> expand(Operation *op) {
  graph::DecomposeFunction decompose = graph::findDecomposition(op->getName().getStringRef());
  if (!decompose || isa<graph::AttentionOp, graph::AttentionGradientOp>(op))
    return {op};
  Operation *before = op->getPrevNode();
  graph::DecompositionBuilder builder(op);
  op->replaceAllUsesWith(decompose(op, builder));
  llvm::SmallVector<Operation *> core;
  for (Operation *each = before ? before->getNextNode() : &op->getBlock()->front(); each != op;
       each = each->getNextNode())
    core.push_back(each);
  op->erase();
  return core;
}

namespace {

/// The op of the function from which an op of the copy came.
struct Origin {
  Operation *op = nullptr; ///< of the function
  unsigned index = 0;
};

using Origins = DenseMap<Operation *, Origin>;
using Links = DenseMap<std::pair<Operation *, Operation *>, ExpectedLink>;

/// Forgets the origins of erased ops.
struct ForgetErased : RewriterBase::Listener {
  explicit ForgetErased(Origins &origins) : origins(origins) {}
  void notifyOperationErased(Operation *op) override { origins.erase(op); }
  Origins &origins;
};

/// Adds the links by which `reader` gets `value`: from the op that computes it, and from views of
/// its result.
void addLinks(Value value, Operation *reader, const Origins &origins, const KernelShares &shares,
              Links &links) {
  auto root = dyn_cast<OpResult>(viewRoot(value));
  if (!root)
    return;
  bool isInKernel = shares.passesInKernel(root, reader);
  bool isWritten = shares.of(root.getOwner()).writes.test(root.getResultNumber());
  for (;; value = value.getDefiningOp()->getOperand(0)) {
    ExpectedLink &link =
        links[{origins.lookup(value.getDefiningOp()).op, origins.lookup(reader).op}];
    link.isInKernel |= isInKernel;
    link.isWritten |= isWritten;
    if (value == root)
      return;
  }
}

} // namespace

ExpectedKernels::ExpectedKernels(func::FuncOp function)
    : copy(ModuleOp::create(function.getLoc())) {
  OpBuilder builder = OpBuilder::atBlockEnd(copy->getBody());
  auto copied = cast<func::FuncOp>(builder.clone(*function));
  Block &body = copied.getBody().front();
  Origins origins;
  auto next = body.begin();
  for (Operation &op : function.getBody().front().without_terminator()) {
    Operation *own = &*next++;
    own->setDiscardableAttrs(
        DictionaryAttr::get(own->getContext())); // equal ops may be annotated differently
    for (auto [index, part] : llvm::enumerate(expand(own)))
      origins[part] = {&op, static_cast<unsigned>(index)};
  }

  ForgetErased listener(origins);
  IRRewriter rewriter(copied.getContext(), &listener);
  DominanceInfo dominance(copied);
  eliminateCommonSubExpressions(rewriter, dominance, copied);

  KernelShares shares(copied);
  for (Operation &op : body.without_terminator()) {
    Origin origin = origins.lookup(&op);
    parts[origin.op].push_back({origin.index, &op, shares.of(&op)});
    for (Value operand : op.getOperands())
      if (!isView(&op))
        addLinks(operand, &op, origins, shares, links);
  }
}

llvm::ArrayRef<ExpectedPart> ExpectedKernels::partsOf(Operation *op) const {
  auto found = parts.find(op);
  return found == parts.end() ? llvm::ArrayRef<ExpectedPart>() : found->second;
}

} // namespace pcc::analysis
