// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases with hand-written collectives: the program of the question, and the collectives that the
// answer lists.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// The text of a module whose @forward is the question's graph on one rank. The answer knows the
/// view of rank 0 alone: the other ranks' groups and neighbours are its own, moved on by their
/// rank. What the gradient is taken of (parameters, else inputs) are parameters.
std::string makeManualModel(const Case &question);

/// A collective as both sides name it: kind, what it reduces by, shapes of its results.
struct Collective {
  std::string kind, reduction;
  std::vector<std::vector<int64_t>> shapes;

  bool operator==(const Collective &) const = default;
  std::string str() const;
};

/// What the reference system calls an op and by what it reduces; no name for what is no collective.
/// Borders are added back by a block exchange, which it does not have for anything else.
std::pair<llvm::StringRef, llvm::StringRef> nameOf(mlir::Operation *op);

/// The collectives of the answer's graph, in its order.
std::vector<Collective> collectivesOfAnswer(const Case &question);
/// Those of the functions of a step, in the order in which they run.
std::vector<Collective> collectivesOfModule(mlir::ModuleOp module);

} // namespace pcc::conformance
