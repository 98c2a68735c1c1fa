// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the pairs of shardings for `pcc plan-reshard`: one from flags, or many from a file.
//
//   [{"mesh": {"x": 2, "y": 4}, "shape": [64, 64], "frm": [["x"], []], "to": "[_, y]"}, …]
//
// Axes of the mesh are ordered as written, the last one fastest. A sharding is a list of axes for
// each dimension, or its text form.
#pragma once

#include "dialects/dist/Sharding.h"
#include "mlir/IR/MLIRContext.h"
#include "tools/pcc/report/ExitCode.h"
#include <optional>
#include <vector>

namespace pcc::cli {

/// A legal pair: both shardings fit the shape and the mesh.
struct ReshardPair {
  dist::Mesh mesh;
  llvm::SmallVector<int64_t, 4> shape;
  dist::Sharding from, to;
  /// Bytes that the file states for comparison: the lower bound, and the bytes of XLA's plan.
  std::optional<int64_t> bound, xla;
};

/// Values of the flags of one pair.
struct ReshardTexts {
  std::string mesh, shape, from, to;
};

/// Parses one pair. Returns BadUsage after an error that names the flag.
ExitCode readPair(const ReshardTexts &texts, mlir::MLIRContext &context, ReshardPair &pair);

/// Reads a file of pairs. Returns BadInput after an error with file, line and column.
ExitCode readPairs(llvm::StringRef path, mlir::MLIRContext &context,
                   std::vector<ReshardPair> &pairs);

} // namespace pcc::cli
