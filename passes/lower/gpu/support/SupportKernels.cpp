// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the helper kernels that a program needs, once for each combination of element types. Their
// sizes are arguments, so the number of kernels does not grow with the model. Implements the
// helpers of SupportKernel.h, and sums over actions.
#include "passes/lower/gpu/support/SupportKernel.h"

#include "dialects/graph/Graph.h"
#include "passes/analysis/kernels/Kernels.h"

#include "passes/lower/host/EmitKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include <set>

using namespace mlir;

namespace pcc::lower {

std::string nameOf(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

SupportKernel::SupportKernel(gpu::GPUModuleOp kernels, const std::string &name, unsigned pointers,
                             unsigned numbers, int64_t blocks)
    : b(kernels.getLoc(), OpBuilder::atBlockEnd(kernels.getBody())), pointers(pointers),
      function(makeFunction(name, numbers, blocks)), entry(function.addEntryBlock(b)),
      math(b, entry), elements(b, math) {
  b.setInsertionPointToStart(entry);
  auto end = LLVM::ReturnOp::create(b, ValueRange());
  b.setInsertionPoint(end);
  block.emplace(elements, abi::supportThreads, blocks);
}

LLVM::LLVMFuncOp SupportKernel::makeFunction(const std::string &name, unsigned numbers,
                                             int64_t blocks) {
  SmallVector<Type> types(pointers, LLVM::LLVMPointerType::get(b.getContext()));
  types.append(numbers, b.getI64Type());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types);
  auto made = LLVM::LLVMFuncOp::create(b, name, type);
  made->setAttr(gridAttrName, b.getDenseI64ArrayAttr({blocks, abi::supportThreads}));
  made->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  made->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                b.getDenseI32ArrayAttr(int32_t(abi::supportThreads)));
  return made;
}

Value SupportKernel::loadIf(Value condition, Type type, Value pointer, Value position) {
  Value address = select(condition, pointer, entry->getArgument(0));
  return elements.load(type, address, select(condition, position, math.constant(0)));
}

void SupportKernel::forEach(Value count, function_ref<void(Value)> body) {
  Value own = add(mul(block->block(), math.constant(abi::supportThreads)), block->thread());
  emitStridedLoop(b, own, count, math.constant(abi::maxElementBlocks * abi::supportThreads), body);
}

Value SupportKernel::sum(Value start, ArrayRef<Value> counts,
                         function_ref<Value(ArrayRef<Value>)> term) {
  SmallVector<Value> positions;
  return sumFrom(start, counts, positions, term);
}

Value SupportKernel::sumFrom(Value sum, ArrayRef<Value> counts, SmallVector<Value> &positions,
                             function_ref<Value(ArrayRef<Value>)> term) {
  if (counts.empty())
    return arith::AddFOp::create(b, sum, term(positions), arith::FastMathFlags::contract);
  auto body = [&](Value position, ValueRange carried) -> SmallVector<Value> {
    positions.push_back(position);
    Value next = sumFrom(carried[0], counts.drop_front(), positions, term);
    positions.pop_back();
    return {next};
  };
  return emitStridedLoop(b, math.constant(0), counts.front(), math.constant(1), {sum}, body)[0];
}

Value SupportKernel::place(ArrayRef<Value> positions, ArrayRef<Value> sizes) {
  Value sum = positions[0];
  for (size_t i = 1; i < positions.size(); ++i)
    sum = add(mul(sum, sizes[i]), positions[i]);
  return sum;
}

SmallVector<Value> SupportKernel::split(Value place, ArrayRef<Value> sizes) {
  SmallVector<Value> positions(sizes.size());
  for (size_t i = sizes.size() - 1; i > 0; --i) {
    positions[i] = rem(place, sizes[i]);
    place = div(place, sizes[i]);
  }
  positions[0] = place;
  return positions;
}

static void emitAccumulate(gpu::GPUModuleOp kernels, const std::string &name, Type source) {
  SupportKernel kernel(kernels, name, /*pointers=*/2, /*numbers=*/2, abi::maxSumBlocks);
  IndexMath &math = kernel.math;
  Type sumType = graph::accumulatorOf(source);
  Value sum = kernel.pointer(0), count = kernel.number(0);
  Value adds = kernel.has(kernel.number(1), 1);
  Value first = kernel.mul(kernel.block->block(), math.constant(abi::elementsPerSumBlock));
  Value step = math.constant(abi::maxSumBlocks * abi::elementsPerSumBlock);
  emitStridedLoop(kernel.b, first, count, step, [&](Value begin) {
    for (int64_t turn = 0; turn < abi::elementsPerSumBlock; turn += abi::supportThreads) {
      Value n = kernel.add(kernel.add(begin, math.constant(turn)), kernel.block->thread());
      emitIf(kernel.b, kernel.less(n, count), [&] {
        Value own = kernel.elements.load(source, kernel.pointer(1), n);
        Value before = kernel.elements.load(sumType, sum, n);
        Value both = arith::AddFOp::create(kernel.b, before, own);
        kernel.elements.store(kernel.select(adds, both, own), sumType, sum, n);
      });
    }
  });
}

LogicalResult emitSupportKernels(ModuleOp module, gpu::GPUModuleOp kernels) {
  std::set<std::string> known;
  auto elementOf = [](Value buffer) { return cast<ShapedType>(buffer.getType()).getElementType(); };
  module.walk([&](task::AccumulateOp op) {
    Type source = elementOf(op.getSource());
    if (std::string name = "pcc_accumulate_" + nameOf(source); known.insert(name).second)
      emitAccumulate(kernels, name, source);
  });
  module.walk([&](task::ConvolutionOp op) {
    Type type = elementOf(op.getInput());
    std::string name = nameOfConvolution(op.getKind()) + "_" + nameOf(type);
    if (known.insert(name).second)
      emitConvolutionKernel(kernels, name, op.getKind(), type);
  });
  module.walk([&](task::AttentionOp op) {
    Type type = elementOf(op.getQuery());
    std::string suffix = "_" + nameOf(type);
    bool isForward = op.getGradients().empty();
    if (known.insert((isForward ? "attention" : "attention gradients") + suffix).second)
      isForward ? emitAttentionKernel(kernels, suffix, type)
                : emitAttentionGradientKernels(kernels, suffix, type);
  });
  emitCollectiveKernels(module, kernels);
  WalkResult products = module.walk([&](task::MatmulOp op) -> WalkResult {
    Type type = elementOf(op.getA()), result = elementOf(op.getC());
    if (!analysis::hasInstructions(type) || !analysis::hasInstructions(result))
      return op.emitOpError() << "expected a matmul of f32, f16 or bf16, got one of " << type;
    std::string name = "pcc_matmul_" + nameOf(type) + "_" + nameOf(result);
    if (known.insert(name).second)
      emitMatmulKernel(kernels, name, type, result);
    bool isMore = op.getBias() || op.getSumOfA() || op.getSumOfB() ||
                  op.getActivation() != task::Activation::None;
    std::string finish = "pcc_finish_" + nameOf(type) + "_" + nameOf(result);
    if (isMore && known.insert(finish).second)
      emitFinishKernel(kernels, finish, type, result);
    return WalkResult::advance();
  });
  return failure(products.wasInterrupted());
}

} // namespace pcc::lower
