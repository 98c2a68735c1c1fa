// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the parts of a model that may be recomputed for the gradients instead of saved, in the
// order in which recomputing pays most.
//
//   part                 recompute   saved bytes avoided
//   cheap ops of /h.0       0.1 ms                 40 MB     no matmuls
//   cheap ops of /h.1       0.1 ms                 40 MB
//   matmuls of /h.0         1.1 ms                 30 MB     the other values of the segment
//   matmuls of /h.1         1.1 ms                 30 MB
//
// A segment is a layer of the model's chain (LayerChain.h), or several layers that are small
// compared with the values that cross their end. Crossing values are saved, so a backward pass
// recomputes one segment at a time. A part is the cheap ops or the matmuls of one segment; its ops
// are recomputed together or not at all.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/abi/cluster.pb.h"

namespace pcc::plan {

struct RecomputePart {
  std::string name; ///< of its first op
  llvm::SmallVector<mlir::Operation *> ops;
  double seconds = 0; ///< to recompute the part on one device that has all of it
  int64_t bytes = 0;  ///< of its results
};

/// Returns the parts of a model before differentiation, least seconds per byte first; matmuls come
/// after all other ops. `device` is complete.
std::vector<RecomputePart> listRecomputeParts(mlir::func::FuncOp forward,
                                              const abi::DeviceFigures &device);

} // namespace pcc::plan
