// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocates by first use, each aligned for buffers. Sections share a place if their arguments have
// one key.
#include "passes/schedule/memory/FixedPlaces.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::PlaceAttr;

namespace pcc::schedule {

PlaceAttr BumpAllocator::take(int64_t bytes) {
  auto place = PlaceAttr::get(context, space, end);
  end += llvm::alignTo(std::max<int64_t>(bytes, 1), task::bufferAlignment);
  return place;
}

void FixedPlaces::addArguments(analysis::Section &section) {
  for (BlockArgument argument : section.function.getArguments()) {
    RoleAttr role = section.getArgumentRole(argument.getArgNumber());
    Attribute key = section.getArgumentKey(argument.getArgNumber());
    if (!role || places.contains(key))
      continue;
    bool isInput = role.getKind() == RoleKind::Input;
    if (isInput || role.getKind() == RoleKind::Parameter || role.getKind() == RoleKind::Step)
      places[key] =
          (isInput ? input : persistent).take(task::bytesOf(cast<ShapedType>(argument.getType())));
  }
}

void FixedPlaces::addSums(analysis::Section &section) {
  for (unsigned i = 0; i < section.function.getNumResults(); ++i) {
    if (!section.isAccumulated(i))
      continue;
    PlaceAttr &place = places[section.getResultRole(i)];
    if (section.beginsSum(i))
      place = persistent.take(
          task::bytesOf(analysis::getSumType(section.function.getResultTypes()[i])));
    section.function.setResultAttr(i, analysis::placeAttrName, place);
  }
}

} // namespace pcc::schedule
