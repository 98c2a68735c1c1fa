// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank's part of a pipelined training step: what its stage computes and holds, what it sends
// and receives, and what comes before what, by the answer and by the program that the compiler
// makes.
#pragma once

#include "test/conformance/training/Step.h"

namespace pcc::conformance {

/// Texts of what both sides have, so that equal ones are equal; with how often they are there.
using Counts = std::map<std::string, int>;

/// What happens on the rank in a step: `forward m0, microbatch 1`, messages as below, `add gradient
/// w0`, `reduce gradient w0`, `update w0`.
struct Place {
  int64_t first = 0, last = 0; ///< of what bears one text, in the order of the program
};
using Places = std::map<std::string, Place>;

/// A message of the rank.
struct Message {
  bool isForward = true, sends = false;
  Shape shape;
  int64_t peer = 0;
  std::optional<int64_t> microbatch; ///< absent for a parameter and its gradient, once in a step

  /// `forward send [8, 32] to 4, microbatch 0`
  std::string str() const;
};

struct PipelineRank {
  Counts nodes; ///< `m0 in chunk 0`
  std::vector<Message> messages;
  Step parameters;
  double lossScale = 1; ///< of the sum of the microbatches' losses
};

// Texts of what happens.
std::string nodeText(bool isForward, llvm::StringRef node, int64_t microbatch);
std::string callText(bool isForward, int64_t chunk, int64_t microbatch);
std::string parameterText(llvm::StringRef what, llvm::StringRef parameter);

/// The stage of the question's rank, by its number.
int64_t stageOf(const StepOptions &options);

/// Marks the ops of the question's nodes with their stages.
void markStages(const Case &question, mlir::ModuleOp module);

PipelineRank readPipelineAnswer(const Case &question);
/// Turns the answer into what the documents say; a text for each reason to do so.
std::vector<std::string> applyPipelineDocuments(const Case &question, PipelineRank &rank);

/// `module` is the program of the rank's stage.
PipelineRank readPipelineModule(const Case &question, mlir::ModuleOp module,
                                const std::map<std::string, double> &factors);
Places readPlaces(const Case &question, mlir::ModuleOp module);

/// The constraints of data and state that the answer has between things that have a place here.
struct OrderCheck {
  int64_t constraints = 0;
  std::vector<std::string> broken;
};
OrderCheck checkOrder(const Case &question, const Places &places);

} // namespace pcc::conformance
