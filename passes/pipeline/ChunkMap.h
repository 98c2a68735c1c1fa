// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which chunk each op of a function with transfers belongs to. Values go from chunk to chunk
// through transfers only, so ops that are joined by values are of one chunk, and the transfers at
// the edges say of which. Whatever passes have made of the ops since, nothing has to be kept on
// them.
//
//   %1 = matmul %x, %w0             chunk 0: read by a transfer from 0
//   %2 = transfer %1 from 0 to 1
//   %3 = relu %2                    chunk 1: reads a transfer to 1
//   %4 = reshape %mask              of no chunk: made of inputs alone, and so made where it is read
#pragma once

#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::pipeline {

/// The chunk of each parameter and optimizer state, by name.
using ParameterChunks = llvm::StringMap<int64_t>;

class ChunkMap {
public:
  /// Reads the chunks of `parameters` and adds those of others among the function's arguments, as
  /// optimizer states. A value that joins two chunks without a transfer is an error. Ops that no
  /// transfer and no parameter with a chunk is joined to are of chunk 0.
  static mlir::FailureOr<ChunkMap> find(mlir::func::FuncOp function, ParameterChunks &parameters);

  /// The chunk of an op that is no transfer; nothing for one that is made of constants and inputs
  /// alone.
  std::optional<int64_t> chunkOf(mlir::Operation *op) const {
    auto known = chunks.find(op);
    return known == chunks.end() ? std::nullopt : std::optional(known->second);
  }

private:
  llvm::DenseMap<mlir::Operation *, int64_t> chunks;
};

} // namespace pcc::pipeline
