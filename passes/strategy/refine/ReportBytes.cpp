// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the bytes that one rank keeps between the sections of a step, so that a user sees what
// sharding the optimizer saves (--remarks).
//
// Counts parameters, gradients and states by the shardings on the boundaries of functions. States
// are all parameters that are not trained: optimizer states, running statistics and frozen weights.
// The program is not cut in stages yet, so the bytes are those of all stages together. A function
// with local types (`dist.local`) is skipped. Changes nothing.
#include "dialects/graph/Roles.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/strategy/Passes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace pcc;
using pcc::graph::RoleKind;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYREPORTBYTES
#include "passes/strategy/Passes.h.inc"

namespace {

/// Bytes of values by name, each counted once even if several functions take it.
struct Bytes {
  llvm::StringMap<int64_t> parameters, gradients, states;

  void count(func::FuncOp function, BlockArgument argument, const dist::Mesh &mesh,
             SymbolTable &symbols) {
    graph::RoleAttr role = graph::getArgRole(function, argument.getArgNumber());
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!role || !type)
      return;
    StringRef name = graph::getName(role);
    dist::Sharding sharding = analysis::getSharding(argument);
    int64_t bytes = analysis::getNumBytes(analysis::getLocalType(type, sharding, mesh));
    if (role.getKind() == RoleKind::Gradient)
      gradients[name] = bytes;
    else if (role.getKind() == RoleKind::Parameter)
      if (auto parameter = symbols.lookup<graph::ParameterOp>(name))
        (parameter.getTrainable() ? parameters : states)[name] = bytes;
  }
};

int64_t sum(const llvm::StringMap<int64_t> &bytes) {
  int64_t total = 0;
  for (const auto &entry : bytes)
    total += entry.second;
  return total;
}

struct ReportBytes : impl::StrategyReportBytesBase<ReportBytes> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    dist::Mesh mesh = dist::getMesh(module);
    SymbolTable symbols(module);
    Bytes bytes;
    for (func::FuncOp function : module.getOps<func::FuncOp>()) {
      if (function.isDeclaration() || function->hasAttr(dist::localAttrName))
        continue;
      for (BlockArgument argument : function.getArguments())
        bytes.count(function, argument, mesh, symbols);
    }
    remark::analysis(module.getLoc(),
                     remark::RemarkOpts::name("bytes-per-rank").category("strategy"))
        << remark::metric("parameters", sum(bytes.parameters))
        << remark::metric("gradients", sum(bytes.gradients))
        << remark::metric("states", sum(bytes.states));
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace pcc::strategy
