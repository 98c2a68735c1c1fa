// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of a model may be computed again for the gradients instead of being kept: parts, in
// the order in which it pays to take them.
//
//   part                 again takes   need not be kept
//   cheap ops of /h.0         0.1 ms              40 MB     what is no product, of each segment
//   cheap ops of /h.1         0.1 ms              40 MB
//   products of /h.0          1.1 ms              30 MB     what is left of it
//   products of /h.1          1.1 ms              30 MB
//
// A segment is a layer of the model's chain (LayerChain.h), or several that are small beside what
// they hand on. What is handed on is kept, so that a backward pass computes one segment again at a
// time.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/abi/cluster.pb.h"

namespace pcc::plan {

struct RecomputePart {
  std::string name; ///< of its first op
  llvm::SmallVector<mlir::Operation *> ops;
  double seconds = 0; ///< to compute it again, on one device that had all of it
  int64_t bytes = 0;  ///< of its results
};

/// The parts of a model that is not differentiated yet, those of less time for their bytes first;
/// products after everything else. `device` is complete.
std::vector<RecomputePart> listRecomputeParts(mlir::func::FuncOp forward,
                                              const abi::DeviceFigures &device);

} // namespace pcc::plan
