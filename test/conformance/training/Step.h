// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One training step on one rank, in the answer and in the compiled program: slice, states, gradient
// and collectives of each parameter.
//
// If the documents of the parallel options differ from MindSpore, the answer is changed
// accordingly. So the test checks that the result has exactly the intended difference.
#pragma once

#include "test/conformance/training/Compile.h"
#include <map>
#include <set>

namespace pcc::conformance {

using Shape = std::vector<int64_t>;

/// A collective on a parameter or on its gradient.
struct Transfer {
  std::string kind;           ///< AllReduce, AllGather, ReduceScatter
  std::vector<int64_t> group; ///< ascending
  Shape input;                ///< shape on this rank
  std::string element;        ///< element type, for example f32

  auto operator<=>(const Transfer &) const = default;
};

/// The part of one parameter that a rank holds.
struct Share {
  Shape slice;
  std::vector<Shape> states;
  /// Shape of the gradient's accumulator over the microbatches of a step; empty with one
  /// microbatch.
  Shape accumulator;
  /// Factor of the sum of the gradients of the whole batch's loss over all ranks and microbatches.
  double factor = 1;
  std::set<Transfer> transfers;

  /// Returns a text of all members; equal texts mean equal shares.
  std::string str() const;
};

/// Shares by parameter.
using Step = std::map<std::string, Share>;

/// The question's options, with MindSpore's defaults.
struct StepOptions {
  explicit StepOptions(const Case &question);

  int64_t rank, slots = 1, copies = 1; ///< slots: microbatches, not counting copies
  int64_t stages, ranks;               ///< pipeline stages; ranks of each stage
  bool fullBatch, gradientsMean, lossRepeatedMean;
  bool shardsOptimizer;
  int64_t level, threshold; ///< threshold: bytes
  bool limitsShards;        ///< shards over fewer ranks than hold the same slice
  std::string optimizer;    ///< value of --optimizer; empty if not known here
  std::string unknownWrap;  ///< cell around the network that is not known here
};

/// Returns the text of a module whose @forward is the question's graph. Fails for an operator that
/// is not known here.
llvm::Expected<std::string> makeStepModel(const Case &question);

/// Makes the compile options.
CompileOptions makeStepOptions(const Case &question, const StepOptions &given);

/// The compiled module, or null with the diagnosed errors.
struct CompiledStep {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string error;
  std::map<std::string, double> factors; ///< gradient factors by parameter, set by the strategy
};

/// Builds the question's model, calls `prepare`, and runs the phases up to and including `last`.
/// Fails with a text if the question has something that is not known here.
llvm::Expected<CompiledStep>
compileStep(const Case &question, const StepOptions &given, CompileOptions options,
            CompilePhase last, mlir::MLIRContext &context,
            llvm::function_ref<void(mlir::ModuleOp)> prepare = nullptr);

/// Returns a line for each parameter whose shares differ; empty if there are none.
std::string compare(const Step &expected, const Step &actual);

/// Returns true in modes in which each rank computes the loss of its part of the batch.
bool hasLossPerRank(const Case &question);

/// Reads the answer. A collective without a known parameter is given to each parameter that it
/// fits.
Step readStepAnswer(const Case &question);
/// Adapts the answer to the option documents; returns a text for each reason.
std::vector<std::string> applyDocuments(const Case &question, Step &step);

/// Reads the program of one rank, with the gradient factors that the strategy has set. `module` is
/// the module of the rank's stage.
Step readStepModule(mlir::ModuleOp module, const std::map<std::string, double> &factors,
                    const StepOptions &options);
/// Reads the gradient factors of a module after its strategy phase.
std::map<std::string, double> readGradientFactors(mlir::ModuleOp module);

} // namespace pcc::conformance
