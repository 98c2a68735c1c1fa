// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs instructions by kernels of any size (passes/lower/gpu/support/SupportKernel.h), as a device
// calls them.
#include "test/oracle/kernels/TaskMachine.h"

#include "passes/lower/gpu/CompilePtx.h"
#include "runtime/abi/program/SupportKernels.h"
#include "llvm/ADT/TypeSwitch.h"
#include <bit>
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace mlir;

namespace pcc::test {

static ArrayRef<int64_t> shapeOf(Value buffer) {
  return cast<ShapedType>(buffer.getType()).getShape();
}

static std::string typeOf(Value buffer) {
  std::string name;
  llvm::raw_string_ostream(name) << cast<ShapedType>(buffer.getType()).getElementType();
  return name;
}

bool TaskMachine::callSupport(const std::string &name, std::vector<void *> pointers,
                              std::vector<int64_t> numbers, int64_t count) {
  using Kernel = void (*)(void *const *, const int64_t *, int64_t, int64_t);
  auto kernel = library ? reinterpret_cast<Kernel>(dlsym(library, name.c_str())) : nullptr;
  if (!kernel) {
    EXPECT_FALSE(lower::hasGpuKernels(module)) << "no kernel " << name;
    return false;
  }
  kernel(pointers.data(), numbers.data(), 0, abi::numElementBlocks(count));
  return true;
}

/// Returns the flags of the matmul itself, without the instruction's fused parts.
static int64_t formFlags(task::MatmulOp op) {
  using Flag = abi::MatmulFlag;
  return op.getTransposeA() * Flag::transposeA + op.getTransposeB() * Flag::transposeB +
         op.getSharedB() * Flag::sharedB;
}

static int64_t extraFlags(task::MatmulOp op) {
  using Flag = abi::MatmulFlag;
  int64_t flags = (op.getBias() ? Flag::hasBias : 0) +
                  (op.getPreActivation() ? Flag::hasPreActivation : 0) +
                  (op.getSumOfA() ? Flag::sumOfA : 0) + (op.getSumOfB() ? Flag::sumOfB : 0);
  switch (op.getActivation()) {
  case task::Activation::Relu:
    return flags + Flag::relu;
  case task::Activation::Gelu:
    return flags + Flag::gelu;
  case task::Activation::GeluGradient:
    return flags + Flag::geluGradient;
  default:
    return flags;
  }
}

bool TaskMachine::support(task::MatmulOp op) {
  int64_t batch = op.getBatch(), m = op.getM(), n = op.getN(), k = op.getK();
  auto addressIf = [&](Value buffer) { return buffer ? addressOf(buffer) : nullptr; };
  std::vector<void *> pointers = {addressOf(op.getA()),
                                  addressOf(op.getB()),
                                  addressOf(op.getC()),
                                  addressIf(op.getBias()),
                                  addressIf(op.getPreActivation()),
                                  addressIf(op.getSumOfA())};
  if (op.getSumOfB())
    pointers.back() = addressOf(op.getSumOfB());
  int64_t form = formFlags(op), extra = extraFlags(op);
  auto call = [&](const char *kernel, int64_t flags) {
    return callSupport(kernel + typeOf(op.getA()) + "_" + typeOf(op.getC()), pointers,
                       {batch, m, n, k, flags}, batch * m * n);
  };
  if (!finishes || extra == 0)
    return call("pcc_matmul_", form + extra);
  return call("pcc_matmul_", form) && call("pcc_finish_", form + extra);
}

bool TaskMachine::support(task::ConvolutionOp op) {
  ArrayRef<int64_t> input = shapeOf(op.getInput()), weight = shapeOf(op.getWeight()),
                    result = shapeOf(op.getResult());
  std::vector<int64_t> numbers(input.begin(), input.end());
  numbers.insert(numbers.end(), weight.begin(), weight.end());
  numbers.insert(numbers.end(), {result[2], result[3]});
  for (ArrayRef<int64_t> pair : {op.getStrides(), op.getPadding().take_front(2), op.getDilations()})
    numbers.insert(numbers.end(), pair.begin(), pair.end());
  numbers.push_back((op.getActivation() == task::Activation::Relu) * abi::ConvolutionFlag::relu +
                    (op.getBias() ? abi::ConvolutionFlag::hasBias : 0));
  bool isForward = op.getKind() == task::ConvolutionKind::Forward;
  bool isInput = op.getKind() == task::ConvolutionKind::InputGradient;
  std::string name = isForward ? "pcc_convolution_"
                     : isInput ? "pcc_convolution_input_"
                               : "pcc_convolution_weight_";
  Value written = isForward ? op.getResult() : isInput ? op.getInput() : op.getWeight();
  return callSupport(name + typeOf(op.getInput()),
                     {addressOf(op.getInput()), addressOf(op.getWeight()),
                      addressOf(op.getResult()), op.getBias() ? addressOf(op.getBias()) : nullptr},
                     numbers, llvm::product_of(shapeOf(written)));
}

bool TaskMachine::support(task::AttentionOp op) {
  SmallVector<int64_t> query(shapeOf(op.getQuery())), key(shapeOf(op.getKey()));
  if (op.getPositionsFirst())
    for (auto *shape : {&query, &key})
      std::swap((*shape)[1], (*shape)[2]);
  int64_t depth = shapeOf(op.getValue())[3];
  float scale = float(op.getScale().convertToDouble());
  std::vector<int64_t> numbers = {query[0], query[1], key[1], query[2],
                                  key[2],   query[3], depth,  std::bit_cast<int32_t>(scale)};
  std::vector<int64_t> strides(4, 0);
  ArrayRef<int64_t> mask = op.getMask() ? shapeOf(op.getMask()) : ArrayRef<int64_t>();
  for (int64_t dim = int64_t(mask.size()) - 1, stride = 1; dim >= 0; stride *= mask[dim--])
    strides[dim] = mask[dim] == 1 ? 0 : stride;
  numbers.insert(numbers.end(), strides.begin(), strides.end());
  using Flag = abi::AttentionFlag;
  numbers.push_back(op.getCausal() * Flag::causal + (op.getMask() ? Flag::hasMask : 0) +
                    (op.getOffset() ? Flag::hasOffset : 0) +
                    op.getPositionsFirst() * Flag::positionsFirst);
  auto addressIf = [&](Value buffer) { return buffer ? addressOf(buffer) : nullptr; };
  std::vector<void *> pointers = {addressOf(op.getQuery()),  addressOf(op.getKey()),
                                  addressOf(op.getValue()),  addressIf(op.getMask()),
                                  addressIf(op.getOffset()), addressOf(op.getResult()),
                                  addressOf(op.getLogSum())};
  std::string type = "_" + typeOf(op.getQuery());
  if (op.getGradients().empty())
    return callSupport("pcc_attention" + type, pointers, numbers,
                       llvm::product_of(shapeOf(op.getResult())));
  pointers.push_back(addressOf(op.getGradients()[0]));
  pointers.push_back(nullptr);
  bool isDone = true;
  const char *names[] = {"query", "key", "value"};
  for (auto [n, name] : llvm::enumerate(names)) {
    Value written = op.getGradients()[n + 1];
    pointers.back() = addressOf(written);
    isDone &= callSupport("pcc_attention_" + std::string(name) + type, pointers, numbers,
                          llvm::product_of(shapeOf(written)));
  }
  return isDone;
}

bool TaskMachine::support(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<task::MatmulOp, task::ConvolutionOp, task::AttentionOp>(
          [&](auto record) { return support(record); })
      .Default(false);
}

} // namespace pcc::test
