// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of MindSpore with its constants, in bytes. A transfer of up to 2 KiB
// counts as 3 KiB, because latency dominates it.
#include "passes/strategy/memory_model/MemoryModel.h"

#include "passes/analysis/sharding/LegalStrategies.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace pcc::strategy {

MemoryCost &MemoryCost::operator+=(const MemoryCost &other) {
  computation += other.computation;
  activations += other.activations;
  parameters += other.parameters;
  return *this;
}

double MemoryModel::getTotal(const MemoryCost &cost) const {
  return alpha * cost.computation + beta * (cost.activations + gamma * cost.parameters);
}

int64_t MemoryTensor::countParts(ArrayRef<int64_t> counts) const {
  int64_t parts = 1;
  for (int64_t count : analysis::projectCounts(dims, counts))
    parts *= count;
  return parts;
}

double MemoryTensor::countBytes(ArrayRef<int64_t> counts) const {
  double bytes = static_cast<double>(elementBytes);
  for (int64_t size : shape)
    bytes *= static_cast<double>(size);
  return bytes / static_cast<double>(countParts(counts));
}

/// Returns the cost in bytes of a transfer of `bytes`; latency dominates short transfers.
static double costOfTransfer(double bytes) {
  constexpr double threshold = 2048, minCost = 3072, latency = 1024;
  if (bytes <= 0)
    return 0;
  return bytes <= threshold ? minCost : bytes + latency;
}

/// Subtracts one from each cost above one byte, so that a tie is won by the option that splits only
/// the batch.
static void winTies(std::initializer_list<double *> figures) {
  for (double *figure : figures)
    if (*figure > 1)
      *figure -= 1;
}

/// Whether parts of a reduced dimension are summed at a cost. MindSpore has none for convolutions:
/// it counts every split of one as a split of the batch.
static bool isReductionSplit(const MemoryOp &op, ArrayRef<int64_t> counts) {
  return op.costRule != MemoryCostRule::Convolution &&
         any_of(zip_equal(op.rule.getFactors(), counts), [](auto pair) {
           return std::get<0>(pair).kind == FactorKind::Reduce && std::get<1>(pair) > 1;
         });
}

/// Whether a gather splits the table's axis, which is its only whole factor.
static bool isAxisSplit(const MemoryOp &op, ArrayRef<int64_t> counts) {
  return any_of(zip_equal(op.rule.getFactors(), counts), [](auto pair) {
    return std::get<0>(pair).kind == FactorKind::Whole && std::get<1>(pair) > 1;
  });
}

/// Returns the operands that count as computation.
static ArrayRef<MemoryOperand> listRead(const MemoryOp &op) {
  ArrayRef<MemoryOperand> operands = op.operands;
  return op.costRule == MemoryCostRule::Concat ? operands.take_front() : operands;
}

/// Returns the operands whose gradients cost communication.
static ArrayRef<MemoryOperand> listTrained(const MemoryOp &op) {
  switch (op.costRule) {
  case MemoryCostRule::Matmul:
    return ArrayRef(op.operands).slice(1, 1);
  case MemoryCostRule::Concat:
    return ArrayRef(op.operands).take_front();
  default:
    return op.operands;
  }
}

static double countGradients(const MemoryOp &op, ArrayRef<int64_t> counts, int64_t devices) {
  double bytes = 0;
  for (const MemoryOperand &operand : listTrained(op))
    if (operand.isTrained && operand.tensor.countParts(counts) != devices)
      bytes += operand.tensor.countBytes(counts);
  return bytes;
}

/// Whether the first dimension of the first operand is split over all devices.
static bool splitsFirst(const MemoryOp &op, ArrayRef<int64_t> counts, int64_t devices) {
  if (op.operands.empty() || op.operands.front().tensor.dims.empty())
    return false;
  return analysis::projectCounts(op.operands.front().tensor.dims, counts).front() == devices;
}

MemoryCost costOfOp(const MemoryOp &op, ArrayRef<int64_t> counts, int64_t devices) {
  constexpr double tableWeight = 3, indexWeight = 7;
  double computation = 0, forward = 0;
  for (const MemoryOperand &operand : listRead(op))
    computation += operand.tensor.countBytes(counts);
  if (op.costRule == MemoryCostRule::Gather && isAxisSplit(op, counts)) {
    computation = tableWeight * op.operands[0].tensor.countBytes(counts) +
                  indexWeight * op.operands[1].tensor.countBytes(counts);
    forward = op.results.front().countBytes(counts);
  } else if (isReductionSplit(op, counts)) {
    forward = op.results.front().countBytes(counts);
    computation += op.costRule == MemoryCostRule::Mean ? 2 * forward : forward;
  }
  double total = forward + countGradients(op, counts, devices);
  if (splitsFirst(op, counts, devices))
    winTies({&computation, &forward, &total});
  return {computation, costOfTransfer(forward), total - forward};
}

MemoryCost costOfReshard(const ReshardVolume &volume) {
  return {volume.computation, costOfTransfer(volume.forward) + costOfTransfer(volume.backward), 0};
}

MemoryCost costOfReshape(const ReshardVolume &volume, const DeviceLayout &from, int64_t devices) {
  double computation = volume.computation, sent = volume.forward + volume.backward;
  if (!from.dims.empty() && from.dims.front().axis.getCount() == devices)
    winTies({&computation, &sent});
  return {computation, costOfTransfer(sent), 0};
}

} // namespace pcc::strategy
