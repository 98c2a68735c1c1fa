// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter supports every op of the dialects.

#include "compiler/interpret/rank/Registry.h"
#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace pcc;

TEST(Registry, KnowsEveryOp) {
  mlir::MLIRContext context;
  context.loadDialect<graph::GraphDialect, dist::DistDialect, pipe::PipeDialect>();
  const llvm::StringRef declarations[] = {graph::ParameterOp::getOperationName(),
                                          pipe::StepOp::getOperationName(),
                                          pipe::ActionOp::getOperationName()};
  for (const char *dialect : {"graph", "dist", "pipe"})
    for (mlir::RegisteredOperationName op : context.getRegisteredOperationsByDialect(dialect)) {
      bool isDeclaration = llvm::is_contained(declarations, op.getStringRef());
      bool isKnown = interpret::Registry::get().lookup(op.getStringRef()) != nullptr;
      EXPECT_NE(isKnown, isDeclaration) << op.getStringRef().str();
    }
}
