// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape of a plan: the numbers by which people state how a model is spread over devices. The
// devices form a grid of pipeline stages, data parallel groups and tensor parallel groups, the last
// of these on neighboring devices.
//
//   16 devices in 2 boxes     stages   data   tensor   optimizer   microbatches
//   data parallel, ZeRO-1          1     16        1     level 1              4
//   tensor parallel in a box       1      2        8     -                    1
//   both, in two stages            2      2        4     level 1             16
//   searched shardings             2      -        -     -                   16
//
// The shapes of the first three kinds are what experts write by hand.
#pragma once

#include "compiler/plan/choice/ParameterCuts.h"
#include "runtime/abi/cluster.pb.h"
#include <cstdint>
#include <string>
#include <vector>

namespace pcc::plan {

/// Largest number of pipeline stages that searches try.
inline constexpr int maxStages = 64;

/// Returns the divisors of a positive number, in ascending order.
std::vector<int64_t> listDivisors(int64_t number);

struct PlanShape {
  int stages = 1;
  int64_t microbatches = 1;
  int64_t tensorParallel = 1;
  /// Level of the parallel optimizer, 1 to 3; 0: every rank has all states.
  int optimizerLevel = 0;
  /// Parts into which the level cuts most parameters; 0: as many as data parallel ranks.
  int64_t optimizerWays = 0;
  /// Shardings are searched on every mesh of a stage's devices; `tensorParallel` is 1.
  bool isSearched = false;
  /// Schedule of the stages, and virtual stages in each.
  std::string schedule = "1f1b";
  int virtualStages = 1;

  /// Returns the number of data parallel ranks of a stage.
  int64_t getDataParallel(int64_t devices) const { return devices / (stages * tensorParallel); }
  /// Returns whether the shapes differ in optimizer level, schedule and virtual stages alone.
  bool isSameGrid(const PlanShape &other) const {
    return stages == other.stages && microbatches == other.microbatches &&
           tensorParallel == other.tensorParallel && isSearched == other.isSearched;
  }
  /// Returns `2 stages x DP 8 x TP 1, optimizer states cut 8 ways, 16 microbatches`.
  std::string describe(int64_t devices) const;
  bool operator==(const PlanShape &) const = default;
};

/// The space of a search: the numbers from which shapes follow.
struct PlanSpace {
  int64_t devices = 1;
  /// Ranks of a tensor parallel group share a unit of the innermost level: the devices of a box.
  int64_t devicesOfBox = 1;
  int64_t batch = 1;              ///< samples of a step
  int64_t layers = 1;             ///< that may be cut into stages
  bool trains = true;             ///< the optimizer may be sharded
  bool hasTensorParallel = false; ///< tensor parallel shapes are part of the space
  ParameterCuts cuts = {};
};

/// Returns all shapes of the space. Every microbatch has at least one sample for each data parallel
/// rank, and every stage at least one microbatch. Variants of a grid (isSameGrid) are neighbors.
std::vector<PlanShape> listPlanShapes(const PlanSpace &space);

} // namespace pcc::plan
