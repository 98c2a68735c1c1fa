// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FuseEpilogues: finds ops that a GPU's library can apply to the result of a matmul before writing
// it. passes/analysis/kernels/JoinGroups.cpp decides on bias and ReLU for both targets.
//
//   %0 = matmul %x, %w                       one instruction: c = gelu(x w + b); also writes gelu's
//   %1 = add %0, broadcast %b                operand if the derivative reads it
//   %2 = decomposition of gelu %1
//
//   %3 = matmul %g, %v                       one instruction: c = (g v) · gelu'(%1)
//   %4 = mul %3, decomposition of gelu' at %1
//
//   %5 = matmul %4, %x {transpose_lhs}       one instruction with the sums of an operand, which are
//   %6 = reduce sum %4, all but the last     the gradient of a bias
//
// Assumes core ops, as they are when kernels are chosen. Leaves each such group annotated
// (dialects/task/EpilogueAttrs.h) and its ops unchanged. Ops of a decomposition that other ops read
// as well are cloned. Gelu is not fused if the library does not support the row length.
#include "passes/analysis/kernels/Epilogues.h"
#include "passes/analysis/kernels/Kernels.h"
#include "passes/fusion/GeluDecomposition.h"
#include "passes/fusion/Passes.h"

#include "dialects/task/EpilogueAttrs.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "runtime/abi/program/SupportKernels.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::fusion {
#define GEN_PASS_DEF_FUSEEPILOGUES
#include "passes/fusion/Passes.h.inc"

namespace {
/// Number of fused ops by kind, for the remark.
struct Counts {
  int64_t biases = 0, relus = 0, gelus = 0, geluGradients = 0, sums = 0;
};

/// One matmul and the ops that its instruction also performs.
class MatmulEpilogue {
public:
  MatmulEpilogue(MatmulOp matmul, Counts &counts)
      : matmul(matmul), counts(counts), result(matmul.getResult()), taken{matmul} {}

  /// Takes the epilogue of the matmul, or else a sum of one of its operands; returns false if there
  /// is neither.
  bool take();
  void annotate(int64_t number);

private:
  Value resultInReadShape() const;
  bool takeBias();
  bool takeRelu();
  bool takeGelu();
  bool takeDerivative();
  bool takeSum();
  Value takeDecomposition(Value value, Value operand, Operation *before);
  void setActivation(task::Activation activation);
  int64_t columns() { return matmul.getType().getShape().back(); }
  bool hasKeptRows() { return columns() % abi::preActivationAlignment == 0; }

  MatmulOp matmul;
  Counts &counts;
  Value result; ///< result of all ops taken so far
  SmallVector<Operation *> taken;
};
} // namespace

/// Returns the result in the shape in which its reader sees it, behind a chain of views with one
/// reader each.
Value MatmulEpilogue::resultInReadShape() const {
  Value seen = result;
  Operation *reader = analysis::onlyReader(seen);
  while (reader && analysis::isView(reader)) {
    seen = reader->getResult(0);
    reader = analysis::onlyReader(seen);
  }
  return seen;
}

/// Returns the only reader of `value` if it is of this kind, or null.
template <typename Op> static Op readerOf(Value value) {
  return dyn_cast_or_null<Op>(analysis::onlyReader(value));
}

static Value otherOperand(Operation *op, Value operand) {
  return op->getOperand(op->getOperand(0) == operand ? 1 : 0);
}

bool MatmulEpilogue::takeBias() {
  Value seen = resultInReadShape();
  auto add = readerOf<AddOp>(seen);
  // The bias has as many elements as the matmul has columns.
  if (!add || add.getType().getRank() == 0 || add.getType().getShape().back() != columns() ||
      !analysis::isBias(otherOperand(add, seen), add.getType().getRank() - 1))
    return false;
  taken.push_back(add);
  result = add.getResult();
  ++counts.biases;
  return true;
}

bool MatmulEpilogue::takeRelu() {
  auto relu = readerOf<ReluOp>(resultInReadShape());
  if (!relu)
    return false;
  taken.push_back(relu);
  ++counts.relus;
  return true;
}

/// Clones the ops that compute `value` from `operand`, and takes them. Returns the clone of
/// `value`.
Value MatmulEpilogue::takeDecomposition(Value value, Value operand, Operation *before) {
  OpBuilder b(before);
  IRMapping copies;
  for (Operation *op : decompositionOf(value, operand))
    taken.push_back(b.clone(*op, copies));
  return copies.lookup(value);
}

/// Erases `op` if it has no reader, and then its producers that lost their last reader.
static void eraseUnread(Operation *op) {
  SetVector<Operation *> work; // a set, because two erased ops may have read the same one
  work.insert(op);
  while (!work.empty()) {
    Operation *next = work.pop_back_val();
    if (!next->use_empty() || !isMemoryEffectFree(next))
      continue;
    SetVector<Operation *> read;
    for (Value operand : next->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        read.insert(maker);
    next->erase();
    work.insert(read.begin(), read.end());
  }
}

bool MatmulEpilogue::takeGelu() {
  Value operand = resultInReadShape(), gelu = findGelu(operand);
  if (!gelu || !hasKeptRows())
    return false;
  gelu.replaceAllUsesWith(takeDecomposition(gelu, operand, gelu.getDefiningOp()));
  eraseUnread(gelu.getDefiningOp());
  setActivation(task::Activation::Gelu);
  ++counts.gelus;
  return true;
}

bool MatmulEpilogue::takeDerivative() {
  Value seen = resultInReadShape();
  auto mul = readerOf<MulOp>(seen);
  if (!mul || !hasKeptRows())
    return false;
  Value derivative = otherOperand(mul, seen), operand = findOperandOfDerivative(derivative);
  if (!operand || !analysis::liesInMemory(operand) ||
      getElementTypeOrSelf(operand.getType()) != getElementTypeOrSelf(mul.getType()))
    return false;
  mul->replaceUsesOfWith(derivative, takeDecomposition(derivative, operand, mul));
  eraseUnread(derivative.getDefiningOp());
  taken.push_back(mul);
  setActivation(task::Activation::GeluGradient);
  ++counts.geluGradients;
  return true;
}

/// Returns a sum of one of the matmul's operands that no instruction has taken yet, or null.
static ReduceOp findSum(MatmulOp matmul, Value factor) {
  SmallVector<Value> views{analysis::viewRoot(factor)};
  for (size_t n = 0; n < views.size(); ++n)
    for (Operation *user : views[n].getUsers()) {
      auto sum = dyn_cast<ReduceOp>(user);
      if (analysis::isView(user))
        views.push_back(user->getResult(0));
      else if (sum && !sum->hasAttr(task::matmulGroupAttrName) &&
               analysis::factorSummedBy(sum, matmul))
        return sum;
    }
  return nullptr;
}

bool MatmulEpilogue::takeSum() {
  ReduceOp sum = findSum(matmul, matmul.getLhs());
  if (!sum)
    sum = findSum(matmul, matmul.getRhs());
  if (!sum)
    return false;
  // The sum is computed with the matmul, before any op reads it.
  if (sum->isBeforeInBlock(matmul)) {
    if (llvm::any_of(sum->getUsers(), [&](Operation *user) {
          return user == matmul || user->isBeforeInBlock(matmul);
        }))
      return false;
    sum->moveAfter(matmul);
  }
  taken.push_back(sum);
  ++counts.sums;
  return true;
}

bool MatmulEpilogue::take() {
  bool hasBias = takeBias();
  bool isTaken = takeRelu() || takeGelu() || (!hasBias && (takeDerivative() || takeSum()));
  return hasBias || isTaken;
}

void MatmulEpilogue::setActivation(task::Activation activation) {
  matmul->setAttr(task::activationAttrName,
                  task::ActivationAttr::get(matmul.getContext(), activation));
}

void MatmulEpilogue::annotate(int64_t number) {
  Builder b(matmul.getContext());
  for (Operation *op : taken)
    op->setAttr(task::matmulGroupAttrName, b.getI64IntegerAttr(number));
}

/// Annotates the matmuls of a function, except those that are kernels.
static void annotateMatmuls(func::FuncOp function, Counts &counts) {
  if (function.isExternal())
    return;
  int64_t number = 0;
  SmallVector<MatmulOp> matmuls(function.getBody().front().getOps<MatmulOp>());
  for (MatmulOp matmul : matmuls) {
    MatmulEpilogue epilogue(matmul, counts);
    if (analysis::hasInstructions(matmul.getType().getElementType()) && epilogue.take())
      epilogue.annotate(number++);
  }
}

namespace {
struct FuseEpilogues : impl::FuseEpiloguesBase<FuseEpilogues> {
  void runOnOperation() override {
    Counts counts;
    for (auto function : getOperation().getOps<func::FuncOp>())
      annotateMatmuls(function, counts);
    remark::passed(getOperation().getLoc(),
                   remark::RemarkOpts::name("fuse-epilogues").category("fusion"))
        << remark::metric("biases", counts.biases) << remark::metric("relus", counts.relus)
        << remark::metric("gelus", counts.gelus)
        << remark::metric("gelu gradients", counts.geluGradients)
        << remark::metric("sums", counts.sums);
  }
};
} // namespace
} // namespace pcc::fusion
