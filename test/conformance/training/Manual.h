// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases with hand-written collectives: the program of the question, and the collectives listed by
// the answer.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// Returns the text of a module whose @forward is the question's graph on one rank. The answer
/// describes only rank 0: groups and neighbors of other ranks are those of rank 0, shifted by the
/// rank. Values with respect to which the gradient is taken (parameters, else inputs) are
/// parameters.
std::string makeManualModel(const Case &question);

/// A collective in common terms: kind, reduction, shapes of its results.
struct Collective {
  std::string kind, reduction;
  std::vector<std::vector<int64_t>> shapes;

  bool operator==(const Collective &) const = default;
  std::string str() const;
};

/// Returns MindSpore's names of an op and of its reduction; an empty name if the op is
/// not a collective. The only use of a block exchange is the addition of borders in a gradient.
std::pair<llvm::StringRef, llvm::StringRef> nameOf(mlir::Operation *op);

/// Returns the collectives of the answer's graph, in its order.
std::vector<Collective> collectivesOfAnswer(const Case &question);
/// Returns the collectives of the functions of a step, in the order of execution.
std::vector<Collective> collectivesOfModule(mlir::ModuleOp module);

} // namespace pcc::conformance
