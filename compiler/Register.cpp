// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Register.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"

void pcc::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, graph::GraphDialect>();
}

void pcc::registerPasses() { mlir::registerTransformsPasses(); }
