// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which collectives of a group share a message: the problem that the machine poses, and what a
// user's rule, or its optimum, makes of it.
//
// What parameters bring in is the same problem backwards in time. What is read 3 before the end has
// to be there, so its message ends no later; from the end on it is ready at 3:
//
//   read at    1    4    6   of 9          ready at   8    5    3
//   gathers    a    b    c                 in order   c b a
#pragma once

#include "passes/schedule/CommFusion.h"
#include "passes/schedule/FusionGroups.h"
#include "passes/schedule/StepTimes.h"
#include "passes/solve/fusion/FusionProblem.h"

namespace pcc::schedule {

/// A group's problem; `members` are those of its gradients, by their numbers in the group.
struct GroupProblem {
  fusion::FusionProblem problem;
  llvm::SmallVector<int> members;
};

/// Poses the problems of a section's groups on a machine.
class FusionPricer {
public:
  /// `hides`: what needs nothing but complete gradients does not wait for the update. `limit`:
  /// bytes of a message of several, 0: any. What is handed by reference outlives this.
  FusionPricer(facts::Section &section, llvm::ArrayRef<facts::Kernel> kernels,
               const StepTimes &times, const GradientPlaces &gradients, const abi::Cluster &cluster,
               bool hides, int64_t limit)
      : name(section.function.getName()), places(gradients.placeKernels(section, kernels)),
        times(times), cluster(cluster), hides(hides), limit(limit) {}

  GroupProblem poseProblem(const FusionGroup &group) const;

private:
  std::vector<double> findReady(const FusionGroup &group) const;
  std::vector<double> findNeeded(const FusionGroup &group) const;

  llvm::StringRef name;                           ///< of the section
  llvm::SmallVector<std::optional<Place>> places; ///< by kernel
  const StepTimes &times;
  const abi::Cluster &cluster;
  bool hides;
  int64_t limit;
};

/// MindSpore's buckets by size: by parameter, the number of its bucket.
using ReferenceBuckets = llvm::StringMap<int>;

/// The buckets of a group by a rule. `reference`: those by size are MindSpore's; null: ours.
fusion::Buckets chooseBuckets(const GroupProblem &problem, const FusionGroup &group,
                              const FusionRule &rule, const ReferenceBuckets *reference);

} // namespace pcc::schedule
