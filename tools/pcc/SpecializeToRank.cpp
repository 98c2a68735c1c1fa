// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/SpecializeToRank.h"

#include "dialects/dist/Group.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Stages.h"
#include "dialects/task/Task.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pcc;

/// Evaluates `expression` on the rank at this position of this stage.
static int64_t valueOf(task::RankAttr expression, const dist::Mesh &mesh, int64_t stage,
                       int64_t position) {
  if (!expression.getTable().empty())
    return expression.getTable()[position];
  int64_t value = expression.getConstant();
  llvm::SmallVector<int64_t, 4> coordinates = mesh.getCoordinates(position);
  for (auto [axis, stride] : llvm::zip_equal(expression.getAxes(), expression.getStrides())) {
    auto number = mesh.findAxis(axis.getValue());
    value += (number ? coordinates[*number] : stage) * stride;
  }
  return value;
}

/// Replaces `op` by the position of `rank` in its group: a constant that keeps the op's
/// annotations.
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

void pcc::cli::specializeToRank(ModuleOp module, int64_t rank) {
  dist::Mesh mesh = dist::getMesh(module);
  int64_t stage = rank / mesh.getNumRanks(), position = rank % mesh.getNumRanks();
  for (auto other : llvm::make_early_inc_range(module.getOps<ModuleOp>()))
    if (pipe::getStage(other).value_or(stage) != stage)
      other.erase();
  module.walk([&](dist::RankOp op) { replaceByPosition(op, mesh, position); });
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](task::RankAttr expression) -> Attribute {
    return task::RankAttr::get(module.getContext(), valueOf(expression, mesh, stage, position), {},
                               {}, {});
  });
  replacer.recursivelyReplaceElementsIn(module);
}
