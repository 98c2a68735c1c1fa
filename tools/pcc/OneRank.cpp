// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/OneRank.h"

#include "dialects/dist/Group.h"
#include "dialects/graph/Graph.h"
#include "dialects/task/Task.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pcc;

static int64_t valueOf(task::RankAttr expression, const dist::Mesh &mesh, int64_t rank) {
  if (!expression.getTable().empty())
    return expression.getTable()[rank];
  int64_t value = expression.getConstant();
  llvm::SmallVector<int64_t, 4> coordinates = mesh.getCoordinates(rank);
  for (auto [axis, stride] : llvm::zip_equal(expression.getAxes(), expression.getStrides()))
    value += coordinates[*mesh.findAxis(axis.getValue())] * stride;
  return value;
}

/// The position of `rank` in the op's group as a constant that keeps the op's marks.
static void replaceByPosition(dist::RankOp op, const dist::Mesh &mesh, int64_t rank) {
  dist::RankList members = dist::getGroupMembers(op.getGroupAttr(), mesh, rank);
  int64_t position = llvm::find(members, rank) - members.begin();
  OpBuilder builder(op);
  auto value =
      DenseElementsAttr::get(cast<ShapedType>(op.getType()), builder.getI64IntegerAttr(position));
  auto constant = graph::ConstantOp::create(builder, op.getLoc(), value);
  constant->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.replaceAllUsesWith(constant.getResult());
  op.erase();
}

void pcc::cli::specialise(ModuleOp module, int64_t rank) {
  dist::Mesh mesh = dist::getMesh(module);
  module.walk([&](dist::RankOp op) { replaceByPosition(op, mesh, rank); });
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](task::RankAttr expression) -> Attribute {
    return task::RankAttr::get(module.getContext(), valueOf(expression, mesh, rank), {}, {}, {});
  });
  replacer.recursivelyReplaceElementsIn(module);
}
