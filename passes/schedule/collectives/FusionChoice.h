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

#include "passes/schedule/collectives/CommFusion.h"
#include "passes/schedule/collectives/FusionGroups.h"
#include "passes/schedule/order/StepTimes.h"
#include "passes/solve/buckets/BucketProblem.h"

namespace pcc::schedule {

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
