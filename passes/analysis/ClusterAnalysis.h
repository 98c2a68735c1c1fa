// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine for which a module is compiled. Phase graph attaches its description to the module as
// text, so that every later pass, and a crash reproducer, uses the same machine.
//
//   module attributes {pcc.cluster = "2x8xH100"}
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Pass/AnalysisManager.h"
#include "runtime/abi/cluster.pb.h"
#include "runtime/machine/Cluster.h"
#include <optional>

namespace pcc::analysis {

/// Name of the module attribute with the machine: a short form, or the message of
/// docs/spec/machine.md as text.
inline constexpr llvm::StringLiteral clusterAttrName = "pcc.cluster";

/// Machine of the nearest enclosing module that has the attribute. A pass that calls
/// `getAnalysis<ClusterAnalysis>()` shares the parsed machine with the passes before it.
class ClusterAnalysis {
public:
  explicit ClusterAnalysis(mlir::Operation *op);

  /// Returns whether a module names a machine.
  bool isGiven() const { return bool(text); }

  /// Returns the machine. Without the attribute, it consists of `ranks` ranks of this machine.
  /// Emits an error and fails if the text is invalid, or if there is no device for each rank.
  mlir::FailureOr<abi::Cluster> get(int64_t ranks) const;

  /// Keeps the parsed machine until the attribute changes.
  bool isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &) const;

private:
  mlir::Operation *op;
  mlir::StringAttr text;
  std::optional<abi::Expected<abi::Cluster>> parsed; ///< set if `text` is
};

} // namespace pcc::analysis
