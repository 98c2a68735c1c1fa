// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this compiler makes of a question, in the terms in which answers are compared.
#pragma once

#include "dialects/dist/Sharding.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/conformance/strategies/Answer.h"
#include "test/conformance/strategies/Model.h"

namespace pcc::conformance {

/// The program of a question, and what was diagnosed on the way; null where that was an error.
struct Program {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string error;
};

/// One device: the model without its marks. With `trains` it has a training step.
Program compileSingle(const std::string &text, bool trains, mlir::MLIRContext &context);

/// One device's training step, its ops as they are written: no pieces are raised.
Program compileStep(const std::string &text, mlir::MLIRContext &context);

/// @forward with its reshards in place.
Program compileForward(const Case &question, const std::string &text, mlir::MLIRContext &context);
/// Takes what compileForward made on to the program of one rank.
mlir::LogicalResult finishForward(mlir::ModuleOp module);

/// A gradient before it is reduced, as `rank` sees it.
struct Gradient {
  /// Over which it is summed, without those whose sum is cut as the parameter is.
  std::vector<int64_t> group;
  std::vector<int64_t> holders; ///< the ranks that hold the same part of the parameter
  /// The holders outside the group repeat what its ranks calculate: no reader of the parameter is
  /// split over the axes between them.
  bool othersRepeat = false;
  /// As it is, or once sums over the axes that are missing are cut along them.
  bool isCutAsParameter = false;
  bool isCutWhileReduced = false; ///< there are such axes
};

/// The training step of one rank, and the gradients by parameter.
Program compileTraining(const Case &question, const Model &model,
                        std::map<std::string, Gradient> &gradients, mlir::MLIRContext &context);

/// One node.
struct CompiledNode {
  NodeSlices slices;
  /// Counts of its factors above one, and of the ranks that repeat.
  std::vector<int64_t> deviceMatrix;
  std::vector<int64_t> shape; ///< of result 0, global
  dist::Sharding sharding;    ///< of result 0, as its users see it
};

struct Compiled {
  /// Reads what compileForward has made.
  Compiled(mlir::ModuleOp module, const Model &model, int64_t rank);

  dist::Mesh mesh;
  std::map<std::string, CompiledNode> nodes;
  std::vector<Reduction> reductions; ///< sorted
  /// A sum of which its reader wants a part is cut while it is reduced, without being asked to.
  bool cutsWhileReducing = false;
  /// Plans of all-reduces whose work is shared with ranks that hold copies.
  std::vector<std::string> sharedReductions;
  int64_t received = 0; ///< elements, by all reshards
};

} // namespace pcc::conformance
