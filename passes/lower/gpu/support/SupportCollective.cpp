// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the parts of collectives among ranks that share a GPU, and of box exchanges: reductions of
// the members' arrays, and copies of boxes between dense tensors. As on the host, members are
// combined in order, and narrow floats are rounded once.
#include "passes/lower/gpu/support/SupportKernel.h"

#include "dialects/task/Task.h"
#include "llvm/ADT/TypeSwitch.h"
#include <set>

using namespace mlir;

namespace pcc::lower {

/// Combines two elements of `type`, given in its compute type.
static Value emitReduce(OpBuilder &b, Location loc, task::ReduceOp op, Type type, Value x,
                        Value y) {
  bool isFloat = isa<FloatType>(type), isBool = type.isInteger(1);
  bool isUnsigned = type.isUnsignedInteger();
  switch (op) {
  case task::ReduceOp::Sum:
    if (isFloat)
      return arith::AddFOp::create(b, loc, x, y);
    return isBool ? arith::OrIOp::create(b, loc, x, y).getResult()
                  : arith::AddIOp::create(b, loc, x, y);
  case task::ReduceOp::Prod:
    if (isFloat)
      return arith::MulFOp::create(b, loc, x, y);
    return isBool ? arith::AndIOp::create(b, loc, x, y).getResult()
                  : arith::MulIOp::create(b, loc, x, y);
  case task::ReduceOp::Max:
    if (isFloat)
      return arith::MaximumFOp::create(b, loc, x, y);
    if (isUnsigned)
      return arith::MaxUIOp::create(b, loc, x, y);
    return isBool ? arith::OrIOp::create(b, loc, x, y).getResult()
                  : arith::MaxSIOp::create(b, loc, x, y);
  case task::ReduceOp::Min:
    if (isFloat)
      return arith::MinimumFOp::create(b, loc, x, y);
    if (isUnsigned)
      return arith::MinUIOp::create(b, loc, x, y);
    return isBool ? arith::AndIOp::create(b, loc, x, y).getResult()
                  : arith::MinSIOp::create(b, loc, x, y);
  }
  llvm_unreachable("unknown reduction");
}

/// Loads the pointer at a place of a table.
static Value loadPointer(SupportKernel &kernel, Value table, Value place) {
  Type type = LLVM::LLVMPointerType::get(kernel.b.getContext());
  Value address = LLVM::GEPOp::create(kernel.b, type, type, table, place);
  return LLVM::LoadOp::create(kernel.b, type, address);
}

/// Emits a kernel of the arguments (sources, destinations, count, run, stride, members, targets):
/// for n < count, each of the destinations[…][n] gets the reduction over the members of
/// sources[…][n / run · stride + n % run] (gpu::Reduction in runtime/collective/gpu/Moves.h).
static void emitReduceKernel(gpu::GPUModuleOp kernels, const std::string &name,
                             task::ReduceOp reduction, Type type) {
  SupportKernel kernel(kernels, name, /*pointers=*/2, /*numbers=*/5);
  Value none = kernel.math.constant(0), one = kernel.math.constant(1);
  Value run = kernel.number(1), stride = kernel.number(2);
  kernel.forEach(kernel.number(0), [&](Value element) {
    Value place =
        kernel.add(kernel.mul(kernel.div(element, run), stride), kernel.rem(element, run));
    auto elementOf = [&](Value member) {
      return kernel.elements.load(type, loadPointer(kernel, kernel.pointer(0), member), place);
    };
    auto reduceNext = [&](Value member, ValueRange carried) -> SmallVector<Value> {
      return {
          emitReduce(kernel.b, kernel.b.getLoc(), reduction, type, carried[0], elementOf(member))};
    };
    Value reduced =
        emitStridedLoop(kernel.b, one, kernel.number(3), one, {elementOf(none)}, reduceNext)[0];
    emitStridedLoop(kernel.b, none, kernel.number(4), one, [&](Value target) {
      kernel.elements.store(reduced, type, loadPointer(kernel, kernel.pointer(1), target), element);
    });
  });
}

/// Emits a kernel that copies a box, or reduces it into its target.
static void emitBoxKernel(gpu::GPUModuleOp kernels, const std::string &name,
                          std::optional<task::ReduceOp> reduction, Type type) {
  constexpr int64_t dims = abi::maxBoxDims;
  SupportKernel kernel(kernels, name, /*pointers=*/2, /*numbers=*/1 + 3 * dims);
  auto numbers = [&](int64_t list) {
    return llvm::map_to_vector(llvm::seq<int64_t>(0, dims),
                               [&](int64_t dim) { return kernel.number(1 + list * dims + dim); });
  };
  SmallVector<Value> sizes = numbers(0), sourceStrides = numbers(1), targetStrides = numbers(2);
  kernel.forEach(kernel.number(0), [&](Value element) {
    SmallVector<Value> at = kernel.split(element, sizes);
    Value source = kernel.math.constant(0), target = source;
    for (int64_t dim = 0; dim < dims; ++dim) {
      source = kernel.add(source, kernel.mul(at[dim], sourceStrides[dim]));
      target = kernel.add(target, kernel.mul(at[dim], targetStrides[dim]));
    }
    Value value = kernel.elements.load(type, kernel.pointer(0), source);
    if (reduction)
      value = emitReduce(kernel.b, kernel.b.getLoc(), *reduction, type,
                         kernel.elements.load(type, kernel.pointer(1), target), value);
    kernel.elements.store(value, type, kernel.pointer(1), target);
  });
}

void emitCollectiveKernels(ModuleOp module, gpu::GPUModuleOp kernels) {
  std::set<std::string> known;
  auto emitReduceOf = [&](Value source, task::ReduceOp reduction) {
    Type type = cast<ShapedType>(source.getType()).getElementType();
    std::string name = ("pcc_reduce_" + stringifyReduceOp(reduction) + "_" + nameOf(type)).str();
    if (known.insert(name).second)
      emitReduceKernel(kernels, name, reduction, type);
  };
  auto emitBoxOf = [&](Value source, std::optional<task::ReduceOp> reduction) {
    Type type = cast<ShapedType>(source.getType()).getElementType();
    if (!reduction) // a copy depends only on the width of elements
      type = IntegerType::get(module.getContext(), std::max(8u, type.getIntOrFloatBitWidth()));
    std::string name = "pcc_box_";
    if (reduction)
      name += (stringifyReduceOp(*reduction) + "_").str();
    name += nameOf(type);
    if (known.insert(name).second)
      emitBoxKernel(kernels, name, reduction, type);
  };
  module.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<task::AllReduceOp, task::ReduceToOp, task::ReduceScatterOp>(
            [&](auto reduce) { emitReduceOf(reduce.getSource(), reduce.getReduction()); })
        .Case<task::AllGatherOp, task::AllToAllOp>(
            [&](auto move) { emitBoxOf(move.getSource(), std::nullopt); })
        .Case(
            [&](task::BlockExchangeOp move) { emitBoxOf(move.getSource(), move.getReduction()); });
  });
}

} // namespace pcc::lower
