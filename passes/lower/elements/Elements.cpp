// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes an element by recursion over the ops that define it, and memoizes by tensor and
// row-major position. Elements narrower than 32 bits are widened when they are loaded and rounded
// when they are stored.
#include "passes/lower/elements/Elements.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/analysis/kernels/Kernels.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

Type computeType(Type type) {
  if (type.isUnsignedInteger())
    return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
  return isa<Float16Type, BFloat16Type>(type) ? Float32Type::get(type.getContext()) : type;
}

Type memoryType(Type type) {
  if (type.isBF16())
    return IntegerType::get(type.getContext(), 16);
  if (type.isUnsignedInteger())
    return computeType(type);
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

static Type elementOf(Value tensor) { return cast<ShapedType>(tensor.getType()).getElementType(); }

void Elements::remember(Value tensor, const Index &index, Value value) {
  known[{tensor, math.linear(index)}] = value;
}

/// Widens the bits of a bf16 to f32.
static Value widenBFloat16(ImplicitLocOpBuilder &b, Value bits) {
  Value upper = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, b.getI32Type(), bits),
                                      arith::ConstantIntOp::create(b, 16, 32));
  return arith::BitcastOp::create(b, b.getF32Type(), upper);
}

Value Elements::load(Type type, Value pointer, Value position) {
  Type memory = memoryType(type);
  Value address = LLVM::GEPOp::create(b, pointer.getType(), memory, pointer, ValueRange(position),
                                      LLVM::GEPNoWrapFlags::inbounds);
  Value element = LLVM::LoadOp::create(b, memory, address);
  if (type.isInteger(1))
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, element,
                                 arith::ConstantIntOp::create(b, 0, 8));
  if (type.isBF16())
    return widenBFloat16(b, element);
  return type.isF16() ? arith::ExtFOp::create(b, computeType(type), element) : element;
}

/// Rounds f32 to the bits of a bf16, to the nearest, ties to even. bf16 lies in memory as i16, and
/// no LLVM value has the type bf16. LLVM would turn a select between two of them into calls of
/// libgcc, which kernels do not link.
static Value roundToBFloat16(ImplicitLocOpBuilder &b, Value element) {
  Type i32 = b.getI32Type(), i16 = b.getIntegerType(16);
  auto number = [&](int32_t value) -> Value { return arith::ConstantIntOp::create(b, value, 32); };
  Value bits = arith::BitcastOp::create(b, i32, element);
  Value upper = arith::ShRUIOp::create(b, bits, number(16));
  Value odd = arith::AndIOp::create(b, upper, number(1));
  Value half = arith::AddIOp::create(b, odd, number(0x7fff));
  Value rounded = arith::ShRUIOp::create(b, arith::AddIOp::create(b, bits, half), number(16));
  Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, element, element);
  Value result = arith::SelectOp::create(b, isNumber, rounded, number(0x7fc0));
  return arith::TruncIOp::create(b, i16, result);
}

void Elements::store(Value element, Type type, Value pointer, Value position) {
  Type memory = memoryType(type);
  if (type.isInteger(1))
    element = arith::ExtUIOp::create(b, memory, element);
  else if (type.isBF16())
    element = roundToBFloat16(b, element);
  else if (type.isF16())
    element = arith::TruncFOp::create(b, type, element);
  Value address = LLVM::GEPOp::create(b, pointer.getType(), memory, pointer, ValueRange(position),
                                      LLVM::GEPNoWrapFlags::inbounds);
  LLVM::StoreOp::create(b, element, address);
}

Value Elements::at(Value tensor, const Index &index) {
  Value position = math.linear(index);
  if (Value value = known.lookup({tensor, position}); value && isVisible(b, value))
    return value;
  Value value;
  if (Value scalar = scalars.lookup(tensor))
    value = scalar;
  else if (Value pointer = pointers.lookup(tensor))
    value = load(elementOf(tensor), pointer, position);
  else
    value = compute(tensor.getDefiningOp(), index);
  known[{tensor, position}] = value;
  return value;
}

Value Elements::positionAt(Value integers, const Index &index) {
  Value integer = at(integers, index);
  Type i64 = b.getI64Type();
  return integer.getType() == i64 ? integer : arith::ExtSIOp::create(b, i64, integer);
}

/// Emits the number of a splat constant, in its compute type.
static Value emitSplat(ImplicitLocOpBuilder &b, ConstantOp op) {
  auto splat = cast<SplatElementsAttr>(op.getValue());
  Type type = splat.getElementType();
  if (isa<FloatType>(type))
    return emitNumber(b, computeType(type), splat.getSplatValue<APFloat>().convertToDouble());
  APInt value = splat.getSplatValue<APInt>();
  return arith::ConstantOp::create(b, IntegerAttr::get(computeType(type), value));
}

/// Converts a position to an element of `type`.
static Value emitPosition(ImplicitLocOpBuilder &b, Value position, Type type) {
  if (isa<FloatType>(type))
    return arith::SIToFPOp::create(b, computeType(type), position);
  return type.isInteger(64) ? position : arith::TruncIOp::create(b, computeType(type), position);
}

bool canComputeElements(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (isa<MatmulOp>(op) || analysis::isConvolution(op))
    return !analysis::hasInstructions(elementOf(op->getResult(0)));
  return op->hasTrait<Elementwise>() ||
         isa<IotaOp, BroadcastOp, ReduceOp, ReshapeOp, TransposeOp, SliceOp, DynamicSliceOp,
             DynamicUpdateSliceOp, PadOp, ConcatOp, GatherOp, OneHotOp, RngUniformOp, MaxPoolOp,
             AvgPoolOp>(op);
}

Value Elements::compute(Operation *op, const Index &index) {
  if (analysis::isView(op))
    return at(op->getOperand(0), math.regroup(index, shapeOf(op->getOperand(0))));
  if (auto constant = dyn_cast<ConstantOp>(op))
    return emitSplat(b, constant);
  if (auto iota = dyn_cast<IotaOp>(op))
    return emitPosition(b, math.at(index, iota.getAxis()), elementOf(iota.getResult()));
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return at(broadcast.getInput(), math.unbroadcast(index, broadcast.getDims(),
                                                     broadcast.getInput().getType().getShape()));
  if (isa<ReduceOp, MatmulOp>(op))
    return computeLoop(op, index);
  if (isa<MaxPoolOp, AvgPoolOp>(op))
    return computePooled(op, index);
  if (analysis::isConvolution(op))
    return computeConvolved(op, index);
  if (!op->hasTrait<Elementwise>())
    return computeMapped(op, index);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(at(operand, index));
  return emitPointwise(b, op, operands);
}

} // namespace pcc::lower
