// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections: the functions of a program, how often a step runs each, and what their arguments and
// results stand for.
#pragma once

#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::facts {

/// A function of the program.
struct Section {
  mlir::func::FuncOp function;
  int64_t runs = 0; ///< slots of a step that run it; 0: runs by itself, in evaluation
  llvm::SmallPtrSet<mlir::Attribute, 4> begunSums; ///< roles that sections before it add up
  llvm::SmallPtrSet<mlir::Attribute, 4> openSums;  ///< roles that sections that run later add up
  /// By role: the results that have it, in their order.
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<unsigned, 1>> results;

  graph::RoleAttr getArgumentRole(unsigned index);
  graph::RoleAttr getResultRole(unsigned index);
  /// What tells the argument's value from others in all sections: its role, of an input of another
  /// copy than the first with the copy. Null where it has no role.
  mlir::Attribute getArgumentKey(unsigned index);
  /// The values that the section returns.
  mlir::OperandRange getReturned();
  /// True if the result is summed over several slots of a step, or with others of its role, as
  /// those of several copies of a microbatch are.
  bool isAccumulated(unsigned result);
  /// True if it is, is the first of its role, and no section that first runs before this one adds
  /// to the same sum, as another chunk of a stage may that reads the same parameter.
  bool beginsSum(unsigned result);
  /// True if it is, is the last of its role, and no section whose last slot comes later adds to the
  /// same sum.
  bool endsSum(unsigned result);
};

/// The `pipe.step` of the module, null if it has none.
pipe::StepOp getStep(mlir::ModuleOp module);

/// The sections of the step in the order in which they first run, then those that stand outside.
llvm::SmallVector<Section> collectSections(mlir::ModuleOp module);

/// The index of the result with this role; nothing if there is none.
std::optional<unsigned> findResult(Section &section, graph::RoleAttr role);

} // namespace pcc::facts
