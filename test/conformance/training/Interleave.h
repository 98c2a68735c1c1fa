// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training step with several copies: the order of a rank's events, in the answer and in the
// compiled program, and the time that both orders take.
//
// An event is identified by a text: `forward m1, copy 0`, `reduce forward m1, copy 0` (over ranks),
// `backward m1, copy 0`, `weights m1, copy 0` (the gradient of a node's parameter), `reduce
// gradient w0`, `update w0`.
#pragma once

#include "test/conformance/training/Step.h"

#include <map>
#include <set>

namespace pcc::conformance {

// Texts of events. A phase is `forward`, `backward` or `weights`.
std::string doingText(llvm::StringRef phase, llvm::StringRef node, int64_t copy);
std::string reducingText(llvm::StringRef phase, llvm::StringRef node, int64_t copy);
std::string reducingGradientText(llvm::StringRef parameter);
std::string updateText(llvm::StringRef parameter);

/// All events with one text: their first and last position in the order of the program, and their
/// total time. A kernel that computes none of the answer's events is an event with a text of its
/// own.
struct Doing {
  int64_t first = 0, last = 0;
  double seconds = 0;
  std::set<std::string> after = {}; ///< events of its section whose results it reads
  bool isOnlyOurs = false;
};
using Doings = std::map<std::string, Doing>;

/// Returns the texts of the answer's events.
std::set<std::string> listEvents(const Case &question);

/// Reads the events of a module of phase `schedule`, given the texts of the answer's events. Times
/// are estimated for a complete cluster.
Doings readDoings(mlir::ModuleOp module, int64_t copies, const std::set<std::string> &answer,
                  const abi::Cluster &cluster);

/// The order of the answer compared with pcc's. Both have the answer's events and pcc's other
/// kernels. Events that pcc does not have take no time.
struct CopyOrder {
  int64_t crossing = 0;            ///< data dependences between communicating and computing events
  int64_t added = 0;               ///< constraints without a data dependence
  std::vector<std::string> broken; ///< data dependences that pcc's program violates
  std::vector<std::string> unmet;  ///< added constraints that pcc's program does not meet
  double seconds = 0;              ///< of the best order found under all constraints
  double ours = 0;                 ///< of pcc's order, under the data dependences
};
CopyOrder compareOrder(const Case &question, const Doings &ours);

} // namespace pcc::conformance
