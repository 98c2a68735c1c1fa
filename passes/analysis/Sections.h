// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections: the functions of a program, the number of runs of each in a step, and the meaning of
// their arguments and results.
#pragma once

#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::analysis {

/// A function of the program.
struct Section {
  mlir::func::FuncOp function;
  int64_t runs = 0; ///< actions of a step that run it; 0: runs by itself, in evaluation
  /// Roles of sums to which earlier sections add.
  llvm::SmallPtrSet<mlir::Attribute, 4> begunSums;
  /// Roles of sums to which sections with a later last action add.
  llvm::SmallPtrSet<mlir::Attribute, 4> openSums;
  /// Results by role, in their order.
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<unsigned, 1>> results;

  graph::RoleAttr getArgumentRole(unsigned index);
  graph::RoleAttr getResultRole(unsigned index);
  /// Returns a key that tells the argument's value from others in all sections. The key is the
  /// role, with the copy for an input of another copy than the first. Null if the argument has no
  /// role.
  mlir::Attribute getArgumentKey(unsigned index);
  /// Returns the values that the section returns.
  mlir::OperandRange getReturned();
  /// Returns true if the result is summed over several actions of a step, or with others of its
  /// role, such as those of several copies of a microbatch.
  bool isAccumulated(unsigned result);
  /// Returns true if the result is accumulated and is the first of its sum. It is the first of its
  /// role, and no earlier section adds to the same sum. Such a section may belong to another
  /// virtual stage that reads the same parameter.
  bool beginsSum(unsigned result);
  /// Returns true if the result is accumulated and is the last of its sum. It is the last of its
  /// role, and no section adds to the same sum in a later action.
  bool endsSum(unsigned result);
};

/// The `pipe.step` of the module, null if it has none.
pipe::StepOp getStep(mlir::ModuleOp module);

/// Returns the sections of the step in the order in which they first run, then those outside the
/// step.
llvm::SmallVector<Section> collectSections(mlir::ModuleOp module);

/// Returns the type of the sum of values of type `value` over the microbatches of a step: its
/// elements are those in which sums are held.
mlir::ShapedType getSumType(mlir::Type value);

/// Returns the index of the result with this role; nothing if there is none.
std::optional<unsigned> findResult(Section &section, graph::RoleAttr role);

} // namespace pcc::analysis
