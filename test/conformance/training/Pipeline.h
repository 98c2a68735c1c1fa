// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank's part of a pipelined training step, in the answer and in the compiled program. It has
// the nodes and parameters of the rank's stage, the rank's messages, and the order of its events.
#pragma once

#include "test/conformance/training/Step.h"

namespace pcc::conformance {

/// Texts that describe equal things equally, with their counts.
using Counts = std::map<std::string, int>;

/// First and last position in the program of all events with one text. Texts are `forward m0,
/// microbatch 1`, messages as below, `add gradient w0`, `reduce gradient w0`, `update w0`.
struct Place {
  int64_t first = 0, last = 0; ///< positions in the order of the program
};
using Places = std::map<std::string, Place>;

/// A message of the rank.
struct Message {
  bool isForward = true, sends = false;
  Shape shape;
  int64_t peer = 0;
  std::optional<int64_t> microbatch; ///< absent for parameters and gradients, sent once a step

  /// Returns the message's text, for example `forward send [8, 32] to 4, microbatch 0`.
  std::string str() const;
};

struct PipelineRank {
  Counts nodes; ///< `m0 in chunk 0`
  std::vector<Message> messages;
  Step parameters;
  double lossScale = 1; ///< factor of the sum of the microbatches' losses
};

// Texts of events.
std::string nodeText(bool isForward, llvm::StringRef node, int64_t microbatch);
std::string callText(bool isForward, int64_t chunk, int64_t microbatch);
std::string parameterText(llvm::StringRef what, llvm::StringRef parameter);

/// Returns the stage number of the question's rank.
int64_t stageOf(const StepOptions &options);

/// Annotates the ops of the question's nodes with their stages.
void markStages(const Case &question, mlir::ModuleOp module);

PipelineRank readPipelineAnswer(const Case &question);
/// Adapts the answer to the documents of the options; returns a text for each reason.
std::vector<std::string> applyPipelineDocuments(const Case &question, PipelineRank &rank);

/// Reads `module`, the program of the rank's stage.
PipelineRank readPipelineModule(const Case &question, mlir::ModuleOp module,
                                const std::map<std::string, double> &factors);
Places readPlaces(const Case &question, mlir::ModuleOp module);

/// Checks the answer's constraints of data and state between events that have a place in the
/// program.
struct OrderCheck {
  int64_t constraints = 0;
  std::vector<std::string> broken;
};
OrderCheck checkOrder(const Case &question, const Places &places);

} // namespace pcc::conformance
