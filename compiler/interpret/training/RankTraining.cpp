// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/interpret/training/RankTraining.h"

#include "compiler/interpret/rank/Blocks.h"
#include "compiler/values/Compute.h"
#include "compiler/values/Map.h"
#include "compiler/values/TensorAttr.h"

using namespace mlir;

namespace pcc::interpret {

/// Returns block number `block` of the rows of a global batch that is cut into `blocks` blocks.
static Tensor rowsOf(const Tensor &batch, int64_t block, int64_t blocks) {
  llvm::SmallVector<int64_t, 4> shape(batch.getShape()), offset(batch.getRank(), 0);
  if (shape.empty())
    return batch;
  shape[0] /= blocks;
  offset[0] = block * shape[0];
  return extractBox(batch, offset, shape);
}

LogicalResult RankTraining::begin(const NamedTensors &globals) {
  for (Section &section : plan.sections)
    for (const Binding &binding : section.signature.arguments)
      if (binding.role == graph::RoleKind::Parameter && !parameters.count(binding.key))
        parameters[binding.key] = section.localPart(binding, globals.at(binding.globalKey), rank);
  if (!plan.start)
    return success();
  llvm::SmallVector<Tensor> arguments;
  for (const Binding &binding : plan.start->signature.arguments)
    arguments.push_back(parameters.at(binding.key));
  auto results = plan.start->call(rank, arguments, options);
  if (failed(results))
    return failure();
  for (auto [binding, value] : llvm::zip_equal(plan.start->signature.results, *results))
    keep(binding, value, /*number=*/0);
  return success();
}

LogicalResult RankTraining::runStep(const NamedTensors &batch, int64_t number) {
  sums.clear();
  outputs.clear();
  for (const Action &action : plan.actions) {
    Section &section = plan.sections[action.section];
    rank.beginAction(action.name);
    llvm::SmallVector<Tensor> arguments;
    for (const Binding &binding : section.signature.arguments) {
      FailureOr<Tensor> value = argument(action, binding, batch, number);
      if (failed(value))
        return failure();
      arguments.push_back(*value);
    }
    auto results = section.call(rank, arguments, options);
    if (failed(results))
      return failure();
    for (auto [binding, value] : llvm::zip_equal(section.signature.results, *results))
      keep(binding, value, action.number);
  }
  return success();
}

Tensor RankTraining::read(const Binding &binding) const {
  if (!binding.accumulateScale)
    return outputs.at(binding.key);
  return readSum(binding.key, *binding.accumulateScale,
                 *elementTypeOf(binding.type.getElementType()));
}

FailureOr<Tensor> RankTraining::argument(const Action &action, const Binding &binding,
                                         const NamedTensors &batch, int64_t number) {
  const Section &section = plan.sections[action.section];
  if (binding.role == graph::RoleKind::Input)
    return section.localPart(
        binding, rowsOf(batch.at(binding.globalKey), action.block + binding.copy, blocks), rank);
  if (binding.role == graph::RoleKind::Parameter)
    return parameters.at(binding.key);
  if (binding.role == graph::RoleKind::Step)
    return Tensor::integers(ElementType::I64, {},
                            {number * plan.runsOf(action.section) + action.number});
  if (binding.role == graph::RoleKind::Saved)
    return takeSaved(action, binding);
  if (binding.role == graph::RoleKind::Gradient && sums.count(binding.key))
    return readSum(binding.key, binding.ownScale ? 1.0 : scales.at(binding.key),
                   *elementTypeOf(binding.type.getElementType()));
  return failMissing(action, binding);
}

/// Returns a saved value, and drops it after its last reader.
FailureOr<Tensor> RankTraining::takeSaved(const Action &action, const Binding &binding) {
  auto entry = saved.find({binding.globalKey, action.number});
  if (entry == saved.end())
    return failMissing(action, binding);
  Tensor value = entry->second.value;
  if (--entry->second.readers == 0)
    saved.erase(entry);
  return value;
}

LogicalResult RankTraining::failMissing(const Action &action, const Binding &binding) {
  std::string of = action.name.empty() ? "" : " of " + action.name;
  return rank.fail(plan.step.getLoc(), "no action before \"" +
                                           plan.sections[action.section].getName() + "\"" + of +
                                           " gives \"" + binding.key + "\"");
}

Tensor RankTraining::readSum(const std::string &key, double scale, ElementType type) const {
  const Tensor &sum = sums.at(key);
  return generate(type, sum.getShape(), [&](int64_t n) { return Element{.f = sum[n].f * scale}; })
      .rounded(options.precision);
}

void RankTraining::keep(const Binding &binding, const Tensor &value, int64_t number) {
  if (binding.accumulateScale) {
    scales[binding.key] = *binding.accumulateScale;
    accumulate(sums[binding.key], value);
  } else if (binding.role == graph::RoleKind::Parameter) {
    parameters[binding.key] = value;
  } else if (binding.role == graph::RoleKind::Saved) {
    if (auto readers = plan.readers.find(binding.globalKey); readers != plan.readers.end())
      saved[{binding.globalKey, number}] = {value, readers->second};
  } else {
    outputs[binding.key] = value;
  }
}

/// Accumulates in f32 whatever the type of the terms.
void RankTraining::accumulate(Tensor &sum, const Tensor &term) {
  Tensor wide = generate(ElementType::F32, term.getShape(), [&](int64_t n) { return term[n]; });
  sum = sum.hasValue() ? combine(ReduceKind::Sum, {sum, wide}).rounded(options.precision) : wide;
}

} // namespace pcc::interpret
