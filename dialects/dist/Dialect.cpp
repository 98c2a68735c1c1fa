// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the attributes and ops of the dist dialect. Attributes store names and sizes in MLIR's
// own terms. Passes compute with value classes (Mesh, Sharding), and the functions here convert
// between both. Legality of a mesh is checked by the value class alone.
#include "dialects/dist/Dist.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;

#include "dialects/dist/DistDialect.cpp.inc"
#include "dialects/dist/DistInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/dist/DistAttrs.cpp.inc"

void DistDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/dist/DistAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/dist/DistOps.cpp.inc"
      >();
}

Mesh pcc::dist::getMesh(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto attr = op->getAttrOfType<MeshAttr>(meshAttrName))
      return attr.getMesh();
  return Mesh();
}

//===-- Between attributes and value classes ----------------------------------------------===//

MeshAttr MeshAttr::get(MLIRContext *context, const Mesh &mesh) {
  SmallVector<StringAttr> names;
  SmallVector<int64_t> sizes;
  for (const MeshAxis &axis : mesh.getAxes()) {
    names.push_back(StringAttr::get(context, axis.name));
    sizes.push_back(axis.size);
  }
  return get(context, names, sizes);
}

Mesh MeshAttr::getMesh() const {
  SmallVector<MeshAxis> axes;
  for (auto [name, size] : llvm::zip_equal(getNames(), getSizes()))
    axes.push_back({name.str(), size});
  return Mesh(axes);
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<StringAttr> names, ArrayRef<int64_t> sizes) {
  SmallVector<MeshAxis> axes;
  for (auto [name, size] : llvm::zip_equal(names, sizes))
    axes.push_back({name.str(), size});
  if (std::string error = Mesh(axes).verify(); !error.empty())
    return emitError() << error;
  return success();
}

ShardingAttr ShardingAttr::get(MLIRContext *context, const Sharding &sharding) {
  Builder builder(context);
  SmallVector<ArrayAttr> dims;
  for (const AxisList &axes : sharding.getDims())
    dims.push_back(builder.getStrArrayAttr(SmallVector<StringRef>(axes.begin(), axes.end())));
  SmallVector<StringAttr> partialAxes;
  for (const std::string &axis : sharding.getPartialAxes())
    partialAxes.push_back(builder.getStringAttr(axis));
  return get(context, dims, partialAxes, sharding.getPartialKind());
}

template <typename Range> static AxisList toAxisList(Range &&names) {
  AxisList list;
  for (StringAttr name : names)
    list.push_back(name.str());
  return list;
}

Sharding ShardingAttr::getSharding() const {
  SmallVector<AxisList, 4> dims;
  for (ArrayAttr axes : getDims())
    dims.push_back(toAxisList(axes.getAsRange<StringAttr>()));
  return Sharding(dims, toAxisList(getPartialAxes()), getPartialKind());
}

GroupAttr GroupAttr::get(MLIRContext *context, ArrayRef<std::string> axes) {
  SmallVector<StringAttr> names;
  for (const std::string &axis : axes)
    names.push_back(StringAttr::get(context, axis));
  return get(context, names, {});
}

LogicalResult GroupAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<StringAttr> axes, ArrayRef<DenseI64ArrayAttr> ranks) {
  if (!axes.empty() && !ranks.empty())
    return emitError() << "expected a group over axes or as lists of ranks, got both";
  if (llvm::any_of(ranks, [](DenseI64ArrayAttr list) { return list.empty(); })) // C8
    return emitError() << "expected lists of at least one rank, got an empty one";
  return success();
}

TableAttr TableAttr::get(MLIRContext *context, ArrayRef<SmallVector<int64_t>> rows) {
  SmallVector<DenseI64ArrayAttr> attrs;
  for (const SmallVector<int64_t> &row : rows)
    attrs.push_back(DenseI64ArrayAttr::get(context, row));
  return get(context, attrs);
}
