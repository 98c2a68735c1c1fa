// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gradient with several holders is distributed like a partial value over a mesh with one rank per
// holder, and added again by joinCopies. Values of other roles go to every holder unchanged and
// must come back identical.
#include "compiler/interpret/function/Holders.h"

#include "compiler/interpret/rank/Blocks.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace pcc::interpret {

/// Seed by which every run distributes gradients in the same way.
static constexpr uint64_t holderSplitSeed = 13;

void Holders::add(Section &section, const Binding &binding) {
  List &list = holders[binding.globalKey];
  if (findPlace(list, section, binding) == list.size())
    list.push_back({&section, &binding});
}

void Holders::addArguments(Section &section) {
  for (const Binding &binding : section.signature.arguments)
    add(section, binding);
}

void Holders::addResults(Section &section) {
  for (const Binding &binding : section.signature.results)
    add(section, binding);
}

size_t Holders::findPlace(const List &list, const Section &section, const Binding &binding) {
  return llvm::find_if(list,
                       [&](const Holder &holder) {
                         return holder.section->stage == section.stage &&
                                holder.binding->key == binding.key;
                       }) -
         list.begin();
}

Tensor Holders::shareOf(const Section &section, const Binding &binding,
                        const Tensor &global) const {
  const List &list = holders.at(binding.globalKey);
  if (list.size() == 1 || binding.role != graph::RoleKind::Gradient)
    return global;
  constexpr const char *axis = "holder";
  dist::Mesh line({{axis, int64_t(list.size())}});
  dist::Sharding partial = dist::Sharding::replicated(global.getRank()).withPartial({axis});
  return splitRandomly(global, partial, line, findPlace(list, section, binding), holderSplitSeed);
}

FailureOr<Tensor> Holders::joinCopies(const List &list, llvm::ArrayRef<Tensor> values,
                                      Precision precision) {
  if (values.size() > 1 && list[0].binding->role == graph::RoleKind::Gradient)
    return combine(ReduceKind::Sum, values).rounded(precision);
  for (auto [holder, value] : llvm::zip_equal(list, values))
    if (!value.identical(values[0]))
      return emitError(holder.section->getLoc())
             << "\"" << holder.binding->key << "\" of stage " << holder.section->stage
             << " should equal \"" << list[0].binding->key << "\" of stage "
             << list[0].section->stage << " and does not";
  return values[0];
}

FailureOr<NamedTensors> Holders::join(llvm::ArrayRef<NamedTensors> perRank, const World &world,
                                      Precision precision) const {
  NamedTensors joined;
  for (const auto &[key, list] : holders) {
    llvm::SmallVector<Tensor> values;
    for (const Holder &holder : list) {
      llvm::SmallVector<Tensor> parts;
      for (int64_t position = 0; position < world.mesh.getNumRanks(); ++position)
        parts.push_back(
            perRank[world.getRank(holder.section->stage, position)].at(holder.binding->key));
      FailureOr<Tensor> value = holder.section->globalValue(*holder.binding, parts, world.mesh);
      if (failed(value))
        return failure();
      values.push_back(std::move(*value));
    }
    FailureOr<Tensor> value = joinCopies(list, values, precision);
    if (failed(value))
      return failure();
    joined[key] = *value;
  }
  return joined;
}

} // namespace pcc::interpret
