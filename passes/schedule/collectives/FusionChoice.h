// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses which collectives of a group are fused. Builds the fusion problem for the machine, and
// applies the user's rule or solves the problem.
//
// Gathers of parameters pose the same problem backwards in time. A parameter that is first read 3
// before the end must have arrived by then. Counted from the end, the collective is ready at 3:
//
//   read at    1    4    6   of 9          ready at   8    5    3
//   gathers    a    b    c                 in order   c b a
#pragma once

#include "passes/analysis/Sections.h"
#include "passes/analysis/kernels/Kernels.h"
#include "passes/schedule/collectives/CommFusion.h"
#include "passes/schedule/collectives/GradientReadyPoints.h"
#include "passes/schedule/order/KernelStreams.h"
#include "passes/solve/buckets/BucketProblem.h"
#include "passes/solve/streams/StreamProblem.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::schedule {

// Finds the collectives of a section that could be fused: collectives of gradients and parameters,
// and collectives that a user has numbered (`dist.fusion`). Two collectives are compatible if they
// have the same kind, group, type and reduction, and the same depth. The depth is the largest
// number of collectives on a path to it. So no member of a fused collective can depend on another
// member.
//
//   @update   0  all_reduce of the gradient "a"    group 1, depth 0
//             1  all_reduce of the gradient "b"    group 1, depth 0
//             2  sgd of both
//             3  all_gather of the new "a"         group 2, depth 1

/// Purpose of a collective of a parameter or its gradient.
enum class FusionUse {
  Result, ///< sends results: a reduction of gradients, a gather of new parameters
  Source, ///< fetches parameters before they are read
};

/// Collective that could be fused with others.
struct FusionMember {
  int64_t kernel = 0;
  mlir::Operation *op = nullptr;
  std::string parameter; ///< whose value or gradient it is; empty if unknown
};

/// Collectives that could be fused with each other.
struct FusionGroup {
  FusionUse use = FusionUse::Result;
  std::optional<int64_t> number;           ///< given by the user; then the whole group is fused
  llvm::SmallVector<FusionMember> members; ///< by kernel
};

/// Returns the groups of a section. `tasks` are its kernels as tasks, by kernel number.
llvm::SmallVector<FusionGroup> findFusionGroups(analysis::Section &section,
                                                llvm::ArrayRef<analysis::Kernel> kernels,
                                                const streams::StreamProblem &tasks);

// Times at which the kernels of a step run on a machine. Each section runs in its given order, and
// the rank never waits for other stages:
//
//   actions    forward[0]  backward[0]  forward[1]  backward[1]  update
//   seconds    0 … 2       2 … 6        6 … 8       8 … 12       12 …
//
// A kernel of @backward that ends 1.5 after the section's start is done at 9.5 in the last action.

/// Start and end of each kernel of a step.
class StepTimes {
public:
  /// Computes the times of a step without hoisted kernels. `cluster` must be complete and have a
  /// device for each rank.
  StepTimes(mlir::ModuleOp module, StepKernels &kernels, const abi::Cluster &cluster);

  /// Returns the seconds from the beginning of the step to a point.
  double at(const StepPoint &point) const;
  /// Returns the seconds to the beginning of the last action of a section of the step.
  double beginOf(llvm::StringRef section) const { return known(section).begin; }
  /// Returns the seconds to the end of a kernel in the last action of its section.
  double endOf(llvm::StringRef section, int64_t kernel) const;
  /// Returns the kernels of a section, as tasks of the same numbers.
  const streams::StreamProblem &tasksOf(llvm::StringRef section) const {
    return known(section).tasks;
  }

private:
  struct Known {
    streams::StreamProblem tasks;
    streams::StreamTimes times; ///< from the section's start
    double begin = 0;           ///< of its last action
  };
  const Known &known(llvm::StringRef section) const { return sections.find(section)->second; }

  llvm::StringMap<Known> sections;
};

/// Fusion problem of a group; `members` maps each gradient of the problem to its number in the
/// group.
struct GroupProblem {
  buckets::BucketProblem problem;
  llvm::SmallVector<int> members;
};

/// Builds the fusion problems of a section's groups for a machine.
class FusionCostModel {
public:
  /// `hides`: collectives that need only complete gradients do not wait for the update. `limit`:
  /// maximum bytes of a fused collective; 0: unlimited. Arguments passed by reference must outlive
  /// this object.
  FusionCostModel(analysis::Section &section, llvm::ArrayRef<analysis::Kernel> kernels,
                  const StepTimes &times, const GradientReadyPoints &gradients,
                  const abi::Cluster &cluster, bool hides, int64_t limit)
      : name(section.function.getName()), points(gradients.findKernelPoints(section, kernels)),
        times(times), cluster(cluster), hides(hides), limit(limit) {}

  GroupProblem buildProblem(const FusionGroup &group) const;

private:
  std::vector<double> findReady(const FusionGroup &group) const;
  std::vector<double> findNeeded(const FusionGroup &group) const;

  llvm::StringRef name;                               ///< name of the section
  llvm::SmallVector<std::optional<StepPoint>> points; ///< by kernel
  const StepTimes &times;
  const abi::Cluster &cluster;
  bool hides;
  int64_t limit;
};

/// MindSpore's buckets by size: number of the bucket, by parameter.
using ReferenceBuckets = llvm::StringMap<int>;

/// Returns the buckets of a group by a rule. For buckets by size, `reference` holds MindSpore's
/// buckets; null: pcc's own rule.
buckets::Buckets chooseBuckets(const GroupProblem &problem, const FusionGroup &group,
                               const FusionRule &rule, const ReferenceBuckets *reference);

} // namespace pcc::schedule
