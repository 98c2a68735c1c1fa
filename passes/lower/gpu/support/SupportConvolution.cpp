// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits convolution and its gradients as kernels of any size. Each thread computes one element of
// the result, a sum over products.
#include "passes/lower/gpu/support/SupportKernel.h"

using namespace mlir;

namespace pcc::lower {

std::string nameOfConvolution(task::ConvolutionKind kind) {
  switch (kind) {
  case task::ConvolutionKind::Forward:
    return "pcc_convolution";
  case task::ConvolutionKind::InputGradient:
    return "pcc_convolution_input";
  case task::ConvolutionKind::WeightGradient:
    return "pcc_convolution_weight";
  }
  llvm_unreachable("a kind");
}

namespace {
using Flag = abi::ConvolutionFlag;

class ConvolutionEmitter {
public:
  ConvolutionEmitter(SupportKernel &kernel, Type type)
      : kernel(kernel), type(type),
        sizes(llvm::map_to_vector(llvm::seq<unsigned>(0, 16),
                                  [&](unsigned n) { return kernel.number(n); })) {
    input.assign(sizes.begin(), sizes.begin() + 4);
    outputs = sizes[4];
    weight = {outputs, sizes[5], sizes[6], sizes[7]};
    result = {sizes[0], outputs, sizes[8], sizes[9]};
    outputsPerGroup = kernel.div(outputs, kernel.div(sizes[1], sizes[5]));
  }
  void emitForward();
  void emitInputGradient();
  void emitWeightGradient();

private:
  /// Returns the product of two elements, or zero if the first one does not exist.
  Value product(Value isThere, Value first, Value firstAt, Value second, Value secondAt);
  /// Returns the row (dim 0) or column (dim 1) that an offset of the window at a position of the
  /// result sees.
  Value seen(unsigned dim, Value at, Value offset) {
    Value moved = kernel.add(kernel.mul(at, sizes[10 + dim]), kernel.mul(offset, sizes[14 + dim]));
    return kernel.sub(moved, sizes[12 + dim]);
  }
  Value isInside(Value row, Value column) {
    return kernel.both(kernel.less(row, input[2]), kernel.less(column, input[3]));
  }
  void store(Value sum, unsigned pointer, Value element) {
    kernel.elements.store(sum, type, kernel.pointer(pointer), element);
  }
  Value count(ArrayRef<Value> shape) {
    return kernel.mul(kernel.mul(shape[0], shape[1]), kernel.mul(shape[2], shape[3]));
  }

  SupportKernel &kernel;
  Type type;
  SmallVector<Value> sizes; ///< in the order of docs/spec/kernels.md
  SmallVector<Value> input, weight, result;
  Value outputs, outputsPerGroup;
};
} // namespace

Value ConvolutionEmitter::product(Value isThere, Value first, Value firstAt, Value second,
                                  Value secondAt) {
  Value x = kernel.loadIf(isThere, type, first, firstAt);
  Value y = kernel.loadIf(isThere, type, second, secondAt);
  Value product = arith::MulFOp::create(kernel.b, x, y, arith::FastMathFlags::contract);
  return kernel.select(isThere, product, kernel.zero());
}

void ConvolutionEmitter::emitForward() {
  kernel.forEach(count(result), [&](Value element) {
    SmallVector<Value> at = kernel.split(element, result);
    Value first = kernel.mul(kernel.div(at[1], outputsPerGroup), weight[1]);
    auto term = [&](ArrayRef<Value> i) {
      Value row = seen(0, at[2], i[1]), column = seen(1, at[3], i[2]);
      return product(isInside(row, column), kernel.pointer(0),
                     kernel.place({at[0], kernel.add(first, i[0]), row, column}, input),
                     kernel.pointer(1), kernel.place({at[1], i[0], i[1], i[2]}, weight));
    };
    Value sum = kernel.sum(kernel.zero(), {weight[1], weight[2], weight[3]}, term);
    Value flags = kernel.number(16), isBias = kernel.has(flags, Flag::hasBias);
    Value more =
        arith::AddFOp::create(kernel.b, sum, kernel.loadIf(isBias, type, kernel.pointer(3), at[1]));
    sum = kernel.select(isBias, more, sum);
    Value rectified = arith::MaximumFOp::create(kernel.b, sum, kernel.zero());
    store(kernel.select(kernel.has(flags, Flag::relu), rectified, sum), 2, element);
  });
}

/// Emits the input gradient. The window whose offset sees a row is number (row + padding - offset ·
/// dilation) / stride.
void ConvolutionEmitter::emitInputGradient() {
  kernel.forEach(count(input), [&](Value element) {
    SmallVector<Value> at = kernel.split(element, input);
    Value group = kernel.div(at[1], weight[1]), channel = kernel.rem(at[1], weight[1]);
    auto windowOf = [&](unsigned dim, Value offset, Value &isThere) -> Value {
      Value moved =
          kernel.sub(kernel.add(at[2 + dim], sizes[12 + dim]), kernel.mul(offset, sizes[14 + dim]));
      Value number = kernel.div(moved, sizes[10 + dim]);
      Value isWhole = arith::CmpIOp::create(kernel.b, arith::CmpIPredicate::eq,
                                            kernel.mul(number, sizes[10 + dim]), moved);
      isThere =
          emitBoth(kernel.b, isThere, kernel.both(isWhole, kernel.less(number, result[2 + dim])));
      return number;
    };
    auto term = [&](ArrayRef<Value> i) {
      Value isThere;
      Value row = windowOf(0, i[1], isThere), column = windowOf(1, i[2], isThere);
      Value output = kernel.add(kernel.mul(group, outputsPerGroup), i[0]);
      return product(isThere, kernel.pointer(2), kernel.place({at[0], output, row, column}, result),
                     kernel.pointer(1), kernel.place({output, channel, i[1], i[2]}, weight));
    };
    store(kernel.sum(kernel.zero(), {outputsPerGroup, weight[2], weight[3]}, term), 0, element);
  });
}

void ConvolutionEmitter::emitWeightGradient() {
  kernel.forEach(count(weight), [&](Value element) {
    SmallVector<Value> at = kernel.split(element, weight);
    Value channel = kernel.add(kernel.mul(kernel.div(at[0], outputsPerGroup), weight[1]), at[1]);
    auto term = [&](ArrayRef<Value> i) {
      Value row = seen(0, i[1], at[2]), column = seen(1, i[2], at[3]);
      return product(isInside(row, column), kernel.pointer(0),
                     kernel.place({i[0], channel, row, column}, input), kernel.pointer(2),
                     kernel.place({i[0], at[0], i[1], i[2]}, result));
    };
    store(kernel.sum(kernel.zero(), {result[0], result[2], result[3]}, term), 1, element);
  });
}

void emitConvolutionKernel(gpu::GPUModuleOp kernels, const std::string &name,
                           task::ConvolutionKind kind, Type type) {
  SupportKernel kernel(kernels, name, /*pointers=*/4, /*numbers=*/17);
  ConvolutionEmitter emitter(kernel, type);
  switch (kind) {
  case task::ConvolutionKind::Forward:
    return emitter.emitForward();
  case task::ConvolutionKind::InputGradient:
    return emitter.emitInputGradient();
  case task::ConvolutionKind::WeightGradient:
    return emitter.emitWeightGradient();
  }
}

} // namespace pcc::lower
