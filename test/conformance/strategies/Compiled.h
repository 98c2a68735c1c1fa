// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of this compiler for a question, in the terms in which answers are compared.
#pragma once

#include "dialects/dist/Sharding.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/conformance/strategies/Answer.h"
#include "test/conformance/strategies/Model.h"

namespace pcc::conformance {

/// The program of a question, or null, and the errors that were diagnosed.
struct Program {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string error;
};

/// Compiles for one device, without the model's annotations. With `trains` the program has a
/// training step.
Program compileSingle(const std::string &text, bool trains, mlir::MLIRContext &context);

/// Compiles the training step for one device, with its ops as written: no composites are
/// recognized.
Program compileStep(const std::string &text, mlir::MLIRContext &context);

/// Compiles @forward up to the insertion of reshards.
Program compileForward(const Case &question, const std::string &text, mlir::MLIRContext &context);
/// Lowers the result of compileForward to the program of one rank.
mlir::LogicalResult finishForward(mlir::ModuleOp module);

/// A gradient before its reduction, as `rank` sees it.
struct Gradient {
  /// Group over which the gradient is summed, without the ranks of axes along which the sum is cut
  /// as the parameter is.
  std::vector<int64_t> group;
  std::vector<int64_t> holders; ///< the ranks that hold the same part of the parameter
  /// True if the holders outside the group repeat the calculation of its ranks: no reader of the
  /// parameter is split over the axes between them.
  bool othersRepeat = false;
  /// True if the gradient is cut like the parameter, possibly after sums over the missing axes are
  /// cut along them.
  bool isCutAsParameter = false;
  bool isCutWhileReduced = false; ///< there are such missing axes
};

/// Compiles the training step of one rank, and reads the gradients by parameter.
Program compileTraining(const Case &question, const Model &model,
                        std::map<std::string, Gradient> &gradients, mlir::MLIRContext &context);

/// A node in the compiled program.
struct CompiledNode {
  NodeSlices slices;
  /// Counts of its factors above one, and of the ranks that repeat.
  std::vector<int64_t> deviceMatrix;
  std::vector<int64_t> shape; ///< of result 0, global
  dist::Sharding sharding;    ///< of result 0, as its users see it
};

struct Compiled {
  /// Reads the result of compileForward.
  Compiled(mlir::ModuleOp module, const Model &model, int64_t rank);

  dist::Mesh mesh;
  std::map<std::string, CompiledNode> nodes;
  std::vector<Reduction> reductions; ///< sorted
  /// True if a sum is cut while it is reduced because its reader wants a part, without a request
  /// of the question.
  bool cutsWhileReducing = false;
  /// Plans of all-reduces whose work is shared with ranks that hold copies.
  std::vector<std::string> sharedReductions;
  int64_t received = 0; ///< elements, over all reshards
};

} // namespace pcc::conformance
