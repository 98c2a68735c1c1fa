// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PrepareKernels: makes explicit, as ops, how the values of a step lie in memory.
//
// Assumes local types and core ops. Leaves every op with one result. Matmuls and convolutions of
// types that the device does not multiply are in f32. Arguments that take a sum over actions are in
// f32, or in f64 if they are f64, followed by the multiplication with the sum's scale. A linear
// collective on the argument stays first if its type is that of the sum. The collective then runs
// on the sum as it lies in memory, and so in place, or leaves less to multiply.
//
// A product of 16 bits that is cast only to be added to a sum is added as it is. The addition casts
// it, so the wide copy is neither written nor read.
#include "passes/fusion/Passes.h"

#include "dialects/dist/Dist.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/kernels/Kernels.h"

using namespace mlir;

namespace pcc::fusion {
#define GEN_PASS_DEF_PREPAREKERNELS
#include "passes/fusion/Passes.h.inc"

static void replaceSplit(graph::SplitOp op) {
  OpBuilder b(op);
  int64_t start = 0;
  for (Value piece : op.getResults()) {
    auto type = cast<RankedTensorType>(piece.getType());
    Value slice = graph::SliceOp::create(b, op.getLoc(), type, op.getInput(), op.getAxis(), start);
    piece.replaceAllUsesWith(slice);
    start += type.getShape()[op.getAxis()];
  }
  op.erase();
}

/// Replaces a matmul or convolution of 16 bits by one of f32 and rounds its result. Products of
/// 16-bit factors are exact in f32, in which devices add them up.
static void widenMatmul(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  ImplicitLocOpBuilder b(op->getLoc(), op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto wide = cast<RankedTensorType>(operand.get().getType()).clone(b.getF32Type());
    operand.set(graph::CastOp::create(b, wide, operand.get()));
  }
  Value result = op->getResult(0);
  result.setType(type.clone(b.getF32Type()));
  b.setInsertionPointAfter(op);
  auto narrow = graph::CastOp::create(b, type, result);
  result.replaceAllUsesExcept(narrow, narrow);
}

/// Creates a constant with `number` in every element of `type`.
static Value splat(ImplicitLocOpBuilder &b, RankedTensorType type, double number) {
  Attribute element = FloatAttr::get(type.getElementType(), number);
  return graph::ConstantOp::create(b, type, DenseElementsAttr::get(type, element));
}

/// Returns the result of the summing collective that is the value's only reader; null if there is
/// none.
static Value reducedByOnlyReader(Value value) {
  Operation *reader = value.hasOneUse() ? *value.getUsers().begin() : nullptr;
  if (auto op = dyn_cast_or_null<dist::AllReduceOp>(reader); op && op.getKind() == ReduceKind::Sum)
    return op.getResult();
  if (auto op = dyn_cast_or_null<dist::ReduceScatterOp>(reader);
      op && op.getKind() == ReduceKind::Sum)
    return op.getResult();
  return {};
}

/// Makes the argument the sum as it lies in memory, with elements of type `element`. Its readers
/// get `scale` times the sum. Returns false if nothing has to change for this.
static bool takeSum(BlockArgument argument, Type element, double scale) {
  auto type = cast<RankedTensorType>(argument.getType());
  auto sumType = type.clone(element);
  if (scale == 1.0 && sumType == type)
    return false;
  Value sum = argument;
  ImplicitLocOpBuilder b(argument.getLoc(), argument.getContext());
  b.setInsertionPointToStart(argument.getOwner());
  argument.setType(sumType);
  if (Value reduced = sumType == type ? reducedByOnlyReader(argument) : Value()) {
    sum = reduced;
    b.setInsertionPointAfterValue(reduced);
    b.setLoc(reduced.getLoc());
  }
  SmallVector<OpOperand *> readers;
  for (OpOperand &use : sum.getUses())
    readers.push_back(&use);
  Value value = sum;
  if (scale != 1.0)
    value = graph::MulOp::create(b, value, splat(b, cast<RankedTensorType>(sum.getType()), scale));
  if (sumType != type)
    value = graph::CastOp::create(b, type, value);
  for (OpOperand *use : readers)
    use->set(value);
  return true;
}

/// Returns the product of 16 bits that the accumulated result `index` is a cast of; null if there
/// is none. Products lie in memory in their own type. A kernel of other ops may cast what it
/// computes before it writes it.
static Value findNarrowProduct(analysis::Section &section, unsigned index) {
  auto wide = section.getReturned()[index].getDefiningOp<graph::CastOp>();
  if (!section.isAccumulated(index) || !wide || !wide->hasOneUse())
    return {};
  Operation *source = analysis::viewRoot(wide.getInput()).getDefiningOp();
  bool isProduct = source && (isa<graph::MatmulOp>(source) || analysis::isConvolution(source));
  Type narrow = getElementTypeOrSelf(wide.getInput().getType());
  bool isSumOfIt = graph::accumulatorOf(narrow) == getElementTypeOrSelf(wide.getType());
  return isProduct && isSumOfIt ? Value(wide.getInput()) : Value();
}

/// Returns products without the casts to the type of their sums.
static void returnNarrowProducts(analysis::Section &section) {
  func::FuncOp function = section.function;
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    if (Value product = findNarrowProduct(section, index)) {
      Operation *end = function.getBody().front().getTerminator(),
                *cast = end->getOperand(index).getDefiningOp();
      end->setOperand(index, product);
      cast->erase();
    }
  function.setType(FunctionType::get(function.getContext(), function.getArgumentTypes(),
                                     section.getReturned().getTypes()));
}

namespace {
struct PrepareKernels : impl::PrepareKernelsBase<PrepareKernels> {
  using PrepareKernelsBase::PrepareKernelsBase;
  void runOnOperation() override {
    SmallVector<graph::SplitOp> splits;
    getOperation().walk([&](graph::SplitOp op) { splits.push_back(op); });
    for (graph::SplitOp op : splits)
      replaceSplit(op);
    getOperation().walk([&](Operation *op) {
      bool multiplies = isa<graph::MatmulOp>(op) || analysis::isConvolution(op);
      if (multiplies && isWidened(getElementTypeOrSelf(op->getResult(0).getType())))
        widenMatmul(op);
    });

    SmallVector<analysis::Section> sections = analysis::collectSections(getOperation());
    for (analysis::Section &producer : sections)
      for (unsigned i = 0; producer.runs > 0 && i < producer.function.getNumResults(); ++i)
        takeResult(producer, i, sections);
    for (analysis::Section &section : sections)
      returnNarrowProducts(section);
  }

  /// Returns whether the device cannot multiply this type.
  bool isWidened(Type type) const {
    return (type.isF16() && !multipliesHalf) || (type.isBF16() && !multipliesBFloat16);
  }

  /// Rewrites the arguments of other sections that take an accumulated result.
  static void takeResult(analysis::Section &producer, unsigned index,
                         MutableArrayRef<analysis::Section> sections) {
    auto accumulate = producer.function.getResultAttrOfType<pipe::AccumulateAttr>(
        index, pipe::accumulateAttrName);
    graph::RoleAttr role = producer.getResultRole(index);
    bool addsToOther = producer.isAccumulated(index) && !producer.beginsSum(index);
    if (!accumulate || !role || addsToOther)
      return;
    for (analysis::Section &section : sections) {
      if (section.function == producer.function || section.runs == 0)
        continue;
      for (BlockArgument argument : section.function.getArguments()) {
        if (section.getArgumentRole(argument.getArgNumber()) != role)
          continue;
        Type element = getElementTypeOrSelf(argument.getType());
        if (producer.isAccumulated(index))
          element = graph::accumulatorOf(element);
        if (takeSum(argument, element, accumulate.getScale()))
          section.function.setArgAttr(
              argument.getArgNumber(), pipe::unscaledAttrName,
              FloatAttr::get(Float64Type::get(argument.getContext()), accumulate.getScale()));
      }
      section.function.setType(FunctionType::get(section.function.getContext(),
                                                 section.function.getBody().getArgumentTypes(),
                                                 section.function.getResultTypes()));
    }
  }
};
} // namespace
} // namespace pcc::fusion
