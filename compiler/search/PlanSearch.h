// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses everything about how a training step is spread over the devices of a cluster: stages and
// their schedule, microbatches, data and tensor parallelism, the sharded optimizer, searched
// shardings, and what is recomputed. Every plan that it offers was compiled to instructions and run
// on the virtual clock. So its step time and its memory are those of the program, and it fits.
//
//   shapes of plans (PlanShape.h)   the most promising first, by an estimate (PlanEstimate.h)
//     bound exceeds the best step   pruned: it cannot win
//     compiled, fits                a plan; with stages, other schedules are tried next
//     compiled, does not fit        tried again with recomputation, when its step is the next best
//   until the time limit, or until no shape is left
#pragma once

#include "compiler/Compile.h"
#include "compiler/plan/choice/PlanEstimate.h"
#include "runtime/abi/plan.pb.h"
#include <chrono>
#include <queue>

namespace pcc::search {

/// A shape that was compiled, and what its program does.
struct PlanCandidate {
  plan::PlanShape shape;
  /// Replays the plan. Without a summary.
  abi::Plan plan;
  double seconds = 0;    ///< of a step on the virtual clock; 0 if it was not compiled
  int64_t peakBytes = 0; ///< planned, of the rank that needs most
  /// Shares of the step of the rank that works longest: computation, communication that is not
  /// hidden, waiting for other ranks.
  double computing = 0, communicating = 0, waiting = 0;
  double utilization = 0; ///< of the devices' peak by the work of the model, from 0 to 1
  /// Seconds to recompute each part of the model; empty with stages.
  llvm::SmallVector<double> partSeconds;
  /// Why there is no such program; empty if there is one.
  std::string error;

  /// Number of its shape in the order of listing.
  size_t number = 0;

  /// Compares by time; of equal ones, the shape that was listed first is better. So the best plan
  /// does not depend on the order in which shapes were tried.
  bool isBetter(const PlanCandidate &other) const {
    return seconds != other.seconds ? seconds < other.seconds : number < other.number;
  }
  /// Returns whether there is a program and it fits.
  bool fits(int64_t memory) const { return error.empty() && peakBytes <= memory; }
};

struct PlanSearchOptions {
  double seconds = 60; ///< time limit
  /// False: the search looks for the fastest plan, goes on until one fits, and prunes what is
  /// slower. True: it looks for plans of which no other is faster in less memory. It tries shapes
  /// by the fronts of their estimates (plan::rankFronts), and ends in time with or without a plan.
  bool wantsFrontier = false;
  /// Called after each shape that was tried; may be null.
  std::function<void(const class PlanSearch &)> progress;
};

class PlanSearch {
public:
  /// `model`, as imported, must outlive this object. `options` have a cluster, and as many devices
  /// as the plans shall use. Choices of stages, microbatches, optimizer and mode in `options` are
  /// replaced.
  PlanSearch(mlir::ModuleOp model, CompileOptions options, PlanSearchOptions limits);

  /// Searches. Fails, after an error, if the model or the options are invalid.
  mlir::LogicalResult run();

  /// Returns all compiled candidates: those that fit first, by time, then those that do not, by
  /// memory, then errors.
  llvm::ArrayRef<PlanCandidate> getCandidates() const { return candidates; }
  /// Returns the best plan; null if none fits.
  const PlanCandidate *getBest() const;
  /// Returns a lower bound on the step of every shape of the space: computation alone, spread
  /// evenly over the devices.
  double getBound() const { return bound; }
  /// Returns the number of devices that plans use.
  int64_t getDevices() const { return space.devices; }
  /// Returns the bytes of a device into which plans must fit.
  int64_t getMemory() const { return memory; }
  /// Returns the error of the first shape if no shape could be compiled; otherwise an empty text.
  llvm::StringRef getFailure() const;
  size_t getNumPruned() const { return numPruned; }
  /// Returns the number of shapes that the time limit left untried.
  size_t getNumUntried() const { return numUntried + queues[0].size() + queues[1].size(); }
  double getElapsed() const;

private:
  /// A shape to try, least promised first; of equal ones the one listed first.
  struct Entry {
    double promised = 0; ///< seconds; or the number of its front, and there the seconds
    size_t number = 0;
    plan::PlanShape shape;
    bool recomputes = false;
    bool operator<(const Entry &other) const {
      return promised != other.promised ? promised > other.promised : number > other.number;
    }
  };

  mlir::LogicalResult prepare();
  void pushShapes();
  bool isPruned(const Entry &entry);
  void push(plan::PlanShape shape, double promised, bool recomputes = false);
  /// Removes and returns the next entry to try; nothing if there is none.
  std::optional<Entry> pop();
  void tryEntry(const Entry &entry);
  /// Compiles a shape as it is.
  PlanCandidate evaluate(const plan::PlanShape &shape) { return evaluate(makePlan(shape), shape); }
  PlanCandidate evaluate(abi::Plan plan, const plan::PlanShape &shape);
  /// Compiles a complete plan.
  PlanCandidate compile(abi::Plan plan, const plan::PlanShape &shape);
  /// Searches the shardings of `plan` and puts them into it. Returns the first error, or "".
  std::string searchShardings(abi::Plan &plan);
  /// Compiles a shape for less memory: with recomputed parts, or, with stages, with stages that are
  /// cut for less. The shape as it is was compiled before.
  PlanCandidate evaluateForLess(const plan::PlanShape &shape);
  /// Returns `plain`, or the program of its plan that recomputes few parts and fits.
  PlanCandidate recompute(const PlanCandidate &plain);
  void keep(PlanCandidate candidate, size_t number);
  abi::Plan makePlan(const plan::PlanShape &shape) const;
  /// Returns the options that compile and simulate a program by `plan`.
  CompileOptions makeOptions(const abi::Plan &plan) const;
  double boundOf(const plan::PlanShape &shape);
  /// Returns the seconds of the longest entry so far of the kind of `entry`.
  double &getLongest(const Entry &entry);
  bool isInTime(const Entry &entry);
  bool isOver() const { return getElapsed() >= limits.seconds; }

  mlir::ModuleOp model;
  CompileOptions options;
  PlanSearchOptions limits;
  mlir::OwningOpRef<mlir::ModuleOp> graph; ///< the model after phase graph
  std::optional<plan::PipelineBounds> bounds;
  plan::PlanSpace space;
  int64_t memory = 0;
  double bound = 0;
  size_t numPruned = 0, numPushed = 0, numUntried = 0;
  double longest[2][2] = {}; ///< seconds: of grids and of searched shardings, plain and recomputed
  /// Queues of grids and of searched shardings, and the seconds spent on each. A search takes many
  /// times as long as a grid, so both get equal shares of the time.
  std::priority_queue<Entry> queues[2];
  double spent[2] = {};
  std::vector<PlanCandidate> candidates;
  std::chrono::steady_clock::time_point begin;
};

/// Sets `options` to compile a model by `plan`, except for what follows from its numbers
/// (completeTraining).
void applyPlan(const abi::Plan &plan, CompileOptions &options);

} // namespace pcc::search
