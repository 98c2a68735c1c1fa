// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the plan of a shape (PlanShape.h), compiles it to instructions and runs these on the
// virtual clock.
#pragma once

#include "compiler/Compile.h"
#include "compiler/plan/choice/PlanShape.h"
#include "runtime/abi/plan.pb.h"
#include "runtime/abi/program.pb.h"
#include <functional>
#include <map>
#include <mutex>

namespace pcc::search {

/// A shape that was compiled, and what its program does.
struct PlanCandidate {
  plan::PlanShape shape;
  /// Replays the plan. Without a summary.
  abi::Plan plan;
  /// Its instructions, if the search keeps programs and there is one.
  std::shared_ptr<const abi::Executable> program;
  double seconds = 0;    ///< of a step on the virtual clock; 0 if it was not compiled
  int64_t peakBytes = 0; ///< planned, of the rank that needs most
  /// Shares of the step of the rank that works longest: computation, communication that is not
  /// hidden, waiting for other ranks.
  double computing = 0, communicating = 0, waiting = 0;
  /// Share of the devices' peak by the work of the model, from 0 to 1; 0 on a machine for which the
  /// program was not compiled.
  double utilization = 0;
  /// Seconds to recompute each part of the model; empty with stages.
  llvm::SmallVector<double> partSeconds;
  /// Why there is no such program; empty if there is one.
  std::string error;
  bool isStopped = false; ///< the compilation was ended because the time was over
  bool isForLess = false; ///< the shape was compiled for less memory than it takes as it is

  size_t number = 0; ///< of its shape in the order of listing

  /// Compares by time; of equal ones, the shape that was listed first is better. So the best plan
  /// does not depend on the order in which shapes were tried.
  bool isBetter(const PlanCandidate &other) const {
    return seconds != other.seconds ? seconds < other.seconds : number < other.number;
  }
  /// Returns whether there is a program and it fits.
  bool fits(int64_t memory) const { return error.empty() && peakBytes <= memory; }
};

/// Counts the work of one entry of a search, and says when it must end. Its methods may be called
/// from any thread, one at a time.
class CompilationPace {
public:
  virtual ~CompilationPace() = default;
  /// Adds work in seconds of a typical machine. `isCutOff`: the clock has ended it early, so that
  /// another run may find something else.
  virtual void advance(double seconds, bool isCutOff) = 0;
  /// Returns whether the time is over, if there is a plan that the search does not know yet
  /// (`hasPlan`) or if there is none. Once it returns true, a compilation ends after its current
  /// phase.
  virtual bool isOver(bool hasPlan) = 0;
};

/// Compiles plans of one model. Several threads may use an object at the same time, for shapes that
/// search shardings apart.
class PlanCompiler {
public:
  /// `model` is as imported, `graph` is the model after phase graph; both must outlive this object.
  /// `options` are complete (completeTraining), with the values that all plans share. The work of a
  /// search of shardings takes up to `searchSeconds`, as a typical machine does it.
  PlanCompiler(mlir::ModuleOp model, mlir::ModuleOp graph, const CompileOptions &options,
               double searchSeconds);

  /// From now on candidates keep their programs.
  void keepPrograms() { keepsPrograms = true; }

  /// Returns a text that is the same for shapes whose shardings are found by the same searches. It
  /// is empty if none are searched.
  std::string getSearchKey(const plan::PlanShape &shape) const;
  /// Compiles a shape as it is.
  PlanCandidate compile(const plan::PlanShape &shape, CompilationPace &pace) const {
    return compile(makePlan(shape), shape, pace);
  }
  /// Compiles the shape of `plain`, which does not fit, for less memory: with recomputed parts, or,
  /// with stages, with stages that are cut for less. Stages are cut until a plan fits or the time
  /// is over.
  PlanCandidate compileForLess(const PlanCandidate &plain, CompilationPace &pace) const;
  /// Runs the program of a candidate on the cluster of this compiler's options, on which it becomes
  /// a candidate like those that were compiled for it.
  PlanCandidate simulateAgain(PlanCandidate candidate) const;

private:
  /// A search of shardings, or its error.
  struct Search {
    bool hasRun = false;
    abi::Strategy strategy;
    std::string error;
    bool isStopped = false;
  };

  PlanCandidate compile(abi::Plan plan, const plan::PlanShape &shape, CompilationPace &pace) const;
  /// Compiles and simulates a complete plan. `hasPlan`: one of the shape is known to fit.
  PlanCandidate simulate(abi::Plan plan, const plan::PlanShape &shape, CompilationPace &pace,
                         bool hasPlan = false) const;
  /// Compiles a plan with the shardings that are found under the configuration `search`.
  PlanCandidate compileSearched(abi::Plan plan, const abi::ParallelConfig &search,
                                const plan::PlanShape &shape, CompilationPace &pace) const;
  /// Returns the result of a search under `config`, which runs once.
  const Search &searchShardings(const abi::ParallelConfig &config, CompilationPace &pace) const;
  /// Returns `plain`, or the program of its plan that recomputes few parts and fits.
  PlanCandidate recompute(const PlanCandidate &plain, CompilationPace &pace) const;
  /// Returns the first of a shape's plans with ever less memory for the cut of stages that fits.
  PlanCandidate cutForLess(const plan::PlanShape &shape, CompilationPace &pace) const;
  abi::Plan makePlan(const plan::PlanShape &shape) const;
  /// Returns the options that compile and simulate a program by `plan`.
  CompileOptions makeOptions(const abi::Plan &plan) const;
  /// Lets a compilation with `options` keep `pace`. If it must end early, `isStopped` is set.
  static void keepPace(CompileOptions &options, CompilationPace &pace, bool &isStopped,
                       bool hasPlan = false);

  mutable mlir::ModuleOp model, graph; ///< handles, whose ops do not change
  CompileOptions options;
  double searchSeconds;
  bool keepsPrograms = false;
  mutable std::mutex mutex;                       ///< guards the map, not its elements
  mutable std::map<std::string, Search> searches; ///< by their configurations
};

/// Sets `options` to compile a model by `plan`, except for what follows from its numbers
/// (completeTraining).
void applyPlan(const abi::Plan &plan, CompileOptions &options);

} // namespace pcc::search
