// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of an op on one device, whatever shapes its operands and results have there: the
// roofline cost model for one op. Collectives have other prices (MachinePrice.h) and cost nothing
// here.
//
//   f32 matmul 4096x4096 by 4096x4096 on 8xH100      2.06 ms, by the rate of products
//   the same with rows and columns in two parts      0.52 ms
#pragma once

#include "passes/facts/Cost.h"
#include "passes/facts/KernelShares.h"
#include "passes/facts/Products.h"
#include "runtime/abi/cluster.pb.h"

namespace pcc::facts {

/// What of an op's price does not depend on shapes is found once, so that asking costs about a
/// microsecond.
class OpPrice {
public:
  /// `device` is complete (runtime/machine/Cluster.h) and outlives this. With `f32As` the op's f32
  /// values count as if they had that type: mixed precision.
  OpPrice(mlir::Operation *op, const abi::DeviceFigures &device, KernelShare share,
          abi::ElementType f32As = abi::F32);
  /// Of an op that runs alone.
  OpPrice(mlir::Operation *op, const abi::DeviceFigures &device)
      : OpPrice(op, device, KernelShare::ofAlone(op)) {}

  double seconds(const OpShapes &local) const;
  /// The bytes that `seconds` counts.
  double bytes(const OpShapes &local) const;

private:
  struct Tensor {
    unsigned index;
    bool isResult;
    int64_t elementBytes;
  };

  mlir::Operation *op;
  const abi::DeviceFigures *device;
  OpClass opClass;
  abi::ElementType type = abi::F32;
  llvm::SmallVector<ProductForm, 1> products;
  llvm::SmallVector<Tensor, 4> moved; ///< from or to memory
  double launch = 0;
};

/// Seconds of `op` alone.
double secondsOf(mlir::Operation *op, const OpShapes &local, const abi::Cluster &cluster);

} // namespace pcc::facts
