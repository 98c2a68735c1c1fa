// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits butterfly exchanges in a warp, then one round through shared memory. Each round allocates
// shared memory of its own, so that one barrier is enough. It must therefore not be emitted inside
// a loop.
#include "passes/lower/gpu/loops/GpuLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace pcc::lower {

/// The address space of memory that the threads of a block share.
static constexpr unsigned sharedSpace = 3;

ThreadBlock::ThreadBlock(Elements &elements, int64_t threads, int64_t blocks)
    : elements(elements), b(elements.b), math(elements.math), numThreads(threads) {
  auto number = [&](Value index) -> Value {
    return arith::IndexCastUIOp::create(b, b.getI64Type(), index);
  };
  threadNumber = number(gpu::ThreadIdOp::create(b, gpu::Dimension::x, b.getIndexAttr(threads)));
  blockNumber = number(gpu::BlockIdOp::create(b, gpu::Dimension::x, b.getIndexAttr(blocks)));
  laneNumber = math.rem(threadNumber, lanesPerWarp);
  warpNumber = threads == lanesPerWarp ? math.constant(0) : math.div(threadNumber, lanesPerWarp);
}

/// Exchanges a value between lanes, in words of 32 bits.
Value ThreadBlock::exchange(Value value, Value other, bool isXor) {
  Type type = value.getType(), i32 = b.getI32Type();
  auto mode = isXor ? gpu::ShuffleMode::XOR : gpu::ShuffleMode::IDX;
  auto shuffle = [&](Value word) -> Value {
    Value width = arith::ConstantIntOp::create(b, lanesPerWarp, 32);
    return gpu::ShuffleOp::create(b, word, other, width, mode).getShuffleResult();
  };
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type)) {
    Value words = arith::BitcastOp::create(b, b.getIntegerType(bits), value);
    return arith::BitcastOp::create(b, type, exchange(words, other, isXor));
  }
  if (bits == 32)
    return shuffle(value);
  if (bits < 32)
    return arith::TruncIOp::create(b, type, shuffle(arith::ExtUIOp::create(b, i32, value)));
  Value shift = arith::ConstantIntOp::create(b, 32, 64);
  Value low = shuffle(arith::TruncIOp::create(b, i32, value));
  Value high = shuffle(arith::TruncIOp::create(b, i32, arith::ShRUIOp::create(b, value, shift)));
  Value upper = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, type, high), shift);
  return arith::OrIOp::create(b, upper, arith::ExtUIOp::create(b, type, low));
}

Value ThreadBlock::takeFromLane(Value value, Value from) {
  return exchange(value, arith::TruncIOp::create(b, b.getI32Type(), from), /*isXor=*/false);
}

Value ThreadBlock::holdsInSomeLane(Value condition) {
  Value all = arith::ConstantIntOp::create(b, -1, 32);
  return NVVM::VoteSyncOp::create(b, b.getI1Type(), all, condition, NVVM::VoteSyncKind::any);
}

void ThreadBlock::barrier() { gpu::BarrierOp::create(b); }

Value ThreadBlock::combineInWarp(Operation *reduction, Value value) {
  for (int64_t bit = lanesPerWarp / 2; bit > 0; bit /= 2) {
    Value other = arith::ConstantIntOp::create(b, bit, 32);
    value = elements.combine(reduction, value, exchange(value, other, /*isXor=*/true));
  }
  return value;
}

Value ThreadBlock::allocateShared(Type type, int64_t count) {
  auto function = b.getBlock()->getParent()->getParentOfType<LLVM::LLVMFuncOp>();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(function);
  auto array = LLVM::LLVMArrayType::get(memoryType(type), count);
  auto memory = LLVM::GlobalOp::create(b, array, /*isConstant=*/false, LLVM::Linkage::Internal,
                                       (function.getName() + ".shared" + Twine(numShared++)).str(),
                                       Attribute(), /*alignment=*/16, sharedSpace);
  b.setInsertionPointAfterValue(math.constant(0)); // at the start of the function
  return LLVM::AddressOfOp::create(b, memory);
}

SmallVector<Value> ThreadBlock::combineInBlock(ArrayRef<Operation *> reductions,
                                               ValueRange values) {
  SmallVector<Value> combined, memory;
  for (auto [reduction, value] : llvm::zip_equal(reductions, values))
    combined.push_back(combineInWarp(reduction, value));
  if (warps() == 1 || reductions.empty())
    return combined;
  for (Value value : combined) {
    memory.push_back(allocateShared(value.getType(), warps()));
    // Every lane writes the same value.
    elements.store(value, value.getType(), memory.back(), warpNumber);
  }
  barrier();
  for (auto [reduction, value, shared] : llvm::zip_equal(reductions, combined, memory)) {
    Type type = value.getType();
    value = elements.load(type, shared, math.constant(0));
    for (int64_t warp = 1; warp < warps(); ++warp)
      value = elements.combine(reduction, value, elements.load(type, shared, math.constant(warp)));
  }
  return combined;
}

SmallVector<Value> ThreadBlock::combineLanes(ArrayRef<Operation *> reductions, ValueRange values) {
  SmallVector<Value> combined(values), memory;
  if (warps() == 1)
    return combined;
  for (Value value : values) {
    memory.push_back(allocateShared(value.getType(), numThreads));
    elements.store(value, value.getType(), memory.back(), threadNumber);
  }
  barrier();
  for (auto [reduction, value, shared] : llvm::zip_equal(reductions, combined, memory))
    for (int64_t warp = 1; warp < warps(); ++warp) {
      Value position = math.add(laneNumber, math.constant(warp * lanesPerWarp));
      value = elements.combine(reduction, value, elements.load(value.getType(), shared, position));
    }
  return combined;
}

} // namespace pcc::lower
