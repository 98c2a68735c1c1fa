// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the weights that a file lacks, so that a model can be planned without them. An exporter
// may leave them out (`program.save(file, include_initializers=False)`): nodes read names of
// parameters that are neither inputs nor initializers nor results. Their shapes follow from the
// nodes that read them, and from the shapes that the file records for other values:
//
//   MatMul(x [8,16,64], w) -> [8,16,96]      w is [64,96]
//   Transpose(w) of such a MatMul            w is [96,64]
//   Mul(w, x [8,16,64])                      w is [64]: an assumption, since w is broadcast
//   LayerNormalization(x [8,16,64], w)       w is [64]; channels for batch and instance norms
//   Conv(x [8,3,32,32], w) -> [8,16,32,32]   w is [16, 3, kernel_shape…]
//   Gather(w, tokens) -> [8,16,64]           w is [?,64]: --set-dim=w.0=N says the number of rows
//
// Without `--set-dim`, an embedding has as many rows as the first output has classes.
#pragma once

#include "mlir/IR/Location.h"
#include "mlir/Support/LogicalResult.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::onnx {
class GraphProto;
}

namespace pcc::import {

/// Adds an initializer without data for each undefined name that torch's metadata list as a
/// parameter or buffer of the module. `dims` are the sizes of `--set-dim`; sizes of weights are
/// removed from it. Fails with an error for each tensor whose shape is unknown. A remark names each
/// embedding whose size is assumed, and each tensor that is assumed to have one dimension, unless
/// it is called `weight` or `bias`.
mlir::LogicalResult declareAbsentWeights(onnx::GraphProto &graph, llvm::StringMap<int64_t> &dims,
                                         mlir::Location location);

} // namespace pcc::import
