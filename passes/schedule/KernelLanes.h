// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of a section as tasks on lanes (passes/solve/lanes): what each takes on a machine and
// what it comes after.
//
//   kernel                    lane            after
//   0  matmul                 computes
//   1  all_reduce of it       communicates    0
//   2  matmul, adds to "w"    computes
//   3  send of 1              messages        1
//
// A kernel comes after those whose results it reads and, where it adds to a sum, after the one that
// adds to it before. Messages between ranks keep their order, for ranks wait for one another there.
#pragma once

#include "dialects/dist/Dist.h"
#include "passes/facts/KernelShares.h"
#include "passes/facts/Kernels.h"
#include "passes/facts/Sections.h"
#include "passes/solve/lanes/LaneProblem.h"
#include "runtime/abi/cluster.pb.h"

namespace pcc::schedule {

/// The tasks of a section, numbered as its kernels are.
class KernelLanes {
public:
  /// `cluster` is complete and has a device for each rank; it outlives this.
  KernelLanes(facts::Section &section, llvm::ArrayRef<facts::Kernel> kernels,
              const abi::Cluster &cluster);

  const lanes::LaneProblem &getProblem() const { return problem; }

private:
  void addTask(const facts::Kernel &kernel);
  void orderSums(facts::Section &section);
  void addAfter(int64_t kernel, int64_t before);
  double secondsOfCollective(const facts::Kernel &kernel) const;
  double secondsOf(const facts::Kernel &kernel) const;

  const abi::Cluster &cluster;
  dist::Mesh mesh;
  facts::KernelShares shares;
  lanes::LaneProblem problem;
  std::optional<int64_t> lastMessage; ///< the kernel of the last one so far
};

} // namespace pcc::schedule
