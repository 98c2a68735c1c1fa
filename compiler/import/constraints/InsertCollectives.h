// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inserts the collectives that a constraints file puts behind values of a model. A collective is a
// text:
//
//   all_reduce sum over [tp]                   kind, word, axes of the mesh
//   reduce_scatter sum axis=0 over [[0, 1]]    a number by name; lists of ranks
//   broadcast root=0                           all ranks
//
// The example puts one behind a matmul:
//
//   constraint { op: "fc2/matmul" collective: "all_reduce sum over [tp]" }
//
//   %0 = graph.matmul %x, %w                        fc2/matmul
//   %1 = dist.all_reduce sum %0 over <axes [tp]>    other ops read %1 instead of %0
//
// The model becomes the program of one rank (`dist.local`): its shapes are those of a rank's
// blocks.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/analysis/names/ConstraintSubject.h"
#include "runtime/abi/constraints.pb.h"
#include "llvm/ADT/SmallVector.h"
#include <string>
#include <utility>

namespace pcc::import {

/// A collective as text. It refers to the text that it was read from.
struct CollectiveText {
  llvm::StringRef kind;
  /// `sum`, `max`, …; the kind's default, `sum`, if the text has none. Empty for kinds without
  /// words.
  llvm::StringRef word;
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>, 2> numbers;
  std::string group; ///< `axes [dp]` or `ranks [[0, 1]]`; empty: all ranks
  std::string error; ///< message; empty if the text is a collective
};

/// Reads the text of a collective. `error` says what is wrong with it.
CollectiveText parseCollective(llvm::StringRef given);

/// Keys by which a constraint with collectives names its values.
inline constexpr analysis::SubjectKey collectiveSubjects[] = {
    {"op", analysis::NamePattern::Kind::Whole},
    {"op_name", analysis::NamePattern::Kind::Literal},
    {"module", analysis::NamePattern::Kind::Leading},
    {"parameter", analysis::NamePattern::Kind::Whole},
    {"input", analysis::NamePattern::Kind::Whole}};

/// Inserts the collectives of `constraint` behind what its `subject` names, and infers the types of
/// the ops that read them. Emits an error and fails if a collective is illegal.
mlir::LogicalResult insertCollectives(mlir::ModuleOp module, const abi::Constraint &constraint,
                                      const analysis::ConstraintSubject &subject);

/// Sets the sharding of an input of a model with collectives: the input of the model is the block
/// of one rank. Emits an error and fails if the constraint gives no such sharding.
mlir::LogicalResult cutLocalInput(mlir::ModuleOp module, const abi::Constraint &constraint,
                                  const analysis::ConstraintSubject &subject);

} // namespace pcc::import
