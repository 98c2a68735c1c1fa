// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes one buffer op for each place and type; equal constants share one. A buffer has the shape of
// the value, so that views of one place are several buffers.
#include "passes/lower/program/Program.h"

#include "dialects/graph/Graph.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "passes/analysis/StageSections.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc::task;

namespace pcc::lower {

static MemRefType bufferType(ShapedType type) {
  return MemRefType::get(type.getShape(), type.getElementType());
}

Value Buffers::at(PlaceAttr place, ShapedType type, StringRef name, Location loc) {
  MemRefType memory = bufferType(type);
  Value &buffer = known[{place, memory}];
  if (!buffer) {
    OpBuilder b = OpBuilder::atBlockEnd(program);
    buffer = BufferOp::create(b, loc, memory, name, place.getSpace(), place.getOffset(), nullptr,
                              place.getDepth(), place.getStride());
  }
  return buffer;
}

Value Buffers::constant(ElementsAttr value, Location loc) {
  Value &buffer = constants[value];
  if (!buffer) {
    OpBuilder b = OpBuilder::atBlockEnd(program);
    MemRefType memory = bufferType(value.getShapedType());
    buffer = BufferOp::create(b, loc, memory, "constant" + std::to_string(constants.size() - 1),
                              Space::Constant, constantEnd, value, /*depth=*/1,
                              /*stride=*/0);
    constantEnd += llvm::alignTo(std::max<int64_t>(bytesOf(memory), 1), bufferAlignment);
  }
  return buffer;
}

PlaceAttr placeOf(Value value) { return analysis::getPlace(analysis::viewRoot(value)); }

StringRef nameOfResult(graph::RoleAttr role) {
  if (!role)
    return "sum";
  return role.getName() ? role.getName().getValue() : graph::stringifyRoleKind(role.getKind());
}

/// Returns the name of a value's buffer: the role of an argument, else the function and kernel.
static std::string nameOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto role = function.getArgAttrOfType<graph::RoleAttr>(argument.getArgNumber(), "graph.role");
    if (role && role.getName())
      return role.getName().str();
    return (function.getName() + ".argument" + Twine(argument.getArgNumber())).str();
  }
  Operation *op = value.getDefiningOp();
  auto function = op->getParentOfType<func::FuncOp>();
  return (function.getName() + "." + op->getName().stripDialect() +
          Twine(analysis::getKernelNumber(op).value_or(0)))
      .str();
}

/// Returns the same elements in another shape.
static ElementsAttr inShape(ElementsAttr elements, ShapedType type) {
  if (elements.getShapedType() == type)
    return elements;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return cast<DenseElementsAttr>(elements).reshape(type);
}

Value Buffers::of(Value value) { return inShapeOf(analysis::viewRoot(value)); }

Value Buffers::inShapeOf(Value value) {
  auto type = cast<ShapedType>(value.getType());
  Value root = analysis::viewRoot(value);
  if (PlaceAttr place = placeOf(root))
    return at(place, type, nameOf(root), root.getLoc());
  auto op = root.getDefiningOp<graph::ConstantOp>();
  return constant(inShape(op.getValue(), type), op.getLoc());
}

HoistedKernels::HoistedKernels(MutableArrayRef<analysis::Section> sections) {
  for (analysis::Section &section : sections) {
    runs[section.function.getName()] = section.runs;
    if (section.function->hasAttr(analysis::hoistedAttrName))
      for (analysis::Kernel &kernel : analysis::collectKernels(section.function))
        if (kernel.hoisted)
          kernels[kernel.hoisted->section].push_back({&section, std::move(kernel)});
  }
  for (auto &entry : kernels)
    analysis::sortByPlace(entry.second,
                          [](const HoistedKernel &hoisted) { return *hoisted.kernel.hoisted; });
}

ArrayRef<HoistedKernel> HoistedKernels::in(StringRef section) const {
  auto found = kernels.find(section);
  return found == kernels.end() ? ArrayRef<HoistedKernel>() : found->second;
}

std::string HoistedKernels::lastActionOf(StringRef section) const {
  return runs.lookup(section) > 1 && kernels.contains(section)
             ? analysis::sectionOfLastAction(section)
             : section.str();
}

} // namespace pcc::lower
