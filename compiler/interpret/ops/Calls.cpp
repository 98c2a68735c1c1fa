// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions in the same module.

#include "compiler/interpret/rank/Registry.h"

using namespace mlir;

namespace pcc::interpret {

void registerCalls(Registry &registry) {
  registry.add<func::CallOp>([](func::CallOp op, OpCall &call) -> LogicalResult {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
    if (!callee)
      return call.fail("expected a function called \"" + op.getCallee() + "\"");
    FailureOr<llvm::SmallVector<Tensor>> results = call.rank.call(callee, call.operands);
    if (failed(results))
      return failure();
    llvm::append_range(call.results, *results);
    return success();
  });
}

} // namespace pcc::interpret
