// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the distinct collectives of each list of GPUs, then asks NCCL once per list. A batch
// counts as one collective of all its elements; batches of different kinds, types or reductions are
// skipped.
#include "tools/pcc/bench/StepTimes.h"

#include "runtime/abi/program/RankExpression.h"
#include "runtime/collective/nccl/Estimates.h"
#include "runtime/device/cuda/driver/Gpu.h"

#include <algorithm>
#include <numeric>

namespace pcc::cli {
namespace {

using runtime::CollectiveCall;

/// Collectives of one list of ranks, with their keys.
struct Calls {
  std::vector<CollectiveKey> keys;
  std::vector<CollectiveCall> calls;
};

bool areAlike(const std::vector<const abi::Instruction *> &instructions) {
  const abi::Collective &first = instructions.front()->collective();
  return std::ranges::all_of(instructions, [&](const abi::Instruction *instruction) {
    const abi::Collective &own = instruction->collective();
    return own.kind() == first.kind() && own.type() == first.type() &&
           own.reduction() == first.reduction();
  });
}

/// Returns one collective that moves all data of a batch.
CollectiveCall callOf(const CollectiveBatch &batch) {
  const abi::Collective &first = batch.instructions.front()->collective();
  CollectiveCall call{.kind = first.kind(), .reduction = first.reduction(), .type = first.type()};
  call.shape = {0};
  for (const abi::Instruction *instruction : batch.instructions) {
    const auto &shape = instruction->collective().shape();
    call.shape[0] +=
        std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<int64_t>());
  }
  return call;
}

/// Groups the collectives by the GPUs of their ranks: rank r has GPU r. Lists of a group are alike,
/// so the first counts.
std::map<std::vector<int>, Calls> callsOf(const abi::Executable &executable) {
  std::map<std::vector<int>, Calls> byGpus;
  for (const abi::Program &program : executable.programs())
    for (const abi::Section &section : program.sections())
      for (const CollectiveBatch &batch : batchesOf(executable, program, section)) {
        const abi::RankList &list =
            executable.groups(int(batch.instructions.front()->collective().group())).lists(0);
        Calls &own = byGpus[{list.ranks().begin(), list.ranks().end()}];
        if (batch.key.ranks < 2 || !areAlike(batch.instructions) ||
            std::ranges::find(own.keys, batch.key) != own.keys.end())
          continue;
        own.keys.push_back(batch.key);
        own.calls.push_back(callOf(batch));
      }
  return byGpus;
}

bool joinsByNccl(const abi::Executable &executable) {
  const auto &driver = runtime::cuda::Driver::get();
  if (!executable.has_gpu_code() || !driver || !runtime::nccl::Nccl::get())
    return false;
  auto gpus = runtime::cuda::countGpus(*driver);
  int64_t ranks = abi::rankCount(executable.mesh());
  return gpus && ranks > 1 && ranks <= *gpus;
}

} // namespace

abi::Expected<CollectiveMeans> estimateCollectives(const abi::Executable &executable) {
  CollectiveMeans means;
  if (!joinsByNccl(executable))
    return means;
  for (const auto &[gpus, own] : callsOf(executable)) {
    if (own.calls.empty())
      continue;
    auto estimates = runtime::nccl::estimate(gpus, own.calls);
    if (estimates.status().kind() == abi::StatusKind::Unavailable)
      return means; // an older NCCL
    if (!estimates)
      return estimates.status();
    for (size_t i = 0; i < own.keys.size(); ++i)
      if (const std::optional<double> &seconds = (*estimates)[i])
        means[own.keys[i]].add(*seconds);
  }
  return means;
}

} // namespace pcc::cli
