// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pairs of shardings `pcc plan-reshard` plans: one by flags, or many by a file.
//
//   [{"mesh": {"x": 2, "y": 4}, "shape": [64, 64], "frm": [["x"], []], "to": "[_, y]"}, …]
//
// Axes of the mesh count in the order in which they are written, the last one fastest. A sharding
// is a list of axes for each dimension, or its text form.
#pragma once

#include "dialects/dist/Sharding.h"
#include "mlir/IR/MLIRContext.h"
#include "tools/pcc/ExitCode.h"
#include <optional>
#include <vector>

namespace pcc::cli {

/// A legal pair: both shardings fit the shape and the mesh.
struct ReshardPair {
  dist::Mesh mesh;
  llvm::SmallVector<int64_t, 4> shape;
  dist::Sharding from, to;
  /// Bytes that the file states for comparison: the least possible, and another partitioner's.
  std::optional<int64_t> bound, xla;
};

/// Texts of the flags of one pair.
struct ReshardTexts {
  std::string mesh, shape, from, to;
};

/// BadUsage after a message that names the flag.
ExitCode readPair(const ReshardTexts &texts, mlir::MLIRContext &context, ReshardPair &pair);

/// BadInput after a message with file, line and column.
ExitCode readPairs(llvm::StringRef path, mlir::MLIRContext &context,
                   std::vector<ReshardPair> &pairs);

} // namespace pcc::cli
