// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FuseEpilogues: what a GPU's library does to the result of a product before it is written.
//
//   %0 = matmul %x, %w                       one record: c = gelu(x w + b), and what gelu was
//   %1 = add %0, broadcast %b                applied to beside it if the derivative reads it
//   %2 = pieces of gelu %1
//
//   %3 = matmul %g, %v                       one record: c = (g v) · gelu'(%1)
//   %4 = mul %3, pieces of the slope at %1
//
//   %5 = matmul %4, %x {transpose_lhs}       one record with the sums of a factor, which are the
//   %6 = reduce sum %4, all but the last     gradient of a bias
//
// Assumes core ops, as they are when kernels are chosen. Leaves each such group marked
// (dialects/task/Products.h) and its ops as they were; pieces that other ops read as well are there
// twice. Sums stay outside where results add up over slots: a record would have to add them too.
// So does gelu with rows of a length that the library does not keep.
#include "passes/facts/Epilogues.h"
#include "passes/facts/Kernels.h"
#include "passes/facts/Sections.h"
#include "passes/lower/GeluPieces.h"
#include "passes/lower/Passes.h"

#include "dialects/task/Products.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "runtime/abi/SupportKernels.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {
#define GEN_PASS_DEF_FUSEEPILOGUES
#include "passes/lower/Passes.h.inc"

namespace {
/// What was found, for the remark.
struct Counts {
  int64_t biases = 0, relus = 0, gelus = 0, geluGradients = 0, sums = 0;
};

/// The products of a function, each with what can be part of its record.
class Fuser {
public:
  Fuser(func::FuncOp function, bool mayTakeSums, Counts &counts)
      : function(function), mayTakeSums(mayTakeSums), counts(counts) {}

  void run() {
    SmallVector<MatmulOp> products(function.getBody().front().getOps<MatmulOp>());
    for (MatmulOp product : products)
      if (isa<FloatType>(product.getType().getElementType())) // those of integers are kernels
        fuse(product);
  }

private:
  void fuse(MatmulOp product);
  bool takeBias();
  bool takeRelu();
  bool takeGelu();
  bool takeSlope();
  bool takeSum();
  Value takePieces(Value value, Value operand, Operation *before);
  Operation *readerBehindViews(Value &value);

  func::FuncOp function;
  const bool mayTakeSums;
  Counts &counts;
  int64_t number = 0;

  // Of the product in hand.
  MatmulOp product;
  Value result;
  SmallVector<Operation *> taken;
};
} // namespace

static int64_t columnsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().back();
}

/// The only op that reads the value but for its shape; then `value` is it in the shape that is
/// read. Columns stay columns.
Operation *Fuser::readerBehindViews(Value &value) {
  Value seen = value;
  Operation *reader = facts::onlyReader(seen);
  while (reader && facts::isView(reader) && facts::isRecomputed(reader)) {
    seen = reader->getResult(0);
    reader = facts::onlyReader(seen);
  }
  auto type = cast<RankedTensorType>(seen.getType());
  if (!reader || type.getRank() == 0 || columnsOf(seen) != columnsOf(product.getResult()))
    return nullptr;
  value = seen;
  return reader;
}

bool Fuser::takeBias() {
  Value seen = result;
  auto add = dyn_cast_or_null<AddOp>(readerBehindViews(seen));
  if (!add)
    return false;
  Value other = add.getLhs() == seen ? add.getRhs() : add.getLhs();
  if (!facts::isBias(other, add.getType().getRank() - 1))
    return false;
  taken.push_back(add);
  result = add.getResult();
  ++counts.biases;
  return true;
}

bool Fuser::takeRelu() {
  Value seen = result;
  auto relu = dyn_cast_or_null<ReluOp>(readerBehindViews(seen));
  if (!relu)
    return false;
  taken.push_back(relu);
  ++counts.relus;
  return true;
}

/// Copies the ops that make `value` of `operand`; the copy of the value.
Value Fuser::takePieces(Value value, Value operand, Operation *before) {
  OpBuilder b(before);
  IRMapping copies;
  for (Operation *piece : piecesOf(value, operand))
    taken.push_back(b.clone(*piece, copies));
  return copies.lookup(value);
}

/// Erases the op, and those that only it read, if nobody reads it.
static void eraseUnread(Operation *op) {
  SetVector<Operation *> work; // of two ops that are erased both may have read one
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

bool Fuser::takeGelu() {
  Value operand = result;
  Operation *view = facts::onlyReader(operand);
  while (view && facts::isView(view)) {
    operand = view->getResult(0);
    view = facts::onlyReader(operand);
  }
  Value gelu = findGelu(operand);
  if (!gelu || columnsOf(product.getResult()) % abi::elementsOfKeptRow != 0)
    return false;
  gelu.replaceAllUsesWith(takePieces(gelu, operand, gelu.getDefiningOp()));
  eraseUnread(gelu.getDefiningOp());
  product->setAttr(task::activationAttrName,
                   task::ActivationAttr::get(function.getContext(), task::Activation::Gelu));
  ++counts.gelus;
  return true;
}

bool Fuser::takeSlope() {
  Value seen = result;
  auto mul = dyn_cast_or_null<MulOp>(readerBehindViews(seen));
  if (!mul || columnsOf(seen) % abi::elementsOfKeptRow != 0)
    return false;
  Value slope = mul.getLhs() == seen ? mul.getRhs() : mul.getLhs();
  Value operand = findOperandOfSlope(slope);
  if (!operand || !facts::liesInMemory(operand) ||
      getElementTypeOrSelf(operand.getType()) != getElementTypeOrSelf(mul.getType()))
    return false;
  mul->replaceUsesOfWith(slope, takePieces(slope, operand, mul));
  eraseUnread(slope.getDefiningOp());
  taken.push_back(mul);
  product->setAttr(
      task::activationAttrName,
      task::ActivationAttr::get(function.getContext(), task::Activation::GeluGradient));
  ++counts.geluGradients;
  return true;
}

/// True if the op sums the rows of its operand, seen as a matrix of so many columns.
static bool sumsRows(ReduceOp reduce, int64_t columns) {
  ArrayRef<int64_t> dims = reduce.getDims();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(reduce.getInput().getType()).getShape();
  return reduce.getKind() == ReduceOpKind::Sum && !reduce.getCrossBatch() &&
         !reduce->hasAttr(task::productAttrName) &&
         llvm::equal(dims, llvm::seq<int64_t>(0, dims.size())) &&
         llvm::product_of(shape.drop_front(dims.size())) == columns;
}

/// The sum, of this type, of the rows of a factor, whose columns are seen through any views; null
/// if there is none.
static ReduceOp findSum(Value factor, Type element) {
  Value root = factor;
  for (Operation *op = root.getDefiningOp(); op && facts::isView(op); op = root.getDefiningOp())
    root = op->getOperand(0);
  SmallVector<Value> views{root};
  for (size_t n = 0; n < views.size(); ++n)
    for (Operation *user : views[n].getUsers()) {
      auto reduce = dyn_cast<ReduceOp>(user);
      if (facts::isView(user))
        views.push_back(user->getResult(0));
      else if (reduce && sumsRows(reduce, columnsOf(factor)) &&
               getElementTypeOrSelf(reduce.getType()) == element)
        return reduce;
    }
  return nullptr;
}

/// The sum of a factor's rows along k: of the left one's if it is transposed, else of the right
/// one's if that is not.
bool Fuser::takeSum() {
  if (product.getType().getRank() != 2)
    return false;
  Type element = product.getType().getElementType();
  ReduceOp sum;
  if (product.getTransposeLhs())
    sum = findSum(product.getLhs(), element);
  if (!sum && !product.getTransposeRhs())
    sum = findSum(product.getRhs(), element);
  if (!sum)
    return false;
  // It is computed where the product is, before anything reads it.
  if (sum->isBeforeInBlock(product)) {
    if (llvm::any_of(sum->getUsers(), [&](Operation *user) {
          return user == product || user->isBeforeInBlock(product);
        }))
      return false;
    sum->moveAfter(product);
  }
  taken.push_back(sum);
  ++counts.sums;
  return true;
}

void Fuser::fuse(MatmulOp next) {
  product = next;
  result = product.getResult();
  taken = {product};
  bool hasBias = takeBias();
  bool isTaken = takeRelu() || takeGelu() || (!hasBias && takeSlope()) ||
                 (!hasBias && mayTakeSums && takeSum());
  if (!hasBias && !isTaken)
    return;
  Builder b(function.getContext());
  for (Operation *op : taken)
    op->setAttr(task::productAttrName, b.getI64IntegerAttr(number));
  ++number;
}

/// Whether results of the section add up over slots.
static bool addsUp(facts::Section &section) {
  for (unsigned i = 0; i < section.function.getNumResults(); ++i)
    if (section.isAccumulated(i))
      return true;
  return false;
}

namespace {
struct FuseEpilogues : impl::FuseEpiloguesBase<FuseEpilogues> {
  void runOnOperation() override {
    Counts counts;
    for (facts::Section &section : facts::collectSections(getOperation()))
      if (!section.function.isExternal())
        Fuser(section.function, !addsUp(section), counts).run();
    remark::passed(getOperation().getLoc(),
                   remark::RemarkOpts::name("fuse-epilogues").category("lower"))
        << remark::metric("biases", counts.biases) << remark::metric("relus", counts.relus)
        << remark::metric("gelus", counts.gelus)
        << remark::metric("gelu gradients", counts.geluGradients)
        << remark::metric("sums", counts.sums);
  }
};
} // namespace
} // namespace pcc::lower
