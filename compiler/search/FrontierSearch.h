// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans for every number of devices at once: the plans of which no other needs no more devices and
// no more memory, and is as fast. Each number of devices has a search of plans of its own
// (PlanSearch.h), which tries first what no other shape beats in both estimated time and memory.
#pragma once

#include "compiler/search/PlanSearch.h"

namespace pcc::search {

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
  double bound = 0;     ///< seconds below which no shape's step is
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
