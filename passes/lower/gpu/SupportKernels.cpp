// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lower/gpu/SupportKernels.h"

#include "passes/lower/EmitKernels.h"
#include "passes/lower/gpu/GpuLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include <set>

using namespace mlir;

namespace pcc::lower {

/// The greatest grids: threads of more elements go round.
static constexpr int64_t blocksOfSum = 1024, blocksOfProduct = 65535;
/// Neighbouring elements of a sum that a block has.
static constexpr int64_t elementsOfBlock = 1024;

namespace {
/// One kernel under construction: its arguments, pointers first, and what its thread is.
class SupportKernel {
public:
  SupportKernel(gpu::GPUModuleOp kernels, const std::string &name, unsigned pointers,
                unsigned numbers, int64_t blocks)
      : b(kernels.getLoc(), OpBuilder::atBlockEnd(kernels.getBody())),
        function(makeFunction(name, pointers, numbers, blocks)), entry(function.addEntryBlock(b)),
        math(b, entry), elements(b, math) {
    b.setInsertionPointToStart(entry);
    auto end = LLVM::ReturnOp::create(b, ValueRange());
    b.setInsertionPoint(end);
    block.emplace(elements, usualThreads, blocks);
  }

  Value argument(unsigned n) const { return entry->getArgument(n); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivUIOp::create(b, x, y); }
  Value rem(Value x, Value y) { return arith::RemUIOp::create(b, x, y); }
  Value select(Value c, Value x, Value y) { return arith::SelectOp::create(b, c, x, y); }
  Value less(Value x, Value y) { return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, y); }
  /// Whether a bit of a number is set.
  Value has(Value number, int64_t bit) {
    Value masked = arith::AndIOp::create(b, number, math.constant(bit));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked, math.constant(0));
  }

private:
  LLVM::LLVMFuncOp makeFunction(const std::string &name, unsigned pointers, unsigned numbers,
                                int64_t blocks) {
    SmallVector<Type> types(pointers, LLVM::LLVMPointerType::get(b.getContext()));
    types.append(numbers, b.getI64Type());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types);
    auto made = LLVM::LLVMFuncOp::create(b, name, type);
    made->setAttr(gridAttrName, b.getDenseI64ArrayAttr({blocks, usualThreads}));
    made->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
    made->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                  b.getDenseI32ArrayAttr(int32_t(usualThreads)));
    return made;
  }

public:
  ImplicitLocOpBuilder b;
  LLVM::LLVMFuncOp function;
  Block *entry;
  IndexMath math;
  Elements elements;
  std::optional<ThreadBlock> block;
};
} // namespace

static std::string nameOf(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

static void emitAccumulate(gpu::GPUModuleOp kernels, const std::string &name, Type source) {
  SupportKernel kernel(kernels, name, /*pointers=*/2, /*numbers=*/2, blocksOfSum);
  IndexMath &math = kernel.math;
  Type f32 = kernel.b.getF32Type();
  Value sum = kernel.argument(0), count = kernel.argument(2);
  Value adds = kernel.has(kernel.argument(3), 1);
  Value first = kernel.mul(kernel.block->block(), math.constant(elementsOfBlock));
  Value step = math.constant(blocksOfSum * elementsOfBlock);
  emitStridedLoop(kernel.b, first, count, step, [&](Value begin) {
    for (int64_t turn = 0; turn < elementsOfBlock; turn += usualThreads) {
      Value n = kernel.add(kernel.add(begin, math.constant(turn)), kernel.block->thread());
      emitIf(kernel.b, kernel.less(n, count), [&] {
        Value own = kernel.elements.load(source, kernel.argument(1), n);
        Value before = kernel.elements.load(f32, sum, n);
        Value both = arith::AddFOp::create(kernel.b, before, own);
        kernel.elements.store(kernel.select(adds, both, own), f32, sum, n);
      });
    }
  });
}

namespace {
/// The bits of a product's flags.
enum ProductFlag : int64_t {
  transposesA = 1,
  transposesB = 2,
  sharesB = 4,
  addsToC = 8,
  hasRelu = 16,
  hasBias = 32
};
} // namespace

/// One element of c, in f32.
static void emitProductElement(SupportKernel &kernel, Value element, Type type, Type result) {
  IndexMath &math = kernel.math;
  Value m = kernel.argument(5), n = kernel.argument(6), k = kernel.argument(7),
        flags = kernel.argument(8), one = math.constant(1), zero = math.constant(0);
  Value column = kernel.rem(element, n), rest = kernel.div(element, n);
  Value row = kernel.rem(rest, m), batch = kernel.div(rest, m);
  Value isA = kernel.has(flags, transposesA), isB = kernel.has(flags, transposesB);
  Value a =
      kernel.add(kernel.mul(batch, kernel.mul(m, k)), kernel.mul(row, kernel.select(isA, one, k)));
  Value batchOfB = kernel.select(kernel.has(flags, sharesB), zero, batch);
  Value b = kernel.add(kernel.mul(batchOfB, kernel.mul(k, n)),
                       kernel.mul(column, kernel.select(isB, k, one)));
  Value stepA = kernel.select(isA, m, one), stepB = kernel.select(isB, one, n);
  Value none = emitNumber(kernel.b, kernel.b.getF32Type(), 0);
  auto body = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    Value x = kernel.elements.load(type, kernel.argument(0), kernel.add(a, kernel.mul(i, stepA)));
    Value y = kernel.elements.load(type, kernel.argument(1), kernel.add(b, kernel.mul(i, stepB)));
    Value product = arith::MulFOp::create(kernel.b, x, y, arith::FastMathFlags::contract);
    return {arith::AddFOp::create(kernel.b, carried[0], product, arith::FastMathFlags::contract)};
  };
  Value sum = emitStridedLoop(kernel.b, zero, k, one, {none}, body)[0];
  // A read that is not asked for goes to the element itself, which is there.
  auto addIf = [&](int64_t flag, Value pointer, Value position) {
    Value isAsked = kernel.has(flags, flag);
    Value address = kernel.select(isAsked, pointer, kernel.argument(2));
    Value other = kernel.elements.load(result, address, kernel.select(isAsked, position, element));
    Value more = arith::AddFOp::create(kernel.b, sum, other);
    sum = kernel.select(isAsked, more, sum);
  };
  addIf(hasBias, kernel.argument(3), column);
  addIf(addsToC, kernel.argument(2), element);
  Value rectified = arith::MaximumFOp::create(kernel.b, sum, none);
  sum = kernel.select(kernel.has(flags, hasRelu), rectified, sum);
  kernel.elements.store(sum, result, kernel.argument(2), element);
}

static void emitProduct(gpu::GPUModuleOp kernels, const std::string &name, Type type, Type result) {
  SupportKernel kernel(kernels, name, /*pointers=*/4, /*numbers=*/5, blocksOfProduct);
  Value own = kernel.add(kernel.mul(kernel.block->block(), kernel.math.constant(usualThreads)),
                         kernel.block->thread());
  Value count = kernel.mul(kernel.argument(4), kernel.mul(kernel.argument(5), kernel.argument(6)));
  emitStridedLoop(kernel.b, own, count, kernel.math.constant(blocksOfProduct * usualThreads),
                  [&](Value element) { emitProductElement(kernel, element, type, result); });
}

void emitSupportKernels(ModuleOp module, gpu::GPUModuleOp kernels) {
  std::set<std::string> known;
  auto elementOf = [](Value buffer) { return cast<ShapedType>(buffer.getType()).getElementType(); };
  module.walk([&](task::AccumulateOp op) {
    Type source = elementOf(op.getSource());
    if (std::string name = "pcc_accumulate_" + nameOf(source); known.insert(name).second)
      emitAccumulate(kernels, name, source);
  });
  module.walk([&](task::MatmulOp op) {
    Type type = elementOf(op.getA()), result = elementOf(op.getC());
    std::string name = "pcc_product_" + nameOf(type) + "_" + nameOf(result);
    if (known.insert(name).second)
      emitProduct(kernels, name, type, result);
  });
}

} // namespace pcc::lower
