// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One training step: what each parameter's slice, states, gradient and collectives are on one rank,
// by the answer and by the program that the compiler makes.
//
// Where the documents of the parallel options decide otherwise than the reference system, the
// answer is turned into what they say, so that a difference on purpose is checked to be exactly
// that one.
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
  Shape input;                ///< on this rank
  std::string element;        ///< f32

  auto operator<=>(const Transfer &) const = default;
};

/// What a rank has of one parameter.
struct Share {
  Shape slice;
  std::vector<Shape> states;
  /// Of the gradient while the slots of a step are added; empty where there is one slot.
  Shape accumulator;
  /// By which the sum of all ranks' and slots' gradients of the whole batch's loss is multiplied.
  double factor = 1;
  std::set<Transfer> transfers;

  /// All of it; equal texts are equal shares.
  std::string str() const;
};

/// By parameter.
using Step = std::map<std::string, Share>;

/// The question's options, with the reference system's defaults.
struct StepOptions {
  explicit StepOptions(const Case &question);

  int64_t rank, slots = 1, copies = 1; ///< slots without copies
  int64_t stages, ranks;               ///< pipeline stages; ranks of each
  bool fullBatch, gradientsMean, lossRepeatedMean;
  bool shardsOptimizer;
  int64_t level, threshold; ///< bytes
  bool limitsShards;        ///< to fewer ranks than hold the same
  std::string optimizer;    ///< as in --optimizer; empty if it is not known
  std::string unknownWrap;  ///< a cell around the network that is not known here
};

/// The text of a module whose @forward is the question's graph; an operator that is not known here
/// is an error.
llvm::Expected<std::string> makeStepModel(const Case &question);

/// What the compiler is told.
CompileOptions makeStepOptions(const Case &question, const StepOptions &given);

/// What became of a question's model: the module, or null with the errors that were diagnosed.
struct CompiledStep {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string error;
  std::map<std::string, double> factors; ///< of gradients, by parameter, as the strategy set them
};

/// Takes the question's model along the road up to and including `last`, after `prepare`. Fails
/// with a text where the question has something that is not known here.
llvm::Expected<CompiledStep>
compileStep(const Case &question, const StepOptions &given, CompileOptions options,
            CompilePhase last, mlir::MLIRContext &context,
            llvm::function_ref<void(mlir::ModuleOp)> prepare = nullptr);

/// Parameters of which the two say different things, a line each; empty if there are none.
std::string compare(const Step &expected, const Step &actual);

/// True in the modes in which each rank has a loss of its own, of its part of the batch.
bool hasLossPerRank(const Case &question);

/// The answer. Of collectives whose parameter it cannot tell, each parameter gets those that fit.
Step readStepAnswer(const Case &question);
/// Turns the answer into what the option documents say; a text for each reason to do so.
std::vector<std::string> applyDocuments(const Case &question, Step &step);

/// The program of one rank, its gradient factors those that the strategy has set. `module` is that
/// of the rank's stage.
Step readStepModule(mlir::ModuleOp module, const std::map<std::string, double> &factors,
                    const StepOptions &options);
/// The gradient factors of a module that has its strategy.
std::map<std::string, double> readGradientFactors(mlir::ModuleOp module);

} // namespace pcc::conformance
