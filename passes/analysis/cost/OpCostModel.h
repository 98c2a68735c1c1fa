// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roofline cost model for one op: the time on one device, for any shapes of operands and results.
// Collectives have other costs (ReshardCostModel.h) and cost nothing here.
//
//   f32 matmul 4096x4096 by 4096x4096 on 8xH100      2.06 ms, bound by the rate of matmuls
//   the same with rows and columns in two parts      0.52 ms
#pragma once

#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/cost/KernelShares.h"
#include "passes/analysis/kernels/Matmuls.h"
#include "runtime/abi/cluster.pb.h"

namespace pcc::analysis {

/// Computes the parts of an op's cost that do not depend on shapes once, so that a query takes
/// about a microsecond.
class OpCostModel {
public:
  /// `device` is complete (runtime/machine/Cluster.h) and outlives this. With `f32As`, the op's f32
  /// values count as if they had that type: mixed precision.
  OpCostModel(mlir::Operation *op, const abi::DeviceFigures &device, KernelShare share,
              abi::ElementType f32As = abi::F32);
  /// Costs an op that runs alone.
  OpCostModel(mlir::Operation *op, const abi::DeviceFigures &device)
      : OpCostModel(op, device, KernelShare::ofAlone(op)) {}

  double seconds(const OpShapes &local) const;
  /// Returns a bound for all programs on the seconds of the op's matmuls: parts that several
  /// devices compute take no less together, because they have as many tiles, and no longer
  /// dimensions. Without launches and memory; 0 for ops without matmuls.
  double minSeconds(const OpShapes &shapes) const;
  /// Returns the seconds that every device loses which computes a part of the op's matmuls; 0 if a
  /// kernel computes them with other ops.
  double minLaunchSeconds() const {
    return isInstruction && !matmuls.empty() ? device->launch_seconds().value() : 0;
  }
  /// Returns the bytes that `seconds` counts.
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
  llvm::SmallVector<MatmulForm, 1> matmuls;
  bool isInstruction = false;           ///< not part of a kernel
  llvm::SmallVector<Tensor, 4> traffic; ///< from or to memory
  double launch = 0;
};

/// Returns the seconds of `op` alone.
double secondsOf(mlir::Operation *op, const OpShapes &local, const abi::Cluster &cluster);

} // namespace pcc::analysis
