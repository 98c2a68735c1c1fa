// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training step of several copies: in which order a rank comes to what it does, by the answer and
// by the program that the compiler makes, and what both orders take.
//
// What happens bears a text: `forward m1, copy 0`, `reduce forward m1, copy 0` (over ranks),
// `backward m1, copy 0`, `weights m1, copy 0` (the gradient of a node's parameter), `reduce
// gradient w0`, `update w0`.
#pragma once

#include "test/conformance/training/Step.h"

namespace pcc::conformance {

// Texts of what happens. A phase is `forward`, `backward` or `weights`.
std::string doingText(llvm::StringRef phase, llvm::StringRef node, int64_t copy);
std::string reducingText(llvm::StringRef phase, llvm::StringRef node, int64_t copy);
std::string reducingGradientText(llvm::StringRef parameter);
std::string updateText(llvm::StringRef parameter);

/// What bears one text: where it begins and ends in the order of the program, and what all of it
/// takes.
struct Doing {
  int64_t first = 0, last = 0;
  double seconds = 0;
};
using Doings = std::map<std::string, Doing>;

/// Reads a module of stage `schedule` of one program, by the times of a complete cluster.
Doings readDoings(mlir::ModuleOp module, int64_t copies, const abi::Cluster &cluster);

/// The order that the answer asks for, beside ours. Both have the answer's events; those that are
/// not ours take no time.
struct CopyOrder {
  int64_t crossing = 0; ///< constraints of data between what communicates and what computes
  int64_t added = 0;    ///< those that no data asks for
  std::vector<std::string> broken; ///< of the former: it is not so in our program
  std::vector<std::string> unmet;  ///< the same of the latter
  double seconds = 0;              ///< of the best order that is found with all constraints
  double ours = 0;                 ///< of our order, with those of data
};
CopyOrder compareOrder(const Case &question, const Doings &ours);

} // namespace pcc::conformance
