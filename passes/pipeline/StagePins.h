// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries of `pipe.pins` (dialects/pipe/Pins.h).
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/facts/PinSubject.h"
#include "passes/pipeline/StageLayout.h"
#include <optional>

namespace pcc::pipeline {

struct StagePin {
  facts::PinSubject subject;
  std::optional<int64_t> stage, chunk;
  bool recompute = false;
  bool isMark = false; ///< was an attribute of an op
  std::optional<StageLayout> layout;

  /// True if it names the op itself: a backward op is not meant where its forward op is.
  bool matches(mlir::Operation *op) const;
  /// As it was written, for messages: `pin "/h.0" at pins.textproto:3`.
  std::string describe() const { return subject.describe(); }
};

/// All of `module`, empty without the attribute. Diagnoses and fails.
mlir::FailureOr<std::vector<StagePin>> readStagePins(mlir::ModuleOp module);

} // namespace pcc::pipeline
