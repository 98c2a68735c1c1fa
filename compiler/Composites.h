// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the composites that phase graph recognizes in a model.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// A softmax between two matmuls that is no attention.
struct UnraisedSoftmax {
  std::string name, place, reason; ///< name of the op; file and line, empty if unknown
};

struct Composites {
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>> counts; ///< by mnemonic, none is 0
  std::vector<UnraisedSoftmax> unraised;
};

/// Runs phase graph on a copy of `module`. Fails after a diagnostic if the phase does.
llvm::FailureOr<Composites> findComposites(mlir::ModuleOp module);

} // namespace pcc
