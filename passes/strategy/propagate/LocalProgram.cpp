// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/propagate/LocalProgram.h"

#include "dialects/dist/Dist.h"
#include "mlir/IR/IRMapping.h"
#include "passes/analysis/LocalForm.h"
#include "passes/analysis/Shardings.h"

using namespace mlir;
using namespace pcc;

namespace pcc::strategy {
LocalProgram::LocalProgram(MLIRContext *context, const dist::Mesh &mesh)
    : module(ModuleOp::create(UnknownLoc::get(context))), mesh(mesh) {
  (*module)->setAttr(dist::meshAttrName, dist::MeshAttr::get(context, mesh));
}

func::FuncOp LocalProgram::build(Operation *op, const OpSharding &sharding) {
  module->getBody()->clear();
  auto form = dyn_cast<analysis::LocalFormOpInterface>(op);
  if (!form)
    return {};
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto function =
      func::FuncOp::create(builder, op->getLoc(), "local", builder.getFunctionType({}, {}));
  Block *body = function.addEntryBlock();
  IRMapping globals;
  SmallVector<Value> blocks;
  for (auto [operand, cut] : llvm::zip_equal(op->getOperands(), sharding.operands)) {
    Type type = analysis::getLocalType(operand.getType(), cut, mesh);
    blocks.push_back(body->addArgument(type, op->getLoc()));
    globals.map(operand, body->addArgument(operand.getType(), op->getLoc()));
  }
  SmallVector<Type> types;
  for (auto [result, cut] : llvm::zip_equal(op->getResults(), sharding.results))
    types.push_back(analysis::getLocalType(result.getType(), cut, mesh));
  builder.setInsertionPointToEnd(body);
  Operation *global = builder.clone(*op, globals);
  analysis::setShardings(global, sharding.operands, sharding.results);
  SmallVector<Value> results =
      cast<analysis::LocalFormOpInterface>(global).buildLocal(builder, blocks, types);
  global->erase();
  if (results.empty() || !results.front())
    return {};
  func::ReturnOp::create(builder, op->getLoc(), results);
  return function;
}

} // namespace pcc::strategy
