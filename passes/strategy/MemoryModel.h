// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model `memory`: the reference system's own, for comparison with it. It counts bytes of
// the local slices that an op touches and sends, and of what is redistributed between ops, in the
// forward graph; gradients are priced in (docs/spec/memory-model.md).
//
//   op                 computation                    forward             parameters
//   any                operands                                           each that is trained and
//                                                                         held by several devices
//   matmul             + result, if k is split        result              right operand alone
//   reduce             + result (mean: twice)         result
//                      if a reduced dimension is split
//   gather             3 table + 7 indices            result
//                      if the table's axis is split
//
//   matmul 128x64 · 64x32, f32, on 8 devices by counts i=4, k=1, j=2, the right operand a parameter
//     computation 32·64·4 + 64·16·4 = 12,288; parameters 64·16·4 = 4,096, which 4 devices hold
#pragma once

#include "dialects/interfaces/FactorRule.h"
#include "passes/strategy/MemoryReshard.h"

namespace pcc::strategy {

/// Bytes on one device.
struct MemoryPrice {
  double computation = 0;
  double activations = 0; ///< sent with activations and, between ops, with their gradients
  double parameters = 0;  ///< sent with gradients of parameters

  MemoryPrice &operator+=(const MemoryPrice &other);
};

/// How the figures make one.
struct MemoryModel {
  double alpha = 1, beta = 400, gamma = 0.001;

  /// alpha · computation + beta · (activations + gamma · parameters).
  double getTotal(const MemoryPrice &price) const;
};

/// A tensor as an op reads or makes it: before it is repeated along dimensions that it lacks.
struct MemoryTensor {
  llvm::SmallVector<int64_t, 4> shape;
  TensorFactors dims; ///< none for a dimension that is repeated
  int64_t elementBytes = 4;

  double countBytes(llvm::ArrayRef<int64_t> counts) const;
  /// On how many devices it has different parts.
  int64_t countParts(llvm::ArrayRef<int64_t> counts) const;
};

struct MemoryOperand {
  MemoryTensor tensor;
  bool isTrained = false; ///< a parameter with a gradient
};

/// Which line of the table above.
enum class MemoryLaw { Any, Product, Mean, Gather };

struct MemoryOp {
  FactorRule rule;
  MemoryLaw law = MemoryLaw::Any;
  llvm::SmallVector<MemoryOperand, 3> operands;
  llvm::SmallVector<MemoryTensor, 1> results;
};

/// Of an op whose factors are cut `counts` times, on `devices` of them.
MemoryPrice priceOp(const MemoryOp &op, llvm::ArrayRef<int64_t> counts, int64_t devices);

/// Of a tensor on its way from one op to the next.
MemoryPrice priceReshard(const ReshardVolume &volume);

/// The same through an op that reshapes it, which finds it as `from`.
MemoryPrice priceReshape(const ReshardVolume &volume, const DeviceLayout &from, int64_t devices);

} // namespace pcc::strategy
