// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses everything about how a training step is spread over the devices of a cluster: stages and
// their schedule, microbatches, data and tensor parallelism, the sharded optimizer, searched
// shardings, and what is recomputed. Every plan that it offers was compiled to instructions and run
// on the virtual clock. So its step time and its memory are those of the program, and it fits.
//
//   shapes of plans (PlanShape.h)   the most promising first, by an estimate (PlanEstimate.h); at
//                                   first one of each grid
//     bound exceeds the best step   pruned: it cannot win
//     compiled                      the other shapes of its grid are queued, by their estimates,
//                                   times what this one took of its own
//     fits                          a plan
//     does not fit                  tried again with recomputation, when its step is the next best
//   until the time limit, or until no shape is left
//
// Several threads compile plans, each another one. The search counts its work and not the time
// (CompilationWork.h), so the same limit and number of threads give the same plans. If no limit
// ends the search, its best plan does not depend on the number of threads either.
#pragma once

#include "compiler/plan/choice/PlanEstimate.h"
#include "compiler/search/PlanCompiler.h"
#include "compiler/search/VirtualWorkers.h"
#include <atomic>
#include <chrono>
#include <set>

namespace pcc::search {

struct PlanSearchOptions {
  /// Time limit. A typical machine does the work in less; on a slower one the clock ends the search
  /// (wasCutOff).
  double seconds = 60;
  double slowdown = 1; ///< factor by which the clock may exceed `seconds`
  /// Threads that compile plans at the same time; one if the model's context has no threads.
  int threads = 1;
  /// False: the search looks for the fastest plan, goes on for a multiple of the time limit until
  /// one fits, and prunes what is slower. True: it looks for plans of which no other is faster in
  /// less memory. It tries shapes by the fronts of their estimates (plan::rankFronts), and ends in
  /// time with or without a plan.
  bool wantsFrontier = false;
  /// Whether another search may go on from this one, on another machine.
  bool keepsPrograms = false;
  /// Called after each shape that was tried, by one thread at a time; may be null.
  std::function<void(const class PlanSearch &)> progress;
};

class PlanSearch {
public:
  /// `model`, as imported, must outlive this object. `options` have a cluster, and as many devices
  /// as the plans shall use. Choices of stages, microbatches, optimizer and mode in `options` are
  /// replaced.
  PlanSearch(mlir::ModuleOp model, CompileOptions options, PlanSearchOptions limits);

  /// Prepares the same search on another machine. It begins with the programs of `earlier`, which
  /// run on the new machine's virtual clock and are not compiled again; so it takes a fraction of
  /// the time. `earlier` has run, kept its programs, and must outlive this object.
  PlanSearch(const PlanSearch &earlier, abi::Cluster cluster, PlanSearchOptions limits);

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
  /// Returns the number of shapes that were neither compiled nor pruned.
  size_t getNumUntried() const { return shapes.size() - candidates.size() - numPruned; }
  /// Returns the seconds since the search began, up to its end.
  double getElapsed() const;
  /// Returns the seconds of a typical machine for the work of a search that has run.
  double getWork() const { return workers->getTime(); }
  /// Returns whether the clock has ended something that the work would not have ended, so that
  /// another run may find other plans.
  bool wasCutOff() const { return isCutOff; }

private:
  class Pace;

  /// How many times their estimates compiled shapes take.
  struct Factors {
    double seconds = 1, bytes = 1;
  };
  /// The mean factors of compiled shapes. It begins with a few estimates that hold, so that one
  /// shape that takes longer than its estimate does not keep all other grids from being tried.
  struct Calibration {
    double count = 3;
    Factors sum = {count, count};
    Factors getMean() const { return {sum.seconds / count, sum.bytes / count}; }
  };
  /// A shape to try, the most promising first; of equal ones the one listed first.
  struct Entry {
    size_t number = 0; ///< of its shape
    bool recomputes = false;
    /// In a search for a frontier: the number of its front.
    int64_t front = 0;
    /// Says what a compiled shape of the same grid took of its estimate; nullopt if there is none.
    std::optional<Factors> factors = {};
  };

  mlir::LogicalResult prepare();
  /// Queues the first shapes.
  void pushShapes();
  /// Takes over what the earlier search has compiled.
  void takeOver();
  void push(Entry entry);
  /// Queues the shapes with the grid of shape `number` that are not queued yet.
  void pushVariants(size_t number, Factors factors);
  /// Queues what a compiled entry suggests: recomputation, and variants of its grid.
  void pushFollowing(const Entry &entry, const PlanCandidate &candidate);
  /// Removes and returns the next entry to try; nothing if there is none, or if all need shardings
  /// that are being searched.
  std::optional<Entry> pop();
  /// Takes entries from the queue until one must be compiled.
  std::optional<VirtualWorkers::Job> choose();
  VirtualWorkers::Job makeJob(const Entry &entry);
  /// Takes over the result of a job, which took `seconds`.
  void deliver(const Entry &entry, PlanCandidate candidate, double seconds, double expected);
  /// Drops an entry that cannot win, and returns whether it is one.
  bool prune(const Entry &entry);
  bool isPruned(const Entry &entry);
  /// Returns the candidate of shape `number`; null if it was not compiled yet.
  PlanCandidate *find(size_t number);
  void keep(PlanCandidate candidate);
  const plan::PlanShape &getShape(const Entry &entry) const { return shapes[entry.number]; }
  /// Returns the calibration of shapes like that of the entry.
  Calibration &getCalibration(const Entry &entry);
  /// Returns what the entry is expected to take.
  plan::FittedEstimate getPromise(const Entry &entry);
  double boundOf(const plan::PlanShape &shape);
  /// Returns the seconds of the longest entry so far of the kind of `entry`.
  double &getLongest(const Entry &entry);
  /// Returns the seconds that an entry is expected to take.
  double getExpected(const Entry &entry);
  bool isInTime(const Entry &entry);
  /// Returns whether `seconds` more of work end before `limit` by the work, and by the clock.
  bool endsBefore(double limit, double seconds);
  /// Returns the elapsed seconds as they count against limits.
  double getClock() const { return getElapsed() / limits.slowdown; }
  /// Returns whether a compilation at the time of `clock` must end. It need not as long as there is
  /// no plan that fits; `hasPlan` says whether it has found one itself.
  bool isOver(VirtualWorkers::Clock &clock, bool hasPlan);

  mlir::ModuleOp model;
  CompileOptions options;
  PlanSearchOptions limits;
  const int64_t givenLimit; ///< of memory, in the given options
  const PlanSearch *earlier = nullptr;
  mlir::OwningOpRef<mlir::ModuleOp> graph; ///< the model after phase graph
  std::optional<PlanCompiler> compiler;
  std::optional<plan::PipelineBounds> bounds;
  plan::PlanSpace space;
  int64_t memory = 0;
  double bound = 0;
  std::vector<plan::PlanShape> shapes; ///< of the space
  std::vector<plan::PlanEstimate> estimates;
  std::chrono::steady_clock::time_point begin;
  std::optional<std::chrono::steady_clock::time_point> end; ///< of a search that has run

  double prepared = 0; ///< seconds of work before the first shape
  std::optional<VirtualWorkers> workers;
  std::atomic<bool> isCutOff = false;

  /// The members below belong to jobs that are chosen or delivered, which the workers' lock guards.
  std::set<std::string> searching; ///< keys of shardings that are being searched
  size_t numPruned = 0;            ///< shapes
  double longest[2][2] = {}; ///< seconds: of grids and of searched shardings, plain and recomputed
  Calibration calibrations[2][2]; ///< of grids and searched shardings, without and with stages
  std::vector<Entry> queue;
  /// Seconds of grids and of searched shardings, with those expected of what is compiled now. A
  /// search takes many times as long as a grid, so both get equal shares of the time.
  double spent[2] = {};
  std::vector<bool> isQueued; ///< by shape
  std::vector<PlanCandidate> candidates;
  /// All that was compiled, if a search may go on from this one: a shape may have two candidates.
  std::vector<PlanCandidate> compiled;
};

//===-- FrontierSearch.cpp --------------------------------------------------------------------===//

// Plans for every number of devices at once: the plans of which no other needs no more devices and
// no more memory, and is as fast. Each number of devices has a search of plans of its own
// (PlanSearch), which tries first what no other shape beats in both estimated time and memory.

/// A plan of the frontier.
struct FrontierPoint {
  int64_t devices = 0;
  PlanCandidate candidate;

  /// Returns whether this plan makes `other` superfluous: it needs no more devices, bytes and
  /// seconds, and less of one of them.
  bool dominates(const FrontierPoint &other) const;
};

/// Result of the search with one number of devices.
struct DeviceCount {
  int64_t devices = 0;
  size_t numCompiled = 0, numUntried = 0;
  double bound = 0; ///< seconds below which no shape's step is
  bool isCutOff = false;
  std::string failure;  ///< as in PlanSearch
  int64_t minBytes = 0; ///< of all programs that were compiled; 0: there is none
};

class FrontierSearch {
public:
  /// Takes what PlanSearch takes. The numbers of devices are the divisors of that in `options`. The
  /// time limit is that of all searches together.
  FrontierSearch(mlir::ModuleOp model, CompileOptions options, PlanSearchOptions limits);

  /// Returns the error of the first shape if none could be compiled; otherwise an empty text.
  llvm::StringRef getFailure() const;

  /// Searches. Fails, after an error, if the model or the options are invalid.
  mlir::LogicalResult run();

  /// Returns the plans of the frontier, all of which fit, by devices and then by time.
  llvm::ArrayRef<FrontierPoint> getPoints() const { return points; }
  /// Returns all numbers of devices, in ascending order.
  llvm::ArrayRef<DeviceCount> getCounts() const { return counts; }
  /// Returns the bytes of a device into which plans must fit.
  int64_t getMemory() const { return memory; }
  double getElapsed() const { return elapsed; }

private:
  void add(int64_t devices, const PlanSearch &search);

  mlir::ModuleOp model;
  CompileOptions options;
  PlanSearchOptions limits;
  int64_t memory = 0;
  double elapsed = 0;
  std::vector<FrontierPoint> points;
  std::vector<DeviceCount> counts;
};

/// Removes the points that others dominate, and all but one of equal ones. Sorts the rest by
/// devices and then by time.
void keepFrontier(std::vector<FrontierPoint> &points);

} // namespace pcc::search
