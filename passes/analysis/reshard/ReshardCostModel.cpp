// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps each step to a collective with bytes and messages. Mesh axes become sizes and strides of
// ranks, from which runtime/machine derives the links in use.
#include "passes/analysis/reshard/ReshardCostModel.h"

#include "runtime/machine/Roofline.h"

using namespace llvm;

namespace pcc::analysis {

machine::GroupLayout makeGroup(ArrayRef<std::string> axes, const dist::Mesh &mesh,
                               const abi::Cluster &cluster) {
  SmallVector<machine::GroupAxis> groupAxes;
  int64_t stride = 1;
  for (const dist::MeshAxis &axis : reverse(mesh.getAxes())) {
    if (is_contained(axes, axis.name))
      groupAxes.push_back({axis.size, stride});
    stride *= axis.size;
  }
  return machine::GroupLayout::over({groupAxes.data(), groupAxes.size()}, cluster);
}

/// Returns the collective of a step; unspecified for steps that are local to a rank.
static abi::CollectiveKind kindOf(StepKind kind) {
  switch (kind) {
  case StepKind::Mask:
  case StepKind::Slice:
    return abi::COLLECTIVE_KIND_UNSPECIFIED;
  case StepKind::AllGather:
    return abi::ALL_GATHER;
  case StepKind::AllToAll:
    return abi::ALL_TO_ALL;
  case StepKind::ReduceScatter:
    return abi::REDUCE_SCATTER;
  case StepKind::AllReduce:
    return abi::ALL_REDUCE;
  case StepKind::CollectivePermute:
    return abi::COLLECTIVE_PERMUTE;
  case StepKind::BlockExchange:
    return abi::BLOCK_EXCHANGE;
  }
  return abi::COLLECTIVE_KIND_UNSPECIFIED;
}

machine::CollectiveCost ReshardCostModel::explain(const ReshardStep &step, double scale) const {
  auto toBytes = [&](int64_t elements) {
    return static_cast<double>(elements * elementBytes) * scale;
  };
  if (step.isLocal()) // read and written, by a kernel that has more to do
    return {2 * toBytes(step.resultElements) / cluster.device().memory_bytes_per_second().value()};
  machine::Traffic traffic{kindOf(step.kind), toBytes(step.operandElements), step.messages};
  if (step.kind == StepKind::AllGather)
    traffic.bytes = toBytes(step.resultElements);
  if (step.kind == StepKind::BlockExchange)
    traffic.bytes = toBytes(step.elements);
  return machine::estimateCollectiveCost(cluster, makeGroup(step.axes, mesh, cluster), traffic);
}

double secondsOfTransfer(double bytes, int64_t ranks, const abi::Cluster &cluster) {
  machine::GroupAxis stages[] = {{2, ranks}};
  return machine::estimateCollectiveCost(cluster, machine::GroupLayout::over(stages, cluster),
                                         {abi::SEND, bytes})
      .seconds;
}

} // namespace pcc::analysis
